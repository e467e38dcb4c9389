"""Everything that decides what a run of a solver computes, checked when it is made and saved with the result."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from ludus.solvers.capabilities import FICTITIOUS, SAMPLED, TAKERS
from ludus.solvers.cfr import with_averaging
from ludus.solvers.montecarlo.solver import Sampling
from ludus.solvers.schedules import ALGORITHMS, AVERAGING, Algorithm, discounted

SAMPLING_ABOUT = {
    "external": "Monte Carlo CFR, external sampling (Lanctot 2009)",
    "outcome": "Monte Carlo CFR, outcome sampling, epsilon-on-policy (Lanctot 2009)",
    "chance": "Monte Carlo CFR, chance sampling (Zinkevich 2007)",
    "average": "Monte Carlo CFR, average-strategy sampling (Gibson 2012)",
}
ABOUT = {name: each.about for name, each in ALGORITHMS.items()} | SAMPLING_ABOUT | {
    FICTITIOUS: "full-width fictitious play (Heinrich 2015)"
}  # fmt: skip
ALIASES = {"mccfr": "external", "linear-cfr": "lcfr"} | {f"{name}-sampling": name for name in SAMPLED}


@dataclass(frozen=True)
class Settings:
    """All that decides what a run computes, apart from its length. Empty or None: as the algorithm has it."""

    algorithm: str = "dcfr"
    seed: int = 0
    averaging: str = ""  # uniform, linear or quadratic
    averaging_from: int = 1  # iterations before this one are not averaged
    updates: str = ""  # alternating or simultaneous
    discount: tuple[float, float, float] | None = None  # alpha, beta, gamma of dcfr
    streams: int = 4  # Monte Carlo: logical streams of random numbers, whatever the number of cores
    epsilon: float | None = None  # outcome sampling: exploration; average-strategy sampling: smallest probability
    beta: float = 1e6  # average-strategy sampling
    tau: float = 1e3
    baseline: float = 0.0  # Monte Carlo: step of the moving averages of VR-MCCFR, 0 for none
    growing: bool = False  # Monte Carlo: grow the tree where it is played instead of building it first

    def __post_init__(self) -> None:
        object.__setattr__(self, "algorithm", ALIASES.get(self.algorithm.lower(), self.algorithm.lower()))
        if self.algorithm not in ABOUT:
            raise ValueError(f"there is no algorithm {self.algorithm!r}; there are {', '.join(ABOUT)}")
        if self.averaging and self.averaging not in AVERAGING:
            raise ValueError(f"averaging is one of {', '.join(AVERAGING)}, got {self.averaging!r}")
        if self.updates not in ("", "alternating", "simultaneous"):
            raise ValueError(f"updates are alternating or simultaneous, got {self.updates!r}")
        if not (isinstance(self.seed, int) and self.seed >= 0):
            raise ValueError(f"a seed is a whole number and at least 0, got {self.seed}")
        if not 1 <= self.averaging_from <= 10**15:
            raise ValueError(f"averaging starts at iteration 1 or later, got {self.averaging_from}")
        if self.growing and self.streams != type(self).streams:
            raise ValueError("a growing tree is played by a single stream")
        for name, takers in TAKERS.items():  # what would change nothing is refused, so that nobody believes it did
            if getattr(self, name) != getattr(type(self), name) and self.algorithm not in takers:
                raise ValueError(f"{name.replace('_', ' ')} is for {', '.join(takers)}, not for {self.algorithm}")
        _ = self.sampling if self.sampled else self.schedule  # check their own parameters

    @property
    def sampled(self) -> bool:
        """Whether the algorithm draws random numbers."""
        return self.algorithm in SAMPLED

    @property
    def sampling(self) -> Sampling:
        """The parameters of a Monte Carlo run."""
        epsilon = {"average": 0.05}.get(self.algorithm, 0.6) if self.epsilon is None else self.epsilon
        power = AVERAGING[self.averaging] if self.averaging else 0.0
        count = 1 if self.growing else self.streams
        return Sampling(
            self.algorithm, self.seed, count, epsilon, self.beta, self.tau, self.baseline, self.averaging_from, power
        )

    @property
    def schedule(self) -> Algorithm:
        """The member of the CFR family, with what was changed about it."""
        if self.algorithm == FICTITIOUS:
            return ALGORITHMS["cfr"]
        schedule = ALGORITHMS[self.algorithm] if self.discount is None else discounted(*self.discount)
        if self.averaging:
            schedule = with_averaging(schedule, self.averaging)
        return replace(schedule, alternating=self.updates == "alternating") if self.updates else schedule

    def changed(self) -> dict[str, Any]:
        """The settings that are not as they always are, without algorithm and seed."""
        default = Settings(self.algorithm)
        names = [each.name for each in fields(self) if each.name not in ("algorithm", "seed")]
        found = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(default, name)}
        if self.sampled and not self.growing:
            found["streams"] = self.streams
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
