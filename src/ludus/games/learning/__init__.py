"""Games as learners see them: features, discrete actions, environments."""
