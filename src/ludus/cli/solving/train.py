"""``ludus train``: strategies for games that are too large to solve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ludus.cli.options import Ray, stop_early, whole_number

app = typer.Typer(help="Train strategies for games that are too large to solve.", no_args_is_help=True)
GAME, METHOD, RUN = "The abstract game", "The method", "The run"
COPIES = 8  # of a training on a cluster


class _NamedBets(TyperCommand):
    """A command whose help ends with the named bets; they are looked up when somebody asks."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from ludus.solvers.blueprint.presets import BETS

        self.epilog = "Named bets: " + "; ".join(f"{name} is '{text}'" for name, text in BETS.items()) + "."
        super().format_help(ctx, formatter)


@app.callback()
def _group() -> None:
    pass


@app.command(cls=_NamedBets)
def blueprint(
    out: Annotated[
        Path, typer.Argument(help="The finished blueprint; its training is kept next to it, ending in .training.")
    ],
    players: Annotated[int, typer.Option(help="Seats of the table.", min=2, max=10, rich_help_panel=GAME)] = 2,
    stack: Annotated[
        float, typer.Option(help="Stacks in big blinds, whole or half ones.", min=1, rich_help_panel=GAME)
    ] = 100.0,
    form: Annotated[
        str | None,
        typer.Option(
            help="What is remembered of the betting: all (tree), a summary (bounded), one with who led on each street "
            "(leads), the last action (aparicio).",
            show_default="tree heads-up, bounded for more", rich_help_panel=GAME,
        ),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(
            help="What is known of the cards: the name or file of buckets, or aparicio (class and made hand).",
            show_default="200, aparicio with --form aparicio", rich_help_panel=GAME,
        ),
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option(
            help="Raises, in pots after calling: streets apart by '/', a street's raises by ';', '-' for no more; "
            "or a name: small, default, large, aparicio (see below).",
            show_default="default, aparicio with --form aparicio", rich_help_panel=GAME,
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="outcome (one path a hand) or external (all actions of one player).",
            show_default="external, outcome with --form aparicio", rich_help_panel=METHOD,
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
    algorithm: Annotated[
        str,
        typer.Option(
            help="How blocks of hands are discounted: lcfr (a block weighs its number), dcfr, or cfr (not at all).",
            rich_help_panel=METHOD,
        ),
    ] = "lcfr",
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
    copies: Annotated[
        int | None,
        typer.Option(
            help="Copies that play a block apart and are merged after it, with the same result on any machines.",
            min=0, show_default="none: threads share all numbers; 8 with --ray", rich_help_panel=METHOD,
        ),
    ] = None,
    ray: Ray = None,
    save_every: Annotated[
        str, typer.Option(help="Save the training each time after this many hands.", rich_help_panel=RUN)
    ] = "50M",
    delete_training: Annotated[
        bool, typer.Option("--delete-training", help="Delete the training when it is done.", rich_help_panel=RUN)
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the sizes and stop.", rich_help_panel=RUN)
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the training curve, as PNG, SVG or PDF.", rich_help_panel=RUN)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=RUN)] = False,
) -> None:  # fmt: skip
    """Train a blueprint: a strategy for no-limit hold'em of 2 to 10 players, by sampled self-play.

    A hand is one sampled end of a hand. Ctrl-C saves; the same command goes on from there, and more --hands go on
    from a finished training. With fewer --hands than are saved the blueprint is written at once.

    With several workers results differ by noise from run to run: they add to the same numbers without locks. With
    --copies they do not, and --ray plays the copies on a cluster.
    """
    from ludus.cli.views.progress import progress_bar, status
    from ludus.cli.views.train import draw_curve, show_results, tell_sizes, training_bar
    from ludus.experiments.plots import check_plot_path
    from ludus.files import check_writable
    from ludus.parallel import Threads, open_engine, usable_cores
    from ludus.solvers.blueprint.presets import make_abstraction, usual_sampling
    from ludus.solvers.blueprint.runs import TrainingPlan, train_blueprint
    from ludus.solvers.blueprint.training import Method

    wanted, every = whole_number("--hands", hands), whole_number("--save-every", save_every)
    abstraction = make_abstraction(players, stack, form, cards, bets)
    method = Method(
        sampling=sampling or usual_sampling(abstraction.form),  # type: ignore[arg-type]
        seed=seed, block=whole_number("--block", block, 0), epsilon=epsilon, baseline=baseline, pruned=prune,
        threshold=threshold, algorithm=algorithm, copies=_copies(copies, ray),
    )  # fmt: skip
    plan = TrainingPlan(abstraction, method, out, wanted, workers or usable_cores(), every, delete_training)
    if plot:
        check_plot_path(plot)
        if plot.resolve() in (out.resolve(), plan.training_file.resolve()):
            raise ValueError(f"the blueprint, its training ({plan.training_file}) and the plot are different files")
    for path in (out, plot) if not dry_run else ():
        if path:
            check_writable(path)
    with status("building the abstract game (the first time kernels are compiled, which takes a minute)"):
        sizes = plan.sizes()
    if dry_run or not as_json:
        tell_sizes(abstraction, sizes, as_json)
    if dry_run:
        return
    with progress_bar("bucket tables, once") as progress:
        plan.build_tables(progress)
    with open_engine(ray=ray, here=Threads(plan.workers)) as engine, training_bar(wanted, engine) as bar:
        result = train_blueprint(plan, bar, engine)
    if plot:
        draw_curve(plot, abstraction, result)
        result["files"]["plot"] = str(plot)
    show_results(result, as_json)
    if not result["finished"]:
        stop_early(f"{result['hands']:,} hands are saved in {plan.training_file}; the same command goes on from there")


def _copies(asked: int | None, ray: str | None) -> int:
    """How many copies to train; ValueError for none on a cluster, whose machines share no memory."""
    if ray is not None and asked == 0:
        raise ValueError("a cluster trains copies, since its machines share no memory: --copies 1 or more with --ray")
    return asked if asked is not None else COPIES if ray else 0


@app.command()
def preflop(
    out: Annotated[Path, typer.Option(help="The solution's file.")] = Path("preflop.solution"),
    seats: Annotated[int, typer.Option(help="Seats of the table.", min=2, max=10)] = 6,
    stack: Annotated[float, typer.Option(help="Stacks in big blinds.", min=2, max=1000)] = 100.0,
    limps: Annotated[bool, typer.Option("--limps", help="Let all seats limp, not the small blind alone.")] = False,
    iterations: Annotated[int, typer.Option(help="Of discounted CFR.", min=1, max=1_000_000)] = 800,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Solve play before the flop of a table, for `ludus charts --solution`: all hands of all seats, in minutes.

    Pots of two are valued by the network of the end of the betting before the flop, pots of three by shares of
    three-way showdowns and what hands realise by the same network. What best responses gain is measured and kept. The
    same options give the same file.

    Raise or fold first in, except in the small blind; one size for each raise; one caller besides the big blind.
    """
    from ludus.cli.views.progress import progress_bar
    from ludus.cli.views.train import show_preflop
    from ludus.files import check_writable
    from ludus.nets.holdem.shipped import shipped_values
    from ludus.search.preflop_solution import solve_table
    from ludus.trees.preflop import PreflopModel

    model = PreflopModel(seats, stack, limps)
    check_writable(out)
    with progress_bar("iterations") as progress:
        solution = solve_table(
            model, shipped_values()["preflop-end"], iterations, lambda done: progress(done, iterations)
        )
    solution.save(out)
    show_preflop(solution, out, as_json)


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A blueprint, or the training of one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How a blueprint was made, and how large it is."""
    from ludus.cli.views.train import tell_header
    from ludus.solvers.blueprint.runs import header_of

    header = header_of(file)
    if as_json:
        print(json.dumps(header))
    else:
        tell_header(header)
