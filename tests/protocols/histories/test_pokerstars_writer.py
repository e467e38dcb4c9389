"""Hands written as PokerStars' text: read back they are the same, and PokerKit reads them, too."""

import datetime
import random
import warnings
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit.notation import HandHistory

from ludus.games import holdem, leduc
from ludus.games.poker import PokerGame
from ludus.protocols.histories import PlayedHand, read_phh, read_pokerstars, write_phh, write_pokerstars
from paths import TESTS
from played_hands import random_hand, record, same, taken

DATA = TESTS / "data" / "histories"
ODD_NAMES = ["a", "a b", "a: folds", "(b)", "$1", "Seat 1", "*", "c[", "d\\", "é", "a collected 5 from pot"]
seeds = st.integers(0, 2**32 - 1)


def any_table(rng: random.Random) -> PokerGame:
    """2 to 10 players, any betting, stacks that antes and blinds may swallow."""
    players = rng.randint(2, 10)
    small, big = rng.choice([(1, 2), (2, 5), (50, 100), (2, 2)])
    stacks = [rng.randint(1, rng.choice([2, 20, 400]) * big) for _ in range(players)]
    betting = rng.choice(["no-limit", "no-limit", "pot-limit", "limit"])
    return holdem(players, stacks, (small, big), rng.choice([0, 0, 1, big]), betting=betting)


def any_told_hand(seed: int) -> PlayedHand:
    """A hand with all that a text can tell: chairs, a date, money, a rake, cards that nobody saw."""
    rng = random.Random(seed)
    game = any_table(rng)
    state = random_hand(rng, game, forfeits=0.02)
    money = rng.random() < 0.5
    hand = PlayedHand(
        state,
        tuple(rng.sample(ODD_NAMES, game.players)),
        seed,
        unit=Decimal("0.01") if money else Decimal(1),
        currency=rng.choice("$€£") if money else "",
        event="" if money else rng.choice(["", "Tournament #77"]),
        venue="PokerStars",
        table="Vega (3)'s",
        played=rng.choice([None, datetime.datetime(2024, 2, 29, 23, 5, 7)]),
        seats=tuple((3 + 2 * seat) % 21 for seat in range(game.players)),
    )
    hand = replace(hand, time_zone="CET" if hand.played else "")
    won = taken(hand)
    if rng.random() < 0.5:
        winners = [seat for seat, chips in enumerate(won) if chips]
        raked = rng.randint(0, won[winners[0]] // 10)
        won[winners[0]] -= raked
        seen = state.seen_by(*(seat for seat in range(game.players) if seat in winners or rng.random() < 0.5), -1)
        hand = replace(hand, state=seen, collected=tuple(won), rake=raked)
    return hand


def is_told(game: PokerGame) -> bool:
    """Whether the text tells what everybody had to post: not of antes and blinds that only a part of was due, as the
    others had less, nor of the small blind of a limit game that is all-in, whose stakes are its bets.
    """
    short = False
    for stack, *posts in zip(game.stacks, *game.posted, game.antes or (0,) * game.players, game.blinds, strict=True):
        ante, blind, ante_due, blind_due = posts
        if (ante, blind) != (ante_due, blind_due):
            short |= game.betting == "limit" or ante + blind < stack or ante < ante_due
    return not short


@settings(max_examples=150)
@given(seeds)
def test_a_hand_comes_back_from_its_text(seed):
    hand = any_told_hand(seed)
    (back,) = read_pokerstars(write_pokerstars(hand))
    if not is_told(hand.state.game):
        assert (back.state.game.posted, back.state.line) == (hand.state.game.posted, hand.state.line)
        assert back.returns() == hand.returns()
        return
    assert record(back.state) == record(hand.state)
    assert back.returns() == hand.returns()
    if hand.collected is None or hand.rake:
        assert same(back, hand)


@pytest.mark.parametrize("name", ["cash.txt", "tournament.txt"])
def test_what_was_read_is_written_and_read_again(name):
    hands = read_pokerstars((DATA / name).read_text())
    text = "\n\n".join(map(write_pokerstars, hands))
    assert all(same(*pair) for pair in zip(read_pokerstars(text), hands, strict=True))


def test_phh_goes_through_the_text():
    for hand in read_phh((DATA / "online.phhs").read_text().partition("# Neither")[0]):
        (back,) = read_pokerstars(write_pokerstars(hand))
        assert record(back.state) == record(hand.state)
        assert (back.returns(), back.rake, back.currency) == (hand.returns(), hand.rake, "$")
        assert read_phh(write_phh(back))[0].returns() == hand.returns()


def test_pokerkit_reads_the_text():
    for seed in range(40):
        rng = random.Random(seed)
        state = random_hand(rng, holdem(rng.randint(2, 6), 100))
        players = tuple(f"player{seat}" for seat in range(state.game.players))
        hand = PlayedHand(state, players, seed, played=datetime.datetime(2024, 2, 29, 23, 5, 7), time_zone="ET")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not know the field for the time zone that it writes
            (history,) = HandHistory.from_pokerstars(write_pokerstars(hand), error_status=True)
            *_, end = history
        stacks = [stack + won for stack, won in zip(state.game.stacks, state.returns(), strict=True)]
        assert list(end.stacks) == stacks


@pytest.mark.parametrize(
    "name", ["\x1b[2J", "new\nline", " edge ", "", "*** FLOP ***", "PokerStars Hand #1: x", "Seat 1: x (5 in chips)"]
)
def test_odd_names_do_no_harm(name):
    state = random_hand(random.Random(1), holdem())
    (back,) = read_pokerstars(write_pokerstars(PlayedHand(state, (name, name), name, table=name)))
    assert record(back.state) == record(state)
    assert back.returns() == state.returns()


def test_hands_that_the_text_cannot_tell_are_refused():
    straddled = holdem(4, 200, (1, 2), straddle=4)
    for game, why in ((leduc(), "for hold'em"), (straddled, "no blinds")):
        state = random_hand(random.Random(2), game)
        with pytest.raises(ValueError, match=why):
            write_pokerstars(PlayedHand(state, tuple("abcd"[: game.players]), 1))
    state = random_hand(random.Random(9), holdem())
    fine = PlayedHand(state, ("a", "b"), 1, unit=Decimal("0.001"))
    with pytest.raises(ValueError, match="as fine as"):
        write_pokerstars(fine)
    called = holdem().start().deal(range(52)).apply(200).apply(0)
    called = called.deal(range(52)).deal(range(52)).deal(range(52))
    with pytest.raises(ValueError, match="not known"):
        write_pokerstars(PlayedHand(called.seen_by(0), ("a", "b"), 1))
