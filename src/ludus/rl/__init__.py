"""Deep reinforcement learning: an algorithm is one file that is read from top to bottom, such as ``nfsp`` or ``dqn``.

What algorithms share is small: games played side by side (``lanes`` and its games), memories, networks.
"""
