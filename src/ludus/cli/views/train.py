"""What ``ludus train blueprint`` tells: sizes before the work, progress on the way, results after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from ludus.files import Header, open_arrays
from ludus.games.definition import rebuild
from ludus.games.poker import PokerGame
from ludus.solvers.blueprint import strategy as finished_files
from ludus.solvers.blueprint import training as training_files
from ludus.solvers.blueprint.strategy import Blueprint

if TYPE_CHECKING:
    from ludus.solvers.blueprint.training import Method, Training
    from ludus.trees.blueprint import Abstraction


def settings_of(header: Header) -> dict[str, Any]:
    """The settings in the header of a training or a blueprint, each under a plain name."""
    abstraction = header["abstraction"]
    game = rebuild(abstraction["game"])
    if not isinstance(game, PokerGame):
        raise ValueError("this is no abstraction of poker")
    method = header.get("method") or header["training"]
    names = asdict(training_files.Method())
    return {
        "players": game.players, "stack": max(game.stacks) / game.big_blind, "bets": str(game.bets),
        "form": abstraction["form"], "cards": abstraction["cards"], "buckets": abstraction["buckets"],
        **{name: method[name] for name in names},
    }  # fmt: skip


def settings_for(abstraction: Abstraction, method: Method) -> dict[str, Any]:
    """The settings of a training that is to be."""
    return settings_of({"abstraction": abstraction.to_json(), "method": asdict(method)})


def command_of(settings: dict[str, Any], hands: int, workers: int) -> str:
    """The command that trains with some settings, but for the name of the file."""
    words = ["ludus train blueprint OUT"]
    for name in ("players", "stack", "form", "cards", "sampling", "seed", "block"):
        value = settings[name]
        words.append(f"--{name} {value:g}" if isinstance(value, float) else f"--{name} {value}")
    words.append(f'--bets "{settings["bets"]}"')
    if settings["sampling"] == "outcome":
        words.append(f"--epsilon {settings['epsilon']:g} --baseline {settings['baseline']:g}")
    else:
        words.append(f"--prune {settings['pruned']:g} --threshold {settings['threshold']:g}")
    words.append("" if settings["linear"] else "--no-linear")
    return " ".join(word for word in [*words, f"--hands {hands} --workers {workers}"] if word)


# Before


def sizes_of(abstraction: Abstraction, method: Method) -> dict[str, Any]:
    """How large an abstract game is, and what its training needs."""
    layout = abstraction.layout
    return {
        "nodes": layout.tree.nodes,
        "infosets": layout.infosets,
        "infosets_by_street": list(layout.by_street),
        "slots": layout.slots,
        "kinds_of_hands": list(abstraction.kinds),
        "memory_bytes": layout.training_bytes + (4 * layout.slots if method.baseline else 0),
        "blueprint_bytes": layout.slots,
    }


def tell_sizes(abstraction: Abstraction, sizes: dict[str, Any], as_json: bool) -> None:
    """Say how large it will be, before it is."""
    game = abstraction.game
    if as_json:
        print(json.dumps({"bets": str(game.bets), "form": abstraction.form, "cards": abstraction.cards} | sizes))
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{_game_name(game)}, bets {game.bets}", markup=False)
    known = "/".join(f"{count:,}" for count in sizes["kinds_of_hands"])
    betting = f"{sizes['nodes']:,} betting sequences" if sizes["nodes"] else f"a {abstraction.form} memory"
    console.print(f"{betting}, {known} kinds of hands: {sizes['infosets']:,} information sets")
    tables = "" if abstraction.buckets is None else "; bucket tables of 400 MB are mapped beside it"
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
def training_bar(training: Training, hands: int, title: str = "training") -> Iterator[Callable[[Training], None]]:
    """A bar on standard error: hands, speed, information sets and regret when last measured, time left."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), TextColumn("{task.fields[text]}"))
    first = training.state
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=hands, completed=min(first.hands, hands), text="")

        def progress(training: Training) -> None:
            now = training.state
            speed = (now.hands - first.hands) / max(now.seconds - first.seconds, 1e-9)
            parts = [f"{now.hands / 1e6:,.1f}M/{hands / 1e6:,.1f}M hands", f"{speed:,.0f}/s"]
            if training.curve:
                point = training.curve[-1]
                parts.append(f"{point.infosets:,} sets seen  regret {point.regret:.3g} mbb")
            minutes, seconds = divmod(round(max(0, hands - now.hands) / max(speed, 1e-9)), 60)
            parts.append(f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left")
            bar.update(task, completed=min(now.hands, hands), text="  ".join(parts))

        yield progress


# After


class Files(NamedTuple):
    """Where things go."""

    out: Path
    training: Path
    plot: Path | None
    delete: bool  # the training, when it is done


def write_results(training: Training, finished: bool, workers: int, files: Files, as_json: bool) -> None:
    """Write the blueprint of a finished training and the curve of any; print what there is."""
    from ludus.cli.plots import training_plot

    state, settings = training.state, settings_for(training.abstraction, training.method)
    result: dict[str, Any] = {
        **settings, **sizes_of(training.abstraction, training.method), "workers": workers, **state._asdict(),
        "hands_per_second": state.hands / state.seconds if state.seconds else 0.0,
        "curve": [point._asdict() for point in training.curve], "finished": finished, "files": {},
    }  # fmt: skip
    if finished:
        command = command_of(settings, state.hands, workers)
        made, loss = Blueprint.of(training, workers=workers, command=command, curve=training.curve)
        made.save(files.out)
        result |= {"infosets_seen": made.training["infosets"], "regret_mbb": training.measure().regret}
        result |= {"quantisation": loss._asdict(), "bytes": files.out.stat().st_size}
        result["files"]["blueprint"] = str(files.out)
        if files.delete:
            files.training.unlink(missing_ok=True)
    if files.training.exists():
        result["files"]["training"] = str(files.training)
    if files.plot:
        title = f"{_game_name(training.abstraction.game)}, {training.abstraction.form}, {training.method.sampling}"
        training_plot(files.plot, training.curve, title)
        result["files"]["plot"] = str(files.plot)
    if as_json:
        print(json.dumps(result))
    else:
        _tell_results(result)


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


def header_of(path: Path) -> dict[str, Any]:
    """What a blueprint or a training says of itself; ValueError where a file is neither."""
    try:
        header, arrays = open_arrays(path, finished_files.KIND, finished_files.FORMAT)
    except ValueError as error:
        if training_files.KIND not in f"{error}":
            raise
        header, arrays = open_arrays(path, training_files.KIND, training_files.FORMAT)
    try:
        told = {"kind": header["kind"], **settings_of(header), **header.get("state", {}), **header.get("training", {})}
        slots = max(len(array) for array in arrays.values())
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error!r}") from None
    return {**told, "slots": slots, "bytes": path.stat().st_size}


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
