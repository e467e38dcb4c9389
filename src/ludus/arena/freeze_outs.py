"""Freeze-outs of the players of Pricope (2020), compiled whole: tens of thousands of games in seconds.

The rules of the game are those of `ludus.games.compiled.engine`, and what the players do is in
`ludus.agents.expert.rules` and `ludus.agents.expert.guesses`, which the agents of these names ask, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents import CallAgent, ExpertAgent, HeuristicAgent, ModelExpertAgent, RandomAgent
from ludus.agents.base import Agent
from ludus.agents.expert.guesses import (
    ACTIONS,
    AS_USUAL,
    EXAMPLE,
    NO_RAISE,
    NOTHING,
    accuracy,
    exploit,
    note_action,
    observe_spot,
)
from ludus.agents.expert.model import ActionModel
from ludus.agents.expert.rules import effective, raise_to, stake, winning_share
from ludus.agents.opponents import CALLS, FOLDS, RAISES
from ludus.agents.simple import CALLS as RANDOM_CALLS
from ludus.arena.plan import MOST_GAME_HANDS
from ludus.cards.random import next_state, streams, uniform
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, RULES, act, new_hand, payoffs, raise_bounds, rules_of, shuffle
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame

RANDOM, CALLER, SIMULATING, EXPERT, MODELLING, FOLDING = range(6)
PLAYER = np.dtype(
    [
        ("kind", np.int64),
        ("simulations", np.int64),
        ("size", np.float64),  # of a raise, as a fraction of the pot
        ("strong", np.float64),
        ("good", np.float64),
        ("least", np.float64),
        ("bluffs", np.float64),
    ]
)
_BOARD = np.array([0, 3, 4, 5])
_HAND_ACTIONS = 1000  # more than one player can take in a hand
_FOREVER = 1 << 62


@dataclass(frozen=True)
class FoldingRandom:
    """Random as the words of Pricope (2020) can be read, too: to it a fold is always one of the actions.

    It gives up one hand in five even where a check is free. No table of ours lets anybody do that, so it plays compiled
    freeze-outs alone.
    """


@dataclass(frozen=True, eq=False)
class Session:
    """Games that two players played in a row."""

    chips: NDArray[np.int64]  # of the first player at the end of each game
    hands: NDArray[np.int64]  # of each game
    model: ActionModel | None  # what the first player has learnt


def play_session(
    game: PokerGame, players: Sequence[Agent | FoldingRandom], games: int, seed: int, stream: int = 0
) -> Session:
    """Freeze-outs one after the other, from the beginning of a stream of random numbers.

    A first player with a model goes on from what it knows. The button changes from hand to hand and game to game.
    """
    if game.players != 2 or len(set(game.stacks)) > 1 or len(players) != 2:
        raise ValueError("a freeze-out here is between two players with equal stacks")
    table, records = np.zeros(1, RULES), np.concatenate([compiled_player(player) for player in players])
    if records[1]["kind"] == MODELLING:
        raise ValueError("only the first player of compiled freeze-outs can have a model")
    table[0] = rules_of(game)
    first = players[0]
    model = first.model if isinstance(first, ModelExpertAgent) else ActionModel()
    state = streams(seed, stream + 1)[stream].copy()
    ends, played = np.zeros((games, 2), np.int64), np.zeros(5, np.int64)
    played[4] = model.count
    while played[0] < games:
        until = model.due if records[0]["kind"] == MODELLING else _FOREVER
        seen = model.room(min(until, model.count) + model.learning.bayes + model.learning.network + _HAND_ACTIONS)
        play_games(table, records, ends, state, played, model.record, seen, until)
        model.count = int(played[4])
        model.learn()
    return Session(ends[:, 0], ends[:, 1], model if records[0]["kind"] == MODELLING else None)


def compiled_player(agent: Agent | FoldingRandom) -> NDArray[Any]:
    """An agent as a record ``[1]`` for the kernels; ValueError if it is none of those that are compiled."""
    record = np.zeros(1, PLAYER)
    if isinstance(agent, RandomAgent):
        values: tuple[float, ...] = (RANDOM,)
    elif isinstance(agent, FoldingRandom):
        values = (FOLDING,)
    elif isinstance(agent, CallAgent):
        values = (CALLER,)
    elif isinstance(agent, HeuristicAgent):
        values = SIMULATING, agent.simulations, agent.size, agent.ahead, agent.ahead, agent.least
    elif isinstance(agent, ExpertAgent):
        values = EXPERT, 0, agent.size, agent.strong, agent.good
    elif isinstance(agent, ModelExpertAgent):
        expert = agent.expert
        values = MODELLING, 0, expert.size, expert.strong, expert.good, 0.0, agent.bluffs
    else:
        raise ValueError(f"compiled freeze-outs are for random, call, heuristic-mc and expert, got {agent}")
    for name, value in zip(PLAYER.names or (), values, strict=False):
        record[name] = value
    return record


@kernel
def random_action(u: float, facing: Any, low: Any, high: Any) -> np.int64:
    """What `RandomAgent` does with a number from 0 to 1."""
    kinds = facing + (high > 0)
    if not kinds:
        return np.int64(CALL)
    rest = (1 - RANDOM_CALLS) / kinds
    folds, raises = rest * facing, rest * (high > 0)
    if u < folds:
        return np.int64(FOLD)
    if u < folds + RANDOM_CALLS or not raises:
        return np.int64(CALL)
    sizes = high - low + 1
    return np.int64(low + min(np.int64((u - folds - RANDOM_CALLS) / raises * sizes), sizes - 1))


@kernel
def decide(
    player: Any, rules: Any, hand: Any, deck: NDArray[np.uint8], model: Any, spare: Any, s0: np.uint64, s1: np.uint64
) -> tuple[np.int64, np.uint64, np.uint64]:
    """The action of a player whose turn it is; ``model`` and ``spare``, an example, are for one who has a model."""
    seat, can_raise = hand.player, True
    owed = min(hand.top - hand.bet[seat], hand.stack[seat])
    low, high = raise_bounds(rules, hand)
    if player.kind == CALLER:
        return np.int64(CALL), s0, s1
    if player.kind == RANDOM or player.kind == FOLDING:
        action = random_action(uniform(s0, s1), owed > 0 or player.kind == FOLDING, low, high)
        s0, s1 = next_state(s0, s1)
        return action, s0, s1
    board = deck[4 : 4 + _BOARD[hand.street]]
    first, second = deck[2 * seat], deck[2 * seat + 1]
    if player.kind == SIMULATING:
        value, s0, s1 = winning_share(first, second, board, 1, player.simulations, s0, s1)
    else:
        value = effective(first, second, board)
    if player.kind == MODELLING:
        u = uniform(s0, s1)
        s0, s1 = next_state(s0, s1)
        if high > 0 and model.stage != NOTHING and u < accuracy(model):
            them = 1 - seat
            observe_spot(spare, first, second, board, 0, hand.pot, hand.stack[them], rules.smallest[0], True)
            to = exploit(
                model, spare, value, player.strong, player.bluffs, owed, hand.pot, hand.bet[seat], hand.top,
                hand.bet[them], hand.stack[them], low, high,
            )  # fmt: skip
            if to > AS_USUAL:
                return to, s0, s1
            can_raise = to != NO_RAISE
    price = owed / (hand.pot + owed)
    chosen = stake(value, price, player.strong, player.good, player.least, can_raise and high > 0)
    if chosen >= RAISES:
        size = player.size if chosen == RAISES else 0.0
        return raise_to(size, hand.top, hand.pot + hand.top - hand.bet[seat], low, high), s0, s1
    return np.int64(CALL if chosen == CALLS else FOLD), s0, s1


@kernel
def play_games(
    table: Any, players: Any, ends: NDArray[np.int64], state: NDArray[np.uint64], played: NDArray[np.int64],
    models: Any, seen: Any, until: int,
) -> None:  # fmt: skip
    """Play games until there are ``ends [n, 2]`` of them: the first player's chips and the number of hands.

    ``played`` has the games finished, the hands of the present one, the chips of both players, and how many actions of
    the second player are in ``seen``; it stops after the hand that makes them ``until``. ``state`` is the generator's.
    """
    records, ruled, spares = np.zeros(1, HAND), table.copy(), np.zeros(1, EXAMPLE)
    deck = np.arange(52).astype(np.uint8)
    won, chances = np.empty(10, np.float64), np.empty(ACTIONS)
    s0, s1 = state[0], state[1]
    chips = played[2:4]
    watches = players[0].kind == MODELLING
    while played[0] < len(ends) and played[4] < until:
        rules, hand, model = ruled[0], records[0], models[0]
        if played[1] == 0:
            chips[:] = table[0].start[0]
        turn = (played[0] + played[1]) % 2  # the player in seat 0
        for seat in range(2):
            rules.start[seat] = chips[turn ^ seat]
            rules.blind[seat] = min(table[0].blind[seat], rules.start[seat])
        for card in range(52):
            deck[card] = card
        s0, s1 = shuffle(deck, 9, s0, s1)
        new_hand(rules, hand)
        while hand.player != TERMINAL:
            who = turn ^ hand.player
            example = seen[played[4]]
            if watches and who == 1:
                watch(example, rules, hand, deck)
            action, s0, s1 = decide(players[who], rules, hand, deck, model, spares[0], s0, s1)
            if watches and who == 1:
                note(model, example, action, chances)
                played[4] += 1
            act(rules, hand, action)
        payoffs(rules, hand, deck, won)
        for seat in range(2):
            chips[turn ^ seat] += np.int64(won[seat])
        played[1] += 1
        if chips.min() == 0 or played[1] == MOST_GAME_HANDS:
            ends[played[0], 0], ends[played[0], 1] = chips[0], played[1]
            played[0] += 1
            played[1] = 0
    state[0], state[1] = s0, s1


@kernel
def watch(example: Any, rules: Any, hand: Any, deck: NDArray[np.uint8]) -> None:
    """What the other seat sees of the decision that is due."""
    seat = hand.player
    own = 1 - seat
    owed = min(hand.top - hand.bet[seat], hand.stack[seat])
    _, high = raise_bounds(rules, hand)
    observe_spot(
        example, deck[2 * own], deck[2 * own + 1], deck[4 : 4 + _BOARD[hand.street]], owed, hand.pot, hand.stack[seat],
        rules.smallest[0], high > 0,
    )  # fmt: skip


@kernel
def note(model: Any, example: Any, action: Any, chances: NDArray[np.float64]) -> None:
    """What a player who was watched did there."""
    example.action = FOLDS if action == FOLD else RAISES if action > 0 else CALLS
    note_action(model, example, chances)
