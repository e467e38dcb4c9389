"""How programs of other people are played with: ACPC, Slumbot, hand histories. Knows nothing of training."""
