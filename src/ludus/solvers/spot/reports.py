"""What is said about a solved spot as a whole: a run in figures, a line card by card, two trees side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.cards.card import CARDS, format_cards
from ludus.cards.equity import equity
from ludus.cards.ranges import CLASSES, combo_name
from ludus.games.action import Action, Phrase
from ludus.solvers.spot.kernels.compact import normalised
from ludus.solvers.spot.layout import PLAYERS
from ludus.solvers.spot.line import Place, follow_line, mass_met, start_of
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun, pair_masses
from ludus.solvers.spot.view import View, action_phrases, numbers
from ludus.trees.betting import CHANCE, FRONTIER, IP, leaf_payoffs
from ludus.trees.lines import longer

Two = tuple[float, float]
"""A number for OOP and one for IP."""


@dataclass(frozen=True)
class Summary:
    """A run in figures; EVs and best responses are in chips, and without rake the EVs sum to the pot."""

    exploitability_percent: float
    ev: Two
    best_response: Two
    equity: Two
    actions: tuple[Action, ...]  # at the start of the spot; none where nobody decides there
    names: tuple[str, ...]
    frequencies: tuple[float, ...]
    hand_ev: tuple[dict[str, float], dict[str, float]]


def summarise(run: SpotRun) -> Summary:
    """The figures of a run, without the work of a whole `Solution`."""
    solver, layout, tree = run.solver, run.solver.layout, run.solver.layout.tree
    own = [layout.spot.pot / 2 + bet for bet in layout.spot.subgame.bets]
    masses = pair_masses(layout)
    hands = layout.boards[0].hands
    hand_ev = []
    for player in (0, 1):
        values = solver.follow(player, solver.sums).astype(np.float64)
        met = mass_met(layout, 0, 0, player, start_of(layout).reach[1 - player][None])[0]
        combos = hands[player].combo
        shown = [at for at in np.argsort(combos).tolist() if met[at] > 0]
        hand_ev.append({combo_name(int(combos[at])): float(values[at] / met[at] + own[player]) for at in shown})
    frequencies: tuple[float, ...] = ()
    if tree.kind[0] <= IP:
        first, actions = int(tree.kind[0]), len(tree.children(0))
        mixed = normalised(solver.average()[0][first][: actions * len(masses[first])].reshape(actions, -1))
        weights = start_of(layout).reach[first] * masses[first]
        frequencies = tuple((mixed @ weights / weights.sum()).tolist())
    best = run.measured.best_response
    return Summary(
        exploitability_percent=run.measured.percent,
        ev=run.measured.ev,
        best_response=(best[0] + own[0], best[1] + own[1]),
        equity=range_equity(start_of(layout)),
        actions=tree.actions(0) if frequencies else (),
        names=tuple(map(str, action_phrases(layout.spot, tree, 0))) if frequencies else (),
        frequencies=frequencies,
        hand_ev=(hand_ev[0], hand_ev[1]),
    )


def range_equity(place: Place) -> Two:
    """The exact equity of what reaches a place; nan where nothing does."""
    if not (place.reach[0] * place.met[0]).any():
        return float("nan"), float("nan")
    one, two = equity(place.ranges, place.board, exact=True).equity
    return one, two


# Card by card


@dataclass(frozen=True)
class Runout:
    """What a card makes of the play."""

    card: int
    share: float  # how often it comes
    ev: Two
    equity: Two
    frequencies: tuple[float, ...]  # of the first decision after it; nothing where both players are all-in


@dataclass(frozen=True)
class RunoutReport:
    """A line that ends before a card, with every card that can come."""

    line: str
    board: tuple[int, ...]
    pot: int
    player: str  # who decides after the card; '' where both are all-in
    actions: tuple[Action, ...]
    phrases: tuple[Phrase, ...]
    rows: tuple[Runout, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The actions in words."""
        return tuple(map(str, self.phrases))

    def mean(self) -> Runout:
        """The mean over all cards; its card is -1."""
        shares = np.array([row.share for row in self.rows])
        columns = np.array([(*row.ev, *row.equity, *row.frequencies) for row in self.rows])
        counted = np.where(np.isnan(columns), 0, shares[:, None])
        total = counted.sum(axis=0)
        sums = (counted * np.nan_to_num(columns)).sum(axis=0)
        means = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
        ev_oop, ev_ip, oop, ip, *often = means.tolist()
        return Runout(-1, float(shares.sum()), (ev_oop, ev_ip), (oop, ip), tuple(often))

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """A header and one row for each card; None where there is no number."""
        header = ["card", "share", "ev oop", "ev ip", "equity oop", "equity ip", *map(str, self.actions)]
        rows = [[CARDS[row.card], *numbers((row.share, *row.ev, *row.equity, *row.frequencies))] for row in self.rows]
        return header, rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""

        def figures(row: Runout) -> dict[str, Any]:
            return {
                "share": row.share,
                "ev": dict(zip(PLAYERS, numbers(row.ev), strict=True)),
                "equity": dict(zip(PLAYERS, numbers(row.equity), strict=True)),
                "frequencies": numbers(row.frequencies),
            }

        return {
            "line": self.line, "board": format_cards(self.board, " "), "pot": self.pot, "player": self.player,
            "actions": [*map(str, self.actions)], "names": self.names,
            "phrases": [said.to_dict() for said in self.phrases],
            "cards": [{"card": CARDS[row.card], **figures(row)} for row in self.rows], "mean": figures(self.mean()),
        }  # fmt: skip


def runout_report(solution: Solution, line: str) -> RunoutReport:
    """What every card makes of the play after a line; ValueError unless a card comes there."""
    layout, tree = solution.layout, solution.layout.tree
    place = follow_line(layout, line, solution.played)
    if tree.kind[place.node] != CHANCE:
        raise ValueError(f"a report by cards is for a line after which one comes, got {place.line!r}: {_hint(place)}")
    after = tree.children(place.node)[0]
    decides = bool(tree.kind[after] <= IP)
    found: dict[int, Runout] = {}
    rows = []
    for card in (card for card in range(52) if card not in place.board):
        here = place.deal(card)
        if here.index not in found:  # boards that are copies of each other have the same figures
            found[here.index] = _runout(solution, here, decides)
        rows.append((card, found[here.index]))
    total = sum(row.share for _, row in rows) or 1.0
    return RunoutReport(
        line=place.line,
        board=place.board,
        pot=solution.spot.pot + int(tree.paid[place.node].sum()),
        player=PLAYERS[tree.kind[after]] if decides else "",
        actions=tree.actions(after) if decides else (),
        phrases=action_phrases(solution.spot, tree, after) if decides else (),
        rows=tuple(Runout(card, row.share / total, row.ev, row.equity, row.frequencies) for card, row in rows),
    )


def _hint(place: Place) -> str:
    """The first line from a place on after which a card comes."""
    tree = place.layout.tree
    for node in np.flatnonzero(tree.kind == CHANCE).tolist():
        words, above = [], node
        while above > place.node:
            words.append(tree.word(above))
            above = int(tree.parent[above])
        if above == place.node:
            return f"one is '{longer(place.line, '-'.join(reversed(words)))}'"
    ended = bool((tree.kind == FRONTIER).any())
    return "this solution ends with its first street: solve the spot exactly" if ended else "no card comes any more"


def _runout(solution: Solution, place: Place, decides: bool) -> Runout:
    """One card; its share is not divided by the others' yet."""
    share = float(place.reach[0] @ place.met[0])
    shares = range_equity(place)
    if decides:
        view = View.of(solution, place)
        return Runout(-1, share, view.mean_ev, shares, tuple(view.frequencies.tolist()))
    tree, leaf = solution.layout.tree, place.node
    while tree.children(leaf):
        leaf = tree.children(leaf)[0]
    alpha, beta = leaf_payoffs(solution.spot, tree)
    paid = solution.spot.pot / 2 + tree.paid[leaf]
    one, two = (float(alpha[leaf] * (2 * shares[player] - 1) + beta[leaf, player] + paid[player]) for player in (0, 1))
    return Runout(-1, share, (one, two), shares, ())


# Side by side


@dataclass(frozen=True)
class Comparison:
    """Two solutions of one spot that differ in the betting allowed."""

    first: Solution
    second: Solution

    def __post_init__(self) -> None:
        one, two = self.first.spot, self.second.spot
        for name in ("board", "pot", "stack", "oop", "ip", "rake"):
            mine, theirs = (
                format_cards(spot.board, " ") if name == "board" else str(getattr(spot, name)) for spot in (one, two)
            )
            if mine != theirs:
                raise ValueError(
                    f"two trees of one spot are compared, but {name} is {mine} in one and {theirs} in the other"
                )

    def views(self, line: str = "") -> tuple[View, View]:
        """The same line in both."""
        return self.first.at(line), self.second.at(line)

    def class_gains(self, line: str = "") -> list[dict[str, float]]:
        """For OOP and IP: what each class of hands gains by the second tree, in chips, the largest gain first."""
        one, two = self.views(line)
        gains = []
        for player in (0, 1):
            gain = two.by_class(player).ev - one.by_class(player).ev
            order = [at for at in np.argsort(-np.nan_to_num(gain), kind="stable").tolist() if not np.isnan(gain[at])]
            gains.append({CLASSES[at]: float(gain[at]) for at in order})
        return gains

    def to_dict(self, line: str = "") -> dict[str, Any]:
        """Everything as JSON can hold it."""
        solutions, views = (self.first, self.second), self.views(line)
        sides = [
            {
                "sizes": solution.spot.to_dict()["sizes"], "raise_cap": solution.spot.rules.raise_cap,
                "nodes": solution.layout.nodes, "iterations": solution.iterations,
                "exploitability_percent": solution.exploitability_percent, "player": PLAYERS[view.player],
                "actions": [*map(str, view.actions)], "names": view.names,
                "phrases": [said.to_dict() for said in view.phrases], "frequencies": numbers(view.frequencies),
                "ev": dict(zip(PLAYERS, numbers(view.mean_ev), strict=True)),
                "equity": dict(zip(PLAYERS, numbers(view.mean_equity), strict=True)),
            }
            for solution, view in zip(solutions, views, strict=True)
        ]  # fmt: skip
        difference = numbers(np.subtract(views[1].mean_ev, views[0].mean_ev))
        return {
            "line": views[0].line, "board": format_cards(self.first.spot.board, " "), "trees": sides,
            "ev_difference": dict(zip(PLAYERS, difference, strict=True)),
            "class_gains": dict(zip(PLAYERS, self.class_gains(line), strict=True)),
        }  # fmt: skip


# Whole streets


def street_views(solution: Solution, line: str = "") -> list[View]:
    """All decisions of a street from a line on, in the order of the betting."""
    tree = solution.layout.tree
    found, waiting = [], [follow_line(solution.layout, line, solution.played)]
    while waiting:
        place = waiting.pop()
        found.append(View.of(solution, place))
        after = [place.act(action, solution.played) for action in range(len(tree.children(place.node)))]
        waiting += [each for each in reversed(after) if tree.kind[each.node] <= IP]
    return found
