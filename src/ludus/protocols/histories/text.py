"""Hands for people to read, of any poker game, and as plain data for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ludus.cards.card import CARDS
from ludus.games.moves import FOLD
from ludus.games.names import hand_name, place_names, street_name
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.record import betting_text, cards_text, retrace
from ludus.games.rules import NO_STACK
from ludus.protocols.histories.hand import PlayedHand, contested_pot, without_gaps

_NUMBER = re.compile(r"[0-9]+")


def as_text(hand: PlayedHand) -> str:
    """A hand in words, ending with a line break; it is not meant to be read back.

    >>> from ludus.games import leduc
    >>> state = leduc().start().deal(leduc().deck).apply(3).apply(0).deal(leduc().deck).apply(4).apply(-1)
    >>> print(as_text(PlayedHand(state, ("ann", "bob"), 5)), end="")
    Hand 5: leduc, ante 1
      P1 ann  Jh
      P2 bob  Js
    round 1
      ann: bet 2
      bob: call 2
    round 2: Qh (pot 6)
      ann: bet 4
      bob: fold
    result: ann +3, bob -3
    """
    lines = [_title(hand), *_players(hand), *_streets(hand), *_showdown(hand), _result(hand)]
    if hand.doubt:
        lines.append(f"set aside: {printable(hand.doubt)}")
    return "".join(f"{line}\n" for line in lines)


def printable(text: str) -> str:
    """A text without what could control a terminal."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def facts(hand: PlayedHand) -> dict[str, Any]:
    """A hand as JSON can hold it; cards and betting as in ACPC logs, amounts in chips of ``unit``."""
    state, game, returns = hand.state, hand.state.game, hand.returns()
    return {
        "number": hand.number, "players": list(hand.players), "game": game.name, "betting_rules": game.betting,
        "dialect": game.dialect, "stacks": list(game.stacks), "blinds": list(game.blinds), "antes": list(game.antes),
        "min_bet": game.smallest_raise(0), "cards": cards_text(state), "betting": betting_text(state),
        "actions": [
            {"street": street, "seat": at.player, "player": hand.players[at.player], "action": action, "words": words}
            for street, at, action, words in _decisions(hand)
        ],
        "pot": contested_pot(state), "rake": hand.rake, "returns": None if returns is None else list(returns),
        "collected": None if hand.collected is None else list(hand.collected), "unit": float(hand.unit),
        "currency": hand.currency, "event": hand.event, "venue": hand.venue, "table": hand.table,
        "played": None if hand.played is None else hand.played.isoformat(), "time_zone": hand.time_zone,
        "seats": list(hand.seats), "doubt": hand.doubt,
    }  # fmt: skip


def _decisions(hand: PlayedHand) -> Iterator[tuple[str, PokerState, int, str]]:
    """Every action with its street, the state before it and its name."""
    state = hand.state
    for at, action in retrace(state, without_gaps(state.game, state.cards)):
        words = at.phrase(action).text(lambda chips: _money(hand, chips))
        forfeit = " (forfeit)" * (action == FOLD and not at.to_call())
        yield street_name(state.game, at.street), at, action, words + forfeit


def _money(hand: PlayedHand, chips: float, sign: str = "") -> str:
    """Chips in the currency of the hand."""
    if hand.unit == 1 and not hand.currency and chips == int(chips):
        return f"{'-' if chips < 0 else sign}{abs(int(chips))}"
    symbol = hand.currency if len(hand.currency) == 1 else ""
    amount = float(chips * float(hand.unit))
    text = f"{abs(amount):,.2f}" if hand.unit != 1 else f"{abs(amount):.6f}".rstrip("0").rstrip(".")
    return ("-" if amount < 0 else sign) + symbol + text


def _cards(cards: Sequence[int]) -> str:
    return " ".join("??" if card == HIDDEN else CARDS[card] for card in cards)


def _title(hand: PlayedHand) -> str:
    game = hand.state.game
    words = [f"{game.betting} hold'em" if game.name == "holdem" else game.name]
    antes = set(game.antes) - {0}
    if len(set(game.blinds)) > 1:
        words.append("blinds " + "/".join(_money(hand, blind) for blind in sorted(set(game.blinds) - {0})))
    elif game.blinds[0]:
        antes.add(game.blinds[0])
    if antes:
        words.append("ante " + "/".join(_money(hand, ante) for ante in sorted(antes)))
    words += [part for part in (hand.event, hand.venue, f"table {hand.table}" * bool(hand.table)) if part]
    if hand.played is not None:
        words.append(f"{hand.played} {hand.time_zone}".strip())
    return printable(f"Hand {hand.number}: {', '.join(words)}")


def _players(hand: PlayedHand) -> Iterator[str]:
    """Where everybody sits, with the stack and the cards that are known."""
    state, places = hand.state, place_names(hand.state.game)
    names = [printable(name) for name in hand.players]
    stacks = ["" if stack == NO_STACK else _money(hand, stack) for stack in state.game.stacks]
    widths = [max(map(len, column)) for column in (places, names, stacks)]
    for seat, row in enumerate(zip(places, names, stacks, strict=True)):
        place, name, stack = row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2])
        cards = "" if set(state.hole(seat)) == {HIDDEN} else _cards(state.hole(seat))
        yield f"  {place} {name} {stack} {cards}".rstrip()


def _streets(hand: PlayedHand) -> Iterator[str]:
    state, game = hand.state, hand.state.game
    moves: list[list[str]] = [[] for _ in state.line]
    pots = [0] * len(state.line)
    for _, at, _, words in _decisions(hand):
        if not moves[at.street]:
            pots[at.street] = at.pot
        moves[at.street].append(f"  {printable(hand.players[at.player])}: {words}")
    for street, told in enumerate(moves):
        title = street_name(game, street)
        if street:
            board = state.cards[game.card_targets[street - 1] : game.card_targets[street]]
            title += f": {_cards(board)}" + f" (pot {_money(hand, pots[street])})" * bool(told)
        yield title
        yield from told


def _showdown(hand: PlayedHand) -> Iterator[str]:
    state = hand.state
    if len(state.live_seats()) == 1:
        return
    yield f"showdown (pot {_money(hand, contested_pot(state))})"
    for seat in state.showdown_order():
        cards = state.hole(seat)
        made = "" if HIDDEN in cards else f", {hand_name(cards + state.board)}"
        shown = "not shown" if set(cards) == {HIDDEN} else _cards(cards) + made
        yield f"  {printable(hand.players[seat])}: {shown}"


def _result(hand: PlayedHand) -> str:
    returns = hand.returns()
    if returns is None:
        return "result: not known, because cards were not shown"
    won = zip(map(printable, hand.players), returns, strict=True)
    parts = (f"{name} {_money(hand, chips, '+' if chips else '')}" for name, chips in won)
    return f"result: {', '.join(parts)}" + f", rake {_money(hand, hand.rake)}" * bool(hand.rake)
