"""Games as flat arrays: public trees, history trees, what chance deals. This package knows nothing of regret."""

from ludus.trees.flat import FlatGame, InformationSets, flatten

__all__ = ["FlatGame", "InformationSets", "flatten"]
