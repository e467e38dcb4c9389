"""Value networks: what every hand is worth where a look-ahead ends. They are asked in NumPy and trained in PyTorch."""
