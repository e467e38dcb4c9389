"""A model of an opponent: the balanced player, biased until they fold, call and raise as often as the opponent does.

The bias of a kind of decisions (`opponents.kind_of`) is three factors on fold, call and raise: a hand with which the
balanced player does these with probabilities p is played by the opponent with probabilities in proportion to
factor * max(p, RARE). They are fitted so that over the decisions that the opponent had the model has the frequencies
that their profile shows, after shrinkage. Rollouts multiply each hand's probabilities by such factors.

That tells how *often* a range folds, calls and raises, for bets of all sizes. But a player who folds too much does
not fold every hand more often: they give up their weakest ones, so what they go on with is stronger, and an exploiter
must know that. So within a range the model here moves the threshold. Hands are put in order, by how often the
balanced player goes on (or raises) with them and by their strength; from one end on, up to a soft edge, the model goes
on (or raises) with all of them, or with none. Where the edge lies is found by bisection, such that the range as a whole
has the frequencies wanted. With factors of 1 the balanced strategy remains as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ludus.agents.opponents import (
    BETS,
    CALLS,
    FOLDS,
    RAISES,
    Prior,
    Profile,
    done_by,
    expected_mean,
    kind_of,
    read_hand,
    sorted_hands,
)
from ludus.agents.spot_policy import places
from ludus.agents.strength import shares_beaten
from ludus.cards.ranges import Weights
from ludus.compiled import kernel
from ludus.games.poker import STREETS, PokerState
from ludus.games.record import public_decisions
from ludus.solvers.beliefs import Beliefs, RangeStrategist, RangeStrategy
from ludus.trees.translation import poker_moves

Floats = NDArray[np.float64]
Biases = NDArray[np.float64]
"""Factors ``[streets, bets, fold/call/raise]`` of the kinds of decisions, the one on calls being 1."""

MOST_FACTOR = 10_000.0
EDGE = 0.1  # the part of a range over which hands change from one action to another
STRENGTH = 1.0, 2.0  # what a hand's strength counts in its place next to how often it goes on, and how often it raises
RARE = 3 / 255  # what the balanced player never does counts as this often, so that others may be found to do it
_ROUNDS = 200
_KEPT = 128


def no_bias() -> Biases:
    """The factors of the balanced player."""
    return np.ones((len(STREETS), BETS, 3))


def fit_factors(hands: Floats, weights: Floats, wanted: Floats) -> Floats:
    """Factors ``[3]`` with which hands ``[n, 3]`` that count ``weights [n]`` have the frequencies wanted on average.

    By iterative proportional fitting: each factor is scaled by how much too rare its action still is, until none is.
    An action that is neither done nor wanted keeps the factor 1.

    >>> fit_factors(np.array([[0.5, 0.3, 0.2]]), np.ones(1), np.array([0.25, 0.45, 0.3])).round(3).tolist()
    [0.333, 1.0, 1.0]
    """
    used = (wanted > 0) & (hands.max(axis=0) > 0)
    factors = fitted(np.ascontiguousarray(hands), weights / weights.sum(), wanted, used)
    return np.clip(np.where(used, factors / factors[CALLS], 1.0), 1 / MOST_FACTOR, MOST_FACTOR)


@kernel
def fitted(hands: Floats, shares: Floats, wanted: Floats, used: NDArray[np.bool_]) -> Floats:
    """The factors ``[3]`` of `fit_factors`, not yet scaled; the shares ``[n]`` of the hands ``[n, 3]`` add up to 1."""
    factors, now = np.ones(3), np.empty(3)
    for _ in range(_ROUNDS):
        now[:] = 0.0
        for hand in range(len(hands)):
            total = (hands[hand] * factors).sum()
            for done in range(3):
                now[done] += shares[hand] * hands[hand, done] * factors[done] / total
        most = 0.0
        for done in range(3):
            ratio = wanted[done] / now[done] if used[done] else 1.0
            factors[done] *= ratio
            most = max(most, abs(ratio - 1))
        if most < 1e-7:
            break
    return factors


def fit_biases(profile: Profile, prior: Prior, rng: np.random.Generator | None = None) -> Biases:
    """The biases with which the balanced player has the frequencies of a profile, shrunk by a prior.

    With random numbers the frequencies are drawn from what they may be, of which the shrunk ones are the mean.
    """
    biases = no_bias()
    for kind in np.ndindex(len(STREETS), BETS):
        counts = profile.actions[kind]
        chances = counts.sum()
        if not chances and rng is None:
            continue
        mean = expected_mean(profile, prior, kind)
        known = profile.expected[kind]
        size = known.sum(axis=1)
        unknown = (max(chances - size.sum(), 0.0) if chances else 1.0) * prior.means[kind]  # every hand in one way
        hands = np.vstack([known[size > 0] / size[size > 0, None], np.eye(3)[unknown > 0]])
        weights = np.concatenate([size[size > 0], unknown[unknown > 0]])
        floor = np.where((counts > 0) | (mean > 0), RARE, 0.0)
        hands = np.maximum(hands, floor)
        mean = weights @ _times(hands, np.ones(3)) / weights.sum()
        wanted = counts + prior.strength * mean
        if rng is not None:
            wanted = rng.gamma(wanted)  # Dirichlet's, not scaled yet
        wanted /= wanted.sum()
        biases[kind] = fit_factors(hands, weights, wanted)
    return biases


def _times(hands: Floats, factors: Floats) -> Floats:
    """What each hand ``[n, 3]`` does with its probabilities multiplied."""
    played = hands * factors
    return np.asarray(played / played.sum(axis=1, keepdims=True))


def kind_chances(played: RangeStrategy) -> Floats:
    """How often each hand ``[hands, 3]`` folds, calls and raises, raises of all sizes together."""
    chances = np.zeros((len(played.chances), 3))
    for action, column in zip(played.actions, played.chances.T, strict=True):
        chances[:, done_by(action)] += column
    return chances


def biased(played: RangeStrategy, own: Weights, strength: Floats, factors: Floats, fold: bool) -> RangeStrategy:
    """The strategy of a range ``own [hands]`` with its frequencies biased by factors ``[3]``.

    ``fold`` says whether there is something to fold to. Sizes of raises keep their proportions, a hand's own where it
    raises at all, else those of the range.
    """
    can = {done_by(action) for action in played.actions} - (set() if fold else {FOLDS})
    if (factors == 1).all() or len(can) == 1:
        return played
    before = kind_chances(played)
    shares = own / own.sum()
    floor = np.where([done in can for done in (FOLDS, CALLS, RAISES)], RARE, 0.0)
    wanted = shares @ _times(np.maximum(before, floor), factors)
    goes_on = every = np.ones(len(own))
    if fold:
        goes_on = _shifted(1 - before[:, FOLDS], shares, STRENGTH[0] * strength, 1 - wanted[FOLDS], every)
    raises = _shifted(before[:, RAISES], shares, STRENGTH[1] * strength, wanted[RAISES], goes_on)
    after = np.column_stack([1 - goes_on, goes_on - raises, raises])
    return RangeStrategy(played.actions, _spread(played, before, after, shares))


def _shifted(chances: Floats, shares: Floats, strength: Floats, wanted: float, most: Floats) -> Floats:
    """Chances of doing something, raised from the top or cut from the bottom until it is done as often as wanted."""
    chances = np.minimum(chances, most)
    more = wanted > float(shares @ chances)
    place = places(chances + strength, shares)
    low, high = -EDGE, 1 + EDGE
    for _ in range(50):
        middle = (low + high) / 2
        upper = np.clip((middle - place) / EDGE + 0.5, 0.0, 1.0)
        moved = np.minimum(np.maximum(chances, upper), most) if more else np.minimum(chances, upper)
        low, high = (middle, high) if float(shares @ moved) < wanted else (low, middle)
    return np.asarray(moved)


def _spread(played: RangeStrategy, before: Floats, after: Floats, shares: Floats) -> Floats:
    """The chances of the single actions ``[hands, actions]`` from those of folding, calling and raising."""
    chances = np.zeros_like(played.chances, np.float64)
    for done in (FOLDS, CALLS, RAISES):
        columns = [at for at, action in enumerate(played.actions) if done_by(action) == done]
        if not columns:
            continue
        parts = played.chances[:, columns]
        usual = shares @ parts
        usual = usual / usual.sum() if usual.sum() > 0 else np.full(len(columns), 1 / len(columns))
        total = before[:, done : done + 1]
        parts = np.where(total > 0, parts / np.where(total > 0, total, 1.0), usual)
        chances[:, columns] = parts * after[:, done : done + 1]
    return chances


@dataclass(frozen=True, eq=False)
class OpponentModel:
    """Plays as the base does, biased: what one opponent is taken to do with every hand."""

    base: RangeStrategist
    biases: Biases = field(default_factory=no_bias)
    _beliefs: Beliefs = field(init=False, repr=False)
    _played: dict[object, RangeStrategy] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_beliefs", Beliefs(self))

    @classmethod
    def of(cls, base: RangeStrategist, profile: Profile, prior: Prior) -> OpponentModel:
        """The model of a player with this profile."""
        return cls(base, fit_biases(profile, prior))

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How they play every hand where they are to act."""
        key = public.game, public.line, public.board
        found = self._played.get(key)
        if found is None:
            own, played = self.range_of(public, public.player), self.base.range_strategy(public)
            strength = shares_beaten(public.game, public.board)
            found = biased(played, own, strength, self.biases[kind_of(public)], poker_moves(public).fold)
            if len(self._played) >= _KEPT:
                self._played.clear()
            self._played[key] = found
        return found

    def range_of(self, public: PokerState, seat: int) -> Weights:
        """The hands that they may hold in a seat after what they did there; the largest weight is 1."""
        return self._beliefs.range_of(public, seat)

    def expects(self, public: PokerState) -> Floats:
        """What the base, with this opponent's range, would do where they are to act (`opponents.sorted_hands`)."""
        own = self.range_of(public, public.player)
        return sorted_hands(own, kind_chances(self.base.range_strategy(public)))


def measured_hand(base: RangeStrategist, state: PokerState) -> list[Profile]:
    """What each seat did in a hand, and what the base would do in the same spots; nobody's cards are looked at."""
    model, public = OpponentModel(base), state.seen_by(-1)
    expected = {number: model.expects(before) for number, (before, _) in enumerate(public_decisions(public))}
    return read_hand(public, expected)
