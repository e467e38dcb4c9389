"""Players whose strategy is a small network that learnt by playing, evaluated in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from ludus.agents.blueprint import BlueprintAgent, blueprint_agent
from ludus.agents.drawing import draw
from ludus.agents.learned.holdem_view import HoldemView
from ludus.agents.strategy import StrategyAgent, difference, load_strategy
from ludus.files import kind_of
from ludus.games.definition import rebuild
from ludus.games.holdem import is_holdem
from ludus.games.poker import PokerGame, PokerState
from ludus.rl.pictures import CHANNELS, SIZE
from ludus.rl.pictures import INPUTS as PICTURES
from ludus.rl.policy import PolicyNetwork, shipped_policies
from ludus.rl.small_games import SmallGameView
from ludus.solvers.blueprint.strategy import KIND as BLUEPRINT
from ludus.solvers.strategy import KIND as STRATEGY

View = SmallGameView | HoldemView
MOST_GAMES = 256  # that are remembered


@dataclass(frozen=True, eq=False)
class LearnedAgent:
    """Plays policies, each in the game that it has learnt, whatever the stacks of a limit game are.

    One that learnt hold'em on pictures plays no-limit hold'em with any stacks, blinds and number of players.
    """

    policies: tuple[PolicyNetwork, ...]
    _found: dict[PokerGame, tuple[PolicyNetwork, View]] = field(
        init=False, repr=False, default_factory=dict[PokerGame, tuple[PolicyNetwork, View]]
    )

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        self._at(game)

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Draw from the policy."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """What the network says about the hand it holds."""
        policy, view = self._at(observation.game)
        numbered = view.actions.at(observation)
        shown, is_open = view.of(observation, observation.player)[None], [[each is not None for each in numbered]]
        chances = policy.chances(shown, np.array(is_open))[0].tolist()
        total = sum(chances)
        played = {
            action: chance / total for action, chance in zip(numbered, chances, strict=True) if action is not None
        }
        return dict(sorted(played.items()))

    def _at(self, game: PokerGame) -> tuple[PolicyNetwork, View]:
        if game not in self._found:
            if len(self._found) >= MOST_GAMES:  # where chips are carried on, every hand is another game
                self._found.clear()
            self._found[game] = self._fitting(game)
        return self._found[game]

    def _fitting(self, game: PokerGame) -> tuple[PolicyNetwork, View]:
        """The first policy of a game, and how it sees it; ValueError when there is none."""
        learnt = [(each, _rules(each)) for each in self.policies]
        for policy, rules in learnt:
            if _differs(policy, rules, game) is None:
                return policy, _view(policy, game)
        named = " and ".join(rules.name for _, rules in learnt)
        why = _differs(*learnt[0], game) if len(learnt) == 1 else f"not {game.name} with these rules"
        raise ValueError(f"this network has learnt {named}: {why}")


def _view(policy: PolicyNetwork, game: PokerGame) -> View:
    return HoldemView(game) if policy.inputs == PICTURES else SmallGameView(game)


def _rules(policy: PolicyNetwork) -> PokerGame:
    game = rebuild(policy.rules)
    if isinstance(game, PokerGame):
        seen = (CHANNELS, SIZE, SIZE) if policy.inputs == PICTURES else SmallGameView(game).of(game.start(), 0).shape
        if policy.shape.inputs == seen and policy.shape.outputs == _view(policy, game).actions.count:
            return game
    raise ValueError(f"this network does not see {policy.rules.get('name')} as networks of Ludus do")


def _differs(policy: PolicyNetwork, learnt: PokerGame, game: PokerGame) -> str | None:
    """In which rule a table differs from what was learnt; None when the network can play there."""
    if policy.inputs == PICTURES:
        fits = is_holdem(game) and game.betting == "no-limit" and game.bets is None
        return None if fits else f"no-limit with any bets, not {game.name} with these rules"
    if game.betting == "limit":
        game = replace(game, stacks=learnt.stacks)
    if game.bets != learnt.bets:
        return f"its bets are {learnt.bets}, not {game.bets}"
    return difference(learnt, game)


def nfsp_agent(file: str | None = None) -> LearnedAgent:
    """The policy of a file, or those that come with Ludus and learnt by neural fictitious self-play."""
    return _learned("nfsp", file)


def deep_cfr_agent(file: str | None = None) -> LearnedAgent | BlueprintAgent | StrategyAgent:
    """The policy of a file, which may be a blueprint or a strategy, or those that come with Ludus."""
    kind = "" if file is None else kind_of(Path(file))
    if file is not None and kind in (BLUEPRINT, STRATEGY):
        return blueprint_agent(file) if kind == BLUEPRINT else load_strategy(file)
    return _learned("deep-cfr", file)


def _learned(algorithm: str, file: str | None) -> LearnedAgent:
    return _shipped(algorithm) if file is None else LearnedAgent((PolicyNetwork.load(Path(file)),))


@cache
def _shipped(algorithm: str) -> LearnedAgent:
    return LearnedAgent(shipped_policies(algorithm))
