"""What a local best response has won, as a table."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.arena.interval import caution


def show_lbr(result: dict[str, Any]) -> None:
    """Print what it wins in each seat, and what that says about exploitability."""
    how = "exact" if result["exact"] else f"{result['hands']:,} hands, seed {result['seed']}"
    since = f" from the {result['from']} on" if result["from"] else ""
    console = Console(highlight=False)
    console.print(
        f"local best response to {result['agent']}, {result['game']}, {result['bets']}{since} ({how})", soft_wrap=True
    )
    best = result["exploitability_mbb"] is not None
    table = Table("seat", box=None)
    for column in ("wins, chips", "wins, mbb/g", *["best response, mbb/g"] * best):
        table.add_column(column, justify="right")
    for name, row in zip(("first", "second", "both"), [*result["seats"], result], strict=True):
        more = row.get("best_response_mbb", result["exploitability_mbb"])
        table.add_row(name, f"{row['chips']:+.6g}", _with_error(row), *[f"{more or 0:,.1f}"] * best)
    console.print(table)
    if not result["exact"] and (words := caution(result["hands"] // 2, "pairs of hands")):
        console.print(words, style="yellow")
    bound = result["mbb"] - (result["mbb_ci95"] or 0.0)
    if bound > 0 and (result["exact"] or result["mbb_ci95"] is not None):
        console.print(f"exploitability is at least {bound:,.1f} mbb/g")
    else:
        console.print(
            "nothing is shown about exploitability yet" if result["mbb"] > 0 else "it loses: nothing is known"
        )
    if result.get("hands_per_second"):
        console.print(f"{result['hands_per_second']:,.0f} hands/s")


def _with_error(row: dict[str, Any]) -> str:
    error = "" if row["mbb_ci95"] is None else f" +- {row['mbb_ci95']:,.1f}"
    return f"{row['mbb']:,.1f}{error}" + (" (too few)" if row.get("too_few") else "")
