"""What each solver honours, in one place. Every entry point asks here: nothing that is asked for is ignored silently.

A *back end* is a way to solve: exact or sampled for small games, the solver of spots, batches of spots, play before the
flop, blueprints. A *feature* is something that an algorithm or a caller may ask of it. A new member of the CFR family
is one row of ``schedules.ALGORITHMS``: its flags say which features it needs, and so which back ends run it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ludus.solvers.schedules import ALGORITHMS, Algorithm

ALGORITHM_FEATURES: dict[str, tuple[Callable[[Algorithm], bool], str]] = {
    "simultaneous": (lambda each: not each.alternating, "with alternating updates"),
    "prediction": (lambda each: each.predict, "without prediction"),
    "clipping": (lambda each: each.clip, "without clipping"),
    "planned": (lambda each: each.planned, "without a plan of all iterations"),
}
"""Feature -> whether an algorithm needs it, and how a back end that does not honour it works instead."""
FEATURES: dict[str, str] = {
    "fixed": "fixed strategies",
    "averaging": "another averaging",  # uniform, linear or quadratic, instead of the algorithm's own
    "averaging_from": "a later start of averaging",
    "ranges": "ranges",
    "frontier": "leaf values",
    "constraints": "constraints",
    "locks": "locked strategies",
    "rake": "rake",
    "packed": "packed tables",
}
"""Feature -> its name, of those that a caller asks for."""
SAMPLED = ("external", "outcome", "chance", "average")
FICTITIOUS = "xfp"


@dataclass(frozen=True)
class Backend:
    """One way to solve."""

    many: str  # what it solves: 'algorithms for ...'
    one: str  # '... takes no rake'
    honours: tuple[str, ...]
    runs: tuple[str, ...] = ()  # algorithms of its own; empty: those of the CFR family whose features it honours

    def __post_init__(self) -> None:
        if unknown := set(self.honours) - {*ALGORITHM_FEATURES, *FEATURES}:
            raise ValueError(f"features are {', '.join([*ALGORITHM_FEATURES, *FEATURES])}, got {', '.join(unknown)}")

    def takes(self, row: Algorithm) -> bool:
        """Whether it runs a member of the CFR family."""
        return not self.runs and all(
            name in self.honours or not needs(row) for name, (needs, _) in ALGORITHM_FEATURES.items()
        )

    @property
    def way(self) -> str:
        """How it works where algorithms differ: 'with alternating updates and without prediction'."""
        missing = [way for name, (_, way) in ALGORITHM_FEATURES.items() if name not in self.honours]
        return ", ".join(missing[:-1]) + " and " * (len(missing) > 1) + "".join(missing[-1:])


FAMILY = tuple(ALGORITHM_FEATURES)
BACKENDS: dict[str, Backend] = {
    "exact": Backend(
        "small games", "an exact solve",
        (*FAMILY, "fixed", "averaging", "averaging_from", "ranges", "frontier", "constraints"),
    ),
    "fictitious": Backend("fictitious play", "fictitious play", (), (FICTITIOUS,)),
    "sampling": Backend("sampling", "sampling", ("fixed", "averaging", "averaging_from"), SAMPLED),
    "growing": Backend("a growing tree", "a growing tree", ("averaging", "averaging_from"), SAMPLED),
    "merged": Backend("merged games", "a merged game", FAMILY),
    "spots": Backend(
        "spots", "a spot",
        ("clipping", "planned", "ranges", "frontier", "constraints", "locks", "rake", "packed"),
    ),
    "batch": Backend("batches of spots", "a batch of spots", (*FAMILY, "ranges", "frontier", "constraints")),
    "preflop": Backend("play before the flop", "play before the flop", ("simultaneous", "prediction", "clipping")),
    "blueprints": Backend("blueprints", "a blueprint", ()),  # discounts are by blocks of hands
}  # fmt: skip
TAKERS: dict[str, tuple[str, ...]] = {
    "averaging": (*ALGORITHMS, *SAMPLED),
    "averaging_from": (*ALGORITHMS, *SAMPLED),
    "updates": tuple(ALGORITHMS),
    "discount": ("dcfr",),
    "streams": SAMPLED,
    "epsilon": ("outcome", "average"),
    "beta": ("average",),
    "tau": ("average",),
    "baseline": tuple(name for name in SAMPLED if name != "chance"),
    "growing": SAMPLED,
}
"""Setting of ``Settings`` -> the algorithms that it applies to."""


def algorithms_of(backend: str) -> tuple[str, ...]:
    """The algorithms that a back end runs.

    >>> algorithms_of("blueprints")
    ('cfr', 'lcfr', 'lcfr-3', 'dcfr', 'dcfr-4', 'dcfr-restarts')
    """
    solver = BACKENDS[backend]
    return solver.runs or tuple(name for name, row in ALGORITHMS.items() if solver.takes(row))


def supports(backend: str, algorithm: str | Algorithm) -> str | None:
    """None if a back end runs an algorithm as it is meant, else why it does not, and what it runs."""
    solver = BACKENDS[backend]
    if not isinstance(algorithm, str):
        taken = solver.takes(algorithm)
        return None if taken else f"{solver.many} are solved {solver.way}, which is not so of {algorithm.about}"
    known = algorithms_of(backend)
    if algorithm in known:
        return None
    why = f": they are solved {solver.way}" if algorithm in ALGORITHMS and not solver.runs else ""
    return f"algorithms for {solver.many} are {', '.join(known)}, got {algorithm!r}{why}"


def check_supports(backend: str, algorithm: str | Algorithm) -> None:
    """ValueError unless a back end runs an algorithm."""
    if reason := supports(backend, algorithm):
        raise ValueError(reason)


def check_honours(backend: str, **asked: object) -> None:
    """ValueError unless a back end honours what is asked for: features by name, with something true if they are."""
    solver = BACKENDS[backend]
    for feature, value in asked.items():
        if value and feature not in solver.honours:
            others = ", ".join(each.many for each in BACKENDS.values() if feature in each.honours)
            raise ValueError(f"{solver.one} takes no {FEATURES[feature]}: they are for {others}")
