"""Deep reinforcement learning: an algorithm is one file that is read from top to bottom, here ``nfsp``.

What algorithms share is small: games played side by side (``lanes`` and its games), memories, networks.
"""
