"""``ludus strategy``: look at saved strategies, compare them, take them elsewhere and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.solvers import Strategy

app = typer.Typer(help="Look at saved strategies, compare them, export and import them.", no_args_is_help=True)
File = Annotated[Path, typer.Argument(help="A strategy saved by `ludus solve --out`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[
    int | None, typer.Option(help="Show this many information sets, 0 for all.", min=0, show_default="40, all as JSON")
]
GAME = "The game"
Bets = Annotated[
    str | None,
    typer.Option(help="Bets of a no-limit game: pot,allin or all or 0.5,pot,allin.", rich_help_panel=GAME),
]
Deck = Annotated[str | None, typer.Option(help="Deck as ranks, such as JJQQKK.", rich_help_panel=GAME)]
Stack = Annotated[int | None, typer.Option(help="Chips of each player in a no-limit game.", rich_help_panel=GAME)]
Suits = Annotated[
    bool, typer.Option("--suits", help="Tell suits apart, although they never matter.", rich_help_panel=GAME)
]
FORMATS = ("json", "csv", "open_spiel")
SHOWN = 40


@app.command()
def show(
    file: File,
    player: Annotated[int | None, typer.Option(help="Only this player's information sets, counted from 0.")] = None,
    text: Annotated[str, typer.Option("--set", help="Information sets whose name contains this text.")] = "",
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """What a strategy does: how it was made, and the probability of each action.

    An information set of poker is named by the player's cards, the board after a slash, and the actions after a colon:
    Q/K:crc/r is a queen on a king; check, raise and call before the king, a raise after it.
    """
    from ludus.cli.views.strategy import strategy_table
    from ludus.cli.views.tables import print_table
    from ludus.solvers import Strategy

    strategy = Strategy.load(file)
    origin, players = strategy.origin, strategy.definition["players"]
    if player is not None and not 0 <= player < players:
        raise ValueError(f"players are 0..{players - 1}, got {player}")
    rows = [row for row in strategy.rows() if player in (None, row[0]) and text in row[1]]
    rows.sort(key=lambda row: (row[0], row[1].count("/")))  # the first street first
    facts = {
        "game": strategy.definition.get("name"), "algorithm": origin.algorithm, "parameters": origin.parameters,
        "iterations": origin.iterations, "seed": origin.seed, "information_sets": len(strategy),
    }  # fmt: skip
    shown = _limited(rows, limit, as_json)
    if as_json:
        sets = [
            {"player": who, "information_set": name, "actions": {label: chance for _, label, chance in actions}}
            for who, name, actions in shown
        ]
        print(json.dumps({**facts, "definition": strategy.definition, "strategy": sets}))
        return
    for fact, value in facts.items():
        said = ", ".join(f"{name} {each}" for name, each in value.items()) if isinstance(value, dict) else value
        print(f"{fact.replace('_', ' ') + ':':<17} {'default' if said == '' else said}")
    if not rows:
        print("no information set is like that")
        return
    print_table(strategy_table(shown))
    _say_left_out(len(rows), len(shown))


@app.command()
def diff(first: File, second: File, limit: Limit = None, as_json: AsJson = False) -> None:
    """Where two strategies of one game differ: total variation distance of each information set, biggest first."""
    from ludus.cli.views.strategy import difference_table
    from ludus.cli.views.tables import print_table
    from ludus.solvers import Strategy
    from ludus.solvers.strategy import differences

    one, two = Strategy.load(first), Strategy.load(second)
    rows = differences(one, two)
    distances = [row.total_variation for row in rows]
    mean, most = (sum(distances) / len(rows), distances[0]) if rows else (None, None)
    measured = _measured(one, two)
    shown = _limited(rows, limit, as_json)
    if as_json:
        sets = [
            {"player": row.player, "information_set": row.name, "total_variation": row.total_variation,
             "first": row.first, "second": row.second} for row in shown
        ]  # fmt: skip
        summary = {
            "game": one.definition.get("name"), "information_sets": len(rows), "different": sum(map(bool, distances)),
            "mean": mean, "max": most, "only_in_first": len(one) - len(rows), "only_in_second": len(two) - len(rows),
            "exploitability": measured, "exploitability_difference": measured and measured[1] - measured[0],
        }  # fmt: skip
        print(json.dumps({**summary, "differences": sets}))
        return
    if not rows:
        print("the strategies have no information set in common")
        return
    print_table(difference_table(shown))
    _say_left_out(len(rows), len(shown))
    alone = len(one) + len(two) - 2 * len(rows)
    print(
        f"total variation distance over {len(rows):,} information sets: mean {mean:.6f}, max {most:.6f}"
        + (f"; {alone:,} sets are in one strategy alone" if alone else "")
    )
    if measured:
        print(f"exploitability {measured[0]:.6g} and {measured[1]:.6g}: {measured[1] - measured[0]:+.6g}")


@app.command()
def export(
    file: File,
    form: Annotated[str, typer.Option("--format", help="json, csv or open_spiel (a tabular policy as JSON).")] = "json",
    out: Annotated[Path | None, typer.Option(help="Write to this file.", show_default="standard output")] = None,
) -> None:
    """Write a strategy as JSON, as CSV or as a tabular policy of OpenSpiel."""
    from ludus.files import write_atomically
    from ludus.solvers import Strategy

    if form not in FORMATS:
        raise ValueError(f"--format is one of {', '.join(FORMATS)}, got {form!r}")
    if out and out.resolve() == file.resolve():
        raise ValueError("--out is the strategy itself: give another file")
    strategy = Strategy.load(file)
    if form == "open_spiel":
        from ludus.solvers.open_spiel import to_table

        text = json.dumps(to_table(strategy), indent=1, sort_keys=True) + "\n"
    else:
        text = strategy.to_csv() if form == "csv" else strategy.to_json() + "\n"
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode())
        print(f"wrote {out}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="JSON as `ludus strategy export --format open_spiel` writes it.")],
    game: Annotated[str, typer.Option("--open-spiel", help="The game of the policy, by its name in `ludus games`.")],
    out: Annotated[Path, typer.Option(help="Where to save the strategy.")],
    bets: Bets = None,
    deck: Deck = None,
    stack: Stack = None,
    suits: Suits = False,
) -> None:
    """Make a strategy from a tabular policy of OpenSpiel.

    Without --suits, states that differ in suits alone are averaged with equal weight.
    """
    from ludus.cli.game_options import make_game
    from ludus.solvers.open_spiel import from_table

    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    try:
        table = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON ({error})") from None
    if not isinstance(table, dict):
        raise ValueError(f"{file} is not a policy: information states with pairs of action and probability")
    strategy = from_table(make_game(game, bets, deck, stack, suits), table)
    strategy.save(out)
    print(f"wrote {out}: {strategy.definition['name']}, {len(strategy):,} information sets")


def _measured(*strategies: Strategy) -> list[float] | None:
    """Exploitability of strategies of one game; None where it is too large or not one of ours."""
    from ludus.solvers import measure

    try:
        return [found.exploitability for found in measure(*strategies)]
    except ValueError:
        return None


def _limited(rows: list[Any], limit: int | None, as_json: bool) -> list[Any]:
    limit = (0 if as_json else SHOWN) if limit is None else limit
    return rows[:limit] if limit else rows


def _say_left_out(rows: int, shown: int) -> None:
    if shown < rows:
        print(f"... and {rows - shown:,} more information sets: --limit 0 shows them all")
