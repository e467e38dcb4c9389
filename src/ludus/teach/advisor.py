"""The assistant: what to do in a hold'em decision, what every action is worth, and what that rests on.

The opponents' hands are followed through the hand by a blueprint (`ludus.solvers.beliefs`). A street between two
players is solved on the spot from those ranges (`teach.spots.advice`), and the solution is the advice; before the flop
it may be that of a shipped chart. Everywhere else a search from the same ranges is (`ludus.search.multiway`), as it is
where a spot cannot be solved. The mix and the values are always of one solution, and what is worth less than the best
by more than the error is left out of the mix.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import comb

import numpy as np

from ludus.agents.blueprint import AUTO, BlueprintAgent, load_blueprint
from ludus.agents.evaluation import ActionEvaluator, Estimate, within
from ludus.agents.multiway import compared, search_over, searched_mix
from ludus.cards.ranges import Weights, class_of_combo, combo_index
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.games.holdem import is_holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names, street_name
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.parallel import usable_cores
from ludus.search.multiway import MultiwaySearch
from ludus.search.preflop_solution import NEAR, SolvedOpening
from ludus.solvers.beliefs import Beliefs, RangeStrategist
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.spot.solution import Solution
from ludus.teach.advice import Advice, Choice, Opponent
from ludus.teach.explain import explain
from ludus.teach.odds import equity_against, minimum_defence, outs, pot_odds
from ludus.teach.spots.advice import HAND_ERROR, VALUE_ERROR, SpotAdviser
from ludus.trees.translation import poker_moves, raise_by

SECONDS = 1.0
SOLVING = 0.7  # of the time may be spent on solving a spot
USUAL_RAISE = 0.75  # of the pot
SAME = 1.05  # a raise that is larger by less counts as the same
BLUEPRINT, CHART, SEARCHED, SOLVED = "blueprint", "chart", "searched", "solved"


class Unsolved(ValueError):
    """Advice would take a search, and there is none."""


@dataclass(frozen=True, eq=False)
class Advisor:
    """Advises on hold'em of 2 to 10 players, within about this many seconds a decision once all code is compiled.

    The same decision gets the same advice, unless time ends a solve early. ``solve=False`` leaves all to the evaluator:
    a search, or whoever values the blueprint's mix; without an evaluator what is not solved is `Unsolved`.
    """

    blueprint: RangeStrategist
    evaluator: ActionEvaluator | MultiwaySearch | None
    seconds: float = SECONDS
    solve: bool = True
    beliefs: Beliefs = field(init=False, repr=False)
    spots: SpotAdviser = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _check_seconds(self.seconds)
        object.__setattr__(self, "beliefs", Beliefs(self.blueprint))
        object.__setattr__(self, "spots", SpotAdviser(self.beliefs))

    def advise(self, observation: PokerState, also: Sequence[int] = ()) -> Advice:
        """Advice for the player to act, whose cards alone are seen; legal actions of ``also`` are among the choices.

        ValueError where there is nothing to decide, or the game is not hold'em.
        """
        begun = time.perf_counter()
        check(observation)
        turned = _turned(observation)
        found = self._advise(with_suits(observation, turned), also)
        back, suits = MOVED[turned], np.argsort(ALL_SYMMETRIES[turned]).tolist()
        found = replace(
            found,
            state=observation,
            opponents=tuple(replace(each, range=each.range[back]) for each in found.opponents),
            own_range=None if found.own_range is None else found.own_range[back],
            outs=tuple(sorted(_turn(card, suits) for card in found.outs)),
        )
        return replace(found, explanation=explain(found), seconds=time.perf_counter() - begun)

    def _advise(self, observation: PokerState, also: Sequence[int]) -> Advice:
        """The same in suits that depend on nothing but the situation, so that names of suits change no answer."""
        seat = observation.player
        low, high = sorted(observation.hole(seat))
        also = [action for action in also if action in observation.legal_actions()]
        decisions = list(public_decisions(observation))
        ranges, tracked = self.beliefs.opponents(observation, decisions), self.beliefs.ranges(observation, decisions)
        solved = self.spots.answer(observation, SOLVING * self.seconds, also, decisions) if self.solve else None
        opening = self._opening(observation, also) if self.solve and not solved else None
        if solved:
            [other] = [other for other in observation.live_seats() if other != seat]
            ranges[other] = solved.opponent
            choices = _choices(observation, solved.chances, solved.values)
            note = _how_solved(solved.solution)
            source = SOLVED
        elif opening:
            source, (choices, note) = CHART, opening
        elif self.evaluator is None:
            raise Unsolved("nothing is solved for this decision: it takes a search")
        elif isinstance(self.evaluator, MultiwaySearch):
            source, (choices, note) = SEARCHED, self._searched(self.evaluator, observation, tracked, also)
        else:
            source, mix, note = BLUEPRINT, self._mix(observation, also), self._note(observation)
            values = self.evaluator.values(observation.seen_by(-1), (low, high), ranges, sorted(mix))
            choices = _choices(observation, mix, values)
        opponents = _opponents(observation, (low, high), ranges)
        held = [each.range for each in opponents]
        share = opponents[0].equity if len(held) == 1 else equity_against((low, high), held, observation.board)
        return Advice(
            state=observation,
            source=source,
            note=note,
            choices=choices,
            equity=share,
            pot_odds=pot_odds(observation),
            defence=minimum_defence(observation, decisions),
            outs=outs(observation.game, (low, high), held, observation.board),
            opponents=opponents,
            own_range=tracked[seat],
            explanation="",
            seconds=0.0,
        )

    def _opening(self, observation: PokerState, also: Sequence[int]) -> tuple[tuple[Choice, ...], str] | None:
        """The choices before the flop and a note, where play there is solved for such a table and has all of them."""
        public = observation.seen_by(-1)
        found = self.blueprint.solution(public) if isinstance(self.blueprint, SolvedOpening) else None
        if found is None:
            return None
        hand = combo_index(*observation.hole(observation.player))
        played = found.range_strategy(public)
        mix = dict(zip(played.actions, played.chances[hand].tolist(), strict=True))
        values = found.values(public, int(class_of_combo[hand]))
        for action in also:  # a raise of about the size of a known one is taken for it
            near = min(values, key=lambda known: abs(known - action))
            if action not in mix and (near <= CALL or not 1 / NEAR <= action / near <= NEAR):
                return None
            mix[action], values[action] = mix.get(action, 0.0), values[near]
        error = HAND_ERROR * observation.pot + VALUE_ERROR * max(map(abs, values.values()))
        mix, estimates = within(mix, values, error), {
            action: Estimate(value, 0.0 if action == FOLD else error) for action, value in values.items()
        }  # fmt: skip
        return _choices(observation, mix, estimates), found.describe(observation.game)

    def _searched(
        self, search: MultiwaySearch, observation: PokerState, ranges: Sequence[Weights], also: Sequence[int]
    ) -> tuple[tuple[Choice, ...], str]:
        """The choices of a search from the ranges of all seats, and a note."""
        low, high = sorted(observation.hole(observation.player))
        answer = search.answer(observation.seen_by(-1), (low, high), ranges, also)
        found, mix = compared(answer), searched_mix(answer)
        losses, values = found.losses(), {action: found.value(action) for action in found.actions}
        error = max(value.error for value in values.values()) / observation.game.big_blind
        note = f"{answer.walks:,} walks to the end of the street, {answer.deals:,} deals, values +- {error:.2f} bb"
        if answer.boards:
            note += f"; {answer.boards:,} boards stand for all until the card tables are built"
        chosen = _choices(observation, mix, values)
        told = "; ".join(filter(None, (note, self._note(observation))))
        return tuple(replace(choice, behind=losses[choice.action]) for choice in chosen), told

    def _mix(self, observation: PokerState, also: Sequence[int]) -> dict[int, float]:
        """How often the blueprint takes each action with the hand held, with all actions it or the caller thinks of."""
        moves, played = poker_moves(observation), self.blueprint.range_strategy(observation.seen_by(-1))
        row = played.chances[combo_index(*observation.hole(observation.player))]
        mix = dict.fromkeys([*([FOLD] if moves.fold else []), CALL, *also], 0.0)
        last, all_in = 0, observation.bets[observation.player] + observation.stacks[observation.player]
        for action, chance in zip(played.actions, row.tolist(), strict=True):
            known = action if action in moves else CALL  # a fold where checking is free
            if CALL < known < all_in and known not in mix:
                known = last if known < SAME * last else known  # of two sizes that translation has made of one
                last = known
            mix[known] = mix.get(known, 0.0) + chance
        if moves.raises and max(mix) <= CALL:  # it never raises here: what that is worth may still be asked
            mix[raise_by(observation, USUAL_RAISE)] = 0.0
        return mix

    def _note(self, observation: PokerState) -> str:
        """Which blueprint it is, and why nothing was solved where one may expect it."""
        describe = getattr(self.blueprint, "describe", None)
        notes = [describe(observation.game)] if describe else []
        if self.solve and observation.board and len(observation.live_seats()) == 2:
            street = street_name(observation.game, observation.street)
            why = "its betting is too large, or cannot be followed"
            notes.append(f"the {street} was not solved: {why}")
        return "; ".join(notes)


def in_usual_suits(observation: PokerState) -> PokerState:
    """The same situation in the suits that it is thought about in: all hands on a board have the same board."""
    return with_suits(observation, _turned(observation))


def _turned(observation: PokerState) -> int:
    """The symmetry of the suits by which the cards in sight come first among all that are like them."""
    hand, board = observation.hole(observation.player), observation.board

    def seen(symmetry: int) -> tuple[list[int], list[int]]:
        suits = ALL_SYMMETRIES[symmetry].tolist()
        return [_turn(card, suits) for card in board], sorted(_turn(card, suits) for card in hand)

    return min(range(len(ALL_SYMMETRIES)), key=seen)


def _turn(card: int, suits: Sequence[int]) -> int:
    return card & ~3 | suits[card & 3]


def with_suits(observation: PokerState, symmetry: int) -> PokerState:
    """The same situation in other suits."""
    suits, new = ALL_SYMMETRIES[symmetry].tolist(), copy(observation)
    new.cards = tuple(card if card == HIDDEN else _turn(card, suits) for card in observation.cards)
    return new


def _how_solved(solution: Solution) -> str:
    """How well, and what stands for later streets."""
    note = f"{solution.iterations} iterations, exploitable for {max(solution.measured.percent, 0.01):.2f} % of the pot"
    if solution.accuracy is None:
        return note
    return f"{note}; later streets by a network, off by about {solution.accuracy.value_mean:.1f} % of it"


def check(observation: PokerState) -> None:
    """ValueError unless a player who sees their own cards is to act in hold'em."""
    game = observation.game
    if not is_holdem(game):
        raise ValueError(f"there is advice for hold'em only, not for {game.name}")
    if observation.player < 0:
        raise ValueError("there is nothing to advise on: nobody is to act")
    if HIDDEN in observation.hole(observation.player):
        raise ValueError("advice needs the cards of the player to act, and they are hidden")


def _check_seconds(seconds: float) -> None:
    if not 0 < seconds <= 3600:
        raise ValueError(f"an advisor has more than 0 and at most 3600 seconds, got {seconds}")


def _choices(observation: PokerState, mix: Mapping[int, float], values: Mapping[int, Estimate]) -> tuple[Choice, ...]:
    return tuple(Choice(action, observation.action_name(action), mix[action], values[action]) for action in sorted(mix))


def _opponents(
    observation: PokerState, hand: tuple[int, int], ranges: Sequence[Weights | None]
) -> tuple[Opponent, ...]:
    places, seen = place_names(observation.game), len(observation.board) + 2
    possible = comb(52 - seen, 2)
    return tuple(
        Opponent(
            seat, places[seat], held, float(held.sum()) / possible, equity_against(hand, [held], observation.board)
        )
        for seat, held in enumerate(ranges)
        if held is not None
    )


def default_advisor(
    game: PokerGame,
    blueprint: str | None = None,
    seconds: float = SECONDS,
    seed: int = 1,
    search: bool = True,
    build: bool = True,
) -> Advisor:
    """The advisor for a game: by a blueprint of some name or file, or by the shipped one that fits the table.

    ``search`` and ``build``: whether it may search, and wait for card tables to be built (`MultiwaySearch`).
    """
    _check_seconds(seconds)
    made = load_blueprint(blueprint or AUTO, game)
    agent = BlueprintAgent(made)
    agent.check(game)
    plays = SolvedOpening(agent) if game.players > 2 else agent
    searches = replace(search_over(made, seconds, seed, usable_cores()), build=build) if search else None
    return Advisor(plays, searches, seconds)


@dataclass(frozen=True, eq=False)
class AnyTableAdvisor:
    """The usual advisors for all tables that it is asked about, one for each blueprint that they need."""

    blueprint: str | None = None
    seconds: float = SECONDS
    seed: int = 1
    search: bool = True
    build: bool = True
    _advisors: dict[Blueprint, Advisor] = field(init=False, repr=False, default_factory=dict)

    def advise(self, observation: PokerState, also: Sequence[int] = ()) -> Advice:
        """As `Advisor.advise`."""
        check(observation)
        return self._advisor(observation.game).advise(observation, also)

    def _advisor(self, game: PokerGame) -> Advisor:
        made = load_blueprint(self.blueprint or AUTO, game)
        if made not in self._advisors:
            self._advisors[made] = default_advisor(
                game, self.blueprint, self.seconds, self.seed, self.search, self.build
            )
        return self._advisors[made]
