"""``ludus reproduce``: the experiments of the sources, our figures next to theirs and the theory's."""

from __future__ import annotations

import re
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ludus.cli.options import AsJson, Out, Seed, stop_early, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.experiments.report import Report
    from ludus.experiments.reproduce.rock_paper_scissors import Experiment
    from ludus.parallel import Stages

RENAMED = {"s1-models": "aparicio-models", "s3-baselines": "pricope-baselines", "leduc-match": "leduc-deepstack"}
STOPS = "4e6,20e6,100e6"
OPPONENTS = "blueprint,call,tight,loose,always-raise,heuristic-mc,spot-solver"
Iterations = Annotated[int, typer.Option(help="Iterations of each algorithm.", min=1, max=10**9)]
Repeats = Annotated[int, typer.Option(help="Sampled runs, one per seed, for the spread.", min=1, max=10_000)]
Workers = Annotated[int | None, typer.Option(help="Cores.", min=1, max=256, show_default="all")]

TAKER: ContextVar[Callable[[Report], object] | None] = ContextVar("taker", default=None)
"""Who takes the report of an experiment, if not the screen."""


class _Experiments(TyperGroup):
    """Renamed experiments are refused with their new name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args and args[0] in RENAMED:
            raise ValueError(f"the experiment {args[0]} is called {RENAMED[args[0]]} now")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Experiments,
    help="Reproduce an experiment of the sources: our figures next to theirs and the theory's.",
    no_args_is_help=True,
)


def run_experiment(experiment: Callable[[Stages], Report], as_json: bool) -> None:
    """Run with bars, show the result; a stopped one ends with what is done."""
    from ludus.cli.views.progress import stages
    from ludus.cli.views.report import show_report
    from ludus.experiments.report import Stopped

    try:
        with stages() as progress:
            report = experiment(progress)
    except Stopped as stopped:
        stop_early(f"{stopped}")
    if take := TAKER.get():
        take(report)
    else:
        show_report(report, as_json)
    if report.stopped:
        stop_early(report.stopped)


# Rock-paper-scissors


@app.command()
def rps_selfplay(
    iterations: Iterations = 100_000, seed: Seed = 1, repeats: Repeats = 20, out: Out = None, as_json: AsJson = False
) -> None:
    """Rock-paper-scissors against oneself: 1/3 each (Joppi Filho and Wensing 2023, table 1)."""
    from ludus.experiments.reproduce.rock_paper_scissors import SELFPLAY

    _rock_paper_scissors(SELFPLAY, iterations, seed, repeats, out, as_json)


@app.command()
def rps_fixed(
    iterations: Iterations = 100_000, seed: Seed = 1, repeats: Repeats = 20, out: Out = None, as_json: AsJson = False
) -> None:
    """Rock-paper-scissors against a fixed opponent that prefers scissors: rock (Joppi Filho and Wensing, table 2)."""
    from ludus.experiments.reproduce.rock_paper_scissors import FIXED

    _rock_paper_scissors(FIXED, iterations, seed, repeats, out, as_json)


@app.command()
def rps_doubled(
    iterations: Iterations = 100_000, seed: Seed = 1, repeats: Repeats = 20, out: Out = None, as_json: AsJson = False
) -> None:
    """Rock-paper-scissors, double with scissors: 40/40/20 % (Joppi Filho and Wensing 2023, table 3)."""
    from ludus.experiments.reproduce.rock_paper_scissors import DOUBLED

    _rock_paper_scissors(DOUBLED, iterations, seed, repeats, out, as_json)


@app.command()
def rps_rock(
    iterations: Iterations = 1_000_000, seed: Seed = 1, repeats: Repeats = 20, out: Out = None, as_json: AsJson = False
) -> None:
    """Rock-paper-scissors against a fixed opponent that prefers rock: paper (Tuholukova 2020, section 2.1)."""
    from ludus.experiments.reproduce.rock_paper_scissors import ROCK

    _rock_paper_scissors(ROCK, iterations, seed, repeats, out, as_json)


def _rock_paper_scissors(
    what: Experiment, iterations: int, seed: int, repeats: int, out: Path | None, as_json: bool
) -> None:
    from ludus.experiments.reproduce.rock_paper_scissors import rock_paper_scissors

    run_experiment(partial(rock_paper_scissors, what, iterations, seed, repeats, out), as_json)


# Kuhn and Leduc


@app.command()
def kuhn_cfr(iterations: Iterations = 100_000, seed: Seed = 1, out: Out = None, as_json: AsJson = False) -> None:
    """Kuhn poker by CFR, compared with the equilibria (Joppi Filho and Wensing 2023; Jenselme and Kujundzic)."""
    from ludus.experiments.reproduce import kuhn

    run_experiment(partial(kuhn.kuhn_cfr, iterations, seed, out), as_json)


@app.command()
def kuhn_mccfr(iterations: Iterations = 100_000, seed: Seed = 1, out: Out = None, as_json: AsJson = False) -> None:
    """Kuhn poker by Monte Carlo CFR, external sampling (Joppi Filho and Wensing 2023, tables 6 and 7)."""
    from ludus.experiments.reproduce import kuhn

    run_experiment(partial(kuhn.kuhn_mccfr, iterations, seed, out), as_json)


@app.command()
def leduc_convergence(
    iterations: Annotated[int, typer.Option(help="Iterations of the exact algorithms.", min=1, max=10**8)] = 10_000,
    samples: Annotated[int, typer.Option(help="Iterations of the Monte Carlo ones.", min=1, max=10**10)] = 10_000_000,
    algorithms: Annotated[str, typer.Option(help="Some of them, separated by commas.  [default: all]")] = "",
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Limit Leduc by every exact algorithm, fictitious play and Monte Carlo CFR: iterations and seconds to a target."""
    from ludus.experiments.reproduce.leduc_convergence import leduc_convergence

    names = [word.strip() for word in algorithms.split(",") if word.strip()]
    run_experiment(partial(leduc_convergence, iterations, samples, names, seed, out), as_json)


@app.command()
def leduc_nl(
    iterations: Annotated[str, typer.Option(help="Where to measure and save a strategy, in rising order.")] = STOPS,
    bets: Annotated[
        str, typer.Option(help="Bets of the tree: all multiples of 100 as in the source, or such as pot,allin.")
    ] = "all",
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """No-limit Leduc, all multiples of 100, by external sampling on all cores (Joppi Filho and Wensing, table 12).

    Stopped with Ctrl-C, or by a crash, it goes on from there when the same command is given again.
    """
    from ludus.experiments.reproduce.leduc_no_limit import leduc_no_limit

    run_experiment(partial(leduc_no_limit, parse_stops(iterations), bets, seed, out), as_json)


@app.command()
def leduc_deepstack(
    iterations: Annotated[str, typer.Option(help="Training of the strategies, in rising order.")] = STOPS,
    pairs: Annotated[int, typer.Option(help="Deals of each match, each played from both seats.", min=2)] = 100_000,
    agent: Annotated[str, typer.Option(help="The re-solver, such as resolver:exact or resolver:FILE.")] = "resolver",
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Strategies of 4, 20 and 100 million iterations, and a re-solver, against the re-solver (the same, tables 8-12).

    The source played DeepStack-Leduc; here it is our own continual re-solver. Strategies are trained as `ludus
    reproduce leduc-nl` trains them, by default in its folder, so that both go on from each other. Stopped with Ctrl-C,
    or by a crash, it goes on from there when the same command is given again.
    """
    from ludus.experiments.reproduce.leduc_deepstack import leduc_deepstack

    run_experiment(partial(leduc_deepstack, parse_stops(iterations), pairs, agent, seed, out), as_json)


@app.command()
def leduc_values(
    situations: Annotated[
        str, typer.Option(help="What the networks learn from, in rising order.")
    ] = "100,500,2e3,8e3,3e4",
    steps: Annotated[int, typer.Option(help="Steps of training of each network.", min=1, max=10**7)] = 12_000,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How exploitable the re-solver of no-limit Leduc is with value networks from poor to good, and without one.

    Networks are trained with PyTorch; without it only the re-solvers that need none are measured. Stopped with Ctrl-C,
    it goes on from there when the same command is given again.
    """
    from ludus.experiments.reproduce.leduc_values import leduc_values

    run_experiment(partial(leduc_values, parse_stops(situations), steps, seed, out), as_json)


@app.command()
def mccr(
    samples: Annotated[str, typer.Option(help="Samples a decision, in rising order.")] = "1e3,1e4,1e5",
    games: Annotated[str, typer.Option(help="Some of kuhn, leduc and leduc-nl.  [default: all]")] = "",
    seeds: Annotated[int, typer.Option(help="Runs of each number of samples, for the interval.", min=1, max=1000)] = 5,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Monte-Carlo continual re-solving beside continual re-solving: exact exploitability by the time of a decision."""
    from ludus.experiments.reproduce.mccr import mccr

    names = [word.strip() for word in games.split(",") if word.strip()]
    run_experiment(partial(mccr, parse_stops(samples, "samples"), names, seeds, seed, out), as_json)


# Hold'em


@app.command()
def deepstack(
    hands: Annotated[int, typer.Option(help="Hands of each match, every deal from both seats.", min=2)] = 20,
    opponents: Annotated[str, typer.Option(help="Players of `ludus match`, separated by commas.")] = OPPONENTS,
    lbr: Annotated[str, typer.Option(help="Sets of bets of `ludus lbr`; empty for none.")] = "fc,fcpa",
    lbr_hands: Annotated[int, typer.Option(help="Hands of each LBR.", min=2)] = 20,
    agent: Annotated[str, typer.Option(help="The re-solver, such as resolver:iterations=500.")] = "resolver",
    seconds: Annotated[
        float | None, typer.Option("--time", help="Seconds that the re-solver thinks.", show_default="by iterations")
    ] = None,
    slumbot: Annotated[Path | None, typer.Option(help="A log of `ludus slumbot`, to be shown beside.")] = None,
    workers: Workers = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """The re-solver of hold'em in matches, its thinking time, and LBR against it (Tuholukova 2020, section 4.6).

    Blinds 50/100 and stacks of 20,000, as in the source, which played Slumbot on its own site. Stopped with Ctrl-C, it
    shows what there is and goes on from there when the same command is given again; more hands go on, too.
    """
    from ludus.agents import with_time
    from ludus.experiments.reproduce.deepstack import DeepstackPlan, deepstack
    from ludus.parallel import usable_cores

    (timed,) = with_time([agent], seconds)
    plan = DeepstackPlan(timed, split_players(opponents), hands, split_players(lbr), lbr_hands, seed)
    run_experiment(partial(deepstack, plan, slumbot, workers or usable_cores(), out), as_json)


@app.command()
def pricope_baselines(
    games: Annotated[int, typer.Option(help="Freeze-outs of each pair.", min=2)] = 1000,
    hands: Annotated[int, typer.Option(help="Single hands of each pair.", min=2)] = 20_000,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Random, Call and HeuristicMC against each other as freeze-outs and as single hands (Pricope 2020, table 1).

    Stacks of 100, blinds 5/10, as in the source. Stopped with Ctrl-C, it goes on when the same command is given again.
    """
    from ludus.experiments.reproduce.pricope_baselines import pricope_baselines

    run_experiment(partial(pricope_baselines, games, hands, seed, out), as_json)


@app.command()
def aparicio_models(
    hands: Annotated[str, typer.Option(help="Hands of each model, such as 5M; the source has 1e9.")] = "5M",
    players: Annotated[str, typer.Option(help="Players of the models, such as 6 or 2-10.")] = "2-10",
    seconds: Annotated[
        float | None, typer.Option(help="Stop the training of all models after so long.", min=0.1, max=1e7)
    ] = None,
    match_hands: Annotated[str, typer.Option(help="Hands of each match after the training, 0 for none.")] = "10k",
    workers: Workers = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train the key of Aparicio (2025) by outcome sampling for 2 to 10 players (table 2).

    Sizes and times of saving beside the source's, the models' style among themselves, and the one for six players
    heads-up against our blueprint. Stopped with Ctrl-C it goes on from there when the same command is given again; more
    --hands go on too.
    """
    from ludus.experiments.reproduce.aparicio_models import aparicio_models
    from ludus.parallel import usable_cores

    wanted, matches, tables = (
        whole_number("--hands", hands), whole_number("--match-hands", match_hands, least=0), table_sizes(players)
    )  # fmt: skip
    cores = workers or usable_cores()
    run_experiment(partial(aparicio_models, wanted, seconds, tables, matches, cores, seed, out), as_json)


@app.command()
def abstraction(
    buckets: Annotated[
        str, typer.Option(help="Buckets per street, in rising order; the lossless game comes last.")
    ] = "1,2,4,8,16,32,64,128,256,512,1024,2048",
    ranks: Annotated[int, typer.Option(help="Ranks of the deck, two cards each.", min=4, max=8)] = 6,
    stack: Annotated[int, typer.Option(help="Chips of each player; the big blind is 2.", min=2, max=1000)] = 10,
    iterations: Annotated[int, typer.Option(help="Iterations of DCFR for each.", min=1, max=10**6)] = 100,
    plot: Annotated[
        Path | None, typer.Option(help="The plot's file: .png, .svg or .pdf.  [default: in the folder]")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Exploitability against the number of card buckets, exact, in hold'em with a tiny deck and short stacks."""
    from ludus.experiments.reproduce.abstraction import abstraction

    run_experiment(partial(abstraction, parse_counts(buckets), ranks, stack, iterations, plot, out), as_json)


@app.command()
def blueprint_curve(
    players: Annotated[int, typer.Option(help="Seats of the table.", min=2, max=10)] = 2,
    seconds: Annotated[float, typer.Option(help="Training time of each abstraction.", min=0.1, max=1e6)] = 60.0,
    points: Annotated[int, typer.Option(help="Points of the curve, each of twice the time.", min=2, max=20)] = 6,
    cards: Annotated[str, typer.Option(help="The name or file of buckets.")] = "200",
    bets: Annotated[str, typer.Option(help="As in `ludus train blueprint`.")] = "default",
    deals: Annotated[int, typer.Option(help="Deals of each duel, played from every seat.", min=2)] = 200_000,
    workers: Workers = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train a blueprint by the clock and let its last state play its earlier ones, and Aparicio's key of the same time.

    One of the last state sits among copies of the other; every deal is played from each seat. Time decides how many
    hands are trained, so figures differ from run to run.
    """
    from ludus.experiments.reproduce.blueprint_curve import blueprint_curve
    from ludus.parallel import usable_cores
    from ludus.solvers.blueprint.presets import make_abstraction

    game = make_abstraction(players, cards=cards, bets=bets)
    run_experiment(
        partial(blueprint_curve, game, seconds, points, deals, workers or usable_cores(), seed, out), as_json
    )


@app.command()
def hand_categories(
    hands: Annotated[int, typer.Option(help="Random seven-card hands to draw.", min=1, max=10**11)] = 100_000_000,
    seed: Annotated[int, typer.Option(help="Same seed, same counts, on any number of cores.", min=0)] = 1,
    as_json: AsJson = False,
) -> None:
    """How often each category comes among random seven-card hands (Aparicio 2025, table 1)."""
    from ludus.experiments.reproduce.hand_categories import hand_categories

    run_experiment(partial(hand_categories, hands, seed), as_json)


# Lists


def split_players(text: str) -> tuple[str, ...]:
    """Names between commas; a setting of a player stays with it.

    >>> split_players("call, heuristic-mc:simulations=50,raises=2,tight")
    ('call', 'heuristic-mc:simulations=50,raises=2', 'tight')
    """
    return tuple(name.strip() for name in re.split(r",(?!\s*\w+=)", text) if name.strip())


def parse_stops(text: str, what: str = "iterations") -> list[int]:
    """Rising numbers of iterations.

    >>> parse_stops("4e6, 20000000")
    [4000000, 20000000]
    """
    try:
        numbers = [float(word) for word in text.split(",")]
        stops = [int(number) for number in numbers]
    except (ValueError, OverflowError):
        raise ValueError(f"{what} are numbers separated by commas such as 4e6,20e6, got {text!r}") from None
    if stops != numbers or stops != sorted(set(stops)) or not 1 <= stops[0] <= stops[-1] <= 10**12:
        raise ValueError(f"{what} are whole numbers from 1 to 1e12 in rising order, got {text!r}")
    return stops


def parse_counts(text: str) -> list[int]:
    """Rising numbers of buckets.

    >>> parse_counts("1, 2,8")
    [1, 2, 8]
    """
    try:
        counts = [int(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(f"buckets are whole numbers separated by commas such as 1,2,4, got {text!r}") from None
    if counts != sorted(set(counts)) or not 1 <= counts[0] <= counts[-1] <= 10**6:
        raise ValueError(f"buckets are numbers from 1 to a million in rising order, got {text!r}")
    return counts


def table_sizes(text: str) -> list[int]:
    """Numbers of players.

    >>> table_sizes("2-4"), table_sizes("6")
    ([2, 3, 4], [6])
    """
    first, dash, last = text.partition("-")
    try:
        low, high = int(first), int(last if dash else first)
    except ValueError:
        low, high = 0, 0
    if not 2 <= low <= high <= 10:
        raise ValueError(f"--players is a number from 2 to 10 or a range of them such as 2-10, got {text!r}")
    return list(range(low, high + 1))
