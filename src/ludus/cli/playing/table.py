"""A table in the terminal: one person against copies of an agent."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
from rich.console import Console

from ludus.agents import Agent, BlueprintAgent, MultiwayAgent, SearchAgent, SpotSolverAgent
from ludus.cli.views.hints import Hints
from ludus.cli.views.screen import Quit, Screen
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame
from ludus.games.record import dealt


class TerminalTable(Screen):
    """One person against copies of one agent, who all get the same stack back before every hand."""

    advise = False  # whether hints are given without being asked for

    def __init__(self, game: PokerGame, agent: Agent, name: str, seed: int) -> None:
        super().__init__(game)
        self.agent, self.seed, self.spec = agent, seed, name
        name = name.partition(":")[0]
        self.names = ["you"] + ([name] if game.players == 2 else [f"{name}#{n}" for n in range(1, game.players)])
        if dealt(game.start(), game.deck).player == TERMINAL:
            raise ValueError("with such small stacks the blinds put everybody all-in: there is nothing to decide")
        if game.betting == "no-limit" and (game.hole_cards, game.board_cards) == (2, (0, 3, 1, 1)):
            self.hints = Hints(game)

    def run(self, hands: int | None) -> None:
        """Play until the person quits or the hands are played, then print the summary."""
        self.welcome(f"seed {self.seed}")
        if isinstance(self.agent, BlueprintAgent):
            self.say(f"Against {self.spec}: {self.agent.describe(self.game)}.")
        if isinstance(self.agent, BlueprintAgent | MultiwayAgent | SearchAgent):
            kind = self.spec.partition(":")[0]
            with Console(stderr=True).status(f"the {kind} sits down, which takes a while the first time"):
                self._rehearse()
        try:
            while hands is None or len(self.results) < hands:
                self.play_hand(len(self.results))
        except (Quit, KeyboardInterrupt):
            self.say("")
        self.summary()

    def _rehearse(self) -> None:
        """Have the agent think once on every street, so that nobody waits for code to be compiled later."""
        state = self.game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(self.game.deck)
                continue
            self.agent.act(state.seen_by(state.player), np.random.default_rng(0))
            state = state.apply(CALL)

    def play_hand(self, number: int) -> None:
        """One hand; the seats move by one each time."""
        game = self.game
        deck_rng, agent_rng = (np.random.default_rng(s) for s in np.random.SeedSequence((self.seed, number)).spawn(2))
        deck = deck_rng.permutation(game.deck).tolist()
        me = (number + game.players - 1) % game.players
        names = [self.names[(seat - me) % game.players] for seat in range(game.players)]
        self.say(f"\nHand {number + 1}: you are {self.places[me]}", style="bold")
        state, street = game.start(), -1
        folds: list[int] = []  # seats in a row that are reported in one line
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            if street != state.street:
                street = state.street
                folds = self._tell_folds(folds, names)
                self.show_street(state, me)
            if state.player == me:
                folds = self._tell_folds(folds, names)
                if self.advise:
                    self.show_hint(state)
                action = self.ask(state, names)
            else:
                with self._thinking():
                    action = self.agent.act(state.seen_by(state.player), agent_rng)
                if action == FOLD:
                    folds.append(state.player)
                else:
                    folds = self._tell_folds(folds, names)
                    self.show_move(state, names[state.player], action)
            state = state.apply(action)
        self._tell_folds(folds, names)
        self.show_end(state, me, names, state.returns())

    def _thinking(self) -> AbstractContextManager[object]:
        """Says that the agent thinks, if it is one that does."""
        slow = isinstance(self.agent, MultiwayAgent | SearchAgent | SpotSolverAgent)
        return Console(stderr=True).status(f"{self.names[1]} thinks") if slow else nullcontext()

    def _tell_folds(self, folds: list[int], names: list[str]) -> list[int]:
        if len(folds) == 1:
            self.say(f"  {self.places[folds[0]]} {names[folds[0]]}: fold", style="dim")
        elif folds:
            self.say(f"  {', '.join(self.places[seat] for seat in folds)}: fold", style="dim")
        return []
