"""What Tuholukova (2020) prints of the results of her DeepStack for hold'em, and our tables beside it."""

from __future__ import annotations

from typing import Any

from ludus.arena.slumbot_summary import TUHOLUKOVA as SESSION
from ludus.experiments.report import Table, plus_minus
from ludus.experiments.sources import TUHOLUKOVA, TUHOLUKOVA_IN_FULL

LEADERBOARD = {  # of slumbot.com (figure 4.10): baseline winnings in bb/100, of programs with 20,000 hands or more
    "marcus": 142.59, "MM_GV_RP_ackr_128": 142.20, "justIN": 16.45, "PaperChampion": 13.65, "bd0918": 8.04,
    "hitsz-open-135-0": 7.77, TUHOLUKOVA: -2.15, "HorstGonzales": -3.53, "x.h.v3m.1": -7.25, "Radford76": -7.43,
}  # fmt: skip
RANKED_HANDS = 20_000
PEOPLE = {"pre-flop": 10.3, "flop": 9.1, "turn": 8.0, "river": 9.5}  # seconds a decision (table 4.1)
DEEPSTACK_LBR = "negative in every setting"  # what LBR won from DeepStack (Moravcik et al. 2017, supplement)
SOURCE: dict[str, Any] = {
    "slumbot": {name: SESSION[name] for name in ("raw", "baseline")}, "leaderboard_bb_per_100": LEADERBOARD,
    "seconds": SESSION["seconds"], "people_seconds": PEOPLE, "local_best_response": "not exploited",
    "deepstack_local_best_response": DEEPSTACK_LBR,
}  # fmt: skip


MATCHES = (
    "match", "hands", "raw, mbb/g", "less luck, mbb/g", "raw, bb/100", "less luck, bb/100",
    "variance smaller than of hands / deals",
)  # fmt: skip


def tables(title: str, result: dict[str, Any]) -> list[Table]:
    """All tables, the matches first."""
    return [
        Table(title, MATCHES, _matches(result)),
        Table(
            f"The leaderboard of slumbot.com in {TUHOLUKOVA}, {RANKED_HANDS:,} hands or more",
            ("program", "baseline, bb/100"), _leaderboard(result),
        ),
        Table("Thinking, mean seconds a decision", ("", *PEOPLE), _seconds(result)),
        Table("Local best response", ("LBR may", "hands", "it wins, mbb/g", TUHOLUKOVA, "DeepStack"), _lbr(result)),
    ]  # fmt: skip


def _matches(result: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for match in result["matches"]:
        gains = (match[key] for key in ("mbb_per_game", "aivat", "bb_per_100", "aivat_bb_per_100"))
        cells = (_gain(gain, "mean", "ci95", 1) for gain in gains)
        hands = _hands(match["hands"], match["mbb_per_game"]["too_few"])
        rows.append((f"{_short(result['agent'])} v {match['opponent']}", hands, *cells, _smaller(match["aivat"])))
    ours = result["slumbot"]
    rows += [] if ours is None else [_session(_short(ours["agent"]), ours)]
    return [*rows, _session(TUHOLUKOVA, SESSION)]


def _session(who: str, session: dict[str, Any]) -> tuple[str, ...]:
    """The row of a session with Slumbot."""
    raw, baseline = session["raw"], session["baseline"]
    return (
        f"{who} v Slumbot", _hands(raw["hands"], raw.get("too_few", False)),
        *(_gain(gain, "mbb_per_hand", "ci95_mbb", 1) for gain in (raw, baseline)),
        *(_gain(gain, "bb_per_100", "ci95", 2) for gain in (raw, baseline)), "",
    )  # fmt: skip


def _gain(found: dict[str, Any], mean: str, half: str, digits: int) -> str:
    return plus_minus({"mean": found[mean], "ci95": found[half], "too_few": False}, digits)


def _hands(hands: int, few: bool) -> str:
    return f"{hands:,}{' (too few)' * few}"


def _smaller(found: dict[str, Any]) -> str:
    ratios = found["variance_ratio"], found["variance_ratio_unit"]
    return " / ".join("" if ratio is None else f"x{ratio:.1f}" for ratio in ratios) if any(ratios) else ""


def _short(agent: str) -> str:
    """An agent without its settings.

    >>> _short("resolver:seconds=1")
    'resolver'
    """
    return agent.partition(":")[0]


def _leaderboard(result: dict[str, Any]) -> list[tuple[str, str]]:
    """The source's, and ours where a session says where that would be."""
    ranks = dict(LEADERBOARD)
    ours = result["slumbot"]
    if ours is not None and ours["baseline"]["bb_per_100"] is not None:
        hands = ours["baseline"]["hands"]
        few = "" if hands >= RANKED_HANDS else ", too few to be listed"
        ranks[f"ours: {_short(ours['agent'])}, {hands:,} hands{few}"] = ours["baseline"]["bb_per_100"]
    return [(name, f"{ranks[name]:+.2f}") for name in sorted(ranks, key=lambda name: -ranks[name])]


def _seconds(result: dict[str, Any]) -> list[tuple[str, ...]]:
    rows = [
        ("ours, in the matches", [each["seconds"] for each in result["thinking"].values()]),
        (TUHOLUKOVA, SESSION["seconds"].values()),
        ("people, there", PEOPLE.values()),
    ]
    if (ours := result["slumbot"]) is not None:
        rows.insert(1, ("ours, against Slumbot", [each["seconds"] for each in ours["thinking"].values()]))
    shown = [(name, *("-" if value is None else f"{value:.2f}" for value in values)) for name, values in rows]
    decisions = (f"{each['decisions']:,}" for each in result["thinking"].values())
    return [shown[0], ("  decisions", *decisions), *shown[1:]]


def _lbr(result: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (found["bets"], _hands(found["hands"], found["mbb_per_game"]["too_few"]),
         _gain(found["mbb_per_game"], "mean", "ci95", 1), SOURCE["local_best_response"], DEEPSTACK_LBR)
        for found in result["local_best_response"]
    ]  # fmt: skip


def notes(result: dict[str, Any]) -> list[str]:
    """What a reader has to know under the tables."""
    forfeits = {match["opponent"]: match["forfeits"] for match in result["matches"] if any(match["forfeits"].values())}
    listed = "" if result["slumbot"] else " We are not on it: give a log of `ludus slumbot` with --slumbot."
    return [
        "+- is half of a 95 % interval, counted by deals that were played from both seats; of sessions with Slumbot, "
        f"by hands. {TUHOLUKOVA} does not say what hers are.",
        "Less luck: by AIVAT in our matches; with Slumbot by its baseline, which is what was won beyond what Slumbot "
        "would have won with the same cards. AIVAT's variance is that many times smaller than the raw one of single "
        "hands, and of deals.",
        f"The leaderboard is that of the time of the source, by the baseline.{listed}",
        f"Our seconds are those of {result['agent']!r} by the clock of the matches (processes: {result['workers']}, "
        f"cores: {result['cores']}). They include the loading of compiled code in every process; a look-ahead that "
        "comes again is remembered and takes none. `ludus bench thinking` measures more carefully.",
        "What LBR wins is a lower bound on what a perfect opponent wins; where it loses, nothing is known. The "
        "source gives no number; DeepStack's are those of Moravcik et al. (2017), the highest and the lowest.",
        *(f"Hands given up against {name}: {counts}." for name, counts in forfeits.items()),
        f"Source: {TUHOLUKOVA_IN_FULL}, sections 4.6 and 4.7, with the figures of slumbot.com; its formula of bb/100 "
        "divides by 100 big blinds instead of by hundreds of hands.",
    ]
