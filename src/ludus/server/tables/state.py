"""A table as a pure value: ``apply`` an event of its log, get the next table. No clock, no chance, no network.

Chairs are the table's, seats the game's: seat i of a hand is the i-th chair in it after the button, so the last seat
has the button. ``dealt`` holds all of a table except for the deck, which was ``promised`` before it: a table can be
rebuilt from these two on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.games.record import dealt
from ludus.server.tables.config import TableConfig
from ludus.server.tables.deck import PromisedDeck, Seeds
from ludus.server.tables.ledger import Account, Ledger, bought, counted, got_up, sat_down

AI_NAMES = ("Ada", "Blaise", "Carl", "Daniel", "Emmy", "Florence", "Girolamo", "Henri", "Irène", "Jakob")
MOST_RAISES, MOST_ACTIONS = 16, 200  # of a street and of a hand: the only raise after them is all-in
MISSED = 2  # turns in a row that run out before a person counts as away


class Conflict(Exception):
    """What is asked for does not fit the table as it is now."""


@dataclass(frozen=True, slots=True)
class Chair:
    """A chair and who sits in it: a person, or else the AI. ``stack`` is as before the hand that is being played."""

    person: str | None
    name: str
    stack: int
    away: bool = False
    missed: int = 0
    leaving: bool = False  # when the hand is over
    coming: tuple[str, str] | None = None  # person and name of who sits down when the hand is over


@dataclass(frozen=True, slots=True)
class HandInPlay:
    """A hand, being played or just over."""

    promised: PromisedDeck
    seeds: Seeds  # that its order comes from, by chair
    number: int
    seats: tuple[int, ...]  # the chairs in it in the order of the game's seats; the last has the button
    people: tuple[str | None, ...]  # who was dealt in, by seat
    names: tuple[str, ...]
    deck: tuple[int, ...]  # in the order of dealing
    state: PokerState
    turn: int = 0  # actions so far
    net: tuple[int, ...] | None = None  # by seat, when it is over

    @property
    def id(self) -> str:
        """Its name."""
        return self.promised.hand

    @property
    def over(self) -> bool:
        """Whether it is."""
        return self.net is not None

    @property
    def to_act(self) -> int | None:
        """The chair that is to act."""
        return None if self.over else self.seats[self.state.player]

    @property
    def showdown(self) -> bool:
        """Whether hands have been shown."""
        return self.over and len(self.state.live_seats()) > 1


@dataclass(frozen=True, slots=True)
class TableState:
    """A table. ``bought`` is what has been brought to it minus what has been taken away: the sum of all stacks."""

    config: TableConfig
    chairs: tuple[Chair, ...]
    bought: int
    number: int = 0  # of the last event
    hand: HandInPlay | None = None
    hands: int = 0  # finished ones
    promised: PromisedDeck | None = None  # of the next hand
    ledger: Ledger = ()  # what everybody has brought and won, those who have left included
    level: int = 0  # of the blinds, in a sit-and-go
    began: int | None = None  # when it did, in seconds since 1970
    out: tuple[int, ...] = ()  # chairs without chips in a sit-and-go, the first to go first
    rematch: tuple[str, str] | None = None  # the table that goes on from here, and its invitation
    closing: bool = False  # when the hand is over
    closed: bool = False

    @property
    def playing(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and not self.hand.over

    def agents(self) -> tuple[str, ...]:
        """Who plays in the seats of the hand, by their names; empty for people."""
        assert self.hand is not None
        sitting = zip(self.hand.people, self.hand.seats, strict=True)
        return tuple("" if person else self.config.opponent(chair).spec for person, chair in sitting)

    def sitting(self) -> tuple[str, ...]:
        """Who plays in the seats of the hand: people by their ids, the AI by its names."""
        assert self.hand is not None
        return tuple(person or agent for person, agent in zip(self.hand.people, self.agents(), strict=True))

    def chair_of(self, person: str | None) -> int | None:
        """Where a person sits, or will sit after this hand."""
        for at, chair in enumerate(self.chairs):
            if person is not None and (person == chair.person or (chair.coming and chair.coming[0] == person)):
                return at
        return None

    def free_chairs(self) -> list[int]:
        """Chairs that a person may take."""
        if self.config.sit_and_go and self.hand is not None:
            return []  # it has begun
        kept = self.chairs[: self.config.people]
        return [at for at, chair in enumerate(kept) if chair.coming is None and (chair.person is None or chair.leaving)]

    def people(self) -> list[int]:
        """Chairs in which people sit."""
        return [at for at, chair in enumerate(self.chairs) if chair.person is not None]

    def in_next_hand(self) -> list[int]:
        """Chairs that would be dealt in now: those with chips; who is away is left out, except in a sit-and-go."""
        carry, all_in = self.config.chips == "carry", self.config.sit_and_go is not None
        return [at for at, chair in enumerate(self.chairs) if (all_in or not chair.away) and (chair.stack or not carry)]

    @property
    def decided(self) -> bool:
        """Whether a sit-and-go is over: one player has all chips, or no person has any."""
        left = [chair for chair in self.chairs if chair.stack]
        return self.config.sit_and_go is not None and (len(left) < 2 or not any(chair.person for chair in left))


def new_table(config: TableConfig, host: str, name: str) -> TableState:
    """A table with its host in the first chair."""
    chairs = tuple(_ai(config, at) for at in range(config.seats))
    chairs = (Chair(host, name, config.stack), *chairs[1:])
    table = TableState(config, chairs, config.stack * config.seats, 1)
    for at, chair in enumerate(chairs):
        table = replace(table, ledger=sat_down(table.ledger, chair.person, chair.name, at, chair.stack))
    return table


def _ai(config: TableConfig, chair: int) -> Chair:
    return Chair(None, AI_NAMES[chair], config.stack)


def deal(table: TableState, button: int, seeds: Seeds, now: float = 0.0) -> dict[str, Any]:
    """The data of a ``dealt`` event for the next hand, whose deck is promised; ``now`` is in seconds since 1970."""
    began = int(now) if table.began is None else table.began
    level = (
        table.level if (game := table.config.sit_and_go) is None else game.level(table.hands, now - began, table.level)
    )
    chairs = table.in_next_hand()
    assert button in chairs
    assert table.promised is not None
    at = chairs.index(button) + 1
    return {
        "hand": table.promised.hand,
        "number": table.hands + 1,
        "seats": chairs[at:] + chairs[:at],
        "chairs": [
            [chair.person, chair.name, chair.stack if table.config.chips == "carry" else table.config.stack,
             chair.away, chair.missed]
            for chair in table.chairs
        ],
        "seeds": sorted(seeds.items()),
        "ledger": [list(account) for account in table.ledger],
        "sit_and_go": [level, began, list(table.out)],
    }  # fmt: skip


def next_button(table: TableState) -> int | None:
    """Who has the button next; None when chance decides."""
    if table.hand is None:
        return None
    last, count = table.hand.seats[-1], table.config.seats
    return min(table.in_next_hand(), key=lambda chair: (chair - last - 1) % count)


def apply(table: TableState, kind: str, data: dict[str, Any]) -> TableState:
    """The table after an event."""
    after = _EVENTS[kind](table, data)
    return replace(after, number=table.number + 1)


def rebuild(config: TableConfig, events: Iterator[tuple[int, str, dict[str, Any]]]) -> TableState:
    """A table from its log, beginning with ``created``, or with any ``dealt`` and what was ``promised`` for it."""
    _, kind, data = next(events)
    if kind == "created":
        table = new_table(config, data["person"], data["name"])
    else:
        assert kind == "promised", f"a log does not begin with {kind}"
        table = apply(TableState(config, (), 0), kind, data)
        number, kind, data = next(events)
        assert kind == "dealt", f"after a promise that a log begins with, there is no {kind}"
        table = apply(replace(table, number=number - 1), kind, data)
    for expected, (number, kind, data) in enumerate(events, table.number + 1):
        assert number == expected, "the log has a gap"
        table = apply(table, kind, data)
    return table


def _promised(table: TableState, data: dict[str, Any]) -> TableState:
    return replace(table, promised=PromisedDeck.from_dict(data))


def _dealt(table: TableState, data: dict[str, Any]) -> TableState:
    promised, seeds = table.promised, dict(data["seeds"])
    assert promised is not None
    assert promised.hand == data["hand"], "a hand is dealt from the deck that was promised for it"
    chairs = tuple(Chair(*row) for row in data["chairs"])
    seats, deck = tuple(data["seats"]), promised.dealt(seeds)
    ledger = tuple(Account(*row) for row in data.get("ledger", ()))
    level, began, out = data.get("sit_and_go", (0, None, ()))
    game = table.config.game_of([chairs[chair].stack for chair in seats], level)
    state = dealt(game.start(), deck)
    people = tuple(chairs[chair].person for chair in seats)
    names = tuple(chairs[chair].name for chair in seats)
    hand = HandInPlay(promised, seeds, data["number"], seats, people, names, deck, state)
    bought_in = sum(chair.stack for chair in chairs)
    assert table.config.chips == "reset" or not table.chairs or bought_in == table.bought
    table = replace(
        table, chairs=chairs, bought=bought_in, hand=hand, hands=data["number"] - 1, promised=None, ledger=ledger,
        level=level, began=began, out=tuple(out),
    )  # fmt: skip
    return _settled(table)


def _acted(table: TableState, data: dict[str, Any]) -> TableState:
    hand, chair = table.hand, data["chair"]
    assert hand is not None
    assert (hand.id, hand.turn, hand.to_act) == (data["hand"], data["turn"], chair)
    state = dealt(hand.state.apply(data["action"]), hand.deck)
    sitting = table.chairs[chair]
    missed = sitting.missed + 1 if data.get("late") else 0
    table = _with(table, chair, missed=missed, away=sitting.away or missed >= MISSED)
    return _settled(replace(table, hand=replace(hand, state=state, turn=hand.turn + 1)))


def _settled(table: TableState) -> TableState:
    """The table with the chips of a hand that is over paid out, the leaving gone and the coming seated."""
    hand = table.hand
    assert hand is not None
    if hand.state.player != TERMINAL:
        return table
    net = tuple(round(won) for won in hand.state.returns())
    assert not sum(net), "chips are neither made nor lost"
    chairs, ledger = list(table.chairs), table.ledger
    for seat, chair in enumerate(hand.seats):
        chairs[chair] = replace(chairs[chair], stack=chairs[chair].stack + net[seat])
        ledger = counted(ledger, hand.people[seat], hand.names[seat], chair, net[seat])
    out = [seat for seat, chair in enumerate(hand.seats) if table.config.sit_and_go and not chairs[chair].stack]
    out.sort(key=lambda seat: (hand.state.game.stacks[seat], seat))  # who had more chips before the hand stays longer
    table = replace(
        table, chairs=tuple(chairs), hand=replace(hand, net=net), hands=hand.number, ledger=ledger,
        out=(*table.out, *(hand.seats[seat] for seat in out)),
    )  # fmt: skip
    for at, sitting in enumerate(table.chairs):
        if sitting.leaving:
            table = _vacated(table, at)
        if sitting.coming is not None:
            table = _seated(table, at, *sitting.coming)
    return table


def _with(table: TableState, at: int, **changes: Any) -> TableState:
    chairs = list(table.chairs)
    chairs[at] = replace(chairs[at], **changes)
    return replace(table, chairs=tuple(chairs))


def _exchanged(table: TableState, at: int, chair: Chair) -> TableState:
    """One player gets up with their chips and another sits down with a stack; in a sit-and-go the chips stay."""
    before = table.chairs[at]
    if table.config.sit_and_go and table.hand is not None:
        chair = replace(chair, stack=before.stack)
    chairs = (*table.chairs[:at], chair, *table.chairs[at + 1 :])
    ledger = sat_down(got_up(table.ledger, before.person, at), chair.person, chair.name, at, chair.stack)
    return replace(table, chairs=chairs, ledger=ledger, bought=table.bought - before.stack + chair.stack)


def _vacated(table: TableState, at: int) -> TableState:
    return _exchanged(table, at, _ai(table.config, at))


def _seated(table: TableState, at: int, person: str, name: str) -> TableState:
    return _exchanged(table, at, Chair(person, name, table.config.stack))


def _busy(table: TableState, at: int) -> bool:
    return table.playing and table.hand is not None and at in table.hand.seats


def _sat(table: TableState, data: dict[str, Any]) -> TableState:
    at, person, name = data["chair"], data["person"], data["name"]
    assert at in table.free_chairs()
    return _with(table, at, coming=(person, name)) if _busy(table, at) else _seated(table, at, person, name)


def _left(table: TableState, data: dict[str, Any]) -> TableState:
    at = data["chair"]
    if table.chairs[at].coming is not None:  # they have not sat down yet
        return _with(table, at, coming=None)
    assert table.chairs[at].person is not None
    return _with(table, at, leaving=True, away=True) if _busy(table, at) else _vacated(table, at)


def _rebought(table: TableState, data: dict[str, Any]) -> TableState:
    at, chips = data["chair"], data["chips"]
    assert not _busy(table, at)
    assert chips > 0
    chair, ledger = table.chairs[at], bought(table.ledger, table.chairs[at].person, at, chips)
    return replace(_with(table, at, stack=chair.stack + chips), bought=table.bought + chips, ledger=ledger)


def _away(table: TableState, data: dict[str, Any]) -> TableState:
    return _with(table, data["chair"], away=True)


def _back(table: TableState, data: dict[str, Any]) -> TableState:
    return _with(table, data["chair"], away=False, missed=0)


def _closing(table: TableState, data: dict[str, Any]) -> TableState:
    """No hand comes after this one, which is played to its end; the host leaves it as anybody does."""
    at = data["chair"]
    table = table if at is None or table.chairs[at].leaving else _left(table, {"chair": at})
    return replace(table, closing=True)


def _closed(table: TableState, data: dict[str, Any]) -> TableState:
    return replace(table, closed=True)


def _rematched(table: TableState, data: dict[str, Any]) -> TableState:
    return replace(table, rematch=(data["table"], data["invite"]))


_EVENTS = {
    "promised": _promised, "dealt": _dealt, "acted": _acted, "sat": _sat, "left": _left, "rebought": _rebought,
    "away": _away, "back": _back, "closing": _closing, "closed": _closed,
    "rematched": _rematched,
}  # fmt: skip


def raise_bounds(state: PokerState) -> tuple[int, int] | None:
    """The smallest and the largest raise that a table takes.

    They are those of the rules, except that a line does not go on for ever: nobody is kept from putting all of their
    chips in, but they can do so once only.
    """
    bounds = state.raise_bounds()
    raises, actions = sum(action > CALL for action in state.line[-1]), sum(map(len, state.line))
    if bounds is not None and (raises >= MOST_RAISES or actions >= MOST_ACTIONS):
        return bounds[1], bounds[1]
    return bounds


def is_too_long(state: PokerState, action: int) -> bool:
    """Whether an action is a raise that the rules would allow, but not a table."""
    bounds = raise_bounds(state)
    return action > CALL and bounds is not None and bounds[0] == bounds[1] != action and action in state.legal_actions()


def passive(state: PokerState) -> int:
    """What is done for a player who does nothing: check if that is free, else fold."""
    return FOLD if state.to_call() else CALL
