"""Neural fictitious play in hold'em against a curriculum of opponents (Pricope 2020, section 4.4, figures 6 to 9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.arena.interval import interval
from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, Stopped, Table, folder
from ludus.experiments.sources import PRICOPE, PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.games import holdem
from ludus.games.definition import define
from ludus.parallel import Stages

if TYPE_CHECKING:
    from ludus.arena.freeze_out_lanes import FreezeOutLanes
    from ludus.rl.lanes import Look
    from ludus.rl.nfsp import Nfsp, NfspSettings

NAME = "nfsp-holdem"
STACK, BLINDS = 100, (5, 10)
POINT, HAND_POINT = 50, 250  # games of a point of the source's curves of the stack and of chips by hand
KINDS = ("fold", "check or call", "smallest raise", "half the pot", "the pot", "all-in")
STRATEGIES = ("average", "mixed", "greedy")
SOURCE: dict[tuple[str, str], dict[str, float]] = {
    ("random", "average"): {"source_stack": 173.02, "source_win_percent": 84.8},
    ("random", "mixed"): {"source_stack": 166.23},
    ("random", "greedy"): {"source_stack": 137.82},
    ("expert:model", "average"): {"source_mbb_per_hand": 600},  # "over"
}
EPISODES = {"game": 1, "hand": 5}  # and about how many of them a game has
EXPERT = "expert"
OTHERS = {  # of figure 9, who plays the expert besides the learner: who is compiled, as they were read for table 1
    "Random": "random", "Call": "call", "HeuristicMC": "heuristic-mc:size=1,ahead=0.6,least=0.6",
    "Agent1": "expert:model",
}  # fmt: skip
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class HoldemPlan:
    """Opponents one after the other, each for some games of training and then some of measuring."""

    opponents: tuple[str, ...] = ("random", "expert", "expert:model")
    games: int = 15_000
    test_games: int = 1000
    preset: str = "tuned"
    seed: int = 1
    episode: str = "game"  # what a learner wins the most of: chips by 'game' or by 'hand'

    def __post_init__(self) -> None:
        if not self.opponents or min(self.games, self.test_games) < POINT:
            raise ValueError(f"there are opponents, and at least {POINT} games against each, got {self}")
        if self.preset not in ("tuned", "source-003"):
            raise ValueError(f"presets are tuned and source-003, got {self.preset!r}")
        if self.episode not in EPISODES:
            raise ValueError(f"an episode is a {' or a '.join(EPISODES)}, got {self.episode!r}")


def settings(preset: str, episode: str = "game") -> NfspSettings:
    """The source's, with sizes of layers of ours, as it gives none; tuned: smaller batches with Adam.

    Tuned, the best response is also played more often, because the opponent does not change with what the learner
    plays, and the average forgets what was played first. Networks are copied to the target every 128 hands in the
    source, which are about 32 games. What is counted by games is counted by episodes; a game has some five hands.
    """
    from ludus.rl.nfsp import SOURCE_003

    source = replace(SOURCE_003, convolutions=(8, 8, 16, 16), pooled=(0, 2), dense=(64,), target_games=32, lanes=64)
    if preset == "source-003":
        return source
    count = EPISODES[episode]
    return replace(
        source, eta=0.3, averages_explored=False, behaviour=20_000, recency=2.0, optimiser="adam", q_rate=1e-3,
        policy_rate=1e-3, batch=64, updates_a_game=0.25 / count, epsilon_decay=1e-3 / count, target_games=300 * count,
    )  # fmt: skip


def nfsp_holdem(plan: HoldemPlan, out: Path | None, progress: Stages) -> Report:
    """Train against each opponent in turn, and measure each of the learner's strategies against them.

    The training is kept, and the same command goes on from there when it was stopped.
    """
    from ludus.agents import make
    from ludus.arena.freeze_out_lanes import FreezeOutLanes
    from ludus.rl.by_games import train_by_games
    from ludus.rl.learner import identity
    from ludus.rl.nfsp import Nfsp
    from ludus.rl.pictures import INPUTS
    from ludus.rl.policy import PolicyNetwork
    from ludus.solvers.checkpoints import Checkpoint

    place, chosen = folder(out, NAME), settings(plan.preset, plan.episode)
    game = holdem(stack=STACK, blinds=BLINDS)
    rng = np.random.default_rng(plan.seed)
    lanes = FreezeOutLanes(game, make(plan.opponents[0], game), chosen.lanes, rng, plan.episode == "hand")
    learner = Nfsp(lanes, chosen, plan.seed)
    curves, rows = dict[str, Ints](), list[dict[str, Any]]()
    try:
        for at, name in enumerate(plan.opponents):
            met = "-".join(plan.opponents[: at + 1]).replace(":", "-")
            run = identity(chosen, plan.seed) | {"opponents": list(plan.opponents[: at + 1]), "games": plan.games}
            run |= {"episode": plan.episode} if plan.episode != "game" else {}
            kept = Checkpoint(place / f"{met}.training", {"run": run})
            lanes.meet(make(name, game))
            learner.forget()
            if not train_by_games(learner, lanes, plan.games, kept, partial(_told, progress, name, lanes)):
                raise KeyboardInterrupt
            curves[name] = np.array(lanes.ends[: plan.games])
            for strategy in STRATEGIES:
                told = partial(progress, f"{strategy} against {name}")
                rows.append(_measured(learner, name, strategy, plan, told))
        others = _against_the_expert(learner, plan, partial(progress, f"average against {EXPERT}"))
    except KeyboardInterrupt:
        raise Stopped(f"what was learnt is in {place}; the same command goes on from there") from None
    policy = place / "policy.safetensors"
    origin = {"algorithm": "nfsp", "settings": run, "games": learner.games, "decisions": learner.iterations}
    network = learner.averaging.network
    PolicyNetwork(network.shape, network.state(), define(game), INPUTS, origin).save(policy)
    return _report(plan, curves, rows, others, policy)


def _told(progress: Stages, opponent: str, lanes: FreezeOutLanes, done: int, total: int) -> None:
    """How far the training is, and with how many chips the latest games have ended."""
    lately = [chips for _, chips, _ in lanes.ends[-HAND_POINT:]]
    figure = f"{sum(lately) / len(lately):.0f} chips lately" if lately else ""
    progress(f"training against {opponent}", done, total, "games", figure)


def _measured(
    learner: Nfsp, opponent: str, strategy: str, plan: HoldemPlan, progress: Callable[..., object]
) -> dict[str, Any]:
    """A strategy in games that it does not learn from."""
    from ludus.agents import make
    from ludus.arena.freeze_out_lanes import FreezeOutLanes, play_tests
    from ludus.rl.policy import draw_rows

    rng = np.random.default_rng([plan.seed, 7])
    game, count = holdem(stack=STACK, blinds=BLINDS), min(learner.lanes.count, plan.test_games)

    def choose(look: Look) -> Ints:
        return draw_rows(_chances(learner, look, strategy, rng), rng.random(count))

    lanes = FreezeOutLanes(game, make(opponent, game), count, rng)
    ends, played = play_tests(lanes, plan.test_games, choose, progress)
    source = dict.fromkeys(("source_stack", "source_win_percent", "source_mbb_per_hand"))
    return {
        "opponent": opponent, "strategy": strategy, **figures(ends[:, 1], ends[:, 2]),
        **source, **SOURCE.get((opponent, strategy), {}),
        "actions": dict(zip(KINDS, (played / played.sum()).tolist(), strict=True)),
    }  # fmt: skip


def figures(chips: Ints, hands: Ints) -> dict[str, Any]:
    """What games came to, with 95 % intervals; chips by hand are a ratio, whose error is that of what it leaves over.

    >>> figures(np.array([200, 200, 0, 200]), np.array([4, 6, 5, 5]))["mbb_per_hand"]
    1000.0
    """
    stack, wins, won = interval(chips.astype(np.float64)), interval(chips > STACK), chips - STACK
    by_hand = float(won.sum() / hands.sum())
    left = interval((won - by_hand * hands) / hands.mean())
    return {
        "games": len(chips), "stack": stack.mean, "stack_ci95": stack.ci95, "win_percent": 100 * wins.mean,
        "win_percent_ci95": 100 * wins.ci95, "mbb_per_hand": 1000 * by_hand / BLINDS[1],
        "mbb_ci95": 1000 * left.ci95 / BLINDS[1],
    }  # fmt: skip


def _against_the_expert(learner: Nfsp, plan: HoldemPlan, progress: Callable[..., object]) -> list[dict[str, Any]]:
    """The source's figure 9: the learner, as it is in the end, and other players against the expert."""
    from ludus.agents import make
    from ludus.arena.freeze_outs import play_session

    game, rows = holdem(stack=STACK, blinds=BLINDS), list[dict[str, Any]]()
    for stream, (name, spec) in enumerate(OTHERS.items()):
        pair = make(spec, game), make(EXPERT, game)
        session = play_session(game, pair, plan.test_games, plan.seed, stream)
        rows.append({"players": f"{name}-Base", **figures(session.chips, session.hands)})
    learnt = _measured(learner, EXPERT, "average", plan, progress)
    return [*rows, {"players": "Agent2-Base", **{name: learnt[name] for name in rows[0] if name != "players"}}]


def _chances(learner: Nfsp, look: Look, strategy: str, rng: np.random.Generator) -> NDArray[np.float32]:
    if strategy == "greedy":
        return learner.greedy(look.rows, look.open)
    chances = learner.policy(look.rows, look.open)
    if strategy == "mixed":
        best = rng.random(len(chances)) < learner.settings.eta
        chances[best] = learner.greedy(look.rows[best], look.open[best])
    return chances


def points(numbers: Ints, games: int) -> Ints:
    """[points] Sums of so many games each.

    >>> points(np.arange(7), 3)
    array([ 3, 12])
    """
    sums: Ints = numbers[: len(numbers) // games * games].reshape(-1, games).sum(axis=1)
    return sums


def _plot_curves(
    path: Path, title: str, curves: dict[str, NDArray[np.float64]], games: int, unit: str, even: int
) -> None:
    """What the learner wins while it learns, as the source's figures 6 and 8."""
    figure, axes = new_figure()
    for name, curve in curves.items():
        axes.plot(games * np.arange(1, len(curve) + 1), curve, linewidth=1.1, label=f"against {name}")
    axes.axhline(even, color="black", linewidth=0.8)
    axes.set_xlabel("games of training against each opponent")
    axes.set_ylabel(unit)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    axes.legend(fontsize="small")
    save_figure(figure, path)


def _plot_actions(path: Path, title: str, rows: list[dict[str, Any]]) -> None:
    """What the average strategy does against each opponent, as the source's figure 7."""
    figure, axes = new_figure()
    shown = [row for row in rows if row["strategy"] == "average"]
    for at, row in enumerate(shown):
        places = np.arange(len(KINDS)) + at * 0.8 / len(shown)
        axes.bar(places, [100 * row["actions"][kind] for kind in KINDS], 0.8 / len(shown), label=row["opponent"])
    axes.set_xticks(np.arange(len(KINDS)) + 0.4 - 0.4 / len(shown), KINDS, fontsize="small")
    axes.set_ylabel("% of decisions")
    axes.set_title(f"{title}: the average strategy")
    axes.legend(fontsize="small")
    save_figure(figure, path)


def _plot_players(path: Path, title: str, rows: list[dict[str, Any]]) -> None:
    """How players do against the expert, as the source's figure 9."""
    figure, axes = new_figure()
    axes.bar(
        [row["players"] for row in rows], [row["stack"] for row in rows], yerr=[row["stack_ci95"] for row in rows],
        capsize=4,
    )  # fmt: skip
    axes.axhline(STACK, color="black", linewidth=0.8)
    axes.set_ylabel("chips at the end, mean and 95 % interval")
    axes.set_title(f"{title}: against the expert")
    save_figure(figure, path)


def _report(
    plan: HoldemPlan, curves: dict[str, Ints], rows: list[dict[str, Any]], others: list[dict[str, Any]], policy: Path
) -> Report:
    place = policy.parent
    files = {
        "policy": policy, "csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png", "mbb": place / f"{NAME}-mbb.png",
        "actions": place / f"{NAME}-actions.png", "players": place / f"{NAME}-players.png",
    }  # fmt: skip
    names = [name for name in rows[0] if name != "actions"]
    write_csv(files["csv"], names, [[row[name] for name in names] for row in rows])
    title = f"NFSP in hold'em, {plan.preset}, seed {plan.seed}"
    stacks = {name: points(ends[:, 1], POINT) / POINT for name, ends in curves.items()}
    by_hand = {
        name: 1000 / BLINDS[1] * points(ends[:, 1] - STACK, HAND_POINT) / points(ends[:, 2], HAND_POINT)
        for name, ends in curves.items()
    }
    _plot_curves(files["plot"], title, stacks, POINT, f"chips at the end, mean of {POINT} games", STACK)
    _plot_curves(files["mbb"], title, by_hand, HAND_POINT, f"mbb/h, of {HAND_POINT} games", 0)
    _plot_actions(files["actions"], title, rows)
    _plot_players(files["players"], title, others)
    result = {
        "experiment": NAME, "seed": plan.seed, "games": plan.games, "test_games": plan.test_games,
        "preset": plan.preset, "episode": plan.episode, "opponents": list(plan.opponents), "rows": rows,
        "against_the_expert": others, "files": {name: str(path) for name, path in files.items()},
    }  # fmt: skip
    shown = [(f"{row['strategy']} against {row['opponent']}", *row_texts(row), _source(row)) for row in rows]
    notes = [
        f"{plan.games:,} games of training against each of {', '.join(plan.opponents)}, one after the other. A game is "
        f"a freeze-out with stacks of {STACK} and blinds {BLINDS[0]}/{BLINDS[1]}; each row is measured right after the "
        f"training against its opponent, without learning. The learner's episode is a {plan.episode}.",
        f"Mixed: the greedy strategy on {settings(plan.preset).eta:.0%} of the decisions, else the average one. An "
        "opponent with a model knows nothing when a row begins, and learns from all games of it.",
        f"Source: {PRICOPE_IN_FULL}, section 4.4; its average policy won 84.8 % of games against Random. It gives no "
        "sizes of layers.",
        f"The policy is in {policy}: `nfsp:{policy}` plays it at every table of no-limit hold'em.",
    ]
    columns = ("games", "average stack", "wins %", "mbb/h")
    ninth = Table(
        "against the expert, as the source's figure 9", ("players", *columns),
        [(row["players"], *row_texts(row)) for row in others],
    )  # fmt: skip
    header = ("strategy", *columns, PRICOPE)
    return Report(f"{NAME}: NFSP in hold'em, seed {plan.seed}", result, header, shown, notes, more=(ninth,))


def row_texts(row: dict[str, Any]) -> tuple[str, ...]:
    """Games, chips, share of games won and chips by hand."""
    return (
        f"{row['games']:,}", f"{row['stack']:.1f} +- {row['stack_ci95']:.1f}",
        f"{row['win_percent']:.1f} +- {row['win_percent_ci95']:.1f}",
        f"{row['mbb_per_hand']:+,.0f} +- {row['mbb_ci95']:,.0f}",
    )  # fmt: skip


def _source(row: dict[str, Any]) -> str:
    if row["source_mbb_per_hand"] is not None:
        return f"over {row['source_mbb_per_hand']:.0f} mbb/h"
    return "" if row["source_stack"] is None else f"{row['source_stack']:.2f}"
