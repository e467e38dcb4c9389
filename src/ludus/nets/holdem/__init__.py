"""Value networks of heads-up hold'em."""
