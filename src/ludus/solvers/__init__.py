"""Solvers of small games: the CFR family, Monte Carlo CFR, fictitious play, best response and exploitability."""

from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.measure import expected_values, measure
from ludus.solvers.settings import Settings
from ludus.solvers.solve import Result, solve
from ludus.solvers.strategy import Strategy

__all__ = ["Evaluation", "Evaluator", "Result", "Settings", "Strategy", "expected_values", "measure", "solve"]
