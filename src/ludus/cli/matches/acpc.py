"""``ludus acpc``: the protocol of the Annual Computer Poker Competition, from both sides of the table."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import Time

if TYPE_CHECKING:
    from ludus.protocols.acpc.client import Result
    from ludus.protocols.acpc.explain import Explanation

GAME = "holdem.nolimit.2p.reverse_blinds.game"
SHOWN = 10  # problems of a log

app = typer.Typer(
    help="Deal and play matches as the Annual Computer Poker Competition does, over TCP.", no_args_is_help=True
)
GameFile = Annotated[str, typer.Argument(metavar="GAMEFILE", help="A .game file, or the name of one that Ludus has.")]
GameOption = Annotated[str, typer.Option("--game", help="The .game file in play; the dealer does not say which.")]
AgentOption = Annotated[str, typer.Option("--agent", help="Who plays: see `ludus agents`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def dealer(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The log is MATCH.log.")],
    game_file: GameFile,
    hands: Annotated[int, typer.Argument(metavar="HANDS", help="Hands to play.")],
    seed: Annotated[int, typer.Argument(metavar="SEED", help="Same seed, same cards: 0 to 4294967295.")],
    names: Annotated[list[str], typer.Argument(metavar="NAMES", help="The players, in the order of their ports.")],
    fixed: Annotated[bool, typer.Option("-f", help="Everybody keeps their seat; otherwise the button moves.")] = False,
    log: Annotated[bool, typer.Option("-L/-l", help="Write MATCH.log, or do not.")] = True,
    ports: Annotated[
        str, typer.Option("-p", metavar="PORT,PORT,...", help="Ports of the players.", show_default="any that are free")
    ] = "",
    quiet: Annotated[bool, typer.Option("-q", help="Errors, warnings and the score only.")] = False,
    transactions: Annotated[
        bool, typer.Option("-T/-t", help="Write MATCH.tlog, from which a match can be taken up again, or not.")
    ] = False,
    append: Annotated[
        bool, typer.Option("-a", help="Append to the files; with -T the match goes on where MATCH.tlog ends.")
    ] = False,
    t_response: Annotated[int, typer.Option("--t_response", help="Milliseconds for one reply.")] = 600_000,
    t_hand: Annotated[int, typer.Option("--t_hand", help="Milliseconds a player has for a hand.")] = 600_000,
    t_per_hand: Annotated[
        int, typer.Option("--t_per_hand", help="Milliseconds a player has for a hand on average.")
    ] = 7_000,
    start_timeout: Annotated[
        int, typer.Option("--start_timeout", help="Milliseconds to wait for players; below 0: forever.")
    ] = -1,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    strict: Annotated[bool, typer.Option("--strict", help="End the match at the first warning.")] = False,
) -> None:
    """Deal a match to players that connect, one to each port of the first line that is printed.

    It takes the arguments of the competition's own dealer and behaves like it, on the wire and in its files.
    """
    from ludus.games.acpc import read_game
    from ludus.protocols.acpc.clock import Limits
    from ludus.protocols.acpc.dealer import MatchFailed, serve
    from ludus.protocols.acpc.match import Match

    limits = Limits(t_response, t_hand, t_per_hand, start_timeout if start_timeout >= 0 else None)
    played = Match(read_game(game_file), hands, seed, tuple(names), match, game_file, limits, fixed, strict)
    files = (Path(f"{match}.log") if log else None, Path(f"{match}.tlog") if transactions else None)
    try:
        serve(played, host, _ports(ports), *files, append, quiet)
    except MatchFailed:  # it has been said
        raise typer.Exit(1) from None


@app.command()
def play(
    host: Annotated[str, typer.Argument(help="Where the dealer is.")],
    port: Annotated[int, typer.Argument(help="Our port there.", min=1, max=65535)],
    agent: AgentOption = "heuristic-mc",
    game_file: GameOption = GAME,
    seconds: Time = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the agent's random choices.", show_default="random")] = None,
    as_json: AsJson = False,
) -> None:
    """Play at a dealer's port until it hangs up. `--agent human` is you.

    Where the agent fails or breaks the rules it checks, or folds if that is not free, and standard error says so.
    """
    import numpy as np

    from ludus.agents import with_time
    from ludus.games.acpc import read_game

    game = read_game(game_file)
    (agent,) = with_time([agent], seconds)
    if agent == "human":
        from ludus.cli.matches.acpc_person import play_by_hand

        play_by_hand(game, host, port)
        return
    from ludus.agents import make
    from ludus.protocols.acpc.client import play as play_at

    if seed is not None and seed < 0:
        raise ValueError(f"--seed must not be negative, got {seed}")
    result = play_at(make(agent, game), game, host, port, np.random.default_rng(seed), _complain)
    _report(agent, game.name, game.big_blind, result, as_json)
    if not result.complete:
        raise typer.Exit(1)


@app.command()
def table(
    agent: AgentOption = "heuristic-mc",
    game_file: GameOption = GAME,
    seconds: Time = None,
    hands: Annotated[int, typer.Option(help="Hands to play; you may quit before.")] = 100,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards.", show_default="random")] = None,
    log: Annotated[str | None, typer.Option(metavar="MATCH", help="Let the dealer write MATCH.log.")] = None,
) -> None:
    """Play against programs through the protocol: dealer and programs are started for you."""
    import secrets

    from ludus.agents import make, with_time
    from ludus.cli.matches.acpc_person import sit_down
    from ludus.games.acpc import read_game

    game = read_game(game_file)
    (agent,) = with_time([agent], seconds)
    make(agent, game)
    if hands < 1:
        raise ValueError(f"--hands must be at least 1, got {hands}")
    if seed is not None and not 0 <= seed < 2**32:
        raise ValueError(f"--seed is 0..{2**32 - 1}, got {seed}")
    sit_down(game, game_file, agent, hands, secrets.randbits(31) if seed is None else seed, log)


@app.command()
def state(
    game_file: GameFile,
    text: Annotated[str, typer.Argument(metavar="MATCHSTATE", help="A line such as 'MATCHSTATE:0:0:c:5d5c|'.")],
    as_json: AsJson = False,
) -> None:
    """Explain a line of the protocol: who is to act, and what they may do.

    Chips are totals of the whole hand; where a raise is possible in a limit game, its bounds are 0.
    """
    from ludus.games.acpc import read_game
    from ludus.protocols.acpc.explain import explain
    from ludus.protocols.acpc.messages import read_match_state

    found = explain(read_match_state(read_game(game_file), text).state)
    if as_json:
        print(json.dumps(asdict(found)))
    else:
        print("\n".join(_in_words(found)))


@app.command()
def verify(
    game_file: GameFile,
    log: Annotated[Path, typer.Argument(metavar="LOG", help="The log of a dealer.", dir_okay=False)],
    seed: Annotated[
        int | None, typer.Option(help="The seed of the cards.", show_default="the one in the log, if any")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay and check a dealer's log: betting, values, seats, score, and from the seed every card.

    The exit code is 1 when anything is wrong.
    """
    from ludus.games.acpc import read_game
    from ludus.protocols.acpc.verify import verify as check

    game = read_game(game_file)
    with log.open(encoding="utf-8", errors="replace", newline="\n") as file:
        found = check(game, file, seed)
    if as_json:
        print(json.dumps({**asdict(found), "sound": found.sound}))
    else:
        dealt = "not checked, there is no seed" if found.seed is None else f"checked against seed {found.seed}"
        print(f"{found.agree} of {found.hands} hands agree; cards {dealt}.")
        if not found.scores:
            print("There is no SCORE line: the match was not played to its end.")
        for problem in found.problems[:SHOWN]:
            print(f"line {problem.line}: {problem.what}")
        if len(found.problems) > SHOWN:
            print(f"and {len(found.problems) - SHOWN} more")
    if not found.sound:
        raise typer.Exit(1)


def _ports(text: str) -> list[int]:
    parts = text.split(",") if text else []
    if not all(part.isascii() and part.isdecimal() and len(part) <= 5 for part in parts):
        raise ValueError(f"-p is a list of ports such as 18791,18374, got {text!r}")
    return [int(part) for part in parts]


def _complain(text: str) -> None:
    print(f"ludus: {text}", file=sys.stderr, flush=True)


def _report(agent: str, game: str, big_blind: int, result: Result, as_json: bool) -> None:
    from ludus.arena.interval import interval

    found = interval(result.hands).scaled(1000 / big_blind)
    chips = sum(result.hands)
    if as_json:
        told = found.as_dict()
        row: dict[str, Any] = {"agent": agent, "game": game, "hands": found.units, "chips": chips}
        row |= {"mbb_per_game": told.pop("mean"), **told}
        print(json.dumps({**row, "troubles": result.troubles, "complete": result.complete}))
        return
    text = f"{agent}: {found.units} hands, {chips:+g} chips"
    if found.units:
        text += f", {found.mean:+.1f} mbb/g" + (f" ± {found.ci95:.1f} (95 %)" if found.units > 1 else "")
        text += "; too few hands to trust the interval" * found.too_few
    print(text, file=sys.stderr)


def _in_words(found: Explanation) -> list[str]:
    lines = [f"round {found.round}, spent {' | '.join(map(str, found.spent))}, pot {sum(found.spent)}"]
    if found.finished:
        return [*lines, "the hand is over"]
    assert found.actor_position is not None
    price = max(found.spent) - found.spent[found.actor_position]
    lines.append(f"position {found.actor_position} is to act")
    lines.append(f"c: call {price}, or what is left" if price else "c: check")
    if found.fold_legal:
        lines.append("f: fold")
    if found.max_raise_to:
        lines.append(f"r: raise to {found.min_raise_to}..{found.max_raise_to} in the whole hand")
    elif found.max_raise_to == 0:
        lines.append("r: raise by the limit")
    return lines
