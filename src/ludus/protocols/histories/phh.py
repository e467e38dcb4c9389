"""Writing hands in the PHH format, the TOML-based hand histories of PokerKit (Kim 2024, arXiv:2312.11753).

The format has codes for no-limit and fixed-limit hold'em and none for pot-limit hold'em or for small games such as
Kuhn's, so these are refused. Heads-up it lists antes and blinds button first, while players and stacks begin with the
big blind, which is our order. A fold where checking was free is ``f`` with the comment ``forfeit``, which PokerKit
plays with a warning. Rules that the format has no field for (the ACPC dialect, caps on raises) are in ``_rules``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ludus.cards.card import CARDS, DECK
from ludus.games.moves import CALL
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import retrace
from ludus.protocols.histories.hand import PlayedHand, without_gaps

CARD_NAMES = {HIDDEN: "??", **dict(enumerate(CARDS))}
OWN_RULES = ("name", "dialect", "antes", "max_raises", "first_seats", "min_bet")


def write_phh(hand: PlayedHand) -> str:
    """One hand as the text of a ``.phh`` file; ValueError for a game that the format does not have.

    >>> from ludus.games import holdem
    >>> deck = range(51, -1, -1)
    >>> folded = holdem().start().deal(deck).apply(6).apply(-1)
    >>> print(write_phh(PlayedHand(folded, ("ann", "bob"), 7)), end="")
    variant = "NT"
    antes = [0, 0]
    blinds_or_straddles = [1, 2]
    min_bet = 2
    starting_stacks = [200, 200]
    actions = [
      "d dh p1 AsAh", "d dh p2 AdAc",
      "p2 cbr 6", "p1 f",
    ]
    hand = 7
    players = ["ann", "bob"]
    finishing_stacks = [198, 202]
    """
    game = hand.state.game
    if game.bets is not None:  # what a player may choose from is not a rule of the table
        game = replace(game, bets=None)
    head, own_rules = _rules_text(game, hand.unit)
    return f"{head}actions = [\n{_actions_text(hand)}]\n{_facts_text(hand)}{own_rules}"


def write_phhs(hands: Iterable[PlayedHand]) -> str:
    """Many hands as the text of a ``.phhs`` file."""
    return "".join(phhs_sections(hands))


def phhs_sections(hands: Iterable[PlayedHand]) -> Iterator[str]:
    """The sections of a ``.phhs`` file, one per hand, counted from 1, to be written one after the other."""
    for number, hand in enumerate(hands, 1):
        yield f"[{number}]\n{write_phh(hand)}\n"


@lru_cache(maxsize=256)
def standard_game(
    variant: str,
    stacks: tuple[int, ...],
    blinds: tuple[int, ...],
    antes: tuple[int, ...],
    small_bet: int,
    big_bet: int,
) -> PokerGame:
    """The game that the standard fields of a file describe, seats in our order."""
    limit = variant == "FT"
    return PokerGame(
        name="holdem",
        stacks=stacks,
        blinds=blinds,
        antes=antes,
        betting="limit" if limit else "no-limit",
        raise_sizes=(small_bet, small_bet, big_bet, big_bet) if limit else (),
        max_raises=(4, 4, 4, 4) if limit else (),
        min_bet=small_bet,
    )


@lru_cache(maxsize=256)
def _rules_text(game: PokerGame, unit: Decimal) -> tuple[str, str]:
    """The fields of a game, the same for all of its hands: the standard ones, and our own for the end."""
    variant, sizes = variant_of(game), game.raise_sizes
    antes = game.antes or (0,) * game.players
    bets = (sizes[0], sizes[3]) if sizes else (game.smallest_raise(0),) * 2
    standard = standard_game(variant, game.stacks, game.blinds, antes, *bets)
    flip = -1 if game.players == 2 else 1
    lines = [f'variant = "{variant}"', f"antes = {_list(antes[::flip], unit)}"]
    if any(antes) and not game.dead_antes:
        lines.append("ante_trimming_status = true")
    lines.append(f"blinds_or_straddles = {_list(game.blinds[::flip], unit)}")
    if variant == "FT":
        lines += [f"small_bet = {_amount(bets[0], unit)}", f"big_bet = {_amount(bets[1], unit)}"]
    else:
        lines.append(f"min_bet = {_amount(bets[0], unit)}")
    lines.append(f"starting_stacks = {_list(game.stacks, unit)}\n")
    own = [
        f"{name} = {_rule(name, getattr(game, name), unit)}"
        for name in OWN_RULES
        if getattr(game, name) != getattr(standard, name)
    ]
    return "\n".join(lines), f"_rules = {{{', '.join(own)}}}\n" if own else ""


def variant_of(game: PokerGame) -> str:
    """The code of a game, NT or FT; ValueError when the format has none."""
    if game.deck != DECK or game.hole_cards != 2 or game.board_cards != (0, 3, 1, 1):
        raise ValueError(f"PHH has no variant for {game.name}: it can be written as text")
    if game.betting == "pot-limit":
        raise ValueError("PHH has no variant for pot-limit hold'em: it can be written as text")
    sizes = game.raise_sizes
    if game.betting == "limit" and (sizes[0] != sizes[1] or sizes[2] != sizes[3]):
        raise ValueError(f"PHH knows a small and a big bet, not the bets {sizes}: the hand can be written as text")
    return "FT" if game.betting == "limit" else "NT"


def _rule(name: str, value: Any, unit: Decimal) -> str:
    if name == "min_bet":
        return _amount(value, unit)
    return _list(value, unit if name == "antes" else Decimal(1)) if isinstance(value, tuple) else quoted(value)


@lru_cache(maxsize=1024)
def quoted(text: str) -> str:
    """A text as TOML writes it.

    >>> print(quoted('the "nuts"'))
    "the \\"nuts\\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _amount(chips: float, unit: Decimal) -> str:
    """Chips as money, with all the digits of the unit, so that the unit can be recovered."""
    if chips == int(chips):
        return f"{int(chips)}" if unit == 1 else f"{int(chips) * unit:f}"
    return repr(float(chips)) if unit == 1 else f"{Decimal(repr(float(chips))) * unit:f}"


def _list(values: Iterable[float], unit: Decimal) -> str:
    return f"[{', '.join(_amount(value, unit) for value in values)}]"


def _actions_text(hand: PlayedHand) -> str:
    """The actions, one line per street."""
    state, unit = hand.state, hand.unit
    game, names = state.game, CARD_NAMES
    hidden = HIDDEN in state.cards
    streets: list[list[str]] = [[] for _ in state.line]
    for at, action in retrace(state, without_gaps(game, state.cards) if hidden else None):
        player = at.player + 1
        if action > CALL:
            move = f'"p{player} cbr {action if unit == 1 else _amount(action, unit)}"'
        elif action == CALL:
            move = f'"p{player} cc"'
        else:
            move = f'"p{player} f"' if at.to_call() else f'"p{player} f # forfeit"'
        streets[at.street].append(move)
    cards, ends = state.cards, game.card_targets
    lines = [", ".join(f'"d dh p{s + 1} {names[cards[2 * s]]}{names[cards[2 * s + 1]]}"' for s in range(game.players))]
    lines += [", ".join(streets[0])] if streets[0] else []
    for street in range(1, state.street + 1):
        dealt = "".join(names[card] for card in cards[ends[street - 1] : ends[street]])
        lines.append(", ".join([f'"d db {dealt}"', *streets[street]]))
    if shown := _showdown(hand, state):
        lines.append(", ".join(shown))
    return "".join(f"  {line},\n" for line in lines)


def _showdown(hand: PlayedHand, state: PokerState) -> list[str]:
    """Everybody shows; a player whose cards nobody saw and who takes nothing mucks."""
    order = state.showdown_order()
    if len(order) == 1:
        return []
    shown = []
    for seat in order:
        cards = state.hole(seat)
        mucks = HIDDEN in cards and hand.collected is not None and not hand.collected[seat]
        text = "" if mucks else " " + "".join(CARD_NAMES[card] for card in cards)
        shown.append(f'"p{seat + 1} sm{text}"')
    return shown


def _facts_text(hand: PlayedHand) -> str:
    """What is known about a hand besides its rules and its actions."""
    number = hand.number if isinstance(hand.number, int) else quoted(hand.number)
    lines = [f"hand = {number}", f"players = [{', '.join(map(quoted, hand.players))}]"]
    for name in ("event", "venue", "table"):
        if text := getattr(hand, name):
            lines.append(f"{name} = {quoted(text)}")
    if hand.played is not None:
        day = hand.played
        lines += [f"day = {day.day}", f"month = {day.month}", f"year = {day.year}"]
        if isinstance(day, datetime):
            lines.append(f"time = {day:%H:%M:%S}")
        if hand.time_zone:
            lines.append(f"time_zone_abbreviation = {quoted(hand.time_zone)}")
    if hand.seats:
        lines.append(f"seats = {list(hand.seats)}")
    if hand.currency:
        lines.append(f"currency{'_symbol' * (len(hand.currency) == 1)} = {quoted(hand.currency)}")
    if hand.collected is not None:
        lines.append(f"winnings = {_list(hand.collected, hand.unit)}")
    if (returns := hand.returns()) is not None:
        stacks = hand.state.game.stacks
        left = [stack + won for stack, won in zip(stacks, returns, strict=True)]
        lines.append(f"finishing_stacks = {_list(left, hand.unit)}")
    return "\n".join(lines) + "\n"
