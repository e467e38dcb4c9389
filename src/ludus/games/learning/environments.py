"""Poker as a PettingZoo environment for all seats, and as a Gymnasium environment for one of them.

Both observe ``{"observation": Features, "action_mask": int8}`` and act by number, as ``encoding.py`` says; an
episode is one hand. Chance and the fixed opponents draw from a generator that ``reset(seed=...)`` restarts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import CHANCE, TERMINAL
from ludus.games.learning.encoding import RAISES, DiscreteActions, Features
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState

try:
    import gymnasium
    import pettingzoo
except ImportError as error:
    raise ImportError("environments need Gymnasium and PettingZoo: pip install 'ludus[envs]'") from error

Observation = dict[str, NDArray[Any]]
Policy = Callable[[PokerState, np.random.Generator], int]  # the act method of an agent is one

_MOST_IDLE_HANDS = 10_000


def dealt(state: PokerState, random: np.random.Generator) -> PokerState:
    """The state after every card that is due has been dealt."""
    while state.player == CHANCE:
        cards = state.legal_actions()
        state = state.apply(cards[int(random.integers(len(cards)))])
    return state


class _View:
    """Observations and actions of one game, shared by both environments."""

    def __init__(self, game: PokerGame, raises: tuple[float, ...]) -> None:
        self.features = Features(game)
        self.actions = DiscreteActions(game, raises)
        if dealt(game.start(), np.random.default_rng(0)).player == TERMINAL:
            raise ValueError(f"in this game of {game.name} the blinds put everybody all-in: there is nothing to decide")

    def spaces(self) -> tuple[Any, Any]:
        """New observation and action spaces."""
        box = gymnasium.spaces.Box(0.0, 1.0, (self.features.size,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (self.actions.count,), np.int8)
        observation = gymnasium.spaces.Dict({"observation": box, "action_mask": mask})
        return observation, gymnasium.spaces.Discrete(self.actions.count)

    def observe(self, state: PokerState, seat: int) -> Observation:
        """What a seat sees; every action is closed to a seat that is not to act."""
        mask = self.actions.mask(state) if state.player == seat else np.zeros(self.actions.count, np.int8)
        return {"observation": self.features.of(state, seat), "action_mask": mask}


class PokerEnv(pettingzoo.AECEnv):  # type: ignore[misc]
    """A PettingZoo environment of any poker game; ``player_0`` is seat 0 and so on.

    Rewards are the game's returns, in chips, and come at the end of the hand. A closed action is a ValueError.

    >>> from ludus.games import kuhn
    >>> env = PokerEnv(kuhn())
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, over, *_ = env.last()
    ...     print(agent, reward, observation["action_mask"].tolist())
    ...     env.step(None if over else 1)
    player_0 0.0 [0, 1, 1]
    player_1 0.0 [0, 1, 1]
    player_0 -1.0 [0, 0, 0]
    player_1 1.0 [0, 0, 0]
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "ludus_poker_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, game: PokerGame, raises: tuple[float, ...] = RAISES, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game
        self.render_mode = _checked(render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        self._view = _View(game, raises)
        spaces = {agent: self._view.spaces() for agent in self.possible_agents}
        self.observation_spaces = {agent: observation for agent, (observation, _) in spaces.items()}
        self.action_spaces = {agent: action for agent, (_, action) in spaces.items()}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new hand; without a seed the generator continues where it was."""
        if seed is not None or self._random is None:
            self._random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.poker = dealt(self.game.start(), self._random)
        self.agent_selection = self.possible_agents[self.poker.player]

    def observe(self, agent: str) -> Observation:
        """What an agent sees now."""
        return self._view.observe(self.poker, self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Act for the agent whose turn it is; None for each agent once the hand is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act: None is for agents whose hand is over")
        assert self._random is not None
        self.poker = dealt(self.poker.apply(self._view.actions.action(self.poker, int(action))), self._random)
        self._cumulative_rewards[agent] = 0.0
        if self.poker.player == TERMINAL:
            self.rewards = dict(zip(self.agents, self.poker.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self.poker.player]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The table as text: board, betting, stacks and bets, but nobody's cards."""
        return f"{self.poker!r}" if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""


class AgainstFixed(gymnasium.Env):  # type: ignore[misc]
    """A Gymnasium environment in which a learner plays one seat and a fixed policy all the others.

    ``opponent(observation, rng)`` acts for the player to act and sees only that player's cards, like the ``act`` of an
    agent; without one the others take every action that the learner would have in their place equally often. The
    learner sits in ``seat``, or with ``seat=None`` moves one seat on every hand, from seat 0 after ``reset(seed=...)``.

    The reward comes at the end of the hand, in chips or ``in_big_blinds``. A hand that ends before the learner is to
    act is not an episode: the next one is dealt, and the info of ``reset`` has the number of such hands and their
    reward, ``idle_hands`` and ``idle_reward``. A closed action is played as a check or call, and its info says
    ``closed``: a sampled action never stops the game, and a learner that follows the mask never sees this.

    >>> from ludus.games import leduc
    >>> env = AgainstFixed(leduc(), seat=1)
    >>> observation, info = env.reset(seed=4)
    >>> info, observation["action_mask"].tolist()
    ({'seat': 1, 'idle_hands': 0, 'idle_reward': 0.0}, [1, 1, 1])
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: PokerGame,
        seat: int | None = 0,
        opponent: Policy | None = None,
        raises: tuple[float, ...] = RAISES,
        in_big_blinds: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if seat is not None and not 0 <= seat < game.players:
            raise ValueError(f"seats are 0 to {game.players - 1}, or None for each in turn, got {seat}")
        self.game = game
        self.opponent = opponent or self._any_action
        self.render_mode = _checked(render_mode)
        self._view = _View(game, raises)
        self.observation_space, self.action_space = self._view.spaces()
        self._unit = game.big_blind if in_big_blinds else 1
        self._rotates = seat is None
        self._next_seat = seat or 0
        self.seat = self._next_seat
        self.poker = game.start()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal until the learner is to act."""
        super().reset(seed=seed)
        if self._rotates and seed is not None:
            self._next_seat = 0
        idle_reward = 0.0
        for idle_hands in range(_MOST_IDLE_HANDS):
            self.seat = self._next_seat
            if self._rotates:
                self._next_seat = (self.seat + 1) % self.game.players
            self.poker = self._played_on(self.game.start())
            if self.poker.player == self.seat:
                info = {"seat": self.seat, "idle_hands": idle_hands, "idle_reward": idle_reward}
                return self._view.observe(self.poker, self.seat), info
            idle_reward += self._reward()
        raise ValueError(f"in {_MOST_IDLE_HANDS} hands the opponents never let seat {self.seat} act")

    def _played_on(self, state: PokerState) -> PokerState:
        """The state when the learner is to act or the hand is over."""
        state = dealt(state, self.np_random)
        while state.player not in (self.seat, TERMINAL):
            action = self.opponent(state.seen_by(state.player), self.np_random)
            state = dealt(state.apply(action), self.np_random)
        return state

    def _any_action(self, observation: PokerState, rng: np.random.Generator) -> int:
        actions = [action for action in self._view.actions.at(observation) if action is not None]
        return actions[int(rng.integers(len(actions)))]

    def _reward(self) -> float:
        return self.poker.returns()[self.seat] / self._unit if self.poker.player == TERMINAL else 0.0

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Observation, reward, whether the hand is over, never cut off, and whether the action was a closed one."""
        if self.poker.player != self.seat:
            raise ValueError("the hand is over: call reset()")
        if not 0 <= action < self._view.actions.count:
            raise ValueError(f"actions are numbered 0 to {self._view.actions.count - 1}, got {action}")
        played = self._view.actions.at(self.poker)[action]
        self.poker = self._played_on(self.poker.apply(CALL if played is None else played))
        over = self.poker.player == TERMINAL
        return self._view.observe(self.poker, self.seat), self._reward(), over, False, {"closed": played is None}

    def render(self) -> str | None:
        """The table as text: board, betting, stacks and bets, but nobody's cards."""
        return f"{self.poker!r}" if self.render_mode == "ansi" else None


def _checked(render_mode: str | None) -> str | None:
    if render_mode not in (None, "ansi"):
        raise ValueError(f"poker renders as ansi, not as {render_mode!r}")
    return render_mode
