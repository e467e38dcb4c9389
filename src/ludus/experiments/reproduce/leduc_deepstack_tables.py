"""What Joppi Filho and Wensing (2023) print of their matches against DeepStack-Leduc, and our table beside it."""

from __future__ import annotations

from typing import Any

from ludus.experiments.report import plus_minus, times_smaller
from ludus.experiments.reproduce.leduc_no_limit import BIG_BLIND
from ludus.experiments.sources import JOPPI_WENSING_IN_FULL

RESOLVER = "re-solver"
MBB = 1000 / BIG_BLIND
_KEYS = (
    "hands", "win_rate", "tie_rate", "loss_rate", "mean_win", "mean_loss", "standard_deviation", "expected_value",
)  # fmt: skip


_LOSSES = ("losses_by_fold", "mean_loss_by_fold", "losses_by_call", "mean_loss_by_call")


def _column(*numbers: float, losses: tuple[float, ...] = (), **more: float) -> dict[str, float]:
    """A row of tables 8, 10 and 11 or a column of 12, with the player's row of table 9."""
    return dict(zip(_KEYS, numbers, strict=True)) | dict(zip(_LOSSES, losses, strict=bool(losses))) | more


# By player: tables 8, 10 and 11 (the strategy, then DeepStack in the mirrored games), and the columns of table 12.
SOURCE: dict[str, dict[str, dict[str, float]]] = {
    "4M": {
        "first_half": _column(
            10_000, 0.4239, 0.1394, 0.4367, 172.71, 169.89, 237.40, -0.98, losses=(0.7151, 134.39, 0.2841, 256.72)
        ),
        "mirror": _column(
            10_000, 0.4227, 0.1387, 0.4386, 171.02, 165.14, 232.70, -0.14, losses=(0.7202, 133.36, 0.2792, 245.38)
        ),
        "table_12": _column(
            100_000, 0.41444, 0.14641, 0.43915, 174.621, 167.892, 234.427, -1.3599, standard_error=0.741
        ),
    },
    "20M": {
        "first_half": _column(100_000, 0.4123, 0.1473, 0.4402, 165.02, 154.32, 214.59, 0.1050),
        "mirror": _column(99_329, 0.4386, 0.1485, 0.4127, 154.79, 165.99, 215.76, -0.6161),
        "table_12": _column(100_000, 0.4123, 0.14733, 0.44029, 165.027, 154.327, 214.598, 0.105, standard_error=0.679),
    },
    "100M": {
        "first_half": _column(100_000, 0.4090, 0.1478, 0.4430, 168.67, 153.97, 220.17, 0.7800),
        "mirror": _column(100_000, 0.4419, 0.1483, 0.4097, 155.15, 168.50, 220.50, -0.4780),
        "table_12": _column(
            100_000, 0.40907, 0.14788, 0.44305, 168.665, 153.969, 220.165, 0.77999, standard_error=0.696
        ),
    },
    RESOLVER: {
        "table_12": _column(
            100_000, 0.42634, 0.14845, 0.42521, 159.710, 159.248, 216.672, 0.37699, standard_error=0.685
        ),
    },
}
HALVES = (("first_half", "player"), ("mirror", RESOLVER))
LINES = (
    ("games", "hands", 0), ("wins %", "win_rate", 2), ("ties %", "tie_rate", 2), ("losses %", "loss_rate", 2),
    ("mean win, chips", "mean_win", 2), ("mean loss, chips", "mean_loss", 2),
    ("deviation, chips", "standard_deviation", 2), ("value, chips", "expected_value", 2),
)  # fmt: skip
LOSSES = (
    ("lost by fold %", "losses_by_fold", 2), ("its mean loss", "mean_loss_by_fold", 2),
    ("lost at showdown %", "losses_by_call", 2), ("its mean loss", "mean_loss_by_call", 2),
)  # fmt: skip


def table(result: dict[str, Any]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The header and the rows: a column for each match, ours and in brackets theirs."""
    matches = result["matches"]
    rows: list[tuple[str, ...]] = []
    for lines in (LINES, LOSSES):
        for half, who in HALVES:
            for label, key, digits in lines:
                cells = (_cell(match, half, key, digits, 100 if label.endswith("%") else 1) for match in matches)
                rows.append((f"{who}: {label}", *cells))
    rows += [
        ("mbb/g, +- 95 %", *(plus_minus(match["mbb_per_game"]) for match in matches)),
        ("  source, +- s.e.", *(_source_mbb(match["players"][0]) for match in matches)),
        ("  source, both halves", *(_source_paired(match["players"][0]) for match in matches)),
        ("AIVAT, +- 95 %", *(plus_minus(match["aivat"]) for match in matches)),
        ("  variance smaller by", *(times_smaller(match["aivat"]) for match in matches)),
        ("exact mbb/g", *(f"{match['exact_mbb']:+.2f}" for match in matches)),
        (
            "exploitability, mbb/g",
            *(f"{result['exploitability_mbb'][match['players'][0]]:.2f}" for match in matches),
        ),
    ]
    return ["ours (theirs)", *(match["players"][0] for match in matches)], rows


def _cell(match: dict[str, Any], half: str, key: str, digits: int, scale: int) -> str:
    known = SOURCE.get(match["players"][0], {})
    theirs = known.get(half, known.get("table_12", {}) if half == "first_half" else {}).get(key)
    ours = "" if match[half][key] is None else f"{scale * match[half][key]:,.{digits}f}"
    return ours if theirs is None else f"{ours} ({scale * theirs:,.{digits}f})"


def _source_mbb(name: str) -> str:
    found = SOURCE.get(name)
    if found is None:
        return ""
    there = found["table_12"]
    return f"{MBB * there['expected_value']:+.2f} +- {MBB * there['standard_error']:.2f}"


def _source_paired(name: str) -> str:
    """What the source's two halves say together: the strategy's value less that of DeepStack with the same cards."""
    found = SOURCE.get(name, {})
    if "mirror" not in found:
        return ""
    return f"{MBB * (found['first_half']['expected_value'] - found['mirror']['expected_value']) / 2:+.2f}"


def notes(result: dict[str, Any]) -> list[str]:
    """What a reader has to know under the table."""
    own, wide = result["resolver_exploitability_mbb"].values()
    each_other = "; ".join(f"{who} {value:+.2f}" for who, value in result["each_other_exact_mbb"].items())
    return [
        f"The {RESOLVER} is {result['agent']!r}. A perfect opponent wins {own:.2f} mbb/g from it in the tree that its "
        f"look-ahead has (bets of the pot and all-in), and {wide:.2f} with bets of all multiples of 100.",
        *([f"The strategies against each other, exactly, in mbb/g: {each_other}."] if each_other else []),
        "In brackets: the source's games against DeepStack-Leduc. Player: one seat of each deal, taken in turn. "
        f"{RESOLVER.capitalize()}: what it wins in that seat with the same cards, in the other game of the deal. For "
        f"the {RESOLVER} against itself table 12 is in brackets, which has no mirror.",
        "Lost by fold, at showdown: shares of the losses (the source calls the second check/call), and their means.",
        "mbb/g: the first half and its mirror together, the unit of the intervals is the deal; the source's are those "
        "of its table 12, of the first half alone, and what both of its halves say together. Exact: the value of one "
        "table against the other over both seats, without any luck.",
        f"Source: {JOPPI_WENSING_IN_FULL}, tables 8 to 12. Its 4M has 10,000 games in tables 8 and 9, which are in "
        "brackets, and 100,000 in table 12.",
    ]
