"""Monte Carlo CFR: the solver and the kernels that sample."""
