"""What ``ludus train blueprint`` prints: sizes before the work, progress on the way, results after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

if TYPE_CHECKING:
    from ludus.games import PokerGame
    from ludus.parallel import Engine
    from ludus.search.preflop_solution import PreflopSolution
    from ludus.solvers.blueprint.training import Training
    from ludus.trees.blueprint import Abstraction


# Before


def tell_sizes(abstraction: Abstraction, sizes: dict[str, Any], as_json: bool) -> None:
    """Say beforehand how large it will be."""
    game = abstraction.game
    if as_json:
        print(json.dumps({"bets": str(game.bets), "form": abstraction.form, "cards": abstraction.cards} | sizes))
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{_game_name(game)}, bets {game.bets}", markup=False)
    known = "/".join(f"{count:,}" for count in sizes["kinds_of_hands"])
    betting = f"{sizes['nodes']:,} betting sequences" if sizes["nodes"] else f"a {abstraction.form} memory"
    console.print(f"{betting}, {known} kinds of hands: {sizes['infosets']:,} information sets")
    tables = "" if abstraction.buckets is None else "; bucket tables of 400 MB are mapped as well"
    console.print(
        f"memory {_megabytes(sizes['memory_bytes'])} while training, up to twice as much again while saving{tables}; "
        f"the blueprint will have {_megabytes(sizes['blueprint_bytes'])}"
    )


def _game_name(game: PokerGame) -> str:
    return f"No-limit hold'em, {game.players} players, {max(game.stacks) / game.big_blind:g} big blinds"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


# On the way


@contextmanager
def training_bar(
    hands: int, engine: Engine | None = None, title: str = "training"
) -> Iterator[Callable[[Training], None]]:
    """A bar on standard error: hands, speed, information sets and regret when last measured, time left."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), TextColumn("{task.fields[text]}"))
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{title}: preparing", total=hands, text="")
        blocks: list[tuple[int, float]] = []  # hands and seconds after the first and after the last block

        def progress(training: Training) -> None:
            now = training.state
            blocks[1:] = [(now.hands, now.seconds)]
            parts = [f"{now.hands / 1e6:,.1f}M/{hands / 1e6:,.1f}M hands"]
            if len(blocks) > 1:
                speed = (now.hands - blocks[0][0]) / max(now.seconds - blocks[0][1], 1e-9)
                minutes, seconds = divmod(round(max(0, hands - now.hands) / max(speed, 1e-9)), 60)
                parts += [f"{speed:,.0f}/s", f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left"]
            if training.curve:
                point = training.curve[-1]
                parts.insert(2, f"{point.infosets:,} sets seen  regret {point.regret:.3g} mbb")
            parts += filter(None, [engine.told() if engine else ""])
            bar.update(task, description=title, completed=min(now.hands, hands), text="  ".join(parts))

        yield progress


# After


def show_results(result: dict[str, Any], as_json: bool) -> None:
    """Print what a training has come to."""
    if as_json:
        print(json.dumps(result))
    else:
        _tell_results(result)


def draw_curve(path: Path, abstraction: Abstraction, result: dict[str, Any]) -> None:
    """Draw the training curve."""
    from ludus.experiments.plots import training_plot

    title = f"{_game_name(abstraction.game)}, {abstraction.form}, {result['sampling']}"
    training_plot(path, result["curve"], title)


def _tell_results(result: dict[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{result['hands']:,} hands in {result['seconds']:,.1f} s of work: {result['hands_per_second']:,.0f} hands/s "
        f"({result['sampling']} sampling, {result['workers']} workers, seed {result['seed']})"
    )
    if result["finished"]:
        loss = result["quantisation"]
        console.print(
            f"{result['infosets_seen']:,} of {result['infosets']:,} information sets seen, "
            f"mean regret {result['regret_mbb']:.3g} mbb"
        )
        console.print(
            f"rounded to bytes a strategy changes by {100 * loss['mean']:.3f} % of its probability on average, "
            f"by {100 * loss['largest']:.2f} % at most; {_megabytes(result['bytes'])}"
        )
    if result["files"]:
        console.print("wrote " + ", ".join(result["files"].values()), markup=False)


# Looking at files


def tell_header(header: dict[str, Any]) -> None:
    """Print a header; of the curve its end."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in header.items():
        if name == "curve":
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {_figure(number, '.3g')}" for key, number in value.items())
        table.add_row(name.replace("_", " "), _figure(value, ",.10g"))
    Console(markup=False, emoji=False, highlight=False).print(table)


def _figure(value: Any, form: str) -> str:
    """A number in a form; anything else, and numbers beyond all bounds, as they are: a file may hold what it likes."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return f"{value:{',' if isinstance(value, int) else form}}" if number else f"{value}"


def show_values(result: dict[str, Any], as_json: bool) -> None:
    """What the value network of a small game has learnt, and what it is good for."""
    _show_network(
        result, as_json, ("game", result["game"]), f"{result['epochs']} epochs",
        ("resolver", f"exploitable by {result['exploitability_mbb']:.1f} mbb/g with it, exactly"),
    )  # fmt: skip


def show_stage(result: dict[str, Any], as_json: bool) -> None:
    """What the network of a stage of hold'em has learnt."""
    _show_network(
        result, as_json, ("stage", result["stage"]), f"{result['steps']:,} steps on {result['device']}",
        ("mean error", f"{result['validation_error']:.4f} pots a hand"),
    )  # fmt: skip


def _show_network(
    result: dict[str, Any], as_json: bool, subject: tuple[str, str], learning: str, worth: tuple[str, str]
) -> None:
    if as_json:
        print(json.dumps(result))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    seconds, files = result["seconds"], result["files"]
    for name, value in (
        subject,
        ("situations", f"{result['situations']:,} in {seconds['situations']:.0f} s"),
        ("training", f"{learning}, {result['parameters']:,} weights, in {seconds['training']:.0f} s"),
        ("Huber loss", f"{result['training_loss']:.5f} learnt, {result['validation_loss']:.5f} not learnt (pots)"),
        worth,
        ("network", files["network"]),
        ("situations", files["situations"]),
    ):
        table.add_row(name, value)
    Console(highlight=False, soft_wrap=True).print(table)


def show_self_play(result: dict[str, Any], as_json: bool) -> None:
    """What a learner of a small game has come to."""
    if as_json:
        print(json.dumps(result))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    counts = ("iterations", "walks", "nodes") if result["algorithm"] == "deep-cfr" else ("decisions", "games")
    played = ", ".join(f"{result[name]:,} {name}" for name in counts)
    for name, value in (
        ("game", result["game"]),
        ("played", f"{played}, in {result['seconds']:.0f} s ({result['cpu_seconds']:.0f} s of one core)"),
        ("policy", f"exploitable by {result['exploitability_mbb']:.1f} mbb/g, exactly; {_weights(result)}"),
        ("file", result["files"]["policy"]),
    ):
        table.add_row(name, value)
    Console(highlight=False, soft_wrap=True).print(table)


def _weights(result: dict[str, Any]) -> str:
    return "what all networks played" if result["weights"] is None else f"{result['weights']:,} weights"


def show_deep_holdem(result: dict[str, Any], as_json: bool) -> None:
    """How far Deep CFR has come in hold'em."""
    if as_json:
        print(json.dumps(result))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    played = ", ".join(f"{result[name]:,} {name}" for name in ("iterations", "walks", "nodes"))
    for name, value in (
        ("game", f"{result['game']}, bets {result['bets']}, {result['information_sets']:,} information sets"),
        ("played", f"{played}, in {result['seconds']:.0f} s ({result['cpu_seconds']:.0f} s of one core)"),
        ("policy", f"{_weights(result)}, written down as a blueprint"),
        ("file", result["files"]["policy"]),
    ):
        table.add_row(name, value)
    Console(highlight=False, soft_wrap=True, markup=False).print(table)


def show_learner(result: dict[str, Any], as_json: bool) -> None:
    """What a learner of a small game earns, or how exploitable self-play has made it."""
    if as_json:
        print(json.dumps(result))
        return
    if "against" in result:
        best = result["best_response_value"]
        worth = f"wins {result['value']:.4f} chips a game from {result['against']}; the best response {best:.4f}"
    else:
        worth = f"exploitable by {result['exploitability_mbb']:.1f} mbb/g"
    rows = [
        ("game", result["game"]),
        ("played", f"{result['decisions']:,} decisions, {result['games']:,} games, in {result['seconds']:.0f} s"),
        ("policy", f"{worth}, exactly"),
    ]
    for form, variance in result.get("gradient_variance", {}).items():
        rows.append((form, f"variance of the gradient {variance:.3g} a game at the start"))
    rows += [("file", file) for file in result["files"].values()]
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in rows:
        table.add_row(name, value)
    Console(highlight=False, soft_wrap=True).print(table)


def show_preflop(solution: PreflopSolution, out: Path, as_json: bool) -> None:
    """How good solved play before the flop is, seat by seat."""
    data = solution.data()
    if as_json:
        print(json.dumps(data | {"files": {"solution": str(out)}}))
        return
    print(solution.describe())
    table = Table(box=None, pad_edge=False)
    for name in ("seat", "wins, bb a hand", "best response gains"):
        table.add_column(name, justify="left" if name == "seat" else "right")
    for seat, value in data["values_bb"].items():
        table.add_row(seat, f"{value:+.3f}", f"{data['gains_bb'][seat]:.4f}")
    Console(highlight=False, soft_wrap=True).print(table)
    print(f"wrote {out}")
