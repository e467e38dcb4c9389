"""Many hold'em subgames solved at once."""
