"""A block of a training played by copies that are merged: the same result wherever they are played.

Every copy starts from the regrets as they are, plays its share of the walks with random numbers of its own, and tells
what it has added to regrets and averages; the sums are added up in the order of the copies. Within a block no copy sees
what the others learn, which costs a little strength for the same number of hands (docs/scale.md has how much), but
nothing has to travel while a hand is played, and no addition is lost, so that the result is the same on any number of
cores and machines.

Shards of regrets, each owned by a worker, would see everything at once. But a walk of external sampling takes
microseconds and meets tens of information sets, and a question to another process takes a hundred times as long as the
walk (`ludus bench copies` measures it).
"""

from __future__ import annotations

import json
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.parallel import Engine, Work
from ludus.solvers.blueprint.deals import no_tables
from ludus.trees.blueprint import Abstraction
from ludus.trees.bucket_tables import BucketTables

if TYPE_CHECKING:
    from ludus.solvers.blueprint.training import Method, Training

Floats = NDArray[np.float32]
DENSE = 0.5  # the share of slots that were touched from which on a part is sent whole


class Part(NamedTuple):
    """What was added to an array: everywhere, or at some places alone."""

    places: NDArray[np.int64] | None
    values: Floats

    @classmethod
    def of(cls, added: Floats) -> Part:
        """The smaller form."""
        places = np.flatnonzero(added)
        return cls(None, added) if len(places) >= DENSE * len(added) else cls(places, added[places])

    def add_to(self, array: Floats) -> None:
        """Add it up."""
        if self.places is None:
            array += self.values
        else:
            array[self.places] += self.values


class Played(NamedTuple):
    """What a copy has done."""

    hands: int
    regret: Part
    average: Part


def play_copies(training: Training, engine: Engine) -> int:
    """Play the next block by copies and add up what they have learnt; the hands played."""
    method, block = training.method, training.state.blocks
    copies, walks = method.copies, method.walks
    given = json.dumps(training.abstraction.to_json(), sort_keys=True), method, training.walk.regret.copy()
    work = Work("ludus.solvers.blueprint.copies:play_copy", given, seed=method.seed)
    shares = ((block, copy, walks // copies + (copy < walks % copies)) for copy in range(copies))
    hands, regret, average = 0, training.walk.regret.copy(), training.walk.average.copy()
    with closing(engine.run(work, shares)) as parts:
        for played in parts:
            hands += played.hands
            played.regret.add_to(regret)
            played.average.add_to(average)
    training.walk.regret[:], training.walk.average[:] = regret, average  # together: an interrupt leaves the last block
    return hands


def play_copy(abstraction: str, method: Method, regret: Floats, block: int, copy: int, walks: int) -> Played:
    """What one copy adds in its share of a block."""
    from ludus.solvers.blueprint.training import Training

    training = Training(*_kept(abstraction, method))
    training.walk.regret[:] = regret
    hands = training.play(block, copy, walks)
    return Played(hands, Part.of(training.walk.regret - regret), Part.of(training.walk.average))


@lru_cache(maxsize=1)
def _kept(abstraction: str, method: Method) -> tuple[Abstraction, Method, BucketTables]:
    """What a worker keeps from block to block."""
    made: Any = Abstraction.from_json(json.loads(abstraction))
    return made, method, no_tables() if made.buckets is None else made.buckets.tables()
