"""Small games cut at a depth, and subgames solved again under constraints."""
