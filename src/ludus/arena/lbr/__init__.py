"""Local best response: a lower bound on what a strategy can be exploited for."""
