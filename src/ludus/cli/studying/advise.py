"""``ludus advise``: what to do in a situation, what each action is worth, and why."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.agents.opponents import Profile
    from ludus.games import PokerState

EXAMPLE = "6 players, 100bb; hero CO AhKh; folds to CO, r2.5bb, BTN r8bb, f, f"


def advise(
    situation: Annotated[
        str | None, typer.Argument(help="The decision as a text or JSON; - reads it from standard input.")
    ] = None,
    seats: Annotated[int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="6")] = None,
    stack: Annotated[str | None, typer.Option(help="Everybody's stack: 100bb or chips.", show_default="100bb")] = None,
    blinds: Annotated[str | None, typer.Option(help="Small and big blind in chips.", show_default="50/100")] = None,
    cards: Annotated[str | None, typer.Option(help="The cards you hold, such as AhKh.")] = None,
    board: Annotated[str | None, typer.Option(help="The board, such as Td9d6h.")] = None,
    actions: Annotated[str | None, typer.Option(help="What was done: 'folds to CO, r2.5bb, BTN c'.")] = None,
    hand: Annotated[Path | None, typer.Option(help="Take the decision from a file of hands instead.")] = None,
    number: Annotated[int, typer.Option(help="Which hand of the file, counted from 1.", min=1)] = 1,
    player: Annotated[
        str | None, typer.Option(help="Whose decision: a name or position.", show_default="whose cards are known")
    ] = None,
    decision: Annotated[
        int | None, typer.Option(help="Which of their decisions, counted from 1.", min=1, show_default="the last")
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help="Hands of the opponents: adds what to do against them.", show_default="earlier ones of --hand"
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None, typer.Option(help="Who sits where, by names in --history: BTN=Anna. Repeat as needed.")
    ] = None,
    seconds: Annotated[float, typer.Option("--time", help="Seconds to think.")] = 1.0,
    blueprint: Annotated[
        str | None, typer.Option(help="Which blueprint to play by.", show_default="the one that fits")
    ] = None,
    range_grid: Annotated[bool, typer.Option("--range-grid", help="Print the assumed ranges as charts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; amounts in chips.")] = False,
) -> None:
    """Get advice on a decision in no-limit hold'em, 2 to 10 players.

    Tell the situation in a line: the table, your cards, then what was done.

    ludus advise "6 players, 100bb; hero CO AhKh; folds to CO, r2.5bb, BTN r8bb, f, f"

    ludus advise "heads-up, 40bb; BB QsJs; BTN r2bb, c; flop Ts9d4c: x, b33%, c; turn 2h: x, b75%"

    ludus advise "3 players, 100bb, BTN 25bb; hero SB 8s8h; BTN a"

    Actions are f, x (check), c, b or r with the chips, big blinds (2.5bb) or share of the pot (75%) that it is to, a
    (all-in). A position before an action is checked. JSON has the same facts: players, stack, stacks, blinds, ante,
    hero, cards, board, actions.

    Between two players, at a table of two also before the flop, a street is solved on the spot. Before the flop of
    three players or more solved charts answer, where they know the betting; everywhere else the rest of the street is
    searched, with the blueprint behind it.
    Where earlier hands of the opponents are known, a second mix says what to do against them.
    """
    from ludus.arena.hand_files import hand_at
    from ludus.cli.views.advice import show_advice, show_range
    from ludus.cli.views.progress import status
    from ludus.cli.views.screen import Screen
    from ludus.teach.advisor import default_advisor
    from ludus.teach.explain import facts
    from ludus.teach.hand_decisions import decision_in
    from ludus.teach.known_opponents import against_them, by_place, by_seat, read_profiles

    told: dict[str, Any] = {
        "players": seats, "stack": stack, "blinds": blinds, "cards": cards, "board": board, "actions": actions,
    }  # fmt: skip
    told = {key: value for key, value in told.items() if value is not None}
    if sum([situation is not None, bool(told), hand is not None]) != 1:
        raise ValueError(
            f"tell the situation in one way: as a text such as '{EXAMPLE}', with the options --cards, --board and "
            "--actions, or with --hand FILE"
        )
    if hand is None and (player is not None or decision is not None):
        raise ValueError("--player and --decision choose from a file of hands: name one with --hand")
    if bool(opponent) != (history is not None and hand is None):
        raise ValueError("--history and --opponent go together: --history hands.phhs --opponent BTN=Anna")
    played = hand_at(hand, number) if hand else None
    state = decision_in(played, player, decision) if played else _told(situation, told)
    known: dict[int, Profile] = {}
    if source := history or hand:
        profiles = read_profiles(source, None if history else number - 1)
        known = by_seat(profiles, played) if played else by_place(profiles, opponent or (), state.game)
    adviser = default_advisor(state.game, blueprint, seconds)
    with status("thinking (the first time compiles, which takes a minute or two)"):
        advice = adviser.advise(state)
        advice = against_them(advice, known, blueprint)
    if as_json:
        print(json.dumps(facts(advice)))
        return
    show_advice(advice, Screen(state.game))
    for each in advice.opponents if range_grid else ():
        show_range(advice, each)


def _told(situation: str | None, told: dict[str, Any]) -> PokerState:
    """The decision of a text or of options."""
    from ludus.teach.situation import MOST_TEXT, parse_situation, situation_from_dict

    if situation is None:
        return situation_from_dict(told)
    return parse_situation(sys.stdin.read(MOST_TEXT + 1) if situation == "-" else situation)
