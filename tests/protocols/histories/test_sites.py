"""The texts of GGPoker, Winamax and partypoker: hands worked out by hand, random hands in their words, damage."""

import datetime
import json
import random
import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.card import format_cards
from ludus.games import holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.games.record import retrace
from ludus.protocols.histories import PlayedHand, as_text, facts, read_all, write_pokerstars
from ludus.protocols.histories.hand import given_back
from paths import TESTS
from played_hands import random_hand, taken

DATA = TESTS / "data" / "histories"
GG, WINAMAX, PARTY = ((DATA / f"{name}.txt").read_text() for name in ("ggpoker", "winamax", "partypoker"))
NAMES = ["ann", "ann b", "bob.2", "$cash", "dee_", "é€", "(f)", "g posts", "h'h", "i-i"]
seeds = st.integers(0, 2**32 - 1)
RETURNS = {
    "RC4000000001": (1885, -2010, 0),
    "TM4000000002": (1050, -1050),
    "5550001-17-1700000001": (-5, -70, 68),
    "5550002-4-1700000002": (1800, 300, -2100),
    6600000001: (-50, 9590, -9840),
    6600000002: (-2000, 2000),
    6600000003: (-50, -100, 150),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_hands_have_their_results(ends):
    found = [read_all("\ufeff" + text.replace("\n", ends)) for text in (GG, WINAMAX, PARTY)]
    assert {hand.number: hand.returns() for hands, _ in found for hand in hands} == RETURNS
    (problem,) = (problem for _, problems in found for problem in problems)
    assert problem.where == "hand 5550003-9-1700000003"
    assert "the site added to the pot" in problem.why


def test_who_played_what_is_told():
    hands = {hand.number: hand for text in (GG, WINAMAX, PARTY) for hand in read_all(text)[0]}
    rush, shove = hands["RC4000000001"], hands["TM4000000002"]
    assert (rush.venue, rush.rake, rush.unit, rush.currency) == ("GGPoker", 125, Decimal("0.01"), "$")
    assert (rush.players, rush.seats) == (("Hero", "77ffee", "1a2b3c"), (2, 3, 1))
    assert (shove.event, shove.state.game.antes, shove.state.game.min_bet) == ("Tournament #900", (50, 50), 400)
    cash, soir = hands["5550001-17-1700000001"], hands["5550002-4-1700000002"]
    assert (cash.venue, cash.rake, cash.currency, cash.table) == ("Winamax", 7, "€", "Dijon 02")
    assert cash.played == datetime.datetime(2023, 11, 14, 22, 13, 21)
    assert (soir.event, soir.state.game.blinds) == ('Tournament "Petit Soir"', (40, 80, 0))
    assert soir.state.betting() == "r160r890r2990c///"
    lisbon, spring, third = (hands[number] for number in (6600000001, 6600000002, 6600000003))
    assert (lisbon.venue, lisbon.rake, lisbon.table, lisbon.seats) == ("partypoker", 300, "Lisbon", (3, 5, 2))
    assert lisbon.state.betting() == "r300fr1000c/r1200r11000c//"
    assert (lisbon.played, lisbon.time_zone) == (datetime.datetime(2024, 2, 17, 9, 5, 50), "EST")
    assert (spring.state.game.blinds, spring.state.game.antes) == ((2400, 1200), (400, 400))  # a big blind all-in
    assert third.state.game.blinds == (50, 100, 0)  # the title names the buy-in only


def told_hand(seed: int, betting: tuple[str, ...]) -> PlayedHand:
    rng = random.Random(seed)
    players = rng.randint(2, 10)
    stacks = [rng.randint(6, rng.choice([12, 400])) for _ in range(players)]
    game = holdem(players, stacks, (1, 2), rng.choice([0, 0, 1]), betting=rng.choice(betting))
    state = random_hand(rng, game)
    money = {"unit": Decimal("0.01"), "currency": "€"} if rng.random() < 0.5 else {}
    return PlayedHand(state, tuple(rng.sample(NAMES, players)), seed, **money)


def money(hand: PlayedHand, chips: int, sign: str = "€") -> str:
    return f"{chips / 100:.2f}{sign}" if hand.currency else f"{chips}"


def gg_text(hand: PlayedHand) -> str:
    """From PokerStars' text: another first line, another word for the showdown, a jackpot."""
    text = write_pokerstars(hand).replace("*** SHOW DOWN ***", "*** SHOWDOWN ***")
    text = re.sub(r"^PokerStars Hand #", "Poker Hand #HD", text)
    return re.sub(r"\| Rake (.*)", r"| Rake \1 | Jackpot 0 | Bingo 0", text)


def winamax_text(hand: PlayedHand) -> str:
    state, game, names = hand.state, hand.state.game, hand.players
    limit = {"no-limit": "no", "pot-limit": "pot"}[game.betting]
    stakes = f"({money(hand, 1)}/{money(hand, 2)})"
    lines = [f"Winamax Poker - CashGame - HandId: #1-{hand.number}-3 - Holdem {limit} limit {stakes} - 2020/01/01"]
    lines.append(f"Table: 'T 1' 9-max (real money) Seat #{game.players} is the button")
    lines += [f"Seat {seat + 1}: {name} ({money(hand, game.stacks[seat])})" for seat, name in enumerate(names)]
    lines += ["*** ANTE/BLINDS ***", *(f"{names[seat]} posts {what}" for seat, what in posts(hand))]
    lines.append("*** PRE-FLOP *** ")
    board = format_cards(state.board, " ")
    titles = (f"FLOP *** [{board[:8]}]", f"TURN *** [{board[:8]}][{board[9:11]}]",
              f"RIVER *** [{board[:11]}][{board[12:]}]")  # fmt: skip
    streets: list[list[str]] = [[] for _ in state.line]
    for at, action in retrace(state):
        streets[at.street].append(f"{names[at.player]} {words(hand, at, action)}")
    for street, told in enumerate(streets):
        lines += ([f"*** {titles[street - 1]}"] if street else []) + told
    if len(state.live_seats()) > 1:
        lines.append("*** SHOW DOWN ***")
        lines += [f"{names[s]} shows [{format_cards(state.hole(s), ' ')}] (x)" for s in state.showdown_order()]
    won = [chips + back for chips, back in zip(taken(hand), given_back(state), strict=True)]
    lines += [f"{names[seat]} collected {money(hand, chips)} from pot" for seat, chips in enumerate(won) if chips]
    lines += ["*** SUMMARY ***", f"Total pot {money(hand, sum(won))} | No rake"]
    return "\n".join(lines) + "\n\n\n"


def posts(hand: PlayedHand) -> list[tuple[int, str]]:
    game = hand.state.game
    antes, blinds = game.posted
    told = [(seat, f"ante {money(hand, ante)}") for seat, ante in enumerate(antes) if ante]
    kinds = ((1, "small"), (0, "big")) if game.players == 2 else ((0, "small"), (1, "big"))
    return told + [(seat, f"{kind} blind {money(hand, blinds[seat])}") for seat, kind in kinds]


def words(hand: PlayedHand, at: PokerState, action: int) -> str:
    if action == FOLD:
        return "folds"
    if action == CALL:
        return f"calls {money(hand, at.to_call())}" if at.to_call() else "checks"
    top = max(at.bets)
    all_in = " and is all-in" * (action - at.bets[at.player] == at.stacks[at.player])
    to = money(hand, action)
    return (f"raises {money(hand, action - top)} to {to}" if top else f"bets {to}") + all_in


def party_text(hand: PlayedHand) -> str:
    state, game, names = hand.state, hand.state.game, hand.players
    kind = {"no-limit": "NL", "pot-limit": "PL", "limit": "FL"}[game.betting]
    stakes = game.raise_sizes[1:3] if game.betting == "limit" else (1, 2)
    hand = replace(hand, currency="$" if hand.currency else "")
    sign = f"${{}}{' USD'}" if hand.currency else "{}"

    def cash(chips: int) -> str:
        return sign.format(money(hand, chips, ""))

    low, high = (money(hand, chips, "") for chips in stakes)
    title = f"${low}/${high} USD {kind} Texas Hold'em" if hand.currency else (
        f"{kind} Texas Hold'em $22 USD Buy-in Trny:5 Level:1  Blinds({low}/{high})")  # fmt: skip
    lines = [f"***** Hand History for Game {hand.number} *****", f"{title} - Sunday, May 05, 01:00:00 EDT 2019"]
    lines += ["Table T (Real Money)", f"Seat {game.players} is the button", "Total number of players : 9/9 "]
    chairs = random.Random(hand.number).sample(range(game.players), game.players)
    lines += [f"Seat {seat + 1}: {names[seat]} ( {cash(game.stacks[seat])} )" for seat in chairs]
    antes, blinds = game.posted
    lines += [f"{names[seat]} posts ante [{cash(ante)}]" for seat, ante in enumerate(antes) if ante]
    kinds = ((1, "small"), (0, "big")) if game.players == 2 else ((0, "small"), (1, "big"))
    lines += [f"{names[seat]} posts {kind} blind [{cash(blinds[seat])}]." for seat, kind in kinds]
    lines.append("** Dealing down cards **")
    streets: list[list[str]] = [[] for _ in state.line]
    for at, action in retrace(state):
        pays = at.to_call() if action == CALL else action - at.bets[at.player]
        verb = "folds" if action == FOLD else "checks" if not pays else "calls" if action == CALL else (
            "raises" if max(at.bets) else "bets")  # fmt: skip
        if verb not in ("folds", "checks"):
            verb = f"is all-In  [{cash(pays)}]" if pays == at.stacks[at.player] else f"{verb} [{cash(pays)}]"
        streets[at.street].append(f"{names[at.player]} {verb}")
    board = [format_cards([card]) for card in state.board]
    dealt = ("", ", ".join(board[:3]), *board[3:])
    for street, told in enumerate(streets):
        if street:
            lines.append(f"** Dealing {('Flop', 'Turn', 'River')[street - 1]} ** [ {dealt[street]} ]")
        lines += told
    if len(state.live_seats()) > 1:
        lines += [f"{names[s]} shows [ {format_cards(state.hole(s), ', ')} ]x." for s in state.showdown_order()]
    won = [chips + back for chips, back in zip(taken(hand), given_back(state), strict=True)]
    unit = "" if hand.currency else " chips"
    lines += [f"{names[seat]} wins {cash(chips)}{unit}" for seat, chips in enumerate(won) if chips]
    return "\n".join(lines) + "\n\n\n"


KINDS = {
    "GGPoker": (gg_text, ("no-limit", "pot-limit", "limit")),
    "Winamax": (winamax_text, ("no-limit", "pot-limit")),
    "partypoker": (party_text, ("no-limit", "pot-limit", "limit")),
}


@settings(max_examples=120)
@given(seeds, st.sampled_from(sorted(KINDS)))
def test_random_hands_are_read_as_they_were_played(seed, site):
    write, betting = KINDS[site]
    hand = told_hand(seed, betting)
    hands, problems = read_all(write(hand) * 2)
    assert (len(hands), problems) == (2, [])
    back, state = hands[0], hand.state
    assert (back.players, back.state.line, back.state.game) == (hand.players, state.line, state.game)
    assert (back.returns(), back.rake, back.venue) == (hand.returns(), 0, site)
    live = state.live_seats()
    if len(live) > 1:
        assert [back.state.hole(seat) for seat in live] == [state.hole(seat) for seat in live]


BAD = {
    "winamax pot": (WINAMAX, "Total pot 2.48€", "Total pot 2.50€", "does not add up"),
    "winamax rake": (WINAMAX, "Rake 0.07€", "Rake 0.08€", "does not add up"),
    "winamax other game": (WINAMAX, "Holdem no limit (0.05€", "Omaha pot limit (0.05€", "not hold'em"),
    "winamax blind": (WINAMAX, "bo la calls 0.20€", "bo la posts straddle 0.20€", "a blind that is not theirs"),
    "winamax unclear": (WINAMAX, "c.d bets 0.40€", "c.d mise 0.40€", "acts when it is the turn of c.d"),
    "gg run twice": (GG, "*** FLOP *** [2c", "*** FIRST FLOP *** [2c", "run twice"),
    "gg jackpot": (GG, "Jackpot $0.25", "Jackpot $0.26", "does not add up"),
    "gg cash drop": (GG, "Hero: posts small", "Cash Drop to Pot : total $1\nHero: posts small", "added to the pot"),
    "party winner": (PARTY, "hal wins", "jon wins", "another player wins"),
    "party too much": (PARTY, "wins $194.30", "wins $294.30", "won of a pot"),
    "party nobody wins": (PARTY, re.search(r"ivy wins.*\n.*\n", PARTY)[0], "", "cut off"),
    "party other game": (PARTY, "NL Texas", "PL Omaha", "not hold'em"),
    "party dead blind": (PARTY, "jon folds", "jon posts big blind + dead [$3].", "a blind that is not theirs"),
    "party no button": (PARTY, "Seat 2 is the button\n", "", "has the button"),
    "party no seats": (PARTY, re.search(r"(Seat \d: .*\n)+", PARTY)[0], "", "who sits"),
    "party board": (PARTY, "[ 7h, 9h, Kh ]", "[ 7h, 9h ]", "board of 3 cards, got 2"),
    "party call": (PARTY, "calls [$7 USD]", "calls [$6 USD]", "pays 600 chips when 700"),
    "party bets nothing": (PARTY, "bets [$12 USD]", "bets", "bets nothing"),
    "party another money": (PARTY, "bets [$12 USD]", "bets [€12 USD]", "not an amount"),
    "party sits twice": (PARTY, "Seat 2: ivy", "Seat 2: hal", "sits twice"),
    "party absurd day": (PARTY, "February 17", "February 31", "day is out of range|unconverted|does not match"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_hands_are_told_and_the_others_read(case):
    text, old, new, why = BAD[case]
    assert old in text
    _, before = read_all(text)
    hands, problems = read_all(text.replace(old, new, 1))
    told = [problem for problem in problems if problem not in before]
    assert len(told) == 1
    assert re.search(why, told[0].why)
    assert len(hands) == len(read_all(text)[0]) - 1


def test_chips_of_a_tournament_do_not_vanish():
    _, problems = read_all(PARTY.replace("kay wins 4,000", "kay wins 3,990"))
    assert "10 chips of a tournament" in problems[0].why


@settings(max_examples=150)
@given(st.data(), st.sampled_from([GG, WINAMAX, PARTY]))
def test_damaged_files_end_in_hands_or_problems(data, text):
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.sampled_from([0, 0, 1, 2, 10, 200]))
        odd = ["-", "9999999999", "[", "'", "$", "€", " folds", "Ah", "*** ", "\n", "²", "Seat 1: "]
        put = data.draw(st.one_of(st.text(max_size=3), st.sampled_from(odd)))
        text = text[:at] + put + text[at + gone :]
    try:
        hands, _ = read_all(text)
    except ValueError as error:
        assert "no file of hands" in str(error)  # noqa: PT017
        return
    for hand in hands:
        as_text(hand)
        json.dumps(facts(hand))
