"""The experiments of the sources again: our figures beside theirs and the theory's."""
