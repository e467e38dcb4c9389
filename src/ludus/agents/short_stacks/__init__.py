"""How agents play with ten big blinds and less before the flop."""

from ludus.agents.short_stacks.pushing import SHORT, is_short, push_or_fold

__all__ = ["SHORT", "is_short", "push_or_fold"]
