"""The prisoner's dilemma: what is stable is not what is best for both (Jenselme and Kujundzic)."""

from __future__ import annotations

from itertools import product

from ludus import games
from ludus.experiments.report import Report
from ludus.experiments.sources import JENSELME_KUJUNDZIC, JENSELME_KUJUNDZIC_IN_FULL
from ludus.games.matrix import MatrixGame
from ludus.parallel import Stages
from ludus.solvers import solve

YEARS = ((-2.0, -10.0), (0.0, -5.0))  # of the first: silent or confessing, against a silent or confessing second
NASH, PARETO = {("confess", "confess")}, {("silent", "silent")}  # as the source has them
Cell = tuple[int, int]


def payoffs(game: MatrixGame, cell: Cell) -> tuple[float, float]:
    """What both get."""
    row, column = cell
    return game.row_payoffs[row][column], game.column_payoffs[row][column]


def gain(game: MatrixGame, cell: Cell) -> float:
    """The most that anyone gains by leaving alone: 0 in a Nash equilibrium."""
    (row, column), here = cell, payoffs(game, cell)
    alone = [payoffs(game, (other, column))[0] - here[0] for other in range(len(game.row_names))]
    alone += [payoffs(game, (row, other))[1] - here[1] for other in range(len(game.column_names))]
    return max(alone)


def efficient(game: MatrixGame, cell: Cell) -> bool:
    """Whether no other cell is better for someone and worse for nobody (Pareto)."""
    here = payoffs(game, cell)
    others = [payoffs(game, other) for other in _cells(game)]
    return not any(other != here and all(a >= b for a, b in zip(other, here, strict=True)) for other in others)


def prisoners_dilemma(iterations: int, progress: Stages) -> Report:
    """The four cells by both notions, and what CFR learns to play."""
    game = games.prisoners_dilemma(YEARS)
    progress("CFR", 0, 1)
    strategy = solve(game, "cfr", iterations=iterations).strategy
    learnt = [list(strategy.at(player, f"player {player}").values()) for player in range(2)]
    rows, cells = [], {}
    for row, column in _cells(game):
        names, years = (game.row_names[row], game.column_names[column]), payoffs(game, (row, column))
        left, fair = gain(game, (row, column)), efficient(game, (row, column))
        played = learnt[0][row] * learnt[1][column]
        cells[", ".join(names)] = {
            "payoffs": years, "gain": left, "nash": left <= 0, "pareto": fair, "played": played,
        }  # fmt: skip
        theirs = [word for word, kind in (("Nash", NASH), ("Pareto", PARETO)) if names in kind]
        rows.append((
            ", ".join(names), f"{years[0]:g}, {years[1]:g}", f"{left:g}", _yes(left <= 0), _yes(fair),
            f"{100 * played:.3f}", ", ".join(theirs),
        ))  # fmt: skip
    notes = [
        "Gain: the most that anyone gains by leaving the cell alone; 0 in a Nash equilibrium. Pareto: no other cell is "
        "better for someone and worse for nobody. The cells in which one confesses alone are efficient in this sense, "
        "too, which the source does not say: whoever goes free would lose by any change.",
        "The source's sentence about one prisoner confessing has the two the wrong way round; its table is right, and "
        "it is the one used here.",
        f"{JENSELME_KUJUNDZIC}: {JENSELME_KUJUNDZIC_IN_FULL}.",
    ]
    header = ("first, second", "years", "gain", "Nash", "Pareto", f"CFR plays % ({iterations:,})", JENSELME_KUJUNDZIC)
    figures = {"experiment": "prisoners-dilemma", "iterations": iterations, "cells": cells}
    return Report("prisoners-dilemma: years in prison as losses", figures, header, rows, notes)


def _cells(game: MatrixGame) -> list[Cell]:
    return list(product(range(len(game.row_names)), range(len(game.column_names))))


def _yes(whether: bool) -> str:
    return "yes" if whether else "no"
