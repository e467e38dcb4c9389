"""``ludus train``: strategies for games that are too large to solve."""

from __future__ import annotations

import json
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.solvers.blueprint.training import Method, Training
    from ludus.trees.blueprint import Abstraction
    from ludus.trees.bucket_tables import BucketTables

app = typer.Typer(help="Train strategies for games that are too large to solve.", no_args_is_help=True)
GAME, METHOD, RUN = "The abstract game", "The method", "The run"
BETS = {
    "small": "75%;100%;allin;- / 33%,75%;allin;- / 75%;allin;- / 75%,allin;-",
    "default": "75%,125%,allin;100%,allin;allin;- / 33%,75%,allin;100%,allin;allin;-",
    "large": "50%,100%,allin;100%,allin;100%,allin;allin;- / 33%,75%,150%,allin;75%,allin;allin;-",
    "s1": "33%,75%,200%,allin",
}
PRESETS = "Named bets: " + "; ".join(f"{name} is '{text}'" for name, text in BETS.items()) + "."
ENDING = ".training"
CHIPS = 2  # a big blind
MOST_HANDS = 10**15


@app.callback()
def _group() -> None:
    pass


@app.command(epilog=PRESETS)
def blueprint(
    out: Annotated[
        Path, typer.Argument(help="The finished blueprint; its training is kept beside it, ending in .training.")
    ],
    players: Annotated[int, typer.Option(help="Seats of the table.", min=2, max=10, rich_help_panel=GAME)] = 2,
    stack: Annotated[
        float, typer.Option(help="Stacks in big blinds, whole or half ones.", min=1, rich_help_panel=GAME)
    ] = 100.0,
    form: Annotated[
        str | None,
        typer.Option(
            help="What is remembered of the betting: all of it (tree), a summary (bounded), the last action (s1).",
            show_default="tree heads-up, bounded for more", rich_help_panel=GAME,
        ),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(
            help="What is known of the cards: the name or file of buckets, or s1 (class and made hand).",
            show_default="200, s1 with --form s1", rich_help_panel=GAME,
        ),
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option(
            help="Raises, in pots after calling: streets apart by '/', a street's raises by ';', '-' for no more; "
            "or a name: small, default, large, s1 (see below).",
            show_default="default, s1 with --form s1", rich_help_panel=GAME,
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="outcome (one path a hand) or external (all actions of one player).",
            show_default="external, outcome with --form s1", rich_help_panel=METHOD,
        ),
    ] = None,
    epsilon: Annotated[
        float, typer.Option(help="Outcome sampling: the share of exploration.", rich_help_panel=METHOD)
    ] = 0.6,
    baseline: Annotated[
        float, typer.Option(help="Outcome sampling: the step of baselines, 0 for none.", rich_help_panel=METHOD)
    ] = 0.0,
    prune: Annotated[
        float,
        typer.Option(help="External sampling: the share of walks without bad actions.", rich_help_panel=METHOD),
    ] = 0.0,
    threshold: Annotated[
        float, typer.Option(help="Actions of a lower regret are bad, in big blinds.", rich_help_panel=METHOD)
    ] = -300.0,
    linear: Annotated[
        bool, typer.Option(help="Whether a block of hands weighs the more the later.", rich_help_panel=METHOD)
    ] = True,
    block: Annotated[
        str, typer.Option(help="Walks of a block, 0 for the usual number.", rich_help_panel=METHOD)
    ] = "0",
    seed: Annotated[
        int, typer.Option(help="Same seed, same blueprint, with one worker.", min=0, rich_help_panel=METHOD)
    ] = 1,
    hands: Annotated[
        str, typer.Option(help="Hands in all, such as 1e9 or 50M; whole blocks are played.", rich_help_panel=RUN)
    ] = "100M",
    workers: Annotated[
        int | None, typer.Option(help="Cores.", min=1, max=256, show_default="all", rich_help_panel=RUN)
    ] = None,
    save_every: Annotated[
        str, typer.Option(help="Save the training each time after so many hands.", rich_help_panel=RUN)
    ] = "50M",
    delete_training: Annotated[
        bool, typer.Option("--delete-training", help="Delete the training when it is done.", rich_help_panel=RUN)
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell the sizes, and stop.", rich_help_panel=RUN)
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the training curve, as PNG, SVG or PDF.", rich_help_panel=RUN)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=RUN)] = False,
) -> None:  # fmt: skip
    """Train a blueprint: a strategy for no-limit hold'em of 2 to 10 players, by sampled self-play.

    A hand is one sampled end of a hand. Ctrl-C saves; the same command goes on from there, and more --hands go on
    from a finished training. With fewer --hands than are saved the blueprint is written at once.

    With several workers results differ by noise from run to run: they add to the same numbers without locks.
    """
    from ludus.cli.plots import check_plot_path
    from ludus.cli.reproduce_common import stop_early
    from ludus.cli.solve import check_writable
    from ludus.cli.train_report import Files, sizes_of, tell_sizes, training_bar, write_results
    from ludus.parallel import usable_cores
    from ludus.solvers.blueprint.training import Method

    wanted = whole_number("--hands", hands)
    every = whole_number("--save-every", save_every)
    abstraction = make_abstraction(players, stack, form, cards, bets)
    method = Method(
        sampling=sampling or ("outcome" if abstraction.form == "s1" else "external"),  # type: ignore[arg-type]
        seed=seed, block=whole_number("--block", block, 0), epsilon=epsilon, baseline=baseline, pruned=prune,
        threshold=threshold, linear=linear,
    )  # fmt: skip
    files = Files(out, out.with_suffix(ENDING), plot, delete_training)
    if plot:
        check_plot_path(plot)
    paths = [path.resolve() for path in (files.out, files.training, files.plot) if path]
    if len(set(paths)) < len(paths):
        raise ValueError(f"the blueprint, its training ({files.training}) and the plot are different files")
    for path in paths if not dry_run else []:
        check_writable(path)
    with _status("building the abstract game (the first time kernels are compiled, which takes a minute)"):
        sizes = sizes_of(abstraction, method)
        check_memory(sizes["memory_bytes"])
    if dry_run or not as_json:
        tell_sizes(abstraction, sizes, as_json)
    if dry_run:
        return
    training = open_training(files.training, abstraction, method)
    with _status("compiling kernels"):
        training.warm_up()
    cores = workers or usable_cores()
    with training_bar(training, wanted) as progress:
        train(training, wanted, cores, files.training, every, progress)
    finished = training.state.hands >= wanted
    write_results(training, finished, cores, files, as_json)
    if not finished:
        stop_early(f"{training.state.hands:,} hands are saved in {files.training}; the same command goes on from there")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A blueprint, or the training of one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How a blueprint was made, and how large it is."""
    from ludus.cli.train_report import header_of, tell_header

    header = header_of(file)
    if as_json:
        print(json.dumps(header))
    else:
        tell_header(header)


# What was asked for


def whole_number(option: str, text: str, least: int = 1) -> int:
    """A whole number as people write large ones.

    >>> whole_number("--hands", "1e9"), whole_number("--hands", "2.5M"), whole_number("--hands", "40k")
    (1000000000, 2500000, 40000)
    """
    word = text.strip().lower().replace("_", "").replace(",", "")
    scale = {"k": 10**3, "m": 10**6, "b": 10**9}.get(word[-1:], 1)
    try:
        number = Decimal(word if scale == 1 else word[:-1]) * scale
        if number.is_finite() and least <= number <= MOST_HANDS and number == int(number):
            return int(number)
    except DecimalException:
        pass
    raise ValueError(f"{option} is a whole number from {least} to 1e15, such as 2000000, 1e9 or 50M, got {text!r}")


def make_abstraction(players: int, stack: float, form: str | None, cards: str | None, bets: str | None) -> Abstraction:
    """The abstract game of some options; None stands for what is usual."""
    from ludus.games import holdem
    from ludus.games.menu import Menu
    from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction

    chips = stack * CHIPS
    if not chips < 1 << 31 or chips != int(chips):
        raise ValueError(f"a stack is a whole number of half big blinds, got {stack:g} big blinds")
    form = form or ("tree" if players == 2 else "bounded")
    simple = form == "s1"
    schedule = Menu.parse(BETS.get(bets or ("s1" if simple else "default"), bets or ""))
    game = holdem(players=players, stack=int(chips), blinds=(1, CHIPS), bets=schedule)
    return Abstraction(game, form, cards or (CATEGORY_CLASSES if simple else "200"))  # type: ignore[arg-type]


def check_memory(needed: int) -> None:
    """ValueError when the machine cannot hold so many bytes."""
    import os

    if hasattr(os, "sysconf"):
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed > there:
            raise ValueError(
                f"training takes {needed / 1e9:,.1f} GB and this machine has {there / 1e9:,.1f} GB: "
                "list fewer sizes, take fewer buckets or the bounded form"
            )


def bucket_tables(abstraction: Abstraction) -> BucketTables | None:
    """The tables of an abstraction's buckets, built the first time; None where it has none."""
    from ludus.cli.progress import progress_bar
    from ludus.parallel import usable_cores

    if abstraction.buckets is None:
        return None
    with progress_bar("bucket tables, once") as progress:
        return abstraction.buckets.tables(usable_cores(), progress)


def _status(what: str) -> Any:
    from rich.console import Console

    return Console(stderr=True).status(what)


# The run


def open_training(path: Path, abstraction: Abstraction, method: Method) -> Training:
    """The training that is kept in a file, or a new one; ValueError where the file's is another."""
    from ludus.cli.train_report import settings_for, settings_of
    from ludus.files import open_arrays
    from ludus.solvers.blueprint.training import FORMAT, KIND, Training

    if not path.exists():
        return Training(abstraction, method, bucket_tables(abstraction))
    header, _ = open_arrays(path, KIND, FORMAT)
    try:
        saved, wanted = settings_of(header), settings_for(abstraction, method)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is not a training of a blueprint ({error!r})") from None
    for name, value in wanted.items():
        if saved.get(name) != value:
            raise ValueError(
                f"cannot go on from {path}: {name} is {saved.get(name)} there and {value} here "
                "(another name keeps trainings apart)"
            )
    return Training.load(path, bucket_tables(abstraction))


def train(training: Training, hands: int, workers: int, kept: Path, every: int, progress: Any) -> bool:
    """Train, and save on the way and at the end; whether Ctrl-C was heard, which ends it after a block."""
    from ludus.solvers.solve import interrupts, next_check

    saved, due = training.state.hands, next_check(training.state.blocks)
    stopped = False
    with interrupts() as interrupted:
        for state in training.run(hands, workers):
            if state.blocks >= due:
                training.measure()
                due = next_check(state.blocks)
            progress(training)
            if stopped := interrupted():
                break
            if state.hands - saved >= every:
                training.save(kept)
                saved = state.hands
    if training.state.hands >= hands:
        training.measure()
    if training.state.hands > saved:
        training.save(kept)
    return stopped
