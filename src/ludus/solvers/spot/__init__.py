"""Hold'em spots: the vector-form solver over the public tree, and what it finds."""
