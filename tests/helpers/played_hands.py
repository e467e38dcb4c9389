"""Random hands of hold'em as hand histories hold them."""

import random

from ludus.games import CHANCE, TERMINAL, holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.protocols.histories import PlayedHand
from ludus.protocols.histories.hand import uncalled
from random_games import random_game


def random_hand(rng: random.Random, game: PokerGame, forfeits: float = 0.0) -> PokerState:
    state, deck = game.start(), rng.sample(game.deck, len(game.deck))
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
            continue
        moves, chance = state.legal_actions(), rng.random()
        if chance < forfeits:
            state = state.give_up()
        elif moves.fold and chance < 0.25:
            state = state.apply(FOLD)
        elif not moves.raises or chance < 0.7:
            state = state.apply(CALL)
        else:
            state = state.apply(rng.choice([moves.raises[0], moves.raises[-1], rng.choice(moves.raises)]))
    return state


def any_game(rng: random.Random, dialect: str = "casino") -> PokerGame:
    betting = rng.choice(["no-limit", "no-limit", "limit"])
    if rng.random() < 0.1:
        return holdem(players=10, stack=rng.randint(3, 300), betting=betting, dialect=dialect)
    if rng.random() < 0.1:
        return holdem(stack=rng.randint(3, 300), ante=rng.choice([0, 1]), betting=betting, dialect=dialect)
    return random_game(rng, betting, dialect)


def any_hand(seed: int, dialect: str = "casino", forfeits: float = 0.03) -> PlayedHand:
    rng = random.Random(seed)
    state = random_hand(rng, any_game(rng, dialect), forfeits)
    return PlayedHand(state, tuple(f"player {seat}" for seat in range(state.game.players)), seed)


def record(state: PokerState) -> tuple[object, ...]:
    return state.game, state.cards, state.line, state.stacks, state.bets, state.folded, state.player


def same(one: PlayedHand, other: PlayedHand) -> bool:
    facts_of = [tuple(getattr(hand, name) for name in PlayedHand.__slots__ if name != "state") for hand in (one, other)]
    return record(one.state) == record(other.state) and facts_of[0] == facts_of[1]


def taken(hand: PlayedHand) -> list[int]:
    parts = zip(hand.state.returns(), hand.state.spent(), uncalled(hand.state), strict=True)
    return [int(won + spent - back) for won, spent, back in parts]
