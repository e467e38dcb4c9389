"""Decisions before the flop as charts: which there are, how one gets there, and what a solution or a blueprint does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.blueprint import SIX_PLAYER, BlueprintAgent, shipped_blueprints
from ludus.cards.ranges import CLASS_SIZES, CLASSES, class_of_combo
from ludus.games import holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt
from ludus.search.preflop_solution import SEATS, PreflopSolution, nearest_solution
from ludus.solvers.beliefs import reach_of
from ludus.teach.chart import Chart
from ludus.trees.translation import depth, nearest_raise, poker_moves

Floats = NDArray[np.float64]
Source = BlueprintAgent | PreflopSolution
"""What charts come from."""
USUAL_PLAYERS, USUAL_STACK = 6, 100.0  # of a solution
MOST_BLINDS = 10_000
RAISE, ALL_IN = "raise", "all-in"
_WORDS = {"fold": FOLD, "call": CALL, "limp": CALL, "check": CALL}
_SIZE = r"[0-9]{1,5}(?:\.[0-9]{1,2})?(?:bb)?"
_DONE = re.compile(rf"(\S+)(?:\s+({'|'.join([*_WORDS, RAISE, ALL_IN, _SIZE])}))?", re.ASCII)


@dataclass(frozen=True, eq=False)
class PreflopDecision:
    """A decision: where it is, and what was done before it by those who did not fold."""

    state: PokerState
    played: tuple[str, ...]  # 'CO raises to 2.5 bb'
    actions: tuple[int, ...]
    frequencies: Floats  # [169, actions]
    reach: Floats  # [169]: how often a class gets here by its own player's strategy

    @property
    def names(self) -> tuple[str, ...]:
        """The actions in words: fold, check, call, raise 2.5 bb, all-in."""
        return tuple(_name(self.state, action) for action in self.actions)

    @property
    def position(self) -> str:
        """Who decides."""
        return place_names(self.state.game)[self.state.player]

    @property
    def title(self) -> str:
        """In words."""
        return f"{self.position}: {', '.join(self.played) or 'first in'}"

    @property
    def chart(self) -> Chart:
        """As a chart."""
        kinds = tuple(self.state.action(action).kind for action in self.actions)
        weights = np.where(self.reach < 0.005, 0.0, self.reach)
        return Chart(self.title, self.names, kinds, self.frequencies, weights)

    def shares(self) -> dict[str, float]:
        """How often the whole range folds, checks or calls, raises and goes all-in, as far as that is possible.

        Nothing where no hand gets here.
        """
        total = dict[str, float]()
        if not self.chart.held:
            return total
        for action, share in zip(self.actions, self.chart.totals.tolist(), strict=True):
            verb = _verb(self.state, action)
            total[verb] = total.get(verb, 0.0) + share
        return total

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "position": self.position,
            "after": list(self.played),
            "actions": list(self.names),
            "frequencies": dict(zip(self.names, self.chart.totals.tolist(), strict=True)) if self.chart.held else None,
            "reach": dict(zip(CLASSES, self.reach.tolist(), strict=True)),
            "strategy": dict(zip(CLASSES, self.frequencies.tolist(), strict=True)),
        }


class PreflopExplorer:
    """Walks through the decisions before the flop of a game, as a solution or a blueprint plays it."""

    def __init__(self, agent: Source, game: PokerGame) -> None:
        agent.check(game)
        self.agent, self.game, self.places = agent, game, place_names(game)
        self.start = dealt(game.start(), game.deck).seen_by(-1)

    def usual(self) -> list[PreflopDecision]:
        """Raising first in from every seat; answers to such a raise; heads-up also the answer to a re-raise."""
        found = list(self.openings())
        for opener in self._order()[:-1]:
            found += self.answers([(opener, RAISE)])
        if self.game.players == 2:
            found += self.answers([(1, RAISE), (0, RAISE)])
        return found

    def openings(self) -> Iterator[PreflopDecision]:
        """Every seat before which all have folded."""
        for seat in self._order()[:-1]:
            yield self.decision(self._folded_to(self.start, seat), ())

    def answers(self, told: Sequence[tuple[int, str]]) -> list[PreflopDecision]:
        """The decisions after what some seats have done, the others folding: of each that is still to act."""
        state, played = self.start, list[str]()
        for seat, word in told:
            state = self._folded_to(state, seat)
            if state.player != seat or state.street:
                after = f" after {', '.join(played)}" if played else ""
                raise ValueError(f"{self.places[seat]} is not to act{after}")
            action = self._action(state, word)
            played.append(f"{self.places[seat]} {_doing(state, action)}")
            state = state.apply(action)
        found = []
        while state.player >= 0 and state.street == 0:
            found.append(self.decision(state, tuple(played)))
            if not poker_moves(state).fold:
                break
            state = state.apply(FOLD)
        return found

    def decision(self, state: PokerState, played: tuple[str, ...]) -> PreflopDecision:
        """What the player to act does with every class."""
        decided = self.agent.range_strategy(state)
        rows = np.zeros((len(CLASSES), len(decided.actions)))
        np.add.at(rows, class_of_combo, decided.chances)
        reach = np.bincount(class_of_combo, reach_of(self.agent, state), len(CLASSES)) / CLASS_SIZES
        return PreflopDecision(state, played, tuple(decided.actions), rows / CLASS_SIZES[:, None], reach)

    def read(self, text: str) -> list[tuple[int, str]]:
        """What was done, from a text such as 'CO' (raises as usual), 'UTG 3bb, BTN call' or 'BTN, SB all-in'."""
        told = []
        for part in text.split(","):
            found = _DONE.fullmatch(part.strip())
            if found is None:
                raise ValueError(f"say what was done as in 'CO raise, BTN 8bb, SB call', got {part.strip()!r}")
            told.append((self.seat(found[1]), found[2] or RAISE))
        return told

    def seat(self, place: str) -> int:
        """The seat of a position; heads-up both names of the button are known."""
        for seat, name in enumerate(self.places):
            if place.upper() in (name, *name.split("/")):
                return seat
        raise ValueError(f"there is no position {place!r} at this table: there are {', '.join(self.places)}")

    def _order(self) -> list[int]:
        """The seats in the order in which they act."""
        first, players = self.start.player, self.game.players
        return [(first + at) % players for at in range(players)]

    def _folded_to(self, state: PokerState, seat: int) -> PokerState:
        while state.player not in (seat, -1, -2) and state.street == 0 and poker_moves(state).fold:
            state = state.apply(FOLD)
        return state

    def _action(self, state: PokerState, word: str) -> int:
        moves = poker_moves(state)
        if word in _WORDS:
            return _WORDS[word] if moves.fold or word != "fold" else CALL
        if not moves.raises:
            raise ValueError(f"{self.places[state.player]} cannot raise there")
        if word == ALL_IN:
            return nearest_raise(moves, state.stacks[state.player] + state.bets[state.player])
        if word != RAISE:
            return nearest_raise(moves, round(float(word.removesuffix("bb")) * self.game.big_blind))
        often = self.decision(state, ()).chart.totals.tolist()
        taken = dict(zip(self.agent.range_strategy(state).actions, often, strict=True))
        return max((action for action in taken if action > CALL), key=lambda at: taken[at], default=moves.raises[0])


def _verb(state: PokerState, action: int) -> str:
    """Before the flop every bet is a raise, of the blinds."""
    verb = state.phrase(action).verb
    return RAISE if verb == "bet" else verb


def _name(state: PokerState, action: int) -> str:
    """fold, check, call, raise 2.5 bb, all-in."""
    verb = _verb(state, action)
    return f"{RAISE} {_blinds(state, action)}" if verb == RAISE else verb


def _doing(state: PokerState, action: int) -> str:
    done = {"fold": "folds", "check": "checks", "call": "calls", ALL_IN: "is all-in"}
    return done.get(_verb(state, action)) or f"raises to {_blinds(state, action)}"


def _blinds(state: PokerState, chips: int) -> str:
    return f"{round(chips / state.game.big_blind, 2):g} bb"


def chart_source(
    blueprint: BlueprintAgent | None, solution: Path | None, players: int | None, stack: float | None
) -> tuple[Source, PokerGame]:
    """What charts come from, and their table: a file's solution, a blueprint that was named, the shipped solution that
    the table is taken for, or else a shipped blueprint."""
    if solution is not None:
        if blueprint is not None:
            raise ValueError("charts come from a --blueprint or a --solution: give one of them")
        found = PreflopSolution.load(solution)
        if players not in (None, found.model.players) or stack not in (None, found.model.stack):
            raise ValueError(
                f"{solution} is for {found.model.players} players with {found.model.stack:g} big blinds: leave out "
                "--players and --stack, or solve that table with `ludus train preflop`"
            )
        return found, found.model.game
    if blueprint is None:
        seats, blinds = USUAL_PLAYERS if players is None else players, USUAL_STACK if stack is None else stack
        shipped = nearest_solution(blinds) if 1 <= blinds <= MOST_BLINDS and 2 < seats <= SEATS else None
        if shipped is not None:
            return shipped, replace(shipped.model, players=seats, stack=blinds).game
    agent = blueprint or BlueprintAgent(None)
    return agent, charted_table(agent, players, stack)


def charted_table(agent: BlueprintAgent, players: int | None, stack: float | None) -> PokerGame:
    """The table that the charts are for: the blueprint's own, with what else was asked for."""
    if players is None:
        shipped = 6 if SIX_PLAYER in shipped_blueprints() else 2
        players = shipped if agent.blueprint is None else agent.blueprint.abstraction.game.players
    trained = agent.blueprint_for(holdem(players=players)).abstraction.table
    if players == trained.players and stack is None:
        return trained
    if stack is not None and not 1 <= stack <= MOST_BLINDS:
        raise ValueError(f"--stack is 1 to {MOST_BLINDS:,} big blinds, got {stack:g}")
    big, small = trained.big_blind, sorted(trained.blinds)[-2]
    chips = round((depth(trained) if stack is None else stack) * big)
    return holdem(players, chips, (small, big), dialect=trained.dialect)


def wanted_decisions(
    explorer: PreflopExplorer, position: str | None, facing: str | None
) -> tuple[list[PreflopDecision], list[PreflopDecision]]:
    """The decisions to draw, and those to give in numbers only."""
    seat = None if position is None else explorer.seat(position)
    if facing:
        found = explorer.answers(explorer.read(facing))
        drawn = [each for each in found if seat is None or each.state.player == seat]
        if not drawn:
            raise ValueError(f"{position or 'nobody'} is not to act after {facing!r}")
        return drawn, []
    found = explorer.usual()
    if seat is not None:
        return [each for each in found if each.state.player == seat], []
    if explorer.game.players == 2:
        return found, []
    return [each for each in found if not each.played], [each for each in found if each.played]


def as_data(source: Source, game: PokerGame, decisions: Sequence[PreflopDecision]) -> dict[str, Any]:
    """Charts as JSON data, with what they come from."""
    shown = {
        "players": game.players,
        "stack": min(game.stacks) / game.big_blind,
        "charts": [each.data() for each in decisions],
    }
    if isinstance(source, PreflopSolution):
        return {"solution": source.describe(game), "training": source.data(), **shown}
    made = source.blueprint_for(game)
    return {
        "blueprint": source.describe(game),
        "training": made.training,
        "trained_stack": min(made.abstraction.game.stacks) / made.abstraction.game.big_blind,
        **shown,
    }
