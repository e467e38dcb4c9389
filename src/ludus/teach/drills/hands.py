"""Hands for drills: dealt at random and played by a blueprint up to where a question begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ludus.agents.blueprint import BlueprintAgent, blueprint_agent
from ludus.cards.card import CARDS
from ludus.cards.ranges import COMBOS, Weights
from ludus.games import CALL, TERMINAL, PokerGame, PokerState, holdem
from ludus.games.names import place_names
from ludus.games.record import betting_text, dealt, replay, retrace
from ludus.solvers.beliefs import Beliefs, reach_of

BLIND = 10  # chips, so that bets have room for fractions
STACK = 100 * BLIND
TRIES = 3000  # hands that are dealt for one question
LEAST_POT, LEAST_STACK = 4.0, 0.3  # big blinds, and of the pot: smaller ones teach nothing
RARE = 0.05  # hands of a range that are less likely are left out of what is solved: it saves time


@cache
def table(players: int) -> PokerGame:
    """The game of a drill."""
    return holdem(players, STACK, (BLIND // 2, BLIND))


@cache
def blueprint() -> BlueprintAgent:
    """The shipped blueprints, for two players and for more."""
    return blueprint_agent()


@cache
def beliefs() -> Beliefs:
    """Ranges under them."""
    return Beliefs(blueprint())


def hands(game: PokerGame, rng: np.random.Generator) -> Iterator[Iterator[PokerState]]:
    """Hands without end, each as its states before every action."""

    def play(deck: list[int]) -> Iterator[PokerState]:
        state = dealt(game.start(), deck)
        while state.player != TERMINAL:
            yield state
            state = dealt(state.apply(blueprint().act(state.seen_by(state.player), rng)), deck)

    while True:
        yield play(rng.permutation(game.deck).tolist())


def found(
    game: PokerGame, rng: np.random.Generator, wanted: Callable[[PokerState], bool], chance: float = 1.0
) -> PokerState:
    """A wanted state of one hand among many; each is taken by chance, so that later ones come up too."""
    for _, hand in zip(range(TRIES), hands(game, rng), strict=False):
        for state in hand:
            if wanted(state) and rng.random() < chance:
                return state
    raise ValueError("no such situation came up: ask again")


def begins_street(state: PokerState, street: int) -> bool:
    """Whether two players begin a street here with something left to play for."""
    if state.street != street or state.line[-1] or len(state.live_seats()) != 2:
        return False
    left = min(state.stacks[seat] for seat in state.live_seats())
    return state.pot >= LEAST_POT * BLIND and left >= LEAST_STACK * state.pot


def aggressor(state: PokerState) -> int | None:
    """Who was the last to bet or raise on the street before; nobody where it was checked through."""
    last = None
    for before, action in retrace(state, state.game.deck):
        if before.street == state.street - 1 and action > CALL:
            last = before.player
    return last


def both_ranges(state: PokerState) -> tuple[Weights, Weights]:
    """The ranges of the two players left, the first to act first; hands that hardly ever come are left out."""
    ranges = beliefs().ranges(state.seen_by(-1))
    first, second = sorted(state.live_seats())
    thin = [np.where(ranges[seat] < RARE, 0.0, ranges[seat]) for seat in (first, second)]
    return thin[0], thin[1]


def holding(state: PokerState, combo: int) -> PokerState:
    """The same decision with another hand of the player to act, as they see it."""
    game, seat = state.game, state.player
    own = COMBOS[combo].tolist()
    assert not set(own) & set(state.board)
    spare = iter([card for card in game.deck if card not in (*own, *state.board)])
    before = [own if each == seat else [next(spare), next(spare)] for each in range(game.players)]
    deck = [card for hand in before for card in hand] + list(state.board)
    return replay(game, betting_text(state), [*deck, *spare]).seen_by(seat)


def reach(state: PokerState) -> Weights:
    """The range with which the player to act gets here by the blueprint."""
    return reach_of(blueprint(), state.seen_by(-1))


def steps(state: PokerState) -> list[dict[str, Any]]:
    """What was done so far, without the blinds."""
    places, told = place_names(state.game), []
    for before, action in retrace(state, state.game.deck):
        said = before.phrase(action)
        told.append(
            {
                "street": before.street, "place": places[before.player], "key": said.verb, "name": str(said),
                "amount": _amount(before, action),
            }
        )  # fmt: skip
    return told


def seats(game: PokerGame) -> dict[str, Any]:
    """Who sits at the table, by seat, and what each has posted."""
    return {"players": game.players, "places": place_names(game), "blinds": list(game.blinds)}


def _amount(state: PokerState, action: int) -> int | None:
    if action > CALL:
        return action
    return state.to_call() if action == CALL and state.to_call() else None


def names(cards: tuple[int, ...] | list[int]) -> list[str]:
    """Cards as texts."""
    return [CARDS[card] for card in cards]
