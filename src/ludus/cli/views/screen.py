"""What a person sees and types at a table in the terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ludus.arena.interval import interval
from ludus.cards.card import CARDS
from ludus.cli.views.hints import Hints
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.names import hand_name, place_names, street_name
from ludus.games.poker import PokerGame, PokerState
from ludus.games.rules import NO_STACK
from ludus.trees.translation import raise_by

_COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "bold"}
_SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_HANDS_FOR_AN_INTERVAL = 30  # with fewer, an interval says nothing
_WIDTH = 80
_HINTS = ("h", "hint", "advice")


class Quit(Exception):
    """The player has had enough, or the input has ended."""


class Screen:
    """What a person sees and types at any table of a game."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.places = place_names(game)
        self.console = Console(highlight=False)
        self.console.soft_wrap = not self.console.is_terminal  # a pipe gets whole lines
        self.results: list[float] = []
        self.hints: Hints | None = None  # somebody to ask for advice

    def welcome(self, more: str) -> None:
        """The game, the chips, and what can be typed."""
        least, most = min(self.game.stacks), max(self.game.stacks)
        stacks = f"{least}" if least == most else f"{least} to {most}"
        chips = "" if most == NO_STACK else f", {stacks} chips each at the start of a hand"
        self.say(f"{self.game.name}, {self.game.players} players{chips}, {more}.")
        self.say(help_text(self.game) + (" Type h for a hint." if self.hints else ""))

    def show_street(self, state: PokerState, me: int) -> None:
        """The name of the street, the board, the player's own cards and what they make together."""
        line = Text("  ").append(street_name(self.game, state.street), style="bold")
        if state.board:
            line.append(" ").append_text(self.cards(state.board))
        if state.folded >> me & 1:
            line.append(f": you are out, pot {state.pot}", style="dim")
        else:
            line.append(": you hold ").append_text(self.cards(state.hole(me)))
            if state.board:
                line.append(f" ({hand_name(state.hole(me) + state.board)})", style="dim")
        self.console.print(line)

    def show_move(self, state: PokerState, name: str, action: int) -> None:
        """What another player does."""
        style = "dim" if action == FOLD else "bold" if action > CALL else ""
        self.say(f"  {self.places[state.player]} {name}: {state.action_name(action)}", style)

    def ask(self, state: PokerState, names: list[str]) -> int:
        """Show chips and legal actions and read an action until there is one."""
        moves = state.legal_actions()
        assert isinstance(moves, Moves)
        for line in self.seats(state, names):
            self.say(line, style="dim")
        options = (["f fold"] if moves.fold else []) + [f"c {state.action_name(CALL)}"]
        all_in = state.stacks[state.player] + state.bets[state.player]
        if moves.raises:
            verb = state.phrase(moves.raises[0]).verb.replace("all-in", "raise")
            options.append(f"r {verb} to {sizes(moves)}")
            if all_in in moves.raises:
                options.append(f"a all-in {all_in}")
        while True:
            self.console.print(f"  {', '.join(options)} > ", end="", markup=False)
            line = sys.stdin.readline() if sys.stdin else ""
            if not (sys.stdin and sys.stdin.isatty()):
                self.say(line.rstrip("\n")[:200])
            if not line:
                raise Quit
            if self.hints and line.strip().lower() in _HINTS:
                self.show_hint(state)
                continue
            try:
                action = parse_action(line, state)
                state.apply(action)
                return action
            except ValueError as error:
                self.say(f"  {error}", style="yellow")

    def show_hint(self, state: PokerState) -> None:
        """Advice for the player to act, or why there is none."""
        assert self.hints is not None
        try:
            for line in self.hints.about(state.seen_by(state.player)):
                self.console.print(line)
        except ValueError as error:
            self.say(f"  there is no hint: {error}", style="yellow")

    def seats(self, state: PokerState, names: list[str]) -> list[str]:
        """The pot and the chips of those who are in the hand, in lines that a terminal has room for."""
        parts = [f"{self.places[seat]} {names[seat]}{self.chips(state, seat)}" for seat in state.live_seats()]
        lines = [f"  pot {state.pot}"]
        for part in parts:
            if len(lines[-1]) + len(part) + 3 > _WIDTH:
                lines.append(f"    {part}")
            else:
                lines[-1] += f" | {part}"
        return lines

    def chips(self, state: PokerState, seat: int) -> str:
        """Chips behind and in front of a seat."""
        behind = "" if self.game.stacks[seat] == NO_STACK else f" {state.stacks[seat]}"
        return behind + (f" (in: {state.bets[seat]})" if state.bets[seat] else "")

    def show_end(self, state: PokerState, me: int, names: list[str], returns: Sequence[float]) -> None:
        """The showdown, if there was one, and who won what; the person's result is kept for the summary."""
        if len(state.live_seats()) > 1:
            line = Text("  showdown")
            if state.board:
                line.append(" on ").append_text(self.cards(state.board))
            self.console.print(line)
            for seat in state.showdown_order():
                shown = Text(f"    {names[seat]} ").append_text(self.cards(state.hole(seat)))
                shown.append(f" {hand_name(state.hole(seat) + state.board)}", style="dim")
                self.console.print(shown)
        winners = [f"{names[seat]} {won:+g}" for seat, won in enumerate(returns) if won > 0 and seat != me]
        self.results.append(returns[me])
        line = Text(f"  pot {state.pot}: " + ", ".join([*winners, ""]), style="bold")
        line.append(f"you {returns[me]:+g}", style="green" if returns[me] > 0 else "red" if returns[me] < 0 else "")
        if len(self.results) > 1:
            line.append(f" ({sum(self.results):+g} in {len(self.results)} hands)", style="not bold dim")
        self.console.print(line)

    def summary(self) -> None:
        """Hands, chips and mbb/h, with the interval that makes luck visible."""
        count, total, unit = len(self.results), sum(self.results), self.game.big_blind
        if not count:
            self.say("No hand was finished.")
            return
        mean = 1000 * total / unit / count
        text = f"{count} hand{'s' * (count > 1)}, {total:+g} chips, {mean:+.0f} mbb/h"
        if count >= _HANDS_FOR_AN_INTERVAL:
            found = interval(self.results).scaled(1000 / unit)
            few = ": too few hands" * found.too_few
            text += f" (95 % interval {mean - found.ci95:+.0f} to {mean + found.ci95:+.0f}{few})"
        self.say(text, style="bold")
        what = "the ante" if len(set(self.game.blinds)) == 1 else "the big blind"
        self.say(f"mbb/h: thousandths of {what} ({unit}) a hand; an unfinished hand does not count.", style="dim")

    def cards(self, cards: Sequence[int]) -> Text:
        """Cards with their suits in colour, as symbols where the terminal has them."""
        symbols = _SYMBOLS if "utf" in (self.console.encoding or "").lower() else {}
        text = Text()
        for at, card in enumerate(cards):
            name, suit = CARDS[card], CARDS[card][1]
            text.append((" " if at else "") + name[0] + symbols.get(suit, suit), style=_COLOURS[suit])
        return text

    def say(self, text: str, style: str = "") -> None:
        """Print plain text."""
        self.console.print(text, style=style or None, markup=False)


def sizes(moves: Moves) -> str:
    """The raises in few words."""
    if isinstance(moves.raises, range) and len(moves.raises) > 1:
        return f"{moves.raises[0]}..{moves.raises[-1]}"
    return " or ".join(map(str, moves.raises))


def help_text(game: PokerGame) -> str:
    """What can be typed."""
    raises = "r raise" if game.betting == "limit" else "r 250 bet or raise to 250 chips on this street, a all-in"
    if game.betting == "no-limit" and game.bets is None:
        raises = "r 250 bet or raise to 250 chips on this street (or r pot, r 75%), a all-in"
    return f"Type f fold, c call or check, {raises}, q quit, ? help."


def parse_action(line: str, state: PokerState) -> int:
    """An action from what the person typed; ValueError explains what would be right.

    >>> from ludus.games import holdem
    >>> state = holdem().start().deal(range(52))
    >>> [parse_action(text, state) for text in ("f", "call", "r 10", "b10", "raise to 10", "r pot", "r min", "all in")]
    [-1, 0, 10, 10, 10, 6, 4, 200]
    """
    words = line.strip().lower().replace("all in", "a").split()
    if not words or words[0] in ("?", "h", "help"):
        raise ValueError(help_text(state.game))
    word, rest = words[0], [word for word in words[1:] if word != "to"]
    if word[0] in "rb" and word[1:].isdecimal():
        word, rest = word[0], [word[1:], *rest]
    if word in ("r", "b", "raise", "bet"):
        return _parse_raise(rest, state)
    actions = {"f": FOLD, "fold": FOLD, "c": CALL, "k": CALL, "call": CALL, "check": CALL}
    if rest or word not in (*actions, "a", "allin", "all-in", "q", "quit", "exit"):
        raise ValueError(f"{line.strip()[:40]!r} is not an action. {help_text(state.game)}")
    if word in actions:
        return actions[word]
    if word[0] in "qe":
        raise Quit
    return _all_in(state)


def _parse_raise(words: list[str], state: PokerState) -> int:
    moves = state.legal_actions()
    assert isinstance(moves, Moves)
    if not moves.raises:
        raise ValueError("no raise is possible here")
    if not words and len(moves.raises) == 1:
        return moves.raises[0]
    share = 1.0 if words == ["pot"] else 0.5 if words == ["half"] else None
    if len(words) == 1 and re.fullmatch(r"[0-9]{1,4}%", words[0], re.ASCII):
        share = int(words[0][:-1]) / 100
    if share is not None:
        return raise_by(state, share)
    if words == ["min"]:
        return moves.raises[0]
    if len(words) != 1 or not (words[0].isascii() and words[0].isdecimal()) or not 0 < int(words[0][:20]) <= NO_STACK:
        raise ValueError(f"say how much to raise to, in whole chips: r {moves.raises[0]}")
    return int(words[0])


def _all_in(state: PokerState) -> int:
    moves, all_in = state.legal_actions(), state.stacks[state.player] + state.bets[state.player]
    assert isinstance(moves, Moves)
    if all_in <= max(state.bets):
        return CALL  # calling takes all one has
    if all_in not in moves.raises:
        raise ValueError(f"one cannot go all-in here; a raise is to {sizes(moves)}" if moves.raises else
                         "one cannot go all-in here: no raise is possible")  # fmt: skip
    return all_in
