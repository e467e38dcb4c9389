"""What a match says about its players: the figures that published experiments give, and the usual ones of poker.

The unit of every interval is what is independent: a hand, a deal played from every seat, or a freeze-out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.arena.interval import Interval, finite
from ludus.arena.log import LoggedHand, MatchLog
from ludus.arena.match_table import Times
from ludus.games.base import CHANCE
from ludus.games.moves import CALL, FOLD
from ludus.games.names import street_name
from ludus.games.poker import STREETS, PokerGame
from ludus.games.record import replay, retrace
from ludus.games.rules import NO_STACK

Floats = NDArray[np.float64]
_SAME = (
    "game", "names", "players", "files", "duplicate", "freezeout", "max_hands", "aivat", "one_sided", "move_seconds",
    "match_seconds", "acpc",
)  # fmt: skip
KINDS = ("fold", "check", "call", "raise", "all-in")  # a bet is a raise; a call of everything is a call
_FOLD, _CHECK, _CALL, _RAISE, _ALL_IN = range(5)


def clustered(totals: Floats, sizes: Floats) -> Interval:
    """The mean per hand when hands come in independent units: totals of the units over their hands.

    >>> clustered(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == Interval(2, 2.0, sqrt(2))
    True
    """
    units, hands = len(totals), float(sizes.sum())
    if not units:
        return Interval(0, float("nan"), float("nan"))
    mean = float(totals.sum()) / hands
    if units < 2:
        return Interval(units, mean, float("nan"))
    off = totals - mean * sizes
    return Interval(units, mean, sqrt(float((off**2).sum()) / (units - 1)) * units / hands)


@dataclass(frozen=True, eq=False)
class Style:
    """What the players did, counted: [players, streets, kinds], and hands by player."""

    actions: NDArray[np.int64]
    paid: NDArray[np.int64]  # hands in which they voluntarily put chips in before the flop
    raised: NDArray[np.int64]  # ... in which they raised there
    shown: NDArray[np.int64]  # ... that they took to a showdown
    folded: NDArray[np.bool_]  # [players, hands]

    def shares(self, player: int, street: int) -> dict[str, float]:
        """The share of each action on a street; empty when the player never acted there."""
        counts = self.actions[player, street]
        return dict(zip(KINDS, (counts / counts.sum()).tolist(), strict=True)) if counts.sum() else {}

    def aggression(self, player: int) -> float | None:
        """Bets and raises per call."""
        counts = self.actions[player].sum(axis=0)
        return float((counts[_RAISE] + counts[_ALL_IN]) / counts[_CALL]) if counts[_CALL] else None


@dataclass(frozen=True, eq=False)
class Statistics:
    """All the figures of a match; several logs of the same players count as one match."""

    logs: tuple[MatchLog, ...]
    times: Times | None = None

    def __post_init__(self) -> None:
        first = self.logs[0]
        for log in self.logs[1:]:
            for key in _SAME:
                if log.header.get(key) != first.header.get(key):
                    raise ValueError(f"these matches cannot be counted as one: their {key.replace('_', ' ')} differ")
        if len({(log.header["seed"], log.header.get("decks")) for log in self.logs}) < len(self.logs):
            raise ValueError("matches with the same seed have the same cards: they count once")

    @property
    def game(self) -> PokerGame:
        """The game that was played."""
        return self.logs[0].game

    @property
    def names(self) -> tuple[str, ...]:
        """The players in their order."""
        return self.logs[0].names

    @cached_property
    def units(self) -> list[tuple[LoggedHand, ...]]:
        """All complete units."""
        return [unit for log in self.logs for unit in log.units]

    @cached_property
    def hands(self) -> list[LoggedHand]:
        """All hands of complete units."""
        return [hand for unit in self.units for hand in unit]

    @cached_property
    def _seats(self) -> NDArray[np.int64]:
        """[players, hands]: where each player sat."""
        known = {order: [order.index(name) for name in self.names] for order in {hand.names for hand in self.hands}}
        return np.array([known[hand.names] for hand in self.hands], np.int64).reshape(-1, len(self.names)).T

    def _by_player(self, rows: Sequence[tuple[float, ...]]) -> Floats:
        """What belongs to seats, [hands, seats], by players: [players, hands]."""
        values = np.array(rows, np.float64).reshape(-1, len(self.names))
        return np.take_along_axis(values, self._seats.T, axis=1).T

    @cached_property
    def won(self) -> Floats:
        """[players, hands]: chips."""
        return self._by_player([hand.values for hand in self.hands])

    @cached_property
    def corrected(self) -> Floats | None:
        """[players, hands]: AIVAT's chips, when the match has them."""
        found = [hand.aivat for hand in self.hands if hand.aivat is not None]
        return self._by_player(found) if found and len(found) == len(self.hands) else None

    @cached_property
    def sizes(self) -> Floats:
        """Hands of each unit."""
        return np.array([len(unit) for unit in self.units], np.float64)

    def per_unit(self, values: Floats) -> Floats:
        """Sums over the hands of each unit of something by hand."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        return np.add.reduceat(values, starts) if len(values) else values

    @property
    def mbb(self) -> float:
        """Thousandths of a big blind in a chip."""
        return 1000 / self.game.big_blind

    def result(self, player: int) -> Interval:
        """What a player won per hand, in mbb."""
        return clustered(self.per_unit(self.won[player]), self.sizes).scaled(self.mbb)

    def aivat(self, player: int) -> Interval | None:
        """The same by AIVAT."""
        if self.corrected is None:
            return None
        return clustered(self.per_unit(self.corrected[player]), self.sizes).scaled(self.mbb)

    def variance_ratios(self, player: int) -> dict[str, float]:
        """How many times smaller AIVAT's variance is than that of single hands, and than that of the units played."""
        assert self.corrected is not None
        if len(self.hands) < 2:
            return {"plain": float("nan"), "unit": float("nan")}
        by_hand = self.corrected[player].var(ddof=1)
        by_unit = self.aivat(player)
        assert by_unit is not None
        return {
            "plain": float(self.won[player].var(ddof=1) / by_hand) if by_hand else float("inf"),
            "unit": (self.result(player).deviation / by_unit.deviation) ** 2 if by_unit.deviation else float("inf"),
        }

    @cached_property
    def style(self) -> Style:
        """What everybody did, from the betting of every hand."""
        players, hands = len(self.names), self.hands
        at: dict[tuple[object, ...], int] = {}
        lines: list[_Line] = []
        which = np.empty(len(hands), np.int64)
        for number, hand in enumerate(hands):
            key = hand.betting, hand.stacks
            if key not in at:
                at[key] = len(lines)
                lines.append(_read_line(self.game, hand))
            which[number] = at[key]
        actions = np.zeros((players, len(STREETS), len(KINDS)), np.int64)
        counts = np.zeros((3, players), np.int64)
        for (line_at, order), times in Counter(
            zip(which.tolist(), (hand.names for hand in hands), strict=True)
        ).items():
            line, player_of = lines[line_at], [self.names.index(name) for name in order]
            for seat, street, kind in line.moves:
                actions[player_of[seat], street, kind] += times
            for row, seats in enumerate((line.paid, line.raised, line.shown)):
                for seat in seats:
                    counts[row, player_of[seat]] += times
        bits = np.array([sum(1 << seat for seat in line.folded) for line in lines], np.int64)
        folded = (bits[which] >> self._seats & 1).astype(np.bool_)
        return Style(actions, counts[0], counts[1], counts[2], folded)

    def figures(self, player: int) -> dict[str, Any]:
        """One player's figures under the names that JSON and CSV use."""
        won, hands = self.won[player], len(self.hands)
        wins, losses = won[won > 0], won < 0
        by_fold = losses & self.style.folded[player]
        result, style = self.result(player), self.style
        figures: dict[str, Any] = {
            "name": self.names[player],
            "hands": hands,
            "units": len(self.units),
            "win_rate": _share(len(wins), hands),
            "tie_rate": _share(int((won == 0).sum()), hands),
            "loss_rate": _share(int(losses.sum()), hands),
            "mean_win": _mean(wins),
            "mean_loss": _mean(-won[losses]),
            "standard_deviation": float(won.std(ddof=1)) if hands > 1 else None,
            "expected_value": _mean(won),
            "standard_error": finite(result.scaled(1 / self.mbb).error),
            "mbb_per_game": result.as_dict(),
            "losses_by_fold": _share(int(by_fold.sum()), int(losses.sum())),
            "mean_loss_by_fold": _mean(-won[by_fold]),
            "losses_by_call": _share(int((losses & ~by_fold).sum()), int(losses.sum())),
            "mean_loss_by_call": _mean(-won[losses & ~by_fold]),
            "vpip": _share(int(style.paid[player]), hands),
            "pfr": _share(int(style.raised[player]), hands),
            "aggression": style.aggression(player),
            "showdowns": _share(int(style.shown[player]), hands),
            "forfeits": sum(name == self.names[player] for hand in self.hands for name, _ in hand.forfeits),
        }
        figures["actions"] = {
            self.street_name(street): shares
            for street in range(len(self.game.board_cards))
            if (shares := style.shares(player, street))
        }
        figures |= self._stacks(player) | self._thinking(player)
        if (corrected := self.aivat(player)) is not None:
            ratios = self.variance_ratios(player)
            figures["aivat"] = {
                **corrected.as_dict(), "variance_ratio": finite(ratios["plain"]),
                "variance_ratio_unit": finite(ratios["unit"]),
            }  # fmt: skip
        return figures

    def street_name(self, street: int) -> str:
        """What the street is called in this game."""
        return street_name(self.game, street)

    def _stacks(self, player: int) -> dict[str, Any]:
        """Average stack at the end and share of games won, as Pricope (2020) counts; of freeze-outs or hands."""
        totals = self.per_unit(self.won[player]) if self.logs[0].header["freezeout"] else self.won[player]
        start = self.game.stacks[0]
        return {
            "games": len(totals),
            "average_stack": None if not len(totals) or start == NO_STACK else float(start + totals.mean()),
            "match_win_rate": _share(int((totals > 0).sum()), len(totals)),
            "hands_per_game": _share(len(self.hands), len(totals)),
        }

    def games(self, player: int) -> dict[str, float | None]:
        """The shares of units in which a player won chips, broke even and lost some."""
        signs = np.sign(self.per_unit(self.won[player]))
        return {
            name: _share(int((signs == sign).sum()), len(self.units))
            for name, sign in (("win_rate", 1), ("tie_rate", 0), ("loss_rate", -1))
        }

    def _thinking(self, player: int) -> dict[str, Any]:
        if self.times is None:
            return {}
        spent, decisions = self.times.seconds[player], self.times.decisions[player]
        return {
            "thinking_seconds": {
                self.street_name(street): {
                    "mean": float(spent[street] / decisions[street]),
                    "longest": float(self.times.longest[player, street]),
                }
                for street in range(len(self.game.board_cards))
                if decisions[street]
            }
        }


@dataclass(frozen=True)
class _Line:
    """What happens in a betting line, whatever the cards."""

    moves: tuple[tuple[int, int, int], ...]  # seat, street, kind
    paid: frozenset[int]
    raised: frozenset[int]
    shown: tuple[int, ...]
    folded: tuple[int, ...]


def _read_line(game: PokerGame, hand: LoggedHand) -> _Line:
    if hand.stacks is not None:
        game = replace(game, stacks=hand.stacks)
    final = replay(game, hand.betting, game.deck, forfeits=bool(hand.forfeits))
    moves, paid, raised = [], set(), set()
    for state, action in retrace(final):
        seat = state.player
        assert seat != CHANCE
        all_in = action == state.stacks[seat] + state.bets[seat]
        if action == FOLD:
            kind = _FOLD
        elif action == CALL:
            kind = _CALL if state.to_call() else _CHECK
        else:
            kind = _ALL_IN if all_in else _RAISE
        moves.append((seat, state.street, kind))
        if state.street == 0 and kind >= _CALL:
            paid.add(seat)
            if kind > _CALL:
                raised.add(seat)
    live = final.live_seats()
    folded = tuple(seat for seat in range(game.players) if seat not in live)
    return _Line(tuple(moves), frozenset(paid), frozenset(raised), tuple(live) if len(live) > 1 else (), folded)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
