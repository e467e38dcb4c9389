"""The terminal table: what the player sees and types."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from ludus.agents import Agent
from ludus.cards.card import CARDS
from ludus.cards.evaluator import describe, evaluate
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import STREETS, PokerGame, PokerState

HELP = "f fold, c call or check, r 250 raise or bet to 250, a all-in, q quit, ? help"
_COLOURS = {"c": "green", "d": "blue", "h": "red", "s": "bold"}
_SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


class Quit(Exception):
    """The player has had enough, or the input has ended."""


class Table:
    """One person against copies of one agent, who all get the same stack back before every hand."""

    def __init__(self, game: PokerGame, agent: Agent, name: str, seed: int) -> None:
        self.game, self.agent, self.seed = game, agent, seed
        self.names = ["you"] + ([name] if game.players == 2 else [f"{name} {n}" for n in range(1, game.players)])
        self.console = Console(highlight=False, soft_wrap=True)
        self.results: list[float] = []

    def run(self, hands: int | None) -> None:
        """Play until the person quits or the hands are played, then print the summary."""
        self.say(f"{self.game.name}, {self.game.players} players, seed {self.seed}. {HELP}")
        try:
            while hands is None or len(self.results) < hands:
                self.results.append(self.play_hand(len(self.results)))
        except (Quit, KeyboardInterrupt):
            self.say("")
        self.summary()

    def play_hand(self, number: int) -> float:
        """One hand; the seats move by one each time. Returns the person's result in chips."""
        game = self.game
        deck_rng, agent_rng = (np.random.default_rng(s) for s in np.random.SeedSequence((self.seed, number)).spawn(2))
        deck = deck_rng.permutation(game.deck).tolist()
        me = (1 - number) % game.players if game.players == 2 else number % game.players
        names = [self.names[(seat - me) % game.players] for seat in range(game.players)]
        self.say(f"\nHand {number + 1}: you are {self.position(me)}")
        state, street = game.start(), -1
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            if street != state.street:
                street = state.street
                self.show_street(state, me)
            if state.player == me:
                action = self.ask(state, names)
            else:
                action = self.agent.act(state.seen_by(state.player), agent_rng)
                self.say(f"  {names[state.player]}: {state.action_name(action)}")
            state = state.apply(action)
        return self.show_end(state, me, names)

    def position(self, seat: int) -> str:
        """The poker name of a seat."""
        players, blinds = self.game.players, self.game.blinds
        if len(set(blinds)) == 1:
            return f"first to act (ante {blinds[0]})" if seat == 0 else f"number {seat + 1} to act (ante {blinds[0]})"
        if blinds[seat]:
            post = f"the {'big' if blinds[seat] == max(blinds) else 'small'} blind ({blinds[seat]})"
            return post + (", on the button" if seat == players - 1 else "")
        return "the button" if seat == players - 1 else f"seat {seat + 1} of {players}"

    def show_street(self, state: PokerState, me: int) -> None:
        """The name of the street, the board and the own cards."""
        line = Text(f"  {STREETS[state.street]:<8} " if self.game.hole_cards == 2 else f"  round {state.street + 1}  ")
        line.append_text(self.cards(state.board) if state.board else Text("no board yet"))
        line.append("   you ").append_text(self.cards(state.hole(me)))
        if len(state.board) >= 3:
            rank = int(evaluate([state.hole(me) + state.board])[0])
            line.append(f"   {describe(rank)}", style="dim")
        line.append(f"   pot {state.pot}")
        self.console.print(line)

    def ask(self, state: PokerState, names: list[str]) -> int:
        """Show what is legal and read an action until there is one."""
        moves = state.legal_actions()
        assert isinstance(moves, Moves)
        chips = "  ".join(
            f"{names[seat]} {'folded' if state.folded >> seat & 1 else self.stack(state, seat)}"
            for seat in range(self.game.players)
        )
        options = (["f fold"] if moves.fold else []) + [f"c {state.action_name(CALL)}"]
        if moves.raises:
            word = "bet" if max(state.bets) == 0 else "raise to"
            options.append(f"r {word} {self.sizes(moves)}")
            if state.stacks[state.player] + state.bets[state.player] in moves.raises:
                options.append(f"a all-in {state.stacks[state.player] + state.bets[state.player]}")
        self.say(f"  pot {state.pot}   {chips}", style="dim")
        while True:
            self.console.print(f"  {' | '.join(options)} > ", end="", markup=False)
            line = sys.stdin.readline()
            if not sys.stdin.isatty():
                self.say(line.rstrip("\n"))
            if not line:
                raise Quit
            try:
                action = parse_action(line, state)
                state.apply(action)
                return action
            except ValueError as error:
                self.say(f"  {error}", style="yellow")

    def stack(self, state: PokerState, seat: int) -> str:
        """Chips behind and in front of a seat."""
        behind = "" if self.game.stacks[seat] > 10**9 else f"{state.stacks[seat]}"
        return behind + (f" (bet {state.bets[seat]})" if state.bets[seat] else "")

    @staticmethod
    def sizes(moves: Moves) -> str:
        """The raises in few words."""
        if isinstance(moves.raises, range) and len(moves.raises) > 1:
            return f"{moves.raises[0]}..{moves.raises[-1]}"
        return ", ".join(map(str, moves.raises))

    def show_end(self, state: PokerState, me: int, names: list[str]) -> float:
        """The showdown, if there was one, and who won what."""
        returns = state.returns()
        if len(state.live_seats()) > 1:
            line = Text("  showdown ")
            line.append_text(self.cards(state.board))
            self.console.print(line)
            for seat in state.showdown_order():
                shown = Text(f"    {names[seat]:<16} ").append_text(self.cards(state.hole(seat)))
                if len(state.board) >= 3:
                    shown.append("  " + describe(int(evaluate([state.hole(seat) + state.board])[0])))
                self.console.print(shown)
        won = ", ".join(f"{names[seat]} {chips:+g}" for seat, chips in enumerate(returns) if chips > 0)
        self.say(f"  {won or 'all even'}; your result {returns[me]:+g}", style="bold")
        return returns[me]

    def summary(self) -> None:
        """Hands, chips and mbb/h, with the interval that makes luck visible."""
        count, total, unit = len(self.results), sum(self.results), self.game.big_blind
        if not count:
            self.say("No hand was finished.")
            return
        mean = 1000 * total / unit / count
        text = f"{count} hand{'s' * (count > 1)}, {total:+g} chips, {mean:+.0f} mbb/h"
        if count > 1:
            half = 1.96 * float(np.std(self.results, ddof=1)) * 1000 / unit / math.sqrt(count)
            text += f" (95 % interval {mean - half:+.0f} to {mean + half:+.0f})"
        self.say(text, style="bold")

    def cards(self, cards: Sequence[int]) -> Text:
        """Cards with their suits in colour, as symbols where the terminal has them."""
        symbols = _SYMBOLS if "utf" in (self.console.encoding or "").lower() else {}
        text = Text()
        for at, card in enumerate(cards):
            name, suit = CARDS[card], CARDS[card][1]
            text.append((" " if at else "") + name[0] + symbols.get(suit, suit), style=_COLOURS[suit])
        return text

    def say(self, text: str, style: str = "") -> None:
        """Print a line of plain text."""
        self.console.print(text, style=style or None, markup=False)


def parse_action(line: str, state: PokerState) -> int:
    """An action from what the person typed; ValueError explains what would be right.

    >>> from ludus.games import holdem
    >>> state = holdem().start().deal(range(52))
    >>> [parse_action(text, state) for text in ("f", "call", "r 10", "b10", "a")]
    [-1, 0, 10, 10, 200]
    """
    words = line.strip().lower().split()
    if not words:
        raise ValueError(HELP)
    word, rest = words[0], words[1:]
    if word[0] in "rb" and word[1:].isdecimal():
        word, rest = word[0], [word[1:], *rest]
    match word:
        case "q" | "quit" | "exit":
            raise Quit
        case "?" | "h" | "help":
            raise ValueError(HELP)
        case "f" | "fold":
            return FOLD
        case "c" | "k" | "call" | "check":
            return CALL
        case "a" | "allin" | "all-in":
            return state.stacks[state.player] + state.bets[state.player]
        case "r" | "b" | "raise" | "bet":
            raises = state.legal_actions()[1 + (FOLD in state.legal_actions()) :][:2]
            if not rest and len(raises) == 1:
                return raises[0]
            if len(rest) != 1 or not rest[0].isdecimal() or len(rest[0]) > 10 or int(rest[0]) == 0:
                raise ValueError("say how much to raise to, in chips: r 250")
            return int(rest[0])
    raise ValueError(f"{line.strip()[:40]!r} is not an action: {HELP}")
