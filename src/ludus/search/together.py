"""Look-aheads of many tables solved together on one device, in PyTorch.

Every table is played by a thread of its own, with a `Resolver` of its own. Where it needs a look-ahead, or the values
after a card, it asks here and waits; what waits is solved in one batch. All look-aheads end with their street, the
turn's by a network too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from ludus.games.poker import PokerState
from ludus.nets.holdem.network import HandNetwork
from ludus.search.holdem import BEGINNINGS, ENDS, RIVER, HoldemSearch
from ludus.search.holdem_look_ahead import HoldemLookAhead
from ludus.search.resolver import Kept
from ludus.solvers.leaf_values import Evaluate, Floats, Leaves
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import RIVER_DEFAULT

try:
    import torch
except ImportError:
    raise ValueError("playing many tables on a device needs PyTorch: pip install 'ludus[torch]'") from None

from ludus.nets.holdem.tensors import BoardReader, TensorNetwork
from ludus.solvers.batch.leaves import both_anew
from ludus.solvers.batch.trees import Asked, Found, StreetTrees

PATIENCE = 0.02  # seconds without another question, after which some of those that wait are answered
STREET, VALUES = "street", "values"  # kinds of questions
MOST_TREES, MOST_LEAVES = 256, 1024  # in one batch
MOST_BOARDS = 2048  # that are kept, 4 MB each on a GPU
MOST_OPENINGS = 1000  # look-aheads before the flop that are remembered

_Waiting = tuple[Any, "Future[Any]", float]  # a question, its answer, and since when it waits


class Batches:
    """Answers questions of many threads in batches, in one thread of its own."""

    def __init__(self, networks: Mapping[str, HandNetwork], device: str) -> None:
        self._device = torch.device(device)
        self._reader = BoardReader(self._device, MOST_BOARDS)
        self._ends = {
            stage: TensorNetwork(networks[stage], self._device, self._reader) for stage in ENDS if stage in networks
        }
        self._beginnings = {
            stage: TensorNetwork(networks[stage], self._device) for stage in BEGINNINGS if stage in networks
        }
        self._questions: SimpleQueue[tuple[tuple[Any, ...], Any, Future[Any]]] = SimpleQueue()
        self._openings: dict[tuple[Any, ...], Future[HoldemLookAhead]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def solve(self, asked: Asked, street: int, iterations: int) -> Found:
        """A street solved, when its batch is."""
        found: Found = self._answer((STREET, street, iterations), asked)
        return found

    def values(self, stage: str, leaves: Leaves, reach: Floats) -> Floats:
        """Both players' values by the network of a stage."""
        found: Floats = self._answer((VALUES, stage), (leaves, reach))
        return found

    def opening(self, key: tuple[Any, ...], solve: Callable[[], HoldemLookAhead]) -> HoldemLookAhead:
        """A look-ahead before the flop, where all tables begin alike: solved by the table that comes first."""
        with self._lock:
            mine = key not in self._openings
            if mine and len(self._openings) >= MOST_OPENINGS:
                self._openings.pop(next(iter(self._openings)))
            found = self._openings.setdefault(key, Future())
        if mine:
            try:
                found.set_result(solve())
            except BaseException as error:
                found.set_exception(error)
        return found.result()

    def _answer(self, kind: tuple[Any, ...], question: Any) -> Any:
        answer: Future[Any] = Future()
        self._questions.put((kind, question, answer))
        return answer.result()

    def _serve(self) -> None:
        """Gather questions until none comes for a while, then answer those of one kind; the others wait for more.

        It is the kind for which most time was waited by all together, so that large batches come first, and every
        question comes.
        """
        waiting: dict[tuple[Any, ...], list[_Waiting]] = {}
        while True:
            try:
                kind, question, answer = self._questions.get(timeout=PATIENCE if waiting else None)
                waiting.setdefault(kind, []).append((question, answer, time.monotonic()))
                continue
            except Empty:
                now = time.monotonic()
            kind = max(waiting, key=lambda kind: (kind[0] == VALUES, sum(now - since for *_, since in waiting[kind])))
            asked = waiting.pop(kind)
            size = MOST_TREES if kind[0] == STREET else _first_leaves([len(leaves) for (leaves, _), *_ in asked])
            if len(asked) > size:
                waiting[kind] = asked[size:]
            self._answer_all(kind, asked[:size])

    def _answer_all(self, kind: tuple[Any, ...], asked: Sequence[_Waiting]) -> None:
        questions = [question for question, *_ in asked]
        try:
            found = self._streets(questions, *kind[1:]) if kind[0] == STREET else self._leaves(questions, kind[1])
            for (_, answer, _), each in zip(asked, found, strict=True):
                answer.set_result(each)
        except Exception as error:  # the threads that asked are told
            for _, answer, _ in asked:
                if not answer.done():
                    answer.set_exception(error)

    def _streets(self, asked: list[Asked], street: int, iterations: int) -> Sequence[Found]:
        values = self._ends[ENDS[street]] if street < RIVER else None
        trees = StreetTrees(asked, ALGORITHMS[RIVER_DEFAULT], self._device, values, self._reader.matrices)
        trees.run(iterations)
        return trees.found()

    def _leaves(self, asked: list[tuple[Leaves, Floats]], stage: str) -> list[Floats]:
        names = ("boards", "pots", "stacks")
        leaves = Leaves(*(np.concatenate([getattr(each, name) for each, _ in asked]) for name in names))
        reach = torch.from_numpy(np.concatenate([each for _, each in asked]).astype(np.float32)).to(self._device)
        with torch.no_grad():
            found = both_anew(self._beginnings[stage].bind_tensors(leaves, self._device), reach).cpu().numpy()
        return np.split(found, np.cumsum([len(each) for each, _ in asked])[:-1])


def _first_leaves(counts: Sequence[int]) -> int:
    """How many of these questions, one at least, have leaves for one batch.

    >>> _first_leaves([46, 46]), _first_leaves([1000, 46]), _first_leaves([2000])
    (2, 1, 1)
    """
    return max(1, int(np.searchsorted(np.cumsum(counts), MOST_LEAVES, side="right")))


_KNOWN: dict[tuple[int, str], tuple[Mapping[str, HandNetwork], Batches]] = {}
_LOCK = threading.Lock()


def batches_of(networks: Mapping[str, HandNetwork], device: str) -> Batches:
    """The same for the same networks and device: all tables of a process share one."""
    with _LOCK:
        key = id(networks), device
        if key not in _KNOWN:
            _KNOWN[key] = networks, Batches(networks, device)  # with the networks, so that their identity stays taken
        return _KNOWN[key][1]


@dataclass(frozen=True, eq=False)
class _Waited:
    """Leaf values of a stage that are asked for in batches."""

    batches: Batches
    stage: str

    def bind(self, leaves: Leaves) -> Evaluate:
        return lambda reach: self.batches.values(self.stage, leaves, reach)


@dataclass(frozen=True, eq=False)
class TogetherSearch:
    """A searcher whose look-aheads are solved with those of other tables."""

    search: HoldemSearch  # by network on the turn
    batches: Batches

    def check(self, game: Any) -> None:
        """ValueError unless it can play a game."""
        self.search.check(game)

    def solve(self, public: PokerState, player: int, kept: Kept | None) -> HoldemLookAhead:
        """A look-ahead, when its batch is solved."""
        if public.board:
            return self._solve(public, player, kept)
        search = self.search
        key = search.effort.iterations, search.bets, search.estimate, public.game, public.line, player
        return self.batches.opening(key, lambda: self._solve(public, player, kept))

    def _solve(self, public: PokerState, player: int, kept: Kept | None) -> HoldemLookAhead:
        begun = self.search.prepared(public, player, kept)
        asked = Asked(replace(begun.spot.subgame, depth=1), begun.spot.ranges, begun.gadget)
        found = self.batches.solve(asked, public.street, self.search.effort.iterations[public.street])
        after = _Waited(self.batches, BEGINNINGS[public.street + 1]) if public.street < RIVER else None
        return HoldemLookAhead.of_found(found, Layout.of(begun.spot), begun, player, after)
