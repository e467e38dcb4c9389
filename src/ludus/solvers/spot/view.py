"""A decision of a solved spot: what each hand does there, what it is worth, and what the whole range does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import CARDS, format_cards, parse_card
from ludus.cards.distribution import hand_equities
from ludus.cards.ranges import CLASSES, COMBOS, Weights, class_of_combo, combo_name
from ludus.games.action import Action, Phrase
from ludus.solvers.spot.kernels.compact import Places
from ludus.solvers.spot.kernels.matchups import river_values
from ludus.solvers.spot.layout import PLAYERS
from ludus.solvers.spot.line import Pair, Place
from ludus.trees.betting import CHANCE, FOLD, FRONTIER, IP, RIVER, BettingTree, leaf_payoffs
from ludus.trees.lines import longer
from ludus.trees.spot import Spot

if TYPE_CHECKING:
    from ludus.solvers.spot.solution import Solution


class ByClass(NamedTuple):
    """Means over the hands of each of the 169 classes, in the order of `CLASSES`; nan where none comes here."""

    combos: Weights  # [169] that the board leaves
    reach: Weights  # [169] the share of them that comes here
    strategy: Weights  # [actions, 169]; no rows for who does not decide
    ev: Weights  # [169]
    equity: Weights  # [169]


@dataclass(frozen=True, eq=False)
class View:
    """A decision. Pairs are OOP's and IP's; hands are in the order of the combinations.

    An EV is what a hand gets out of the final pot less what is put in after this point: a fold is worth 0, and without
    rake the players' EVs sum to the pot. It is nan for a hand that meets no hand of the opponent.
    """

    line: str
    board: tuple[int, ...]
    pot: int
    stack: int  # left to the player who decides
    to_call: int
    player: int
    actions: tuple[Action, ...]
    phrases: tuple[Phrase, ...]  # check, call 50, fold, bet 50, raise to 150, all-in 900
    combos: tuple[NDArray[np.int64], NDArray[np.int64]]
    reach: Pair
    met: Pair  # the reach of the opponent's hands that a hand can meet
    strategy: Weights  # [actions, hands] of the player who decides
    ev: Pair
    action_ev: Weights  # [actions, hands]

    @classmethod
    def of(cls, solution: Solution, place: Place) -> View:
        """Look at a place; ValueError unless somebody decides there."""
        spot, tree = solution.spot, solution.layout.tree
        player = int(tree.kind[place.node])
        if player > IP:
            raise ValueError(_nobody_decides(place))
        strategy = solution.played(place.at, place.index, place.node)
        met = place.met
        own, theirs, by_action = _net(solution, place, strategy, met)
        paid = tree.paid[place.node]
        base = spot.pot / 2 + paid
        net = (own, theirs) if player == 0 else (theirs, own)
        order = [np.argsort(combos) for combos in place.combos]

        def sorted_pair(pair: tuple[Any, Any]) -> tuple[Any, Any]:
            return pair[0][order[0]], pair[1][order[1]]

        ev = sorted_pair((_where(met[0], net[0] + base[0]), _where(met[1], net[1] + base[1])))
        return cls(
            line=place.line,
            board=place.board,
            pot=spot.pot + int(paid.sum()),
            stack=spot.stack - int(paid[player]),
            to_call=int(paid[1 - player] - paid[player]),
            player=player,
            actions=tree.actions(place.node),
            phrases=action_phrases(spot, tree, place.node),
            combos=sorted_pair(place.combos),
            reach=sorted_pair(place.reach),
            met=sorted_pair(met),
            strategy=strategy[:, order[player]],
            ev=ev,
            action_ev=_where(met[player], by_action + base[player])[:, order[player]],
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The actions in words."""
        return tuple(map(str, self.phrases))

    @property
    def weights(self) -> Pair:
        """How much each hand counts in a mean: by how likely it comes here and meets a hand of the opponent."""
        return self.reach[0] * self.met[0], self.reach[1] * self.met[1]

    @cached_property
    def equity(self) -> Pair:
        """The share of the pot that each hand wins on average against the opponent's range, if all cards come."""
        first, second = (equities(self.board, self.combos, self.reach, self.met, player) for player in (0, 1))
        return first, second

    @property
    def frequencies(self) -> Weights:
        """``[actions]``: how often the whole range takes each action; nan where nobody comes here."""
        return np.array([_mean(row, self.weights[self.player]) for row in self.strategy])

    @property
    def mean_ev(self) -> tuple[float, float]:
        """What both ranges are worth on average."""
        return _mean(self.ev[0], self.weights[0]), _mean(self.ev[1], self.weights[1])

    @property
    def mean_equity(self) -> tuple[float, float]:
        """The equity of both ranges."""
        return _mean(self.equity[0], self.weights[0]), _mean(self.equity[1], self.weights[1])

    @property
    def mean_action_ev(self) -> Weights:
        """``[actions]``: what the hands that take an action get from it on average; nan where none takes it."""
        return np.array(
            [
                _mean(ev, self.weights[self.player] * share)
                for ev, share in zip(self.action_ev, self.strategy, strict=True)
            ]
        )

    def by_class(self, player: int | None = None) -> ByClass:
        """Means over the hands of each class, of a player or of who decides; weighted as all means are."""
        player = self.player if player is None else player
        classes, weights = class_of_combo[self.combos[player]], self.weights[player]
        live = ~np.isin(COMBOS, self.board).any(axis=1)
        combos = np.bincount(class_of_combo[live], minlength=len(CLASSES)).astype(np.float64)
        held = np.bincount(classes, self.reach[player], len(CLASSES))

        def mean(values: Weights) -> Weights:
            counted = np.where(np.isnan(values), 0, weights)
            total = np.bincount(classes, counted, len(CLASSES))
            sums = np.bincount(classes, counted * np.nan_to_num(values), len(CLASSES))
            return np.asarray(np.divide(sums, total, out=np.full(len(CLASSES), np.nan), where=total > 0))

        mixed = self.strategy if player == self.player else self.strategy[:0, :0]
        strategy = np.array([mean(row) for row in mixed]).reshape(-1, len(CLASSES))
        reach = np.divide(held, combos, out=np.zeros(len(CLASSES)), where=combos > 0)
        return ByClass(combos, reach, strategy, mean(self.ev[player]), mean(self.equity[player]))

    def to_dict(self, hands: bool = False) -> dict[str, Any]:
        """Everything as JSON can hold it: the classes, and every hand if asked for; None where there is nothing."""
        tables = {name: self.by_class(player) for player, name in enumerate(PLAYERS)}
        content: dict[str, Any] = {
            "line": self.line,
            "board": format_cards(self.board, " "),
            "pot": self.pot,
            "stack": self.stack,
            "to_call": self.to_call,
            "player": PLAYERS[self.player],
            "actions": [*map(str, self.actions)],
            "names": self.names,
            "phrases": [said.to_dict() for said in self.phrases],
            "frequencies": numbers(self.frequencies),
            "action_ev": numbers(self.mean_action_ev),
            "ev": dict(zip(PLAYERS, numbers(self.mean_ev), strict=True)),
            "equity": dict(zip(PLAYERS, numbers(self.mean_equity), strict=True)),
            "combos": {name: float(self.reach[player].sum()) for player, name in enumerate(PLAYERS)},
            "classes": {name: _class_rows(table) for name, table in tables.items()},
        }
        if hands:
            content["hands"] = {name: self._hand_rows(player) for player, name in enumerate(PLAYERS)}
        return content

    def _hand_rows(self, player: int) -> dict[str, Any]:
        rows = {}
        for at, combo in enumerate(self.combos[player].tolist()):
            row: dict[str, Any] = {"reach": float(self.reach[player][at])}
            if player == self.player:
                row["strategy"] = self.strategy[:, at].tolist()
                row["action_ev"] = numbers(self.action_ev[:, at])
            row["ev"], row["equity"] = numbers([self.ev[player][at], self.equity[player][at]])
            rows[combo_name(combo)] = row
        return rows

    def table(self, player: int | None = None) -> tuple[list[str], list[list[Any]]]:
        """The hands of a player, or of who decides, as a header and rows; None where there is no number."""
        player = self.player if player is None else player
        mixed = [str(action) for action in self.actions] if player == self.player else []
        header = ["hand", "class", "reach", *mixed, *(f"ev {action}" for action in mixed), "ev", "equity"]
        rows: list[list[Any]] = []
        for name, row in self._hand_rows(player).items():
            kind = CLASSES[class_of_combo[self.combos[player][len(rows)]]]
            shares = [*row.get("strategy", []), *row.get("action_ev", [])]
            rows.append([name, kind, row["reach"], *shares, row["ev"], row["equity"]])
        return header, rows


def action_phrases(spot: Spot, tree: BettingTree, node: int) -> tuple[Phrase, ...]:
    """The actions at a decision as one says them; the amounts of raises and all-ins are those of the street."""
    player, paid, said = int(tree.kind[node]), tree.paid[node], []
    to_call = int(paid[1 - player] - paid[player])
    for child in tree.children(node):
        action, last = tree.action(child), tree.paid[child, player] == spot.stack
        said.append(action.phrase(to_call=to_call, all_in=action.amount if last else None, raised=to_call > 0))
    return tuple(said)


def numbers(values: Any) -> list[float | None]:
    """Numbers as JSON has them: None instead of nan."""
    return [None if np.isnan(value) else float(value) for value in values]


def _class_rows(table: ByClass) -> dict[str, Any]:
    rows = {}
    for at in np.flatnonzero(table.reach).tolist():
        row: dict[str, Any] = {"combos": float(table.combos[at]), "reach": float(table.reach[at])}
        if len(table.strategy):
            row["strategy"] = numbers(table.strategy[:, at])
        row["ev"], row["equity"] = numbers([table.ev[at], table.equity[at]])
        rows[CLASSES[at]] = row
    return rows


def _where(met: Weights, values: Weights) -> Weights:
    """Values where a hand meets something, nan elsewhere."""
    return np.where(met > 0, values, np.nan)


def _mean(values: Weights, weights: Weights) -> float:
    counted = np.where(np.isnan(values), 0.0, weights)
    total = counted.sum()
    return float(counted @ np.nan_to_num(values) / total) if total > 0 else float("nan")


def _nobody_decides(place: Place) -> str:
    tree = place.layout.tree
    where = f"after {place.line}" if place.line else "at the start"
    if Places.of(tree).all_in[place.node] and tree.kind[place.node] == CHANCE:
        return f"both players are all-in {where}: nobody decides any more"
    if tree.kind[place.node] == CHANCE:
        card = next(card for card in CARDS if parse_card(card) not in place.board)
        return f"a card comes {where}: name it, as in '{longer(place.line, card)}', or ask for the report by cards"
    if tree.kind[place.node] == FRONTIER:
        return f"this solution ends {where}, with its first street: leave out the last action, or solve exactly"
    return f"the hand is over {where}: leave out the last action"


def _net(solution: Solution, place: Place, strategy: Weights, met: Pair) -> tuple[Weights, Weights, Weights]:
    """Net values: of the player who decides, of the other, and of the former's actions ``[actions, hands]``."""
    tree, node = solution.layout.tree, place.node
    player = int(tree.kind[node])
    if tree.street[node] == RIVER:
        values = river_values(place, solution.played)

        def of(at: int, who: int) -> Weights:
            return np.divide(values[at][who], met[who], out=np.zeros_like(met[who]), where=met[who] > 0)

        return of(node, player), of(node, 1 - player), np.array([of(child, player) for child in tree.children(node)])
    by_action = np.array([_action_net(solution, place, child, met) for child in tree.children(node)])
    own, theirs = (solution.value(place.at, place.index, node, who) for who in (player, 1 - player))
    return own, theirs, by_action


def _action_net(solution: Solution, place: Place, child: int, met: Pair) -> Weights:
    """What an action before the river is worth to each hand of who takes it."""
    tree, player = solution.layout.tree, int(solution.layout.tree.kind[place.node])
    alpha, beta = leaf_payoffs(solution.spot, tree)
    if tree.kind[child] == FOLD:
        return np.full(len(place.reach[player]), beta[child, player])
    if solution.places.all_in[child]:
        while tree.children(child):
            child = tree.children(child)[0]
        equity = equities(place.board, place.combos, place.reach, met, player)
        return np.asarray(alpha[child] * (2 * equity - 1) + beta[child, player])
    return solution.value(place.at, place.index, child, player)


def equities(
    board: tuple[int, ...], combos: tuple[NDArray[np.int64], NDArray[np.int64]], reach: Pair, met: Pair, player: int
) -> Weights:
    """The equity of each of a player's hands against the opponent's reach, nan where it meets nothing."""
    if not met[player].any():
        return np.full(len(met[player]), np.nan)
    ranges = np.zeros((2, len(COMBOS)))
    ranges[0, combos[player]] = 1.0
    ranges[1, combos[1 - player]] = reach[1 - player]
    return _where(met[player], hand_equities([ranges[0], ranges[1]], board)[0][combos[player]])
