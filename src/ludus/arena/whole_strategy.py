"""An agent's whole strategy, read off decision by decision: what an exact measure of it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import combinations

from ludus.agents.base import Agent, Strategist
from ludus.games.base import CHANCE
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import hole_hands
from ludus.solvers.beliefs import RangeStrategist
from ludus.solvers.passes import plan, uniform_strategy
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.deals import MOST_DEALS, count_deals
from ludus.trees.flat import FlatGame, flatten


def whole_strategy(
    agent: Agent | RangeStrategist,
    game: PokerGame,
    name: str = "",
    progress: Callable[[int, int | None], object] | None = None,
) -> Strategy:
    """What an agent plays in every information set of a small two-player game that it can come to, from both seats.

    Where its own play never leads it is not asked; there the strategy is uniform, which changes no value and no best
    response. ValueError when it does not say how it mixes its actions, or takes one that the game does not have.
    """
    check_whole(game)
    if not isinstance(agent, RangeStrategist | Strategist):
        raise ValueError(f"{name or type(agent).__name__} does not say how it mixes its actions")
    flat = flatten(game)
    table, asked = uniform_strategy(plan(flat)), 0
    for seat in range(2):
        states = _starts(game)
        while states:
            state = states.pop()
            if state.player != seat:
                states += _after(state, state.legal_actions())
                continue
            node, here = flat.find(state)
            group, rows = flat.groups[flat.nodes["group"][node]], _rows(agent, state, flat)
            for at, action in enumerate(flat.group_actions[flat.nodes["group"][node]]):
                start = int(group["start"]) + at * int(group["situations"])
                table[start + here.start : start + here.stop] = [row.get(action, 0.0) for row in rows]
            states += _after(state, sorted({action for row in rows for action, chance in row.items() if chance > 0}))
            asked += 1
            if progress is not None:
                progress(asked, None)
    return Strategy.of(flat, table, Origin(name))


def check_whole(game: PokerGame) -> None:
    """ValueError unless whole strategies can be read off a game."""
    if game.players != 2:
        raise ValueError(f"whole strategies are read off games of two players, {game.name} has {game.players}")
    if count_deals(game) > MOST_DEALS:
        raise ValueError(f"whole strategies are read off in small games such as leduc-nl, not in {game.name}")


def _starts(game: PokerGame) -> list[PokerState]:
    """Where a hand begins, on each board that it may begin with."""
    hole, due = game.players * game.hole_cards, game.board_cards[0]
    boards = {game.name_cards(cards): cards for cards in combinations(game.deck, due)}
    decks = ([*[card for card in game.deck if card not in board][:hole], *board] for board in boards.values())
    return [game.start().deal(deck).seen_by(-1) for deck in decks]


def _after(state: PokerState, actions: Iterable[int]) -> list[PokerState]:
    """The public states after actions in which somebody acts, on boards that nobody tells apart once."""
    found = []
    for action in actions:
        after = state.apply(action)
        if after.player >= 0:
            found.append(after)
        elif after.player == CHANCE:
            boards = {state.game.name_cards(cards): cards for cards in _boards(after)}
            dealt = (after.deal([*after.cards, *cards]) for cards in boards.values())
            found += [each for each in dealt if each.player >= 0]
    return found


def _boards(state: PokerState) -> Iterator[tuple[int, ...]]:
    """The cards that may come next."""
    due = state.game.card_targets[state.street] - len(state.cards)
    yield from combinations([card for card in state.game.deck if card not in state.cards], due)


def _rows(agent: RangeStrategist | Strategist, state: PokerState, flat: FlatGame) -> list[dict[int, float]]:
    """What the agent plays with each hand that information states tell apart; nothing with those that cannot be."""
    game, legal = state.game, state.legal_actions()
    found = agent.range_strategy(state) if isinstance(agent, RangeStrategist) else None
    hands = {game.name_cards(hand): at for at, hand in enumerate(hole_hands(game)) if not set(hand) & set(state.board)}
    rows: list[dict[int, float]] = []
    for name in flat.deals.hands:
        if name not in hands:
            rows.append({})
            continue
        if found is not None:
            row = dict(zip(found.actions, found.chances[hands[name]].tolist(), strict=True))
        else:
            assert isinstance(agent, Strategist)
            row = dict(agent.strategy(_holding(state, hole_hands(game)[hands[name]])))
        for action, chance in row.items():
            if chance > 0 and action not in legal:
                raise ValueError(f"it plays {action} in {state.public_state()!r}, where the game offers {list(legal)}")
        rows.append(row)
    return rows


def _holding(state: PokerState, hand: tuple[int, ...]) -> PokerState:
    """What the player to act sees with a hand."""
    new, count = copy(state), len(hand)
    first = state.player * count
    new.cards = (*state.cards[:first], *hand, *state.cards[first + count :])
    return new
