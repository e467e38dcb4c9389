"""Other people's libraries under the same load as ours, where they are installed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from ludus.cards.card import CARDS
from ludus.cards.random import stream_blocks
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerState, holdem
from ludus.games.bulk import play_random, rules_of
from ludus.games.moves import Moves

_SECONDS = 1.0  # a peer is measured for about this long
_BLOCK = 1 << 17


def _optional(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _rate(step: Callable[[int], Any]) -> float:
    """Calls per second of ``step(i)``, best of three blocks."""
    step(0)
    best = 0.0
    for _ in range(3):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < _SECONDS / 3:
            for i in range(100):
                step(i)
            done += 100
        best = max(best, done / spent)
    return best


def evaluator_peers(seed: int) -> Iterator[tuple[str, float]]:
    """Seven-card hands a second of each peer; the hands are drawn and converted before the clock starts."""
    rng = random.Random(seed)
    hands = [rng.sample(range(52), 7) for _ in range(100)]
    if phevaluator := _optional("phevaluator"):
        yield "phevaluator", _rate(lambda i: phevaluator.evaluate_cards(*hands[i]))
    if eval7 := _optional("eval7"):
        ready = [[eval7.Card(CARDS[card]) for card in hand] for hand in hands]
        yield "eval7", _rate(lambda i: eval7.evaluate(ready[i]))
    if treys := _optional("treys"):
        judge = treys.Evaluator()
        split = [[treys.Card.new(CARDS[card]) for card in hand] for hand in hands]
        yield "treys", _rate(lambda i: judge.evaluate(split[i][:5], split[i][5:]))


def play_compiled(players: int, hands: int, seed: int) -> tuple[int, int]:
    """Play random hands with the compiled engine on one core: how many, and how many actions they took."""
    rules, actions = rules_of(holdem(players=players)), 0
    for s0, s1, block in stream_blocks(seed, hands, _BLOCK):  # in blocks, so that Ctrl-C is heard
        actions += play_random(rules, block, s0, s1)[0]
    return hands, actions


def play_readable(hands: int, seed: int) -> tuple[int, int]:
    """Play random heads-up hands with the readable engine: how many, and how many actions they took."""
    game, rng, actions = holdem(), random.Random(seed), 0
    for _ in range(hands):
        deck = rng.sample(range(52), 9)
        state: PokerState = game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            moves = state.legal_actions()
            assert isinstance(moves, Moves)
            low, high = (moves.raises[0], moves.raises[-1]) if moves.raises else (0, 0)
            state = state.apply(_choose(rng, moves.fold, low, high))
            actions += 1
        state.returns()
    return hands, actions


def _choose(rng: random.Random, fold: bool, low: int, high: int) -> int:
    """Fold (if it makes sense), call and raise alike; a raise of any size between the bounds, none when low is 0."""
    choice = rng.randrange(1 + fold + (low > 0)) - fold
    return FOLD if choice < 0 else CALL if choice == 0 else rng.randint(low, high)


def engine_peers(seed: int) -> Iterator[tuple[str, float, float]]:
    """Random heads-up no-limit hands a second of each peer, with its actions a hand."""
    if pokerkit := _optional("pokerkit"):
        yield "pokerkit", *_measure(lambda rng: _pokerkit_hand(pokerkit, rng), seed)
    if pyspiel := _optional("pyspiel"):
        try:
            game = pyspiel.load_game(
                "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=2 1,firstPlayer=2 1 1 1,numSuits=4,"
                "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=200 200,bettingAbstraction=fullgame)"
            )
        except RuntimeError:  # a build without universal_poker
            return
        yield "open_spiel from Python", *_measure(lambda rng: _open_spiel_hand(game, rng), seed)


def _measure(play: Callable[[random.Random], int], seed: int) -> tuple[float, float]:
    rng, hands, actions = random.Random(seed), 0, 0
    play(rng)
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < 2 * _SECONDS:
        actions += play(rng)
        hands += 1
    return hands / spent, actions / hands


def _pokerkit_hand(pokerkit: Any, rng: random.Random) -> int:
    state = pokerkit.NoLimitTexasHoldem.create_state(tuple(pokerkit.Automation), True, 0, (1, 2), 2, 200, 2)
    actions = 0
    while state.actor_index is not None:
        low = state.min_completion_betting_or_raising_to_amount or 0
        high = state.max_completion_betting_or_raising_to_amount or 0
        action = _choose(rng, state.checking_or_calling_amount > 0, low, high)
        if action == FOLD:
            state.fold()
        elif action == CALL:
            state.check_or_call()
        else:
            state.complete_bet_or_raise_to(action)
        actions += 1
    return actions


def _open_spiel_hand(game: Any, rng: random.Random) -> int:
    state, actions = game.new_initial_state(), 0
    while not state.is_terminal():
        legal = state.legal_actions()
        if state.is_chance_node():
            state.apply_action(legal[rng.randrange(len(legal))])
            continue
        sizes = [action for action in legal if action > 1]  # 0 folds, 1 calls
        choice = _choose(rng, legal[0] == 0, bool(sizes), len(sizes))
        state.apply_action(0 if choice == FOLD else 1 if choice == CALL else sizes[choice - 1])
        actions += 1
    state.returns()
    return actions
