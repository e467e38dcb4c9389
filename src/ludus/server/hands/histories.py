"""Finished hands as they are kept: made into rows, read back, shown to one person, and replayed step by step."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ludus.cards.card import CARDS, parse_card
from ludus.games.base import CHANCE
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.record import betting_text, replay, retrace
from ludus.protocols.histories import PlayedHand, read_phh, write_phh
from ludus.protocols.histories.hand import contested_pot, rules_share, without_gaps
from ludus.server.work.wire import game_from_wire, game_to_wire
from ludus.teach.endings.luck import ran_out
from ludus.teach.tracker import tracked

if TYPE_CHECKING:
    from ludus.server.models import HandSeat

FORMAT = "ludus-hand-1"
MOST_NAME = 40  # characters of a name that are kept with the record


def write_record(played: PlayedHand) -> str:
    """The text that is kept of a hand: PHH, or a line of JSON for games that the format does not have."""
    try:
        return write_phh(played)
    except ValueError:
        state = played.state
        return json.dumps({
            "format": FORMAT, "game": game_to_wire(state.game), "betting": betting_text(state),
            "cards": [CARDS[card] for card in state.cards], "players": list(played.players), "number": played.number,
            "seats": list(played.seats),
        })  # fmt: skip


def read_record(text: str) -> PlayedHand:
    """The hand of such a text."""
    if is_phh(text):
        [played] = read_phh(text)
        return played
    data = json.loads(text)
    if data.get("format") != FORMAT:
        raise ValueError(f"a hand in JSON has the format {FORMAT}, not {data.get('format')!r}")
    game, cards = game_from_wire(data["game"]), [parse_card(card) for card in data["cards"]]
    deck = [*cards, *(card for card in game.deck if card not in cards)]
    state, chairs = replay(game, data["betting"], deck, forfeits=True), tuple(data.get("seats", ()))
    return PlayedHand(state, tuple(data["players"]), data["number"], seats=chairs)


def is_phh(text: str) -> bool:
    """Whether the record of a hand can be given to programs that read PHH."""
    return not text.startswith("{")


# Rows


def hand_rows(
    played: PlayedHand,
    *,
    game: str,
    people: Sequence[str | None],
    agents: Sequence[str] = (),
    shown: Collection[int] = (),
    **columns: Any,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows for `Hand` and `HandSeat` of a finished hand whose result is known.

    ``people`` and ``agents`` are by seat. Where nobody was all-in with cards to come, there is no luck to take out,
    and that is entered here. ``columns`` are further ones of the hand: table_id, number, finished, commitment, ...
    """
    from ludus.server.models import new_key, now  # not above: worker processes that only read records need no database

    state, returns = played.state, played.returns()
    assert returns is not None, "the result of the hand is not known"
    certain = not ran_out(state)
    hand = {
        "id": new_key(), "number": played.number, "game": game, "players": state.game.players,
        "big_blind": state.game.big_blind, "pot": contested_pot(state), "board": _text(state.board),
        "phh": write_record(played), "adjusted": certain, "reviewed": False, "finished": now(), "table_id": None,
        "upload_id": None, **columns,
    }  # fmt: skip
    again = {name: hand[name] for name in ("finished", "game", "big_blind", "table_id", "upload_id")}
    places, habits = place_names(state.game), seat_habits(state)
    counted = tracked(state, returns)
    seats = [
        {
            "hand_id": hand["id"], "seat": seat, "person_id": people[seat], "name": played.players[seat][:MOST_NAME],
            "agent": agents[seat] if agents else "", "place": places[seat], "cards": _text(state.hole(seat)),
            "shown": seat in shown, "stack": state.game.stacks[seat], "net": returns[seat],
            "adjusted": returns[seat] if certain else None, **habits[seat],
            **asdict(counted[seat]), **again,
        }
        for seat in range(state.game.players)
    ]  # fmt: skip
    return hand, seats


def _text(cards: Sequence[int]) -> str:
    return "" if HIDDEN in cards else "".join(CARDS[card] for card in cards)


def card_list(text: str) -> list[str]:
    """'AhKd' as a list of cards."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def seat_habits(final: PokerState) -> list[dict[str, Any]]:
    """By seat, what the usual figures of poker count: money put in, raises, calls, where the seat's hand ended."""
    live = final.live_seats()
    rows: list[dict[str, Any]] = [
        {"paid": False, "raised": False, "raises": 0, "calls": 0, "folded": False, "showdown": len(live) > 1,
         "street": final.street}
        for _ in range(final.game.players)
    ]  # fmt: skip
    for state, action in retrace(final, without_gaps(final.game, final.cards)):
        row = rows[state.player]
        if action == FOLD:
            row.update(folded=True, showdown=False, street=state.street)
        elif action > CALL or state.to_call():
            row["raises" if action > CALL else "calls"] += 1
            if state.street == 0:
                row["paid"] = True
                row["raised"] |= action > CALL
    return rows


# Who sees what


def visible_seats(seats: Sequence[HandSeat], person_id: str, uploaded: bool) -> set[int]:
    """The seats whose cards a person may see after a hand.

    All of them if they were the only person, and in a file of their own; else their own and those that were shown. A
    seat without a person is an AI's only if it has an agent: it may be of somebody who is no longer kept.
    """
    alone = all(seat.person_id == person_id or (seat.person_id is None and seat.agent) for seat in seats)
    return {seat.seat for seat in seats if alone or uploaded or seat.shown or seat.person_id == person_id}


def seen_by(played: PlayedHand, seats: Collection[int]) -> PlayedHand:
    """The hand with the cards of all other seats hidden; the results stay."""
    state = played.state
    if all(seat in seats or set(state.hole(seat)) == {HIDDEN} for seat in range(state.game.players)):
        return played
    collected = rules_share(state) if played.collected is None else played.collected
    return replace(played, state=state.seen_by(*(seats or [-1])), collected=collected)


# Step by step


def steps(final: PokerState) -> list[dict[str, Any]]:
    """A hand as a film: before any action, after each of them with the bets still in front, and after each deal."""
    deck = without_gaps(final.game, final.cards)
    state = final.game.start()
    film: list[dict[str, Any]] = []
    for number, (at, action) in enumerate(retrace(final, deck)):
        if not film:
            film.append(_step(at))
        film.append(_acted(at, action, number))
        state = at.after(action)
        film.extend(_deals(state, deck))
    return film or [_step(state), *_deals(state, deck)]


def _deals(state: PokerState, deck: Sequence[int]) -> Iterator[dict[str, Any]]:
    while state.player == CHANCE:
        street, state = state.street, state.deal(deck)
        if street:
            yield _step(state, street)


def _step(state: PokerState, street: int | None = None, **changes: Any) -> dict[str, Any]:
    game = state.game
    folded = [seat for seat in range(game.players) if state.folded >> seat & 1]
    told = {"number": None, "seat": None, "action": None, "kind": None, "name": None, "amount": None}
    return {
        "street": state.street if street is None else street, "board": [CARDS[card] for card in state.board],
        "pot": state.pot, "stacks": list(state.stacks), "bets": list(state.bets), "folded": folded, **told, **changes,
    }  # fmt: skip


def _acted(at: PokerState, action: int, number: int) -> dict[str, Any]:
    seat, bets, stacks = at.player, list(at.bets), list(at.stacks)
    pays = 0 if action == FOLD else at.to_call() if action == CALL else action - bets[seat]
    bets[seat] += pays
    stacks[seat] -= pays
    folded = [other for other in range(at.game.players) if at.folded >> other & 1 or (other == seat and action == FOLD)]
    said = at.phrase(action)
    return _step(
        at, pot=at.pot + pays, stacks=stacks, bets=bets, folded=folded, number=number, seat=seat, action=action,
        kind=said.verb, name=str(said), amount=action if action > CALL else pays or None,
    )  # fmt: skip
