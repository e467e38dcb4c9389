"""Hand histories: PHH against PokerKit, PokerStars' text against hands worked out by hand, and damaged files."""

import datetime
import io
import json
import random
import warnings
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit.notation import HandHistory

from ludus.cards.card import CARDS, format_cards
from ludus.games import holdem, kuhn, leduc
from ludus.games.acpc import read_game
from ludus.games.menu import Menu
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.record import retrace
from ludus.protocols.histories import (
    PlayedHand,
    as_text,
    facts,
    phhs_sections,
    read_all,
    read_file,
    read_phh,
    read_pokerstars,
    variant_of,
    write_phh,
    write_phhs,
)  # fmt: skip
from ludus.protocols.histories.hand import contested_pot, uncalled
from paths import TESTS
from played_hands import any_game, any_hand, random_hand, record, same, taken

DATA = TESTS / "data" / "histories"
CASH = (DATA / "cash.txt").read_text()
TOURNAMENT = (DATA / "tournament.txt").read_text()
SIX = (DATA / "six.phh").read_text()
seeds = st.integers(0, 2**32 - 1)


def folded_overbet(state: PokerState) -> bool:
    """Whether a forfeit left chips that nobody matched: PokerKit gives those back to him who folded."""
    most = max(state.spent())
    return state.spent().count(most) == 1 and bool(state.folded >> state.spent().index(most) & 1)


def oracle_end(history: HandHistory) -> tuple[int, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of folds where checking is free
        *_, end = history
    assert not end.status
    return tuple(end.stacks)


def final_stacks(hand: PlayedHand) -> tuple[float, ...]:
    return tuple(stack + won for stack, won in zip(hand.state.game.stacks, hand.returns(), strict=True))


# PHH, written and read


@settings(max_examples=100)
@given(seeds, st.sampled_from(["casino", "acpc"]))
def test_phh_gives_the_same_record_back(seed, dialect):
    hand = any_hand(seed, dialect)
    (back,) = read_phh(write_phh(hand))
    assert same(back, hand)
    assert back.returns() == hand.returns() == hand.state.returns()


@settings(max_examples=100)
@given(seeds)
def test_pokerkit_replays_phh_to_the_same_stacks(seed):
    hand = any_hand(seed)
    history = HandHistory.loads(write_phh(hand))
    if not folded_overbet(hand.state):
        assert oracle_end(history) == final_stacks(hand)
    assert history.finishing_stacks == list(final_stacks(hand))
    assert (history.hand, history.players) == (seed, list(hand.players))


def test_pokerkit_reads_many_hands_of_one_file():
    hands = [any_hand(seed, forfeits=0.0) for seed in range(30)]
    histories = list(HandHistory.load_all(io.BytesIO(write_phhs(hands).encode())))
    assert [oracle_end(history) for history in histories] == [final_stacks(hand) for hand in hands]
    back, problems = read_all("".join(phhs_sections(hands)))
    assert not problems
    assert all(same(*pair) for pair in zip(back, hands, strict=True))


@settings(max_examples=60)
@given(seeds)
def test_pokerkit_writes_and_we_read(seed):
    hand = any_hand(seed, forfeits=0.0)
    text = HandHistory.loads(write_phh(hand)).dumps()
    assert record(read_phh(text)[0].state) == record(hand.state)


@settings(max_examples=100)
@given(seeds)
def test_hands_with_cards_nobody_saw_come_back(seed):
    whole = any_hand(seed, forfeits=0.0)
    rng, state = random.Random(seed), whole.state
    winners = [seat for seat, won in enumerate(taken(whole)) if won]
    shown = {seat for seat in range(state.game.players) if seat in winners or rng.random() < 0.5}
    seen = state.seen_by(*shown, -1)
    pot = contested_pot(state)
    raked = rng.randint(0, pot // 20)
    collected = list(taken(whole))
    collected[winners[0]] -= (raked := min(raked, collected[winners[0]]))
    hand = PlayedHand(seen, whole.players, 1, tuple(collected), raked, unit=Decimal("0.01"), currency="$")
    text = write_phh(hand)
    (back,) = read_phh(text)
    assert record(back.state) == record(hand.state)
    assert back.returns() == hand.returns()
    assert (back.unit, back.currency, back.rake) == (hand.unit, "$", raked)
    if not raked:  # it splits cents
        oracle = [float(100 * stack) for stack in oracle_end(HandHistory.loads(text))]
        assert oracle == pytest.approx(final_stacks(hand), abs=len(winners))


def test_a_written_hand_is_the_one_in_the_file():
    (hand,) = read_phh(SIX)
    assert write_phh(hand) == SIX
    assert hand.players[0] == 'Ann "Ace"'
    assert hand.returns() == (-1, -2, -80, 116, -33, 0)
    assert hand.played == datetime.datetime(2024, 2, 29, 20, 15)
    assert hand.state.game.blinds == (1, 2, 4, 0, 0, 0)
    assert oracle_end(HandHistory.loads(SIX)) == (199, 148, 0, 316, 0, 200)


def test_heads_up_blinds_are_listed_button_first():
    game = holdem(stack=(50, 70), blinds=(1, 2), ante=(2, 0))  # a big-blind ante
    state = random_hand(random.Random(5), game)
    text = write_phh(PlayedHand(state, ("big", "button"), 1))
    assert "antes = [0, 2]\nblinds_or_straddles = [1, 2]\n" in text
    assert "starting_stacks = [50, 70]" in text
    assert record(read_phh(text)[0].state) == record(state)


def test_acpc_hands_keep_their_rules_and_exact_results():
    for name in ("holdem.limit.2p.reverse_blinds.game", "holdem.nolimit.3p.game"):
        game = read_game(name)
        for seed in range(30):
            state = random_hand(random.Random(seed), game)
            text = write_phh(PlayedHand(state, tuple("abc"[: game.players]), seed))
            assert 'dialect = "acpc"' in text
            (back,) = read_phh(text)
            assert record(back.state) == record(state)
            assert back.returns() == state.returns()


def test_fractions_of_a_chip_are_written_as_they_are():
    deck = [0, 1, 4, 5, 8, 9, *(CARDS.index(card) for card in ("As", "Ks", "Qs", "Js", "Ts"))]
    state = holdem(players=3, dialect="acpc").start().deal(deck).apply(CALL).apply(FOLD).apply(CALL)
    for _ in range(3):
        state = state.deal(deck).apply(CALL).apply(CALL)
    text = write_phh(PlayedHand(state, ("a", "b", "c"), 1))
    assert "finishing_stacks = [199, 200.5, 200.5]" in text
    (back,) = read_phh(text)
    assert (back.returns(), back.unit) == ((-1, 0.5, 0.5), 1)


def test_forfeits_are_folds_with_a_comment():
    state = holdem().start().deal(range(52)).apply(CALL).give_up()
    text = write_phh(PlayedHand(state, ("ann", "bob"), 1))
    assert '"p1 f # forfeit"' in text
    assert read_phh(text)[0].returns() == (-2, 2)
    with pytest.warns(UserWarning, match="no reason"):
        *_, end = HandHistory.loads(text)
    assert end.stacks == [198, 202]


def test_bet_sets_are_not_part_of_a_record():
    game = holdem(bets=Menu.parse("pot,allin", unit=1))
    state = random_hand(random.Random(3), game)
    (back,) = read_phh(write_phh(PlayedHand(state, ("ann", "bob"), 1)))
    assert back.state.game == holdem()
    assert back.state.line == state.line


@pytest.mark.parametrize(
    ("game", "why"),
    [(kuhn(), "no variant for kuhn"), (leduc(), "no variant for leduc"), (holdem(betting="pot-limit"), "pot-limit")],
)
def test_games_without_a_variant_are_refused(game, why):
    state = random_hand(random.Random(1), game)
    with pytest.raises(ValueError, match=why):
        write_phh(PlayedHand(state, ("ann", "bob"), 1))
    with pytest.raises(ValueError, match=why):
        variant_of(game)


@pytest.mark.parametrize("name", ['"', "\\", "\x7f", "\x1b[2J", "tab\t", "new\nline", "ü€😀", "'''", "# no comment"])
def test_odd_names_survive(name):
    state = random_hand(random.Random(1), holdem())
    hand = PlayedHand(state, (name, "bob"), name, event=name, table=name)
    text = write_phhs([hand, hand])
    assert all(same(back, hand) for back in read_phh(text))
    assert [history.players[0] for history in HandHistory.loads_all(text)] == [name, name]
    assert "\x1b" not in as_text(hand)


@pytest.mark.parametrize(
    "changes",
    [{"players": ("ann",)}, {"players": ("ann", "\ud800")}, {"players": ("ann", "b" * 300)}, {"seats": (1,)},
     {"unit": Decimal(0)}, {"collected": (1, 2)}, {"collected": (4, -1)}, {"rake": 1}],
)  # fmt: skip
def test_a_played_hand_is_checked(changes):
    state = holdem().start().deal(range(52)).apply(FOLD)
    with pytest.raises(ValueError, match=r"expected|name|chip|pot|rake"):
        PlayedHand(**{"state": state, "players": ("ann", "bob"), "number": 1, **changes})


def test_a_hand_that_goes_on_is_none():
    with pytest.raises(ValueError, match="not over"):
        PlayedHand(holdem().start().deal(range(52)), ("ann", "bob"), 1)


# PHH of others

FOREIGN = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [0.50, 1.00, 0]
min_bet = 1
starting_stacks = [100, 60.25, inf]
actions = ['', '# it begins', 'd dh p1 ????', 'd dh p2 Ah', 'd dh p2 Kh', 'd dh p3 ????', 'p3 cbr 3 # a raise', 'p1 f',
  'p2 cc', 'd db 2c3c4c', 'p2 cc', 'p3 cc', 'd db 9d', 'p2 cbr 5.5', 'p3 cc', 'd db 9s', 'p2 cc', 'p3 cc',
  'p2 sm AhKh', 'p3 sm']
"""


def test_money_is_counted_in_its_smallest_unit():
    (hand,) = read_phh(FOREIGN)
    assert (hand.unit, hand.number, hand.players) == (Decimal("0.01"), 1, ("p1", "p2", "p3"))
    assert hand.state.game.blinds == (50, 100, 0)
    assert [action for street in hand.state.line for action in street if action > 0] == [300, 550]
    assert hand.state.hole(1) == tuple(CARDS.index(card) for card in ("Ah", "Kh"))
    assert hand.state.hole(2) == (HIDDEN, HIDDEN)
    assert hand.returns() == (-50, 900, -850)  # he who mucked cannot win


def test_what_nobody_saw_is_not_known():
    (hand,) = read_phh(FOREIGN.replace("'p3 sm'", "'p3 sm ????'"))
    assert hand.returns() is None
    assert "finishing_stacks" not in write_phh(hand)
    assert "not known" in as_text(hand)


def test_stated_winnings_decide_where_cards_do_not():
    (hand,) = read_phh(FOREIGN.replace("'p3 sm'", "'p3 sm ????'") + "winnings = [0, 0, 17]\n")
    assert hand.returns() == (-50, -850, 850)
    assert hand.rake == 50
    (back,) = read_phh(write_phh(hand))
    assert same(back, hand)


def test_one_card_may_be_shown():
    (hand,) = read_phh(FOREIGN.replace("'p3 sm'", "'p3 sm ??Qd'"))
    assert format_cards(card for card in hand.state.hole(2) if card != HIDDEN) == "Qd"
    assert same(read_phh(write_phh(hand))[0], hand)


def test_antes_that_are_not_trimmed_can_be_won_by_the_short():
    text = """variant = 'NT'
antes = [5, 5, 5]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [100, 100, 3]
actions = ['d dh p1 2c7d', 'd dh p2 3c8d', 'd dh p3 AhAd', 'p1 cc', 'p2 cc', 'd db 4c4d9s', 'p1 cc', 'p2 cc', 'd db Th',
  'p1 cc', 'p2 cc', 'd db Js', 'p1 cc', 'p2 cc', 'p1 sm 2c7d', 'p2 sm 3c8d', 'p3 sm AhAd']
"""
    for trimmed in ("", "ante_trimming_status = true\n"):
        (hand,) = read_phh(text + trimmed)
        assert oracle_end(HandHistory.loads(text + trimmed)) == final_stacks(hand)
    assert read_phh(text)[0].returns()[2] == 10
    assert read_phh(text + trimmed)[0].returns()[2] == 6


ONLINE_RETURNS = {
    70001: (-50, -300, 320),
    70002: (-6000, 5700),
    70003: (-50, 50, 0),
    70004: (-50, -100, 150),
    70005: (-50, -100, 150),
    70006: (100, -100),
}


def test_results_of_others_are_read_as_far_as_they_can_be():
    hands, problems = read_all((DATA / "online.phhs").read_text())
    assert {hand.number: hand.returns() for hand in hands} == ONLINE_RETURNS
    assert {hand.number: hand.rake for hand in hands if hand.rake} == {70001: 30, 70002: 300}
    assert {hand.number: hand.doubt for hand in hands if hand.doubt} == {
        70003: "finishing_stacks cannot be: all others folded, so another player wins the pot",
        70004: "winnings differs from finishing_stacks",
        70006: "winnings differs from finishing_stacks",
    }
    assert [problem.where for problem in problems] == ["hand 7"]
    assert problems[0].why == (
        "finishing_stacks cannot be: all others folded, so another player wins the pot; "
        "winnings cannot be: 800 chips are said to be won of a pot of 100"
    )
    assert "set aside: finishing_stacks cannot be" in as_text(hands[2])
    assert facts(hands[2])["doubt"] == hands[2].doubt
    for hand in hands:
        (back,) = read_phh(write_phh(hand))
        assert (back.returns(), back.rake, back.doubt) == (hand.returns(), hand.rake, "")


@settings(max_examples=60)
@given(seeds)
def test_winnings_may_include_what_nobody_called(seed):
    """Whatever the other field says, and wherever the hand ended."""
    hand = any_hand(seed, forfeits=0.0)
    text = write_phh(hand)
    plain = text[: text.index("finishing_stacks")] + "".join(text.partition("_rules")[1:])
    won = [part + back for part, back in zip(taken(hand), uncalled(hand.state), strict=True)]
    (back,) = read_phh(f"winnings = {won}\n{plain}")
    assert back.returns() == hand.returns()
    assert not back.doubt
    wrong = [0] * len(won)
    wrong[won.index(min(won))] = 9 * sum(won)
    (back,) = read_phh(f"winnings = {won}\nfinishing_stacks = {wrong}\n{plain}")
    assert back.returns() == hand.returns()
    assert back.doubt.startswith("finishing_stacks cannot be")


BAD = {
    "another variant": ("'NT'", "'PO'", "NT and FT, not 'PO'"),
    "no variant": ("variant = 'NT'", "", "NT and FT, not None"),
    "no TOML": ("antes = [", "antes = ", "not TOML"),
    "a seat too many": ("antes = [0, 0, 0]", "antes = [0, 0, 0, 0]", "must have 3 amounts, got 4"),
    "a thousand seats": ("[100, 60.25, inf]", f"[{'1, ' * 1000}]", "2 to 10 players"),
    "one seat": ("[100, 60.25, inf]", "[100]", "2 to 10 players"),
    "stacks of text": ("[100, 60.25, inf]", "['a', 1, 2]", "must be numbers"),
    "a truth": ("[100, 60.25, inf]", "[true, 1, 2]", "must be numbers"),
    "no number": ("[100, 60.25, inf]", "[nan, 1, 2]", "must be numbers"),
    "no chips": ("[100, 60.25, inf]", "[0, 1, 2]", "stacks must be"),
    "absurd chips": ("60.25", "9" * 30, "at most 2147483647"),
    "absurd money": ("60.25", "2147483647.99", "at most 2147483647"),
    "absurd scale": ("60.25", "2147483646.99", "stacks must be"),
    "absurd digits": ("60.25", "9" * 5000, "limit"),
    "absurd exponent": ("60.25", "1e999999999", "not an amount of chips"),
    "endless exponent": ("60.25", "1e99999999999999999999999", "not an amount of chips"),
    "fine digits": ("60.25", "60.123456789", "digits after the point"),
    "hexadecimal": ("60.25", "0x" + "f" * 9000, "at most 2147483647"),
    "a blind out of turn": ("1.00, 0]", "1.00, -1]", "out of turn"),
    "a negative ante": ("antes = [0", "antes = [-1", "negative amount in antes"),
    "no minimum": ("min_bet = 1", "", "min_bet must be numbers"),
    "no action": ("'p1 f'", "'p1 x'", "'p1 x' is not an action"),
    "a number as action": ("'p1 f'", "7", "actions are texts"),
    "no player": ("'p1 f'", "'p4 f'", "p1 to p3"),
    "player nought": ("'p1 f'", "'p0 f'", "p1 to p3"),
    "out of turn": ("'p1 f'", "'p2 f'", "p2 acts when it is the turn of p1"),
    "too small": ("cbr 3 ", "cbr 1.01 ", "a raise here is to between 200"),
    "raise to nothing": ("cbr 3 ", "cbr 0 ", "not an amount"),
    "raise to words": ("cbr 3 ", "cbr all ", "not an amount"),
    "no cards": ("AhKh', 'p3", "XhKh', 'p3", "not cards"),
    "card twice": ("2c3c4c", "2cAh4c", "Ah is dealt twice"),
    "same card twice": ("2c3c4c", "2c2c4c", "2c is dealt twice"),
    "three hole cards": ("'d dh p2 Kh'", "'d dh p2 KhQh'", "two cards"),
    "other cards shown": ("sm AhKh", "sm QhKh", "two cards"),
    "hidden board": ("2c3c4c", "2c3c??", "board must be known"),
    "flop too soon": ("'p2 cc', 'd db 2c3c4c'", "'d db 2c3c4c', 'p2 cc'", "3 cards on the board when .* 0"),
    "no flop": ("'d db 2c3c4c', ", "", "0 cards on the board|flop|1 cards on the board"),
    "flop of two": ("2c3c4c", "2c3c", "2 cards on the board when there should be 3"),
    "cut off": ("'d db 9s', 'p2 cc', 'p3 cc',", "", "cards of the river are missing"),
    "not finished": ("'p2 cc', 'p3 cc',\n", "", "stops before it is over: p2"),
    "after the end": ("'p3 sm'", "'p3 sm', 'p3 cc'", "after the end"),
    "winnings too large": ("min_bet = 1", "min_bet = 1\nwinnings = [0, 18, 0]", "won of a pot"),
    "wrong winner": ("min_bet = 1", "min_bet = 1\nwinnings = [0, 0, 17.50]", "another player wins"),
    "rules unknown": ("min_bet = 1", "min_bet = 1\n_rules = {deck = [1]}", "_rules are"),
    "rules of words": ("min_bet = 1", "min_bet = 1\n_rules = 'all'", "_rules are"),
    "odd dialect": ("min_bet = 1", "min_bet = 1\n_rules = {dialect = 'x'}", "a dialect is"),
    "odd caps": ("min_bet = 1", "min_bet = 1\n_rules = {max_raises = 'x'}", "is a list"),
    "names missing": ("min_bet = 1", "min_bet = 1\nplayers = ['a']", "expected 3 players"),
    "long name": ("min_bet = 1", f"min_bet = 1\nplayers = ['a', 'b', '{'c' * 999}']", "at most 200"),
    "odd date": ("min_bet = 1", "min_bet = 1\nday = 30\nmonth = 2\nyear = 2020", "not a date"),
    "odd number": ("min_bet = 1", "min_bet = 1\nhand = [1]", "hand is a number"),
    "trimmed by words": ("min_bet = 1", "min_bet = 1\nante_trimming_status = 'no'", "true or false"),
    "unequal antes trimmed": ("antes = [0, 0, 0]", "ante_trimming_status = true\nantes = [0, 2, 0]", "be trimmed"),
    "deep arrays": ("min_bet = 1", f"min_bet = 1\n_x = {'[' * 20000}", "too deep"),
    "long keys": ("min_bet = 1", f"min_bet = 1\n{'a.' * 20000}a = 1", "too deep"),
    "too long": ("min_bet = 1", f"min_bet = 1 # {'x' * 70000}", "at most 65536 characters"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_hands_are_told_and_the_others_read(case):
    old, new, why = BAD[case]
    assert old in FOREIGN
    bad = FOREIGN.replace(old, new)
    with pytest.raises(ValueError, match=why):
        read_phh(bad)
    hands, problems = read_all(f"[1]\n{FOREIGN}\n[bad]\n{bad}\n[3]\n{FOREIGN}")
    assert len(hands) == 2
    assert [problem.where for problem in problems] == ["hand bad"]


def test_tables_of_their_own_are_no_hands():
    assert len(read_phh(f"# mine\n{FOREIGN}\n[_notes]\ntext = 'x'\n")) == 1
    assert read_phh("# nothing\n\n") == []


@settings(max_examples=200)
@given(st.data(), st.sampled_from([SIX, FOREIGN, CASH[: CASH.index("PokerStars Hand", 9)], TOURNAMENT[:2000]]))
def test_damaged_files_end_in_hands_or_problems(data, text):
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.sampled_from([0, 0, 1, 2, 10, 200]))
        put = data.draw(
            st.one_of(st.text(max_size=3), st.sampled_from(["-", "9999999999", "[", "'", "$", "p2 f", "Ah"]))
        )
        text = text[:at] + put + text[at + gone :]
    try:
        hands, _ = read_all(text)
    except ValueError as error:
        assert "no file of hands" in str(error)  # noqa: PT017
        return
    for hand in hands:
        as_text(hand)
        json.dumps(facts(hand))
        assert same(read_phh(write_phh(hand))[0], hand)


# PokerStars

CASH_RETURNS = {
    900000000001: (9820, -100, -10000, 0),
    900000000002: (50, -50),
    900000000003: (-10, 75, -70),
    900000000004: (-100, -200, -900, 1100),
    900000000005: (2200, -200, -2200),
    900000000006: (-15, -15, -15),
}
TOURNAMENT_RETURNS = {
    800000000001: (3025, -3000, 0, -25),
    800000000002: (7000, -7000),
    800000000003: (-125, 95, 30),
    800000000004: (-10, -20, 30),
    800000000005: (-20, 20, 0),
    800000000006: (-45, 135, -90),
}


@pytest.mark.parametrize(("text", "returns"), [(CASH, CASH_RETURNS), (TOURNAMENT, TOURNAMENT_RETURNS)])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_pokerstars_hands_have_their_results(text, returns, ends):
    hands = read_pokerstars("\ufeff" + text.replace("\n", ends))
    assert {hand.number: hand.returns() for hand in hands} == returns


def test_pokerstars_tells_who_played_what():
    hands = {hand.number: hand for hand in read_pokerstars(CASH + "\n\n" + TOURNAMENT)}
    first = hands[900000000001]
    assert first.players == ("ann b.", "Bert: the 2nd", "cleo", "dora99")  # ed sits out
    assert (first.seats, first.table, first.currency, first.unit) == ((1, 2, 4, 5), "Larix IV", "$", Decimal("0.01"))
    assert (first.rake, first.played) == (280, datetime.datetime(2023, 5, 6, 18, 20, 31))
    assert first.state.betting() == "r300fcf/cr450c/cr1100r3500r20490c/"
    assert [format_cards(first.state.hole(seat)) for seat in (0, 2)] == ["7d7h", "AhKd"]
    assert first.state.hole(1) == (HIDDEN, HIDDEN)
    assert hands[900000000002].players == ("ann b.", "cleo")  # the button is the small blind
    assert (hands[900000000003].currency, hands[900000000003].rake) == ("£", 5)
    assert format_cards(hands[900000000003].state.hole(2)) == "QsJc"  # mucked, but the summary tells
    assert (hands[900000000004].currency, hands[900000000004].state.game.betting) == ("€", "pot-limit")
    assert hands[900000000004].state.hole(3) == (CARDS.index("Ac"), HIDDEN)
    limit = hands[900000000005].state.game
    assert (limit.betting, limit.blinds, limit.raise_sizes) == ("limit", (100, 200, 0), (200, 200, 400, 400))
    dead = hands[900000000006]  # nobody on the button, nobody to post the small blind
    assert (dead.players, dead.state.game.blinds) == (("cleo", "quin", "ann b."), (100, 0, 0))
    assert hands[800000000001].event == "Tournament #3400000001"
    assert hands[800000000001].state.game.antes == (25,) * 4
    assert hands[800000000002].state.game.antes == (2000, 0)
    assert hands[800000000003].state.spent()[2] == 15
    assert hands[800000000004].state.line[1] == (FOLD,)  # he folded where he could have checked
    assert hands[800000000005].collected == (0, 40, 0)  # nobody knows what the other had


def test_pokerstars_hands_go_through_phh():
    hands = [hand for hand in read_pokerstars(CASH + "\n" + TOURNAMENT) if hand.state.game.betting != "pot-limit"]
    text = write_phhs(hands)
    assert all(same(*pair) for pair in zip(read_phh(text), hands, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        histories = list(HandHistory.loads_all(text))
    for hand, history in zip(hands, histories, strict=True):
        if not hand.rake:
            assert tuple(stack / hand.unit for stack in oracle_end(history)) == final_stacks(hand)


FIRST = CASH[: CASH.index("PokerStars Hand", 9)]
BAD_HANDS = {
    "run twice": ("*** RIVER ***", "*** FIRST RIVER ***", "run twice"),
    "a dead blind": ("dora99: folds", "dora99: posts small & big blinds $1.50", "a blind that is not theirs"),
    "a second big blind": ("*** HOLE CARDS ***", "dora99: posts big blind $1\n*** HOLE CARDS ***", "post a big blind"),
    "blind posted twice": ("*** HOLE CARDS ***", "ann b.: posts small blind $1\n*** HOLE CARDS ***", "twice"),
    "no hold'em": ("Hold'em No Limit", "Omaha Pot Limit", "not hold'em"),
    "no table": ("Table 'Larix IV'", "Larix IV", "which table"),
    "sits twice": ("Seat 2: Bert: the 2nd (", "Seat 2: ann b. (", "sits twice"),
    "two in a chair": ("Seat 2: Bert", "Seat 1: Bert", "in their own seat"),
    "cut off": (FIRST[FIRST.index("*** SUMMARY") :], "", "no summary"),
    "cut off before": (FIRST[FIRST.index("*** TURN") : FIRST.index("*** SUMMARY")], "", "turn are missing"),
    "pot wrong": ("Total pot $201", "Total pot $200", "does not add up"),
    "rake wrong": ("Rake $2.80", "Rake $2.70", "does not add up"),
    "nothing collected": ("ann b. collected $198.20 from pot\n", "", "does not add up"),
    "wrong winner": ("ann b. collected", "cleo collected", "another player wins"),
    "outsider wins": ("ann b. collected", "ed collected", "does not play"),
    "out of turn": ("dora99: folds \n", "", "ann b. acts when it is the turn of dora99"),
    "call of too little": ("calls $2.50", "calls $2.40", "pays 240 chips when 250 are to call"),
    "check for money": ("ann b.: calls $2.50", "ann b.: checks", "pays 0 chips"),
    "small raise": ("raises $2 to $3", "raises $0.50 to $1.50", "a raise here is to between 200"),
    "bets nothing": ("bets $4.50", "bets $0", "bets nothing"),
    "unclear": ("dora99: folds", "dora99: straddles $2", "not clear what dora99 does"),
    "card twice": ("[7d 7h] (three", "[7d Ah] (three", "more than two cards|dealt twice"),
    "no card": ("[Ad 7c 2s]\n", "[Ad 7c 2x]\n", "not a card"),
    "short flop": ("[Ad 7c 2s]\n", "[Ad 7c]\n", "board of 3 cards, got 2"),
    "absurd chips": ("($100 in chips) \n", "($99999999999 in chips) \n", "up to 2147483647"),
    "another currency": ("bets $4.50", "bets €4.50", "not an amount"),
    "cancelled": ("*** SUMMARY ***", "Hand cancelled\n*** SUMMARY ***", "cancelled"),
    "stakes without end": ("Hold'em No Limit", "Hold'em No Limit " * 15_000, "a line of a hand has at most 1000"),
    "a table without end": ("Table 'Larix IV'", "Table '" + "' " * 100_000, "a line of a hand has at most 1000"),
    "raises without end": ("*** FLOP ***", "cleo: raises $1 to $2\n" * 4001 + "*** FLOP ***", "at most 4000 actions"),
    "talkative": ("*** SUMMARY ***", 'ed said, "ha"\n' * 30000 + "*** SUMMARY ***", "at most 262144 characters"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_HANDS)
def test_bad_pokerstars_hands_are_told_and_the_others_read(case):
    old, new, why = BAD_HANDS[case]
    assert old in FIRST
    bad = FIRST.replace(old, new, 1)
    with pytest.raises(ValueError, match=why):
        read_pokerstars(bad)
    hands, problems = read_all(bad + "\n\n" + TOURNAMENT)
    assert len(hands) == len(TOURNAMENT_RETURNS)
    assert [problem.where for problem in problems] == ["hand 900000000001"]


def test_a_thousand_seats_are_too_many():
    seats = "".join(f"Seat {number % 90}: x{number} ($1 in chips)\n" for number in range(1000))
    with pytest.raises(ValueError, match="2 to 10 players"):
        read_pokerstars(FIRST.replace("Seat 6:", seats + "Seat 6:", 1))


def pokerstars_text(hand: PlayedHand, button: int) -> str:
    """A hand as PokerStars would write it, without rake: seats with gaps, the last of ours on the button."""
    state, game, names = hand.state, hand.state.game, hand.players
    chairs = [(button + 2 * (seat + 1 - game.players)) % 20 or 20 for seat in range(game.players)]
    antes, blinds = game.posted
    word = {"no-limit": "No Limit", "pot-limit": "Pot Limit", "limit": "Limit"}[game.betting]
    stakes = game.raise_sizes[1:3] if game.betting == "limit" else (min(filter(None, game.blinds)), game.min_bet)
    lines = [f"PokerStars Hand #{hand.number}:  Hold'em {word} ({stakes[0]}/{stakes[1]}) - 2020/01/01 1:00:00 ET"]
    lines.append(f"Table 'T' 10-max Seat #{chairs[-1]} is the button")
    for seat in sorted(range(game.players), key=chairs.__getitem__):
        lines.append(f"Seat {chairs[seat]}: {names[seat]} ({game.stacks[seat]} in chips) ")
    lines += [f"{names[seat]}: posts the ante {ante}" for seat, ante in enumerate(antes) if ante]
    posted = sorted((blind, seat) for seat, blind in enumerate(blinds) if blind)
    for kind, (blind, seat) in zip(("small", "big"), posted, strict=True):
        all_in = " and is all-in" * (antes[seat] + blind == game.stacks[seat])
        lines.append(f"{names[seat]}: posts {kind} blind {blind}{all_in}")
    lines.append("*** HOLE CARDS ***")
    streets: list[list[str]] = [[], [], [], []]
    for at, action in retrace(state):
        streets[at.street].append(f"{names[at.player]}: {in_words(at, action)}")
    board = format_cards(state.board, " ")
    titles = (None, f"FLOP *** [{board[:8]}]", f"TURN *** [{board[:8]}] [{board[9:11]}]",
              f"RIVER *** [{board[:11]}] [{board[12:]}]")  # fmt: skip
    for street in range(state.street + 1):
        lines += ([f"*** {titles[street]}"] if street else []) + streets[street]
    if len(state.live_seats()) > 1:
        lines.append("*** SHOW DOWN ***")
        lines += [f"{names[s]}: shows [{format_cards(state.hole(s), ' ')}] (x)" for s in state.showdown_order()]
    lines += [f"{names[seat]} collected {won} from pot" for seat, won in enumerate(taken(hand)) if won]
    lines += ["*** SUMMARY ***", f"Total pot {contested_pot(state)} | Rake 0 ", "", "", ""]
    return "\n".join(lines)


def in_words(state: PokerState, action: int) -> str:
    if action == FOLD:
        return "folds "
    if action == CALL:
        return f"calls {state.to_call()}" if state.to_call() else "checks "
    top = max(state.bets)
    return f"raises {action - top} to {action}" if top else f"bets {action}"


@settings(max_examples=120)
@given(seeds, st.sampled_from(["no-limit", "pot-limit", "limit"]), st.integers(1, 20))
def test_random_hands_as_pokerstars_writes_them(seed, betting, button):
    rng = random.Random(seed)
    players = rng.randint(2, 10)
    stacks = [rng.randint(6, rng.choice([12, 400])) for _ in range(players)]
    game = holdem(players, stacks, (1, 2), rng.choice([0, 0, 1, 3]), betting=betting)
    state = random_hand(rng, game, forfeits=0.02)
    hand = PlayedHand(state, tuple(rng.sample(["a", "a b", "a: folds", "(b)", "$1", "Seat 1", "*", "c[", "d\\", "é"],
                                              players)), seed)  # fmt: skip
    text = pokerstars_text(hand, button)
    (back,) = read_pokerstars(text)
    assert (back.players, back.state.line, back.state.game) == (hand.players, state.line, game)
    if len(state.live_seats()) > 1:
        assert back.returns() == hand.returns()
        assert [back.state.hole(seat) for seat in state.live_seats()] == [state.hole(s) for s in state.live_seats()]
    if not folded_overbet(state):
        assert back.returns() == hand.returns()


def test_pokerkit_reads_the_same_from_pokerstars():
    for seed in range(40):
        rng = random.Random(seed)
        state = random_hand(rng, holdem(rng.randint(2, 6), 100))
        hand = PlayedHand(state, tuple(f"player{seat}" for seat in range(state.game.players)), seed)
        text = pokerstars_text(hand, rng.randint(1, 20))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it does not know the field for the time zone that it writes
            (history,) = HandHistory.from_pokerstars(text, error_status=True)
        (back,) = read_pokerstars(text)
        assert tuple(history.players) == back.players
        assert oracle_end(history) == final_stacks(back)


# Text and data


def test_small_games_in_words():
    deck = kuhn().deck
    state = kuhn().start().deal(deck).apply(CALL).apply(2).apply(CALL)
    assert as_text(PlayedHand(state, ("ann", "bob"), 1)) == (
        "Hand 1: kuhn, ante 1\n  P1 ann  Qs\n  P2 bob  Ks\nround 1\n  ann: check\n  bob: bet 1\n  ann: call 1\n"
        "showdown (pot 4)\n  bob: Ks, king\n  ann: Qs, queen\nresult: ann -2, bob +2\n"
    )


def test_a_hand_of_holdem_in_words():
    text = as_text(read_phh(SIX)[0])
    for line in (
        "Hand 12: no-limit hold'em, blinds 1/2/4, Friday game, table 3, 2024-02-29 20:15:00",
        '  SB  Ann "Ace" 200 2c 2d',
        "  dan: raise to 12",
        "  eve\\n: all-in 33",
        "flop: Kd 9s 9c (pot 102)",
        "  dan: bet 47",
        "turn: 4d",
        "showdown (pot 196)",
        "  dan: As Ah, full house, aces full of nines",
        'result: Ann "Ace" -1, bob -2, Çelik -80, dan +116, eve\\n -33, fay 0',
    ):
        assert f"{line}\n" in text


def test_money_in_words():
    text = as_text(read_pokerstars(CASH)[0])
    assert "  ann b.: call $57.50\n" in text
    assert "result: ann b. +$98.20, Bert: the 2nd -$1.00, cleo -$100.00, dora99 $0.00, rake $2.80\n" in text


@settings(max_examples=60)
@given(seeds, st.sampled_from(["kuhn", "leduc", "holdem"]), st.booleans())
def test_every_hand_has_its_text_and_data(seed, name, hide):
    rng = random.Random(seed)
    game = {"kuhn": kuhn(3), "leduc": leduc(), "holdem": any_game(rng)}[name]
    state = random_hand(rng, game, forfeits=0.05)
    hand = PlayedHand(state.seen_by(0) if hide else state, tuple("abcdefghij"[: game.players]), 1)
    text, data = as_text(hand), json.loads(json.dumps(facts(hand)))
    assert (
        len(data["actions"])
        == sum(map(len, state.line))
        == text.count("\n  ")
        - game.players
        - text.count("\n  ", text.find("\nshowdown") if "\nshowdown" in text else len(text))
    )
    if not hide:
        assert tuple(data["returns"]) == state.returns()


# The command line


def test_cli_changes_forms(ludus, tmp_path):
    phhs = tmp_path / "all.phhs"
    code, out, err = ludus("hands", DATA / "cash.txt", DATA / "tournament.txt", "--to", "phh", "--out", phhs)
    assert (code, out) == (1, "")
    assert "hand 900000000004: PHH has no variant for pot-limit" in err
    assert "11 hands of 2 files, 1 problem" in err
    code, out, err = ludus("hands", phhs)
    assert code == 0
    assert out.count("\nresult: ") == 11
    code, out, _ = ludus("hands", phhs, "--to", "json")
    hands = [json.loads(line) for line in out.splitlines()]
    assert {hand["number"]: tuple(hand["returns"]) for hand in hands} == {
        number: returns for number, returns in (CASH_RETURNS | TOURNAMENT_RETURNS).items() if number != 900000000004
    }


def test_cli_writes_one_hand_as_phh(ludus, tmp_path):
    one = tmp_path / "one.phh"
    assert ludus("hands", DATA / "six.phh", "--to", "phh", "--out", one)[0] == 0
    assert one.read_text() == SIX
    assert ludus("hands", DATA / "six.phh", "--to", "phh")[1] == SIX
    code, _, err = ludus("hands", one, one, "--to", "phh", "--out", tmp_path / "two.phh")
    assert code == 2
    assert "two.phhs" in err
    assert not (tmp_path / "two.phh").exists()


def test_cli_writes_pokerstars_text(ludus, tmp_path):
    out = tmp_path / "all.txt"
    assert ludus("hands", DATA / "cash.txt", DATA / "tournament.txt", "--to", "pokerstars", "--out", out)[0] == 0
    hands, problems = read_all(out.read_text())
    assert not problems
    assert {hand.number: hand.returns() for hand in hands} == CASH_RETURNS | TOURNAMENT_RETURNS
    code, _, err = ludus("hands", DATA / "six.phh", "--to", "pokerstars")
    assert code == 2
    assert "no blinds (1, 2, 4, 0, 0, 0)" in err


def test_cli_reads_folders_and_goes_on_after_problems(ludus, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "old.txt").write_bytes(CASH.replace("cleo", "clé€").encode("cp1252"))
    (tmp_path / "bad.phhs").write_text(f"[1]\n{FOREIGN}\n[2]\nvariant = '\x1b[2J'\n")
    (tmp_path / "notes.md").write_text("# nothing\n")
    (tmp_path / "junk.bin").write_bytes(random.Random(1).randbytes(300_000))
    (tmp_path / "zeros").write_bytes(bytes(600_000))
    code, out, err = ludus("hands", tmp_path)
    assert code == 1
    assert "clé€: raise to $3.00" in out
    assert "7 hands of 2 files, 3 other files passed over, 1 problem" in err
    assert "\x1b" not in err


@pytest.mark.parametrize("content", [b"", b"\0" * 600_000, b"\xff\xfe\x00", b"hello\n", bytes(range(256)) * 50])
def test_cli_refuses_what_is_no_file_of_hands(ludus, tmp_path, content):
    path = tmp_path / "x.phh"
    path.write_bytes(content)
    code, out, err = ludus("hands", path, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "no file of hands" in err
    assert not (tmp_path / "out").exists()


def test_cli_says_what_is_wrong_with_its_options(ludus, tmp_path):
    assert ludus("hands", tmp_path / "none")[0] == 1
    code, _, err = ludus("hands", DATA / "six.phh", "--to", "xml")
    assert code == 2
    assert "text, phh, json" in err
    code, _, err = ludus("hands", DATA / "six.phh", "--out", tmp_path)
    assert code == 2
    assert "folder" in err


def test_large_files_are_read_hand_by_hand(tmp_path):
    path = tmp_path / "many.phhs"
    path.write_text("".join(f"[{n}]\n{SIX}\n" for n in range(500)) + "x" * 400_000)
    found = read_file(path)
    assert sum(1 for _ in (next(found) for _ in range(400))) == 400
    with pytest.raises(ValueError, match="a line has more than"):
        list(found)
