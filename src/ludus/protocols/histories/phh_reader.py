"""Reading PHH files: hold'em with no limit (``NT``) or fixed limits (``FT``), one hand or many in sections.

Every hand is read on its own, so that an unsound one does not affect the others, and is replayed by the rules. The
format allows more than we do: histories that stop before the end, blinds posted out of turn (negative ones) and
the other variants are refused. Money in cents becomes whole chips of that unit.
"""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from ludus.cards.card import CARDS
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.rules import NO_STACK
from ludus.protocols.histories.hand import (
    MOST_TEXT,
    Move,
    PlayedHand,
    Problem,
    less_uncalled,
    play,
    same_chips,
    settle,
    uncalled,
)
from ludus.protocols.histories.phh import OWN_RULES, standard_game
from ludus.protocols.histories.phh_amounts import Fields, Money, as_amount, decimal, listed

MOST_CHARACTERS = 2**16  # of a hand: a long one has a few thousand
_SECTION = re.compile(r"\[\s*(?!_)([A-Za-z0-9_-]{1,80}|\"[^\"\\]{0,80}\"|'[^']{0,80}')\s*\]\s*(?:#.*)?$")
_DOTTED = re.compile(r"(?:\.[^.,=\[\]{}\n]{0,40}){20}\.")  # long dotted keys take tomllib quadratic time
_VARIANT = re.compile(r"^[ \t]*variant[ \t]*=", re.MULTILINE)  # blank lines must not be read again and again
_NUMBERS = {"??": HIDDEN, **{name: card for card, name in enumerate(CARDS)}}
_AMOUNT = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,9})?", re.ASCII)


def is_phh(head: str) -> bool:
    """Whether the beginning of a file looks like one in this format."""
    return bool(_VARIANT.search(head))


def read_phh(text: str) -> list[PlayedHand]:
    """The hands of a ``.phh`` or ``.phhs`` file; ValueError at the first that cannot be read.

    >>> from ludus.protocols.histories.phh import write_phh
    >>> from ludus.games import holdem
    >>> state = holdem().start().deal(range(52)).apply(-1)
    >>> read_phh(write_phh(PlayedHand(state, ("ann", "bob"), 3)))[0].returns()
    (1.0, -1.0)
    """
    hands = []
    for found in read_phh_lines(io.StringIO(text)):
        if isinstance(found, Problem):
            raise ValueError(f"{found}")
        hands.append(found)
    return hands


def read_phh_lines(lines: Iterable[str]) -> Iterator[PlayedHand | Problem]:
    """The hands of a file, line by line, or what is wrong with them."""
    for number, (name, text) in enumerate(_sections(lines), 1):
        where = f"hand {name or number}"
        try:
            if text is None:
                raise ValueError(f"a hand has at most {MOST_CHARACTERS} characters")
            yield _read_hand(text, number)
        except ValueError as error:
            yield Problem(where, f"{error}")


def _sections(lines: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """The texts of the hands with the names of their sections; None for one that is too long."""
    name, size = "", 0
    part: list[str] = []
    for line in lines:
        if line.startswith("[") and (header := _SECTION.match(line)):
            if name or not _is_empty(part):
                yield name, "".join(part) if size <= MOST_CHARACTERS else None
            name, part, size = header[1].strip("\"'"), [], 0
            continue
        size += len(line)
        if size <= MOST_CHARACTERS:
            part.append(line)
    if name or not _is_empty(part) or size > MOST_CHARACTERS:
        yield name, "".join(part) if size <= MOST_CHARACTERS else None


def _is_empty(lines: Iterable[str]) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in lines)


def _read_hand(text: str, number: int) -> PlayedHand:
    try:
        if _DOTTED.search(text):
            raise RecursionError
        data = tomllib.loads(text, parse_float=decimal)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"this is not TOML: {error}") from None
    except RecursionError:
        raise ValueError("this is nested too deeply") from None
    players = _count_players(data)
    actions = _read_actions(data, players)
    money = Money(data, players, [move[1] for move in actions.moves if isinstance(move[1], Decimal)])
    names = _texts(data, "players", players) or [""] * players
    names = [name or f"p{seat + 1}" for seat, name in enumerate(names)]
    moves = [
        Move(seat, money.chips(action) if isinstance(action, Decimal) else action, board)
        for seat, action, board in actions.moves
    ]
    state = play(_game(data, money), actions.holes, actions.board, moves, names)
    collected, rake, doubt = _settled(money, state, actions.mucked)
    return PlayedHand(
        state,
        tuple(names),
        _number(data, number),
        collected,
        rake,
        money.unit,
        currency=_text(data, "currency_symbol") or _text(data, "currency"),
        event=_text(data, "event"),
        venue=_text(data, "venue"),
        table=_text(data, "table"),
        played=_played(data),
        time_zone=_text(data, "time_zone_abbreviation") or _text(data, "time_zone"),
        seats=_seats(data, players),
        doubt=doubt,
    )


def _count_players(data: Fields) -> int:
    variant, stacks = data.get("variant"), data.get("starting_stacks")
    if variant not in ("NT", "FT"):
        raise ValueError(f"only hold'em can be read, the variants NT and FT, not {variant!r:.40}")
    players = len(stacks) if isinstance(stacks, list) else 0
    if not 2 <= players <= 10:
        raise ValueError(f"a table has 2 to 10 players, here are starting_stacks of {players}")
    return players


# Actions


@dataclass
class _Actions:
    """The cards and the moves of a hand from its actions; a raise is still an amount of money."""

    holes: list[list[int]]
    board: list[int] = field(default_factory=list)
    moves: list[tuple[int, int | Decimal, int]] = field(default_factory=list)
    mucked: set[int] = field(default_factory=set)


def _read_actions(data: Fields, players: int) -> _Actions:
    found = _Actions([[] for _ in range(players)])
    for text in _texts(data, "actions"):
        match text.partition("#")[0].split():
            case []:
                continue
            case ["d", "dh", player, cards]:
                found.holes[_seat(player, players)] += _cards(cards)
            case ["d", "db", cards]:
                found.board += _cards(cards)
            case [player, "f"]:
                found.moves.append((_seat(player, players), FOLD, len(found.board)))
            case [player, "cc"]:
                found.moves.append((_seat(player, players), CALL, len(found.board)))
            case [player, "cbr", amount]:
                found.moves.append((_seat(player, players), _raise_to(amount), len(found.board)))
            case [player, "sm"]:
                found.mucked.add(_seat(player, players))
            case [player, "sm", cards]:
                seat = _seat(player, players)
                found.holes[seat] = _merged(found.holes[seat], [] if cards == "-" else _cards(cards))
            case _:
                raise ValueError(f"{text!r:.60} is not an action of hold'em")
    if HIDDEN in found.board:
        raise ValueError("the cards of the board must be known")
    found.holes = [_merged(hole, []) for hole in found.holes]
    return found


def _seat(player: str, players: int) -> int:
    if not re.fullmatch(r"p[1-9][0-9]?", player, re.ASCII) or int(player[1:]) > players:
        raise ValueError(f"{player!r:.20} is not a player: they are p1 to p{players}")
    return int(player[1:]) - 1


def _raise_to(text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text) or not (amount := Decimal(text)):
        raise ValueError(f"{text!r:.40} is not an amount to raise to")
    return amount


def _cards(text: str) -> list[int]:
    cards = [_NUMBERS.get(text[at : at + 2]) for at in range(0, min(len(text), 12), 2)]
    if None in cards or len(cards) > 5:
        raise ValueError(f"{text!r:.40} are not cards: they are written as in AhKd, unknown ones as ??")
    return [card for card in cards if card is not None]


def _merged(dealt: Sequence[int], shown: Sequence[int]) -> list[int]:
    """Two hole cards from what was dealt and what was finally shown, hidden where unknown."""
    known = [card for card in dict.fromkeys((*dealt, *shown)) if card != HIDDEN]
    if len(known) > 2 or max(len(dealt), len(shown)) > 2:
        raise ValueError(f"a player has two cards, not {' and '.join(CARDS[card] for card in known) or 'more'}")
    return known + [HIDDEN] * (2 - len(known))


# Rules


def _game(data: Fields, money: Money) -> PokerGame:
    stacks, antes, blinds = (money.row(name) for name in ("starting_stacks", "antes", "blinds_or_straddles"))
    if money.players == 2:  # listed button first
        antes, blinds = antes[::-1], blinds[::-1]
    trimmed = data.get("ante_trimming_status", False)
    if not isinstance(trimmed, bool):
        raise ValueError(f"ante_trimming_status is true or false, got {trimmed!r:.40}")
    if len(set(antes)) == 1 and not trimmed:  # a player short of the ante can win all of it: then it is dead money
        antes = tuple(min(ante, stack) for ante, stack in zip(antes, stacks, strict=True))
    elif len(set(antes)) > 1 and trimmed:
        raise ValueError("unequal antes cannot be trimmed: leave ante_trimming_status false")
    bets = [money.row(name)[0] for name in (("small_bet", "big_bet") if money.limit else ("min_bet", "min_bet"))]
    game = standard_game("FT" if money.limit else "NT", stacks, blinds, antes, *bets)
    own = _own_rules(data, money)
    return replace(game, **own) if own else game


def _own_rules(data: Fields, money: Money) -> dict[str, Any]:
    own = data.get("_rules", {})
    if not isinstance(own, dict) or not own.keys() <= set(OWN_RULES):
        raise ValueError(f"_rules are some of {', '.join(OWN_RULES)}")
    rules: dict[str, Any] = {}
    for name, value in own.items():
        if name in ("name", "dialect"):
            rules[name] = _text(own, name)
        elif name == "min_bet":
            rules[name] = money.chips(as_amount(value, name))
        elif name == "antes":
            rules[name] = tuple(money.chips(as_amount(each, name)) for each in listed(own, name))
        else:
            rules[name] = tuple(_as_count(each, name) for each in listed(own, name))
    return rules


def _as_count(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= NO_STACK:
        raise ValueError(f"{what} must be whole numbers, got {value!r:.40}")
    return value


# The end, and facts about the hand


def _settled(money: Money, state: PokerState, mucked: set[int]) -> tuple[tuple[float, ...] | None, float, str]:
    """What each seat collected, the rake, and which field says otherwise: the first that is possible counts."""
    claims = _claims(money, state)
    doubts: dict[str, str] = {}
    for name, taken in claims:
        try:
            found = settle(state, taken, mucked)
        except ValueError as error:
            doubts.setdefault(name, f"{name} cannot be: {error}")
            continue
        doubts.pop(name, None)
        agreeing = {other for other, amounts in claims if same_chips(amounts, taken)}
        for other in dict(claims).keys() - agreeing:
            doubts.setdefault(other, f"{other} differs from {name}")
        return *found, "; ".join(doubts.values())
    if doubts:
        raise ValueError("; ".join(doubts.values()))
    return *settle(state, None, mucked), ""


def _claims(money: Money, state: PokerState) -> list[tuple[str, list[float]]]:
    """What each seat took from the pot, as the fields may mean it, the likeliest first.

    Some files count the uncalled bet that went back among the ``winnings``.
    """
    claims = []
    if (left := money.result("finishing_stacks")) is not None and NO_STACK not in money.row("starting_stacks"):
        parts = zip(left, state.game.stacks, state.spent(), uncalled(state), strict=True)
        taken = [round(end - start + spent - back, 6) for end, start, spent, back in parts]
        claims.append(("finishing_stacks", taken))
    if (won := money.result("winnings")) is not None:
        claims += [("winnings", won), ("winnings", less_uncalled(state, won))]
    return claims


def _number(data: Fields, default: int) -> int | str:
    number = data.get("hand", default)
    if isinstance(number, str):
        return _text(data, "hand")
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) >= 2**63:
        raise ValueError(f"hand is a number or a name, got {number!r:.40}")
    return number


def _text(data: Fields, name: str) -> str:
    """A text, which may be a whole number in the file; empty when there is none."""
    value = data.get(name, "")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        return f"{value}"
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ValueError(f"{name} is a text of at most {MOST_TEXT} characters, got {value!r:.40}")
    return value


def _texts(data: Fields, name: str, length: int | None = None) -> list[str]:
    values = listed(data, name)
    if not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} are texts")
    if length is not None and values and len(values) != length:
        raise ValueError(f"expected {length} {name}, got {len(values)}")
    return values


def _seats(data: Fields, players: int) -> tuple[int, ...]:
    seats = tuple(_as_count(seat, "seats") for seat in listed(data, "seats"))
    if seats and len(seats) != players:
        raise ValueError(f"expected {players} seats, got {len(seats)}")
    return seats


def _played(data: Fields) -> date | None:
    year, month, day, clock = (data.get(name) for name in ("year", "month", "day", "time"))
    if not (isinstance(year, int) and isinstance(month, int) and isinstance(day, int)):
        return None
    try:
        found = date(year, month, day)
    except (ValueError, OverflowError):
        raise ValueError(f"{day!s:.9}/{month!s:.9}/{year!s:.9} is not a date") from None
    return datetime.combine(found, clock) if isinstance(clock, time) else found
