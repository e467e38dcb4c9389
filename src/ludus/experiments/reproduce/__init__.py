"""The experiments of the sources reproduced: our figures next to theirs and the theory's."""
