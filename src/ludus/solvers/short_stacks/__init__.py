"""Short stacks before the flop: push or fold for two to ten players, for chips or for the prizes of a tournament."""

from ludus.solvers.short_stacks.push_or_fold import PushOrFold, solve_push_or_fold

__all__ = ["PushOrFold", "solve_push_or_fold"]
