"""What goes over the wire: states to the players, answers to the dealer.

Writing is canonical. Reading is as forgiving as the competition's own library, byte for byte, because a stricter dealer
would end matches that others continue: letters and cards in either case, ``b`` for ``r`` and ``k`` for ``c``, missing
separators, numbers that wrap around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludus.cards.card import CARDS
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import betting_text, cards_text, dealt, read_move

VERSION = b"VERSION:2.0.0\r\n"
MOST_ACTIONS = 64  # in one round
_DIGITS = 40  # of a number; more change nothing
_HEAD = re.compile(r"MATCHSTATE:\s*([+-]?[0-9]+):\s*([+-]?[0-9]+):", re.ASCII)
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)
_CARD = {
    rank + suit: card
    for card, name in enumerate(CARDS)
    for rank in {name[0], name[0].lower()}
    for suit in (name[1], name[1].upper())
}
_LETTERS = dict.fromkeys("fF", "f") | dict.fromkeys("cCkK", "c") | dict.fromkeys("rRbB", "r")
_BAD_ACTION = "WARNING: bad action format in response, changed to call"
_INVALID = "WARNING: invalid action, changed to call"
_BAD_STATE = "WARNING: bad state format in response"
_UNREQUESTED = "WARNING: ignoring un-requested response"
_TOO_MANY = "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold"


@dataclass(frozen=True, slots=True)
class MatchState:
    """A state as a player is told about it; ``state`` hides the cards that they may not see."""

    position: int
    hand: int
    state: PokerState


@dataclass(frozen=True, slots=True)
class Step:
    """An action and the state after it; the deal has neither player nor action."""

    player: int
    action: int | None
    state: PokerState


@dataclass(frozen=True, slots=True)
class Reply:
    """What a line from the player to act means: an action, or none when it is not an answer; and the warnings."""

    action: int | None
    warnings: tuple[str, ...] = ()


def seen_from(state: PokerState, position: int) -> PokerState:
    """A state as a position may see it: own cards, and all hands not folded once there was a showdown."""
    live = state.live_seats()
    if state.player != TERMINAL or len(live) == 1:
        return state.seen_by(position)
    return state.seen_by(position, *live)


def match_state(state: PokerState, position: int, hand: int) -> str:
    """The line that tells a position about a state, without its end.

    >>> from ludus.games.acpc import read_game
    >>> game = read_game("leduc.nolimit.2p.game")
    >>> match_state(game.start().deal(game.deck).apply(300), position=1, hand=7)
    'MATCHSTATE:1:7:r300:|Qs'
    """
    return f"MATCHSTATE:{position}:{hand}:{betting_text(state)}:{cards_text(seen_from(state, position))}"


def read_match_state(game: PokerGame, text: str) -> MatchState:
    """The state of a line, its end stripped or not; ValueError when it is not a state of this game.

    >>> from ludus.games.acpc import read_game
    >>> read_match_state(read_game("leduc.nolimit.2p.game"), "MATCHSTATE:1:7:r300:|Qs").state.player
    1
    """
    position, hand, steps = read_steps(game, text)
    return MatchState(position, hand, steps[-1].state)


def read_steps(game: PokerGame, text: str) -> tuple[int, int, list[Step]]:
    """Position and hand of a line, and how its state came about: the deal, then every action."""
    line = text.rstrip("\r\n")
    told = _scan(game, line)
    if told.end != len(line):
        raise ValueError(f"{line[told.end :][:40]!r} follows the state")
    shown = [seat for seat, hole in enumerate(told.holes) if hole]
    if told.position not in shown:
        raise ValueError("the cards of the position that is told of the state are missing")
    known = [card for hole in told.holes for card in hole] + list(told.board)
    spare = [card for card in game.deck if card not in known]
    hidden = [card for hole in told.holes for card in (hole or [spare.pop() for _ in range(game.hole_cards)])]
    steps = list(_follow(game, told.moves, [*hidden, *told.board]))
    seen = [Step(step.player, step.action, step.state.seen_by(told.position)) for step in steps[:-1]]
    last = Step(steps[-1].player, steps[-1].action, steps[-1].state.seen_by(*shown))
    return told.position, told.hand, [*seen, last]


def read_reply(state: PokerState, hand: int, line: bytes, asked: bytes | None = None) -> Reply:
    """What a line from the player to act means. ``asked`` is what they were sent, without its end.

    Warnings are worded as the competition's dealer words them.

    >>> from ludus.games.acpc import read_game
    >>> game = read_game("leduc.nolimit.2p.game")
    >>> read_reply(game.start().deal(game.deck), 0, b"MATCHSTATE:0:0::Qh|:r150")
    Reply(action=200, warnings=('WARNING: raise of 150 increased to 200',))
    """
    if asked is None:
        asked = match_state(state, state.player, hand).encode()
    if line.startswith(asked) and line[len(asked) : len(asked) + 1] == b":":
        text = line[len(asked) + 1 :].decode("latin-1")
    else:
        whole = line.partition(b"\0")[0].decode("latin-1")
        try:
            told = _scan(state.game, whole)
        except ValueError:
            return Reply(None, (_BAD_STATE,))
        if not _same(told, state, hand):
            return Reply(None, (_UNREQUESTED,))
        if whole[told.end : told.end + 1] != ":":
            return Reply(CALL, (_BAD_ACTION,))
        text = whole[told.end + 1 :]
    return _read_action(state, text)


def _read_action(state: PokerState, text: str) -> Reply:
    """The action after the state it answers, repaired where necessary."""
    letter = _LETTERS.get(text[:1])
    if letter == "c":
        return _CALLED
    moves = state.legal_actions()
    assert isinstance(moves, Moves)
    if letter == "f" and moves.fold:
        return Reply(FOLD)
    if letter != "r":
        return Reply(CALL, (_INVALID,))
    limit = state.game.betting == "limit"
    number = None if limit else _NUMBER.match(text, 1)
    if not limit and number is None:
        return Reply(CALL, (_BAD_ACTION,))
    bounds = state.raise_bounds()
    if bounds is None:
        return Reply(CALL, ((_TOO_MANY, _INVALID) if _crowded(state) else (_INVALID,)))
    if number is None:
        return Reply(bounds[0])
    before = state.game.stacks[state.player] - state.stacks[state.player] - state.bets[state.player]
    low, high, size = bounds[0] + before, bounds[1] + before, _signed_32(int(number[1][:_DIGITS]))
    if size < low:
        return Reply(bounds[0], (f"WARNING: raise of {size} increased to {low}",))
    if size > high:
        return Reply(bounds[1], (f"WARNING: raise of {size} decreased to {high}",))
    return Reply(size - before)


_CALLED = Reply(CALL)


def _crowded(state: PokerState) -> bool:
    """Whether nothing but the number of actions in this round bars a raise."""
    raises, caps = sum(action > 0 for action in state.line[-1]), state.game.max_raises
    capped = bool(caps) and raises >= caps[state.street]
    return not capped and len(state.line[-1]) + state.game.players > MOST_ACTIONS


@dataclass(frozen=True, slots=True)
class _Told:
    """The content of a line; ``state`` has the betting and meaningless cards."""

    position: int
    hand: int
    moves: tuple[str, ...]
    state: PokerState
    holes: tuple[tuple[int, ...], ...]  # empty where they are not shown
    board: tuple[int, ...]
    end: int  # where the line continues


def _same(told: _Told, state: PokerState, hand: int) -> bool:
    """Whether a line is about the state that the player to act was asked about."""
    return (
        told.position == state.player
        and told.hand == hand
        and told.state.line == state.line
        and told.board == state.board
        and told.holes[told.position] == state.hole(told.position)
    )


def _scan(game: PokerGame, line: str) -> _Told:
    head = _HEAD.match(line)
    if head is None:
        raise ValueError(f"{line[:40]!r} is not a state: it starts with MATCHSTATE, position, hand, betting and cards")
    position = _unsigned(int(head[1][:_DIGITS]), 8)
    if position >= game.players:
        raise ValueError(f"positions are 0..{game.players - 1}, got {position}")
    moves, at = _scan_betting(game, line, head.end())
    *_, last = _follow(game, moves, game.deck)
    state = last.state
    holes = []
    for seat in range(game.players):
        at += seat > 0 and line[at : at + 1] == "|"
        cards, end = _scan_cards(line, at, game.hole_cards)
        if cards and len(cards) < game.hole_cards:
            raise ValueError(f"a hand has {game.hole_cards} cards, position {seat} has {len(cards)}")
        holes.append(cards)
        at = end
    board: tuple[int, ...] = ()
    for street, count in enumerate(game.board_cards[: state.street + 1]):
        at += street > 0 and line[at : at + 1] == "/"
        cards, at = _scan_cards(line, at, count)
        if len(cards) < count:
            raise ValueError(f"round {street + 1} has {count} board cards, got {len(cards)}")
        board += cards
    return _Told(position, _unsigned(int(head[2][:_DIGITS]), 32), moves, state, tuple(holes), board, at)


def _scan_betting(game: PokerGame, line: str, at: int) -> tuple[tuple[str, ...], int]:
    """The actions, one text each, and where the cards begin; slashes are ignored."""
    moves = []
    while at < len(line) and line[at] != ":":
        letter = _LETTERS.get(line[at], "/")
        if letter == "/" and line[at] != "/":
            raise ValueError(f"{line[at]!r} is not an action: there are f, c and r")
        at += 1
        if letter == "r" and game.betting != "limit":
            number = _NUMBER.match(line, at)
            if number is None:
                raise ValueError("a raise needs a number of chips")
            letter, at = f"r{_signed_32(int(number[1][:_DIGITS]))}", number.end()
        if letter != "/":
            moves.append(letter)
    return tuple(moves), at + 1


def _scan_cards(line: str, at: int, most: int) -> tuple[tuple[int, ...], int]:
    cards: tuple[int, ...] = ()
    while len(cards) < most and (card := _CARD.get(line[at : at + 2])) is not None:
        cards += (card,)
        at += 2
    return cards, at


def _follow(game: PokerGame, moves: Sequence[str], deck: Sequence[int]) -> Iterator[Step]:
    """The deal and some actions; ValueError when one is not legal, or the deck has a card twice."""
    state = dealt(game.start(), deck)
    yield Step(-1, None, state)
    for move in moves:
        if state.player == TERMINAL:
            raise ValueError("the hand is over before the betting ends")
        player, action = state.player, read_move(state, move)
        state = dealt(state.apply(action), deck)
        yield Step(player, action, state)


def _signed_32(value: int) -> int:
    """A number as C reads it into 32 bits: cut to 64 bits first, then wrapped."""
    value = min(max(value, -(2**63)), 2**63 - 1)
    return (value + 2**31) % 2**32 - 2**31


def _unsigned(value: int, bits: int) -> int:
    return (value if abs(value) < 2**64 else -1) & ((1 << bits) - 1)


def number_text(value: float) -> str:
    """A number as dealers print it: six decimals, without the zeros at the end.

    >>> number_text(-100.0), number_text(100 / 3)
    ('-100', '33.333333')
    """
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
