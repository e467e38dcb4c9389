"""Seven-card hands ranked per second, by our evaluator and by the peers."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from ludus.cards.card import CARDS
from ludus.cards.census import draw_hands, enumerate_checksum
from ludus.experiments.bench.rates import Tell, best_rate, optional
from ludus.experiments.reproduce.hand_categories import SOURCE_HANDS_PER_SECOND
from ludus.parallel import usable_cores

PEER_SECONDS = 1.0  # a peer is measured for about this long


def bench_evaluator(hands: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Hands drawn at random inside the kernel, on all cores and on one, and all of them in order on one."""
    cores = usable_cores()
    draw_hands(1000, seed)  # compiled or loaded before the clock starts
    enumerate_checksum()
    tell("random hands, one core")
    one_core = best_rate(lambda: int(draw_hands(hands // cores, seed).sum()))
    tell("random hands")
    all_cores = best_rate(lambda: int(draw_hands(hands, seed, cores).sum()))
    tell("all hands in order")
    result: dict[str, Any] = {
        "random_hands_per_second": all_cores,
        "random_hands_per_second_one_core": one_core,
        "enumerated_hands_per_second": best_rate(lambda: int(enumerate_checksum()[0])),
        "cores": cores,
        "hands": hands,
        "seed": seed,
        "source_hands_per_second": SOURCE_HANDS_PER_SECOND,
    }
    tell("the peers")
    result["peers"] = {
        name: {"per_second": rate, "ratio": one_core / rate}  # one core each, hands drawn beforehand for the peer
        for name, rate in evaluator_peers(seed)
    }
    return result


def evaluator_peers(seed: int) -> Iterator[tuple[str, float]]:
    """Seven-card hands per second of each peer; the hands are drawn and converted before the clock starts."""
    rng = random.Random(seed)
    hands = [rng.sample(range(52), 7) for _ in range(100)]
    if phevaluator := optional("phevaluator"):
        yield "phevaluator", _rate(lambda i: phevaluator.evaluate_cards(*hands[i]))
    if eval7 := optional("eval7"):
        ready = [[eval7.Card(CARDS[card]) for card in hand] for hand in hands]
        yield "eval7", _rate(lambda i: eval7.evaluate(ready[i]))
    if treys := optional("treys"):
        judge = treys.Evaluator()
        split = [[treys.Card.new(CARDS[card]) for card in hand] for hand in hands]
        yield "treys", _rate(lambda i: judge.evaluate(split[i][:5], split[i][5:]))


def _rate(step: Callable[[int], Any]) -> float:
    """Calls per second of ``step(i)``, the best of three blocks."""
    step(0)
    best = 0.0
    for _ in range(3):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < PEER_SECONDS / 3:
            for i in range(100):
                step(i)
            done += 100
        best = max(best, done / spent)
    return best
