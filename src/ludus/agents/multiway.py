"""Plays hold'em of any number of players by search: solved charts before the flop, the rest of the street after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ludus.agents.blueprint import SIX_PLAYER, BlueprintAgent, load_blueprint
from ludus.agents.drawing import draw
from ludus.agents.evaluation import purified
from ludus.agents.rollouts import ActionComparison
from ludus.cards.ranges import combo_index
from ludus.games.moves import CALL
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.search.multiway import MultiwaySearch, SearchAnswer
from ludus.search.preflop_solution import SolvedOpening
from ludus.solvers.beliefs import Beliefs
from ludus.solvers.blueprint.strategy import Blueprint


def search_over(blueprint: Blueprint, seconds: float, seed: int = 1, threads: int = 1) -> MultiwaySearch:
    """A search that goes on by a blueprint, or by the shipped one that knows any table where that one is a tree."""
    known = load_blueprint(SIX_PLAYER) if blueprint.abstraction.form == "tree" else blueprint
    return MultiwaySearch(known, seconds, seed, threads)


def compared(answer: SearchAnswer) -> ActionComparison:
    """The values that a search has found."""
    return ActionComparison(answer.actions, answer.means, answer.covariance, answer.deals, False)


def searched_mix(answer: SearchAnswer) -> dict[int, float]:
    """How often to take each action: as the search does, without what is worth less than the best beyond the error."""
    found = compared(answer)
    good = {action for action, loss in found.losses().items() if loss.mean <= loss.error}
    return purified(dict(zip(answer.actions, answer.chances, strict=True)), good, found.best)


@dataclass(frozen=True, eq=False)
class MultiwayAgent:
    """Searches at every decision for about this many seconds on two cores, by so many threads.

    Everybody's ranges are followed by the shipped charts and the blueprint. The same seed and situation are the same
    strategy, unless time ends a search early.
    """

    seconds: float = 1.0
    threads: int = 2
    seed: int = 1
    plays: SolvedOpening = field(init=False, repr=False)
    beliefs: Beliefs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _ = self.search  # checks the settings
        object.__setattr__(self, "plays", SolvedOpening(BlueprintAgent()))
        object.__setattr__(self, "beliefs", Beliefs(self.plays))

    @cached_property
    def search(self) -> MultiwaySearch:
        """The search at any table."""
        return replace(search_over(load_blueprint(SIX_PLAYER), self.seconds, self.seed, self.threads), patience=1.0)

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game: no-limit hold'em."""
        BlueprintAgent().check(game)

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Search, then draw from what was found."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How it plays the hand it holds; without a choice it does not think."""
        public, hand = observation.seen_by(-1), observation.hole(observation.player)
        if HIDDEN in hand:
            raise ValueError("the player's own cards are hidden: a search is about one hand")
        if len(observation.legal_actions()) == 1:
            return {CALL: 1.0}
        solved = self.plays.solution(public)
        if solved is not None:
            played = solved.range_strategy(public)
            mix = dict(zip(played.actions, played.chances[combo_index(*hand)].tolist(), strict=True))
        else:
            ranges = self.beliefs.ranges(public)
            mix = searched_mix(self.search.answer(public, (hand[0], hand[1]), ranges))
        return {action: chance for action, chance in sorted(mix.items()) if chance > 0}
