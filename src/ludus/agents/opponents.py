"""What is known about an opponent: how often they did something out of how many chances, and how far to believe it.

A few hands say little, so every frequency is drawn towards that of a balanced player in the same kind of spot. This is
the mean of a Beta distribution: the prior has the balanced player's mean and counts as much as a number of chances
(`Prior.strength`), and with t times in n chances the estimate is (t + strength * mean) / (n + strength).

Decisions are of twelve kinds: on which of four streets, and whether nobody, one or several have bet or raised on it
(before the flop the blinds are no bet). In each, a player folds, calls (checks) or raises (bets). What the balanced
player would have done in the *same* spots is counted with it where it is known: a player who faces all-ins folds
more often than one who faces small bets, and that is no weakness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import Event
from ludus.games.base import TERMINAL
from ludus.games.moves import FOLD
from ludus.games.poker import STREETS, PokerState
from ludus.games.record import retrace

Floats = NDArray[np.float64]

FOLDS, CALLS, RAISES = range(3)  # what can be done: fold; check or call; bet or raise
BETS = 3
"""No bet or raise on the street so far, one, or more: a player who folds to bets may stand by their own raises."""
SORTS = 9
"""Hands are told apart by whether the balanced player never, sometimes or always folds them, and raises them."""
PURE = 0.1
"""What is done less often than this counts as never done, and the rest as always."""

_SHAPES = {"actions": (len(STREETS), BETS, 3), "expected": (len(STREETS), BETS, SORTS, 3)}
_MOST = 1e12  # times; more is not a count of anything that was played


@dataclass(frozen=True, eq=False)
class Profile:
    """What one player did in the hands that were seen. Profiles of the same player add up."""

    actions: Floats = field(default_factory=lambda: np.zeros(_SHAPES["actions"]))
    """[streets, bets, fold/call/raise]: how often they did what."""
    expected: Floats = field(default_factory=lambda: np.zeros(_SHAPES["expected"]))
    """[streets, bets, sorts of hands, fold/call/raise]: what the balanced player would do, where known."""
    hands: int = 0  # in which it was seen

    def __post_init__(self) -> None:
        for name, shape in _SHAPES.items():
            array: Floats = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"the {name} of a profile have the shape {shape}, got {array.shape}")
            if not ((array >= 0) & (array <= _MOST)).all():
                raise ValueError(f"the {name} of a profile are counts from 0 to {_MOST:.0e}")
        if not 0 <= self.hands <= _MOST:
            raise ValueError(f"a profile is of 0 hands or more, got {self.hands}")

    def __add__(self, other: Profile) -> Profile:
        return Profile(self.actions + other.actions, self.expected + other.expected, self.hands + other.hands)


_HEADS_UP = [  # streets; no bet, one, more; fold, call, raise
    [[4.1, 26.4, 36.5], [14.0, 16.5, 6.0], [2.7, 3.3, 0.6]],
    [[0.0, 33.4, 18.2], [6.5, 10.1, 1.6], [0.7, 1.0, 0.1]],
    [[0.0, 24.4, 12.9], [5.8, 5.9, 1.2], [0.6, 0.6, 0.1]],
    [[0.0, 15.0, 10.1], [5.0, 4.0, 1.1], [0.7, 0.4, 0.1]],
]
_SIX_PLAYER = [
    [[44.9, 15.6, 10.8], [21.2, 4.9, 2.1], [3.2, 1.3, 0.4]],
    [[0.0, 12.1, 8.3], [5.1, 4.5, 1.0], [0.8, 0.4, 0.1]],
    [[0.0, 8.1, 4.5], [2.2, 2.5, 0.5], [0.4, 0.2, 0.1]],
    [[0.0, 5.6, 3.2], [1.5, 1.5, 0.3], [0.2, 0.1, 0.1]],
]


@cache
def balanced_profile(players: int = 2) -> Profile:
    """What a balanced player does in 100 hands: means of the shipped blueprints in 3,000 against themselves."""
    return Profile(np.array(_HEADS_UP if players == 2 else _SIX_PLAYER), hands=100)


@dataclass(frozen=True, eq=False)
class Prior:
    """A balanced player, and how many chances their frequencies count for."""

    profile: Profile = field(default_factory=balanced_profile)
    strength: float = 20.0

    def __post_init__(self) -> None:
        if not 0 < self.strength <= _MOST:
            raise ValueError(f"a prior counts as more than 0 chances, got {self.strength}")
        if not self.profile.actions.sum(axis=-1).all():
            raise ValueError("a prior needs decisions of every kind: play more hands to measure it")

    @property
    def means(self) -> Floats:
        """[streets, bets, fold/call/raise]: the balanced player's frequencies."""
        actions = self.profile.actions
        return np.asarray(actions / actions.sum(axis=-1, keepdims=True))


def evidence(profile: Profile, prior: Prior) -> float:
    """How much speaks for a player not being the balanced one, in nats: 0 is nothing, 5 leaves little doubt."""
    return max(float(kinds_evidence(profile, prior).sum()), 0.0)


def kinds_evidence(profile: Profile, prior: Prior) -> Floats:
    """The same by kinds of decisions ``[streets, bets]``, below 0 where there is none.

    It is n * KL(observed, balanced), by which their own frequencies explain their play better than the balanced
    player's, less one for each frequency that is free (Akaike 1974): a balanced player comes to half of that by chance.
    """
    found = np.zeros((len(STREETS), BETS))
    for kind in np.ndindex(len(STREETS), BETS):
        counts = profile.actions[kind]
        if not (total := counts.sum()):
            continue
        mean = np.maximum(expected_mean(profile, prior, kind), 1e-3)
        done = counts > 0
        found[kind] = (counts[done] * np.log(counts[done] / total / (mean[done] / mean.sum()))).sum()
        found[kind] -= (mean > 1e-3).sum() - 1
    return found


def expected_mean(profile: Profile, prior: Prior, kind: tuple[int, ...]) -> Floats:
    """What the balanced player does [fold/call/raise] in the spots of a kind that a player was in."""
    known = profile.expected[kind].sum(axis=0)
    unknown = max(float(profile.actions[kind].sum() - known.sum()), 0.0)
    if not known.any() and not unknown:
        return np.asarray(prior.means[kind])
    return np.asarray((known + unknown * prior.means[kind]) / (known.sum() + unknown))


# Counting hands


def kind_of(state: PokerState) -> tuple[int, int]:
    """The kind of the decision that is due: its street, and the bets and raises there, 2 for more."""
    return state.street, min(sum(action > 0 for action in state.line[-1]), BETS - 1)


def done_by(action: int) -> int:
    """What an action comes to: `FOLDS`, `CALLS` or `RAISES`."""
    return FOLDS if action == FOLD else RAISES if action > 0 else CALLS


def sorted_hands(own: Floats, chances: Floats) -> Floats:
    """What a range ``own [hands]`` does, ``[SORTS, fold/call/raise]``, from the chances of its hands ``[hands, 3]``.

    All of it adds up to 1, and the sums over the sorts are the frequencies of the range.

    >>> sorted_hands(np.array([1.0, 3.0]), np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])).sum(axis=0).tolist()
    [0.25, 0.375, 0.375]
    """
    levels = (chances >= PURE).astype(np.int64) + (chances > 1 - PURE)
    sort = 3 * levels[:, FOLDS] + levels[:, RAISES]
    played = chances * (own / own.sum())[:, None]
    return np.column_stack([np.bincount(sort, column, minlength=SORTS) for column in played.T])


def read_hand(state: PokerState, expected: Mapping[int, Floats] | None = None) -> list[Profile]:
    """What each seat did in a hand, finished or not; its cards may be hidden.

    ``expected`` has, by the number of a decision in the hand, what the balanced player would do (`sorted_hands`).
    """
    players = state.game.players
    actions, spots = (np.zeros((players, *_SHAPES[name])) for name in ("actions", "expected"))
    for number, (at, action) in enumerate(retrace(state, state.game.deck)):
        if action == FOLD and not at.to_call():
            continue  # a forfeit is no decision
        kind = kind_of(at)
        actions[at.player][kind][done_by(action)] += 1
        if expected is not None and number in expected:
            spots[at.player][kind] += expected[number]
    return [Profile(actions[seat], spots[seat], hands=1) for seat in range(players)]


class Opponents:
    """Watches a table and keeps a profile of everybody at it, told apart by how many places to the left they sit.

    At a table where all move on together, as in matches, that number stays the same from hand to hand. ``expects``
    says what the balanced player would do (`sorted_hands`) where an opponent, given by that number, is about to act.
    """

    def __init__(self, expects: Callable[[int, PokerState], Floats | None] | None = None) -> None:
        self.profiles: dict[int, Profile] = {}
        self._expects = expects
        self._before: PokerState | None = None
        self._expected: dict[int, Floats] = {}

    def observe(self, event: Event) -> None:
        """Follow a hand; when it is over, it counts."""
        before, self._before = self._before, event.state
        if event.action is None:
            self._expected = {}
            return
        players = event.state.game.players
        away = (event.player - event.seat) % players
        if before is not None and away and self._expects is not None:
            found = self._expects(away, before)
            if found is not None:
                self._expected[sum(map(len, before.line))] = found
        if event.state.player == TERMINAL:
            self._count(event, read_hand(event.state, self._expected))

    def _count(self, event: Event, hand: list[Profile]) -> None:
        players = len(hand)
        self._before = None
        for away in range(1, players):
            seen = hand[(event.seat + away) % players]
            self.profiles[away] = self.profiles[away] + seen if away in self.profiles else seen
