"""Pre-flop tables that are made up, for tests that need any."""

import numpy as np

from ludus.cards.preflop import PreflopTable


def invented_table(seed=0):
    """Something that has a table's form: a skew part around one half, and no ties."""
    skew = np.random.default_rng(seed).uniform(-0.4, 0.4, (169, 169))
    return PreflopTable((0.5 + (skew - skew.T) / 2).astype(np.float32), np.zeros((169, 169), np.float32))
