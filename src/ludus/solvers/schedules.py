"""The CFR family as small plug-ins: how regrets and averages are discounted, clipped and predicted from.

Every member runs the same recurrence. After iteration t = 1, 2, ... with immediate regrets r and the strategy x,
weighted by own reach, first add, then discount:

    R <- (R + r), cut off at 0 if ``clip``, times ``positive`` where above 0 and ``negative`` where below
    S <- (S + x) times ``average``

and the next strategy is regret matching on R, or on R + r if ``predict``. The average strategy is S, normalised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

TRACE = 1e-6
"""What is left of an average that starts anew."""


class Discount(NamedTuple):
    """What regrets above 0, regrets below 0 and the average are multiplied by after an iteration."""

    positive: float
    negative: float
    average: float


def cfr(t: int, power: float = 0.0) -> Discount:
    """Nothing is forgotten; iteration t weighs t**power in the average (Zinkevich et al. 2007: power 0)."""
    return Discount(1.0, 1.0, (t / (t + 1)) ** power)


def dcfr(t: int, alpha: float = 1.5, beta: float = 0.0, gamma: float = 2.0) -> Discount:
    """DCFR(alpha, beta, gamma) (Brown & Sandholm 2019, arXiv:1809.04040); LCFR is (1, 1, 1)."""
    a, b = float(t) ** alpha, float(t) ** beta
    return Discount(a / (a + 1), b / (b + 1), (t / (t + 1)) ** gamma)


def restarted_dcfr(t: int, gamma: float = 3.0) -> Discount:
    """DCFR whose average starts anew after iterations 1, 4, 16, 64, ... (postflop-solver by Wataru Inariba, 2021).

    Of the old average a trace is left, for hands that are not seen again.
    """
    since = t - 4 ** ((t.bit_length() - 1) // 2)
    return dcfr(t)._replace(average=(since / (since + 1)) ** gamma if since else TRACE)


def scheduled_dcfr(t: int, planned: int, top: float = 30.0) -> Discount:
    """DCFR with parameters that move over a planned run (Zhang, McAleer & Sandholm 2024, arXiv:2404.09097)."""
    done = t / planned
    return dcfr(t, 1 + 3 * done, -1 - 2 * done, top - 5 * done)


def scheduled_average(t: int, planned: int, top: float = 30.0) -> Discount:
    """Undiscounted regrets, an average whose power moves over a planned run (the same paper, for PCFR+)."""
    return cfr(t, top - 5 * t / planned)


@dataclass(frozen=True)
class Algorithm:
    """One member of the family. ``discount(t, planned)`` where ``planned`` is the number of iterations asked for."""

    about: str
    discount: Callable[[int, int], Discount]
    clip: bool = False
    predict: bool = False
    alternating: bool = True
    planned: bool = False  # whether it must know beforehand how many iterations there will be


def discounted(alpha: float = 1.5, beta: float = 0.0, gamma: float = 2.0) -> Algorithm:
    """DCFR with parameters of one's own.

    >>> discounted(1, 1, 1).discount(3, 0)
    Discount(positive=0.75, negative=0.75, average=0.75)
    """
    for name, value, least in (("alpha", alpha, -20), ("beta", beta, -20), ("gamma", gamma, 0)):
        if not least <= value <= 20:  # so that no power of an iteration's number is out of range
            raise ValueError(f"{name} must be a number between {least} and 20, got {value}")
    return Algorithm(f"DCFR({alpha:g}, {beta:g}, {gamma:g})", lambda t, _: dcfr(t, alpha, beta, gamma))


def uniform(t: int, _: int) -> Discount:
    """Every iteration counts alike."""
    return cfr(t)


def linear(t: int, _: int) -> Discount:
    """Iteration t weighs t in the average."""
    return cfr(t, 1)


def quadratic(t: int, _: int) -> Discount:
    """Iteration t weighs t squared in the average."""
    return cfr(t, 2)


ALGORITHMS: dict[str, Algorithm] = {
    "rm": Algorithm("regret matching: CFR with simultaneous updates", uniform, alternating=False),
    "rm+": Algorithm("regret matching+, simultaneous updates", uniform, clip=True, alternating=False),
    "cfr": Algorithm("vanilla CFR (Zinkevich 2007)", uniform),
    "cfr+": Algorithm("CFR+ (Tammelin 2014), linear averaging", linear, clip=True),
    "lcfr": Algorithm("linear CFR (Brown & Sandholm 2019)", lambda t, _: dcfr(t, 1, 1, 1)),
    "lcfr-3": Algorithm("linear CFR, averaged by the cube of the iteration", lambda t, _: dcfr(t, 1, 1, 3)),
    "lcfr+": Algorithm("linear CFR without regrets below 0 (the same)", lambda t, _: dcfr(t, 1, 1, 1), clip=True),
    "dcfr": Algorithm("discounted CFR(3/2, 0, 2) (Brown & Sandholm 2019)", lambda t, _: dcfr(t)),
    "dcfr-4": Algorithm("discounted CFR(3/2, 0, 4)", lambda t, _: dcfr(t, 1.5, 0, 4)),
    "dcfr-restarts": Algorithm(
        "discounted CFR whose average starts anew at powers of 4 (postflop-solver)", lambda t, _: restarted_dcfr(t)
    ),
    "pcfr+": Algorithm("predictive CFR+ (Farina 2021), quadratic averaging", quadratic, clip=True, predict=True),
    "dcfr+": Algorithm("DCFR+ (Xu 2024): clipped, discounted", lambda t, _: dcfr(t, 1.5, 0, 4), clip=True),
    "pdcfr+": Algorithm(
        "PDCFR+ (Xu 2024): DCFR+ with prediction", lambda t, _: dcfr(t, 2.3, 0, 5), clip=True, predict=True
    ),
    "hs-dcfr": Algorithm("DCFR with hyper-parameter schedule (Zhang 2024)", scheduled_dcfr, planned=True),
    "hs-dcfr-15": Algorithm(
        "the same, milder averaging", lambda t, n: scheduled_dcfr(t, n, 15), planned=True
    ),
    "hs-pcfr+": Algorithm(
        "PCFR+ with a schedule on its averaging (Zhang 2024)", scheduled_average, clip=True, predict=True, planned=True
    ),
}  # fmt: skip
AVERAGING: dict[str, float] = {"uniform": 0.0, "linear": 1.0, "quadratic": 2.0}
