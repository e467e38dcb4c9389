"""The casino dialect against PokerKit: legal actions, bounds, pots and payoffs of random hands, move by move."""

import random
import warnings
from dataclasses import replace

import pokerkit as pk
import pytest

from ludus.cards.card import CARDS
from ludus.games import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame
from random_games import random_game

AUTOMATIONS = (
    pk.Automation.ANTE_POSTING,
    pk.Automation.BET_COLLECTION,
    pk.Automation.BLIND_OR_STRADDLE_POSTING,
    pk.Automation.HAND_KILLING,
    pk.Automation.CHIPS_PUSHING,
    pk.Automation.CHIPS_PULLING,
    pk.Automation.RUNOUT_COUNT_SELECTION,
    pk.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
)


def oracle_of(game: PokerGame) -> pk.State:
    flip = game.players == 2  # PokerKit names heads-up blinds small first and seats them the other way round
    antes, blinds = (values[::-1] if flip else values for values in (game.antes, game.blinds))
    common = (AUTOMATIONS, not game.dead_antes, antes, blinds)
    if game.betting == "limit":
        small = game.raise_sizes[0]
        return pk.FixedLimitTexasHoldem.create_state(*common, small, 2 * small, game.stacks, game.players)
    if game.betting == "no-limit":
        return pk.NoLimitTexasHoldem.create_state(*common, game.min_bet, game.stacks, game.players)
    streets = tuple(replace(street) for street in pk.NoLimitTexasHoldem(*common, game.min_bet).streets)
    return pk.State(
        AUTOMATIONS, pk.Deck.STANDARD, (pk.StandardHighHand,), streets, pk.BettingStructure.POT_LIMIT,
        not game.dead_antes, antes, blinds, 0, game.stacks, game.players,
    )  # fmt: skip


def deal_what_is_due(oracle: pk.State, deck: list[int]) -> None:
    while True:
        if oracle.can_burn_card("??"):
            oracle.burn_card("??")
        elif oracle.can_deal_hole():
            seat = oracle.hole_dealee_index
            oracle.deal_hole(CARDS[deck[2 * seat + len(oracle.hole_cards[seat])]])
        elif oracle.can_deal_board():
            at = 2 * oracle.player_count + len(list(oracle.get_board_cards(0)))
            oracle.deal_board("".join(CARDS[card] for card in deck[at : at + oracle.board_dealing_count]))
        else:
            return


def play_one(rng: random.Random, betting: str) -> int:
    game = random_game(rng, betting)
    state, oracle = game.start(), oracle_of(game)
    deck = rng.sample(game.deck, len(game.deck))
    moves = 0
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(deck[len(state.cards)])
            continue
        deal_what_is_due(oracle, deck)
        assert oracle.actor_index == state.player, (game, state)
        assert tuple(oracle.stacks) == state.stacks
        assert tuple(oracle.bets) == state.bets
        assert oracle.total_pot_amount == state.pot
        assert oracle.can_fold() == (FOLD in state.legal_actions())
        assert oracle.checking_or_calling_amount == state.to_call()
        low = oracle.min_completion_betting_or_raising_to_amount
        high = oracle.max_completion_betting_or_raising_to_amount
        assert (None if low is None else (low, high)) == state.raise_bounds(), (game, state)
        choices = [CALL] + [FOLD] * (FOLD in state.legal_actions() and rng.random() < 0.4)
        if low is not None:
            choices += rng.choice([[low], [high], [rng.randint(low, high)]])
        action = rng.choice(choices)
        moves += 1
        state = state.apply(action)
        if action == FOLD:
            oracle.fold()
        elif action == CALL:
            oracle.check_or_call()
        else:
            oracle.complete_bet_or_raise_to(action)
    deal_what_is_due(oracle, deck)
    assert not oracle.status
    assert tuple(oracle.payoffs) == state.returns(), (game, state)
    if len(state.live_seats()) > 1:
        shown = [move.player_index for move in oracle.operations if isinstance(move, pk.HoleCardsShowingOrMucking)]
        assert shown == state.showdown_order(), (game, state)
    return moves


@pytest.mark.parametrize("betting", ["no-limit", "pot-limit", "limit"])
@pytest.mark.parametrize("block", range(2))
def test_random_hands_play_as_in_pokerkit(betting, block):
    rng = random.Random(f"{betting} {block}")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert sum(play_one(rng, betting) for _ in range(250)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("betting", ["no-limit", "pot-limit", "limit"])
def test_thousands_more(betting):
    rng = random.Random(f"{betting} many")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for _ in range(10000):
            play_one(rng, betting)
