"""Random hold'em hands per second, by both of our engines and by the peers."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from ludus.cards.random import stream_blocks
from ludus.experiments.bench.rates import Tell, best_rate, optional
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerState, holdem
from ludus.games.compiled.engine import play_random, rules_of
from ludus.games.moves import Moves

PEER_SECONDS = 2.0  # a peer is measured for about this long
READABLE_HANDS = 5000
_BLOCK = 1 << 17


def bench_engine(hands: int, seed: int, tell: Tell) -> dict[str, Any]:
    """No-limit hold'em, 100 big blinds, on one core; ``hands`` are those of a run of the compiled engine.

    Policy: fold (when facing a bet), call and raise are equally likely, and so are all sizes of a raise.
    """
    result: dict[str, Any] = {}
    actions_readable = play_readable(READABLE_HANDS, seed)[1]  # compiled or loaded before the clock starts, as below
    for players in (2, 6):
        result[f"actions_per_hand_{players}p"] = round(play_compiled(players, hands, seed)[1] / hands, 3)
        tell(f"compiled, {players} players")
        rate = best_rate(lambda: play_compiled(players, hands, seed)[0])  # noqa: B023
        result[f"compiled_hands_per_second_{players}p"] = rate
    tell("readable")
    readable = best_rate(lambda: play_readable(READABLE_HANDS, seed)[0])
    result["readable_hands_per_second_2p"] = readable
    result["readable_actions_per_hand_2p"] = round(actions_readable / READABLE_HANDS, 3)
    result |= {"hands": hands, "seed": seed, "cores": 1}
    tell("the peers")
    result["peers"] = {
        name: {
            "per_second": rate,
            "actions_per_hand": actions,
            "ratio_compiled": result["compiled_hands_per_second_2p"] / rate,
            "ratio_readable": readable / rate,
        }
        for name, rate, actions in engine_peers(seed)
    }
    return result


def play_compiled(players: int, hands: int, seed: int) -> tuple[int, int]:
    """Play random hands with the compiled engine on one core: how many, and how many actions they took."""
    rules, actions = rules_of(holdem(players=players)), 0
    for s0, s1, block in stream_blocks(seed, hands, _BLOCK):  # in blocks, so that Ctrl-C is noticed
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
    """Fold (if it makes sense), call or raise, equally likely; a raise of any size in bounds, none when low is 0."""
    choice = rng.randrange(1 + fold + (low > 0)) - fold
    return FOLD if choice < 0 else CALL if choice == 0 else rng.randint(low, high)


def engine_peers(seed: int) -> Iterator[tuple[str, float, float]]:
    """Random heads-up no-limit hands per second of each peer, with its actions per hand."""
    if pokerkit := optional("pokerkit"):
        yield "pokerkit", *_measure(lambda rng: _pokerkit_hand(pokerkit, rng), seed)
    if pyspiel := optional("pyspiel"):
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
    while (spent := time.perf_counter() - start) < PEER_SECONDS:
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
