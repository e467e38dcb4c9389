"""Cards, ranks, ranges, equity and suit isomorphism. This package knows nothing of betting."""
