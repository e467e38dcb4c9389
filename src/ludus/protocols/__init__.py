"""How to play with other people's programs: ACPC, Slumbot, hand histories. Knows nothing of training."""
