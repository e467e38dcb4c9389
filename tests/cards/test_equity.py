from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ludus.cards import sampling
from ludus.cards.card import parse_cards
from ludus.cards.equity import EquityResult, as_range, equity
from ludus.cards.evaluator import evaluate
from ludus.cards.isomorphism import canonical_board, canonical_boards, permute_suits
from ludus.cards.ranges import COMBOS, blocked, combo_index, parse_range
from ludus.cards.runouts import ALL_SYMMETRIES, runouts, suit_symmetries
from ludus.cards.sampling import joint_deals
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, DIGITS, PLACE_BITS, PLACES, rank_live, sort_packed

quick = settings(max_examples=40, deadline=None)


def of(*texts, board="", dead="", **options):
    return equity([as_range(text) for text in texts], parse_cards(board), parse_cards(dead), **options)


def reference(players, board=(), dead=()):
    """The obvious way: every choice of hands, every board, one look at all the hands each."""
    share, win, tie, total, boards = np.zeros(len(players)), np.zeros(len(players)), 0.0, 0.0, 0
    supports = [[(i, w) for i, w in enumerate(weights) if w > 0] for weights in players]
    for choice in product(*supports):
        hands = [COMBOS[index].tolist() for index, _ in choice]
        taken = [card for hand in hands for card in hand] + list(board) + list(dead)
        if len(set(taken)) < len(taken):
            continue
        weight = float(np.prod([w for _, w in choice]))
        left = [card for card in range(52) if card not in taken]
        full = np.array([(*board, *rest) for rest in combinations(left, 5 - len(board))])
        ranks = np.array([evaluate(np.column_stack([full, np.tile(hand, (len(full), 1))])) for hand in hands])
        best = ranks == ranks.min(axis=0)
        share += weight * (best / best.sum(axis=0)).sum(axis=1)
        win += weight * (best & (best.sum(axis=0) == 1)).sum(axis=1)
        tie += weight * (best.sum(axis=0) > 1).sum()
        total += weight * len(full)
        boards += len(full)
    return share / total, win / total, tie / total, boards


def assert_same(result, expected):
    share, win, tie, boards = expected
    np.testing.assert_allclose(result.equity, share, atol=1e-12)
    np.testing.assert_allclose(result.win, win, atol=1e-12)
    assert result.tie == pytest.approx(tie, abs=1e-12)
    assert result.boards == boards
    assert result.exact
    assert set(result.ci95) == {0.0}


# known values


def test_two_hands_before_the_flop():
    result = of("AhKh", "QsQd")
    assert result.boards == 1712304
    assert result.exact
    counts = np.array([*result.win, result.tie]) * result.boards
    np.testing.assert_allclose(counts, [787966, 917606, 6732], atol=1e-6)
    assert result.equity[0] == pytest.approx(0.4621446, abs=1e-7)
    assert of("AhKh", "QcQd").equity[0] == pytest.approx(0.46214, abs=1e-5)


def test_classes_before_the_flop():
    assert of("AA", "KK").equity[0] == pytest.approx(0.8194605, abs=1e-7)
    assert of("AKs", "QQ").equity[0] == pytest.approx(0.4604853, abs=1e-7)


def test_three_hands_before_the_flop():
    result = of("AhKh", "QcQd", "7s6s")
    assert result.boards == comb(46, 5)
    assert sum(result.win) + result.tie == pytest.approx(1)
    np.testing.assert_allclose(result.equity, [0.377943, 0.395721, 0.226336], atol=1e-6)


@pytest.mark.parametrize("players", range(2, 11))
def test_a_royal_flush_on_the_board_is_shared_by_all(players):
    hands = [f"{rank}{suit}{rank}{other}" for rank in "23456" for suit, other in ("cd", "hs")][:players]
    result = of(*hands, board="AhKhQhJhTh")
    assert result.equity == pytest.approx([1 / players] * players)
    assert result.tie == 1
    assert result.boards == 1


def test_the_nuts_win_and_drawing_dead_is_dead():
    result = of("AhKh", "random", board="QhJhTh2c")
    assert (result.equity, result.win, result.tie) == ((1, 0), (1, 0), 0)
    assert of("2c2d", "2h2s", board="AhAsAdAcKd").tie == 1


def test_dead_cards_leave_the_deck():
    assert of("AhAs", "KhKs", board="2c7d9hJs", dead="KcKd").equity == (1, 0)
    assert of("AhAs", "KhKs", board="2c7d9hJs", dead="Kc").win[1] == pytest.approx(1 / 43)


# invariants


hand_lists = st.lists(st.integers(0, 1325), min_size=1, max_size=4, unique=True)
weights = st.sampled_from([0.125, 0.3, 0.5, 1.0])


@st.composite
def spots(draw):
    deck = draw(st.permutations(range(52)))
    size = draw(st.sampled_from([3, 4, 5]))
    board, dead = deck[:size], deck[size : size + draw(st.integers(0, 3))]
    ranges = []
    for _ in range(draw(st.integers(2, 4))):
        hands = np.zeros(1326)
        for index in draw(hand_lists):
            hands[index] = draw(weights)
        hands = blocked(hands, board + dead)
        assume(hands.any())
        ranges.append(hands)
    deals, _ = joint_deals(ranges, 1000)
    assume(len(deals) > 0)
    assume(len(deals) * 45 ** (5 - size) < 60_000)
    return ranges, board, dead


@quick
@given(spots())
def test_equity_matches_the_reference(spot):
    assert_same(equity(*spot, exact=True), reference(*spot))


@quick
@given(spots(), st.data())
def test_equities_sum_to_one_and_follow_their_players(spot, data):
    players, board, dead = spot
    result = equity(players, board, dead)
    assert sum(result.equity) == pytest.approx(1)
    assert sum(result.win) + result.tie == pytest.approx(1)
    order = data.draw(st.permutations(range(len(players))))
    other = equity([players[i] for i in order], board, dead)
    np.testing.assert_allclose(other.equity, [result.equity[i] for i in order], atol=1e-12)
    np.testing.assert_allclose(other.win, [result.win[i] for i in order], atol=1e-12)
    assert other.tie == pytest.approx(result.tie, abs=1e-12)


def with_suits(hands, suits):
    moved = np.zeros(1326)
    for index in np.flatnonzero(hands):
        moved[combo_index(*permute_suits(COMBOS[index].tolist(), suits))] = hands[index]
    return moved


@quick
@given(spots(), st.sampled_from(list(permutations(range(4)))))
def test_the_names_of_the_suits_do_not_matter(spot, suits):
    players, board, dead = spot
    result = equity(players, board, dead)
    other = equity(
        [with_suits(hands, suits) for hands in players], permute_suits(board, suits), permute_suits(dead, suits)
    )
    np.testing.assert_allclose(other.equity, result.equity, atol=1e-12)


# other ways to the same result


def average_of_hands(first, second, board=()):
    """The equity of two ranges from all their hands against each other."""
    total = share = 0.0
    for i, j in product(np.flatnonzero(first), np.flatnonzero(second)):
        if COMBO_BITS[i] & COMBO_BITS[j] == 0:
            result = equity([np.eye(1, 1326, i)[0], np.eye(1, 1326, j)[0]], board)
            share += first[i] * second[j] * result.equity[0]
            total += first[i] * second[j]
    return share / total


@pytest.mark.parametrize(
    ("first", "second", "board"),
    [
        ("AhKh", "QQ+", ""),  # one hand against a range, six symmetries
        ("AhKh, QcQs:0.5", "JdJh:0.25, AcKs, TsTd", ""),  # two ranges, no symmetry
        ("KK+", "AKs", ""),  # all symmetries
        ("Jh9h", "22+, A2+", "Th8h2c"),
    ],
)
def test_ranges_are_averages_of_hands(first, second, board):
    result = of(first, second, board=board)
    cards = parse_cards(board)
    expected = average_of_hands(blocked(as_range(first), cards), blocked(as_range(second), cards), cards)
    assert result.exact
    assert result.equity[0] == pytest.approx(expected, abs=1e-12)
    assert of(second, first, board=board).equity[1] == pytest.approx(expected, abs=1e-12)


def test_wide_ranges_on_the_river_match_a_matrix_of_all_pairs():
    board = parse_cards("Kc8h2h3d5s")
    first, second = (blocked(as_range(text), board) for text in ("55+, A9s+, KQ:0.3", "random:0.7, 72o:0.1"))
    live = np.flatnonzero(~np.isin(COMBOS, board).any(axis=1))
    ranks = evaluate(np.column_stack([COMBOS[live], np.tile(board, (len(live), 1))])).astype(int)
    deals = np.where(COMBO_BITS[live, None] & COMBO_BITS[live] == 0, first[live, None] * second[live], 0.0)
    shares = [(deals * (ranks[:, None] < ranks)).sum(), (deals * (ranks[:, None] > ranks)).sum()]
    result = equity([first, second], board)
    np.testing.assert_allclose(result.win, shares / deals.sum(), atol=1e-12)
    assert result.boards == np.count_nonzero(deals)


def test_what_the_others_block_does_not_count():
    """AhKd is out beside AhQh, and leaves no trace although it weighs far more than the hands that count."""
    result = of("AhQh", "AhKd, 2c2d:1e-9, 7s8s:1e-9", board="Qs7h3d")
    assert result.equity == pytest.approx(of("AhQh", "2c2d, 7s8s", board="Qs7h3d").equity, abs=1e-9)
    assert result.boards == 2 * 990


@pytest.mark.parametrize("board", ["3h4cJh", "3h4cJhJd", "3h4cJhJd2s"])
def test_hands_are_ranked_and_sorted_as_evaluated(board):
    cards = np.array(parse_cards(board), np.uint8)
    packed, spare = np.empty(1327, np.uint32), np.empty(1326, np.uint32)
    live = rank_live(cards, COMBO_KEYS, COMBO_BITS, packed)
    places = np.flatnonzero(~np.isin(COMBOS, cards).any(axis=1))
    expected = evaluate(np.column_stack([COMBOS[places], np.tile(cards, (len(places), 1))]))
    assert live == len(places)
    np.testing.assert_array_equal(packed[:live] & PLACES, places)
    np.testing.assert_array_equal(packed[:live] >> PLACE_BITS, expected)
    sort_packed(packed, live, spare, np.empty((2, DIGITS), np.uint32))
    np.testing.assert_array_equal(packed[:live] >> PLACE_BITS, np.sort(expected))
    np.testing.assert_array_equal(np.sort(packed[:live] & PLACES), places)


def test_boards_up_to_suits_are_the_canonical_ones():
    boards, times = runouts((), range(52), ALL_SYMMETRIES)
    canonical = canonical_boards(5)
    assert len(boards) == len(canonical) == 134459
    assert times.sum() == comb(52, 5)
    for at in range(0, len(boards), 97):
        assert canonical[canonical_board(boards[at].tolist())] == times[at]


def test_runouts_respect_what_is_known():
    board, deck = parse_cards("2c3c4d"), [card for card in range(52) if card not in parse_cards("2c3c4d9h9s")]
    symmetries = suit_symmetries([as_range("QQ")], [board, parse_cards("9h9s")])
    assert symmetries.tolist() == [[0, 1, 2, 3], [0, 1, 3, 2]]
    boards, times = runouts(board, deck, symmetries)
    assert times.sum() == comb(47, 2)
    expanded = {frozenset(permute_suits(row.tolist(), suits)) for row, suits in product(boards, symmetries.tolist())}
    assert expanded == {frozenset((*board, *rest)) for rest in combinations(deck, 2)}
    assert runouts(parse_cards("2c3c4d5h6s"), deck)[0].tolist() == [list(parse_cards("2c3c4d5h6s"))]


# drawing at random


@pytest.mark.parametrize("table", [0, 1 << 16], ids=["hands apart", "joint table"])
@pytest.mark.parametrize(
    ("players", "board"),
    [
        (("AhKh", "QsQd"), "2c7d9h"),
        (("AA, AKs:0.2", "AK, AQ, AA:0.4"), "Ac7d2s"),  # blocks its opponent heavily
        (("AA, KK:0.3", "AK, KK", "AQ, QQ:0.5"), "Kc7d2s"),
        (("AhKh", "random", "QQ+, AK"), "Qc7h2h5d"),
    ],
)
def test_the_interval_covers_the_exact_value(players, board, table, monkeypatch):
    monkeypatch.setattr(sampling, "TABLE_DEALS", table)
    exact = of(*players, board=board, exact=True)
    runs = [of(*players, board=board, samples=20_000, seed=seed) for seed in range(30)]
    for player in range(len(players)):
        covered = [abs(run.equity[player] - exact.equity[player]) <= run.ci95[player] for run in runs]
        assert sum(covered) >= 25
        mean = np.mean([run.equity[player] for run in runs])
        assert abs(mean - exact.equity[player]) <= 2.6 / 1.96 * runs[0].ci95[player] / np.sqrt(30)
    assert np.mean([run.tie for run in runs]) == pytest.approx(exact.tie, abs=0.003)
    assert not runs[0].exact
    assert runs[0].samples == runs[0].boards == 20_000


def test_threads_change_nothing():
    players = [as_range(text) for text in ("QQ+, AK", "22+, A2s+", "random", "JTs, 98s")]
    runs = [equity(players, samples=100_000, seed=5, threads=threads) for threads in (1, 2, 3)]
    assert runs[0] == runs[1] == runs[2]
    assert runs[0] != equity(players, samples=100_000, seed=6)
    exact = [of("QQ+, AK", "22+", board="Ts9s2d", threads=threads) for threads in (1, 2)]
    assert exact[0] == exact[1]


def test_what_was_never_seen_may_still_come():
    result = of("AhAs", "KhKs", board="2c7d9h", dead="KcKd", samples=100, seed=1)
    assert result.equity[0] > 0.95
    assert result.ci95[0] >= 0.03


def test_wide_ranges_before_the_flop_are_drawn():
    result = of("random, AhKs:0.5", "random, 7c2d:0")
    assert not result.exact
    assert result.samples == 1_000_000
    assert result.equity[0] == pytest.approx(0.5, abs=0.002)


# progress, interruption, bad input


def test_progress_counts_the_blocks():
    seen = []
    of("random", "random", "random", samples=100_000, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i + 1, len(seen)) for i in range(len(seen))]
    assert len(seen) > 1


def test_an_interrupt_stops_the_work():
    seen = []

    def interrupt(done, total):
        seen.append(total)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        of("random", "random", "random", samples=50_000_000, progress=interrupt)
    assert len(seen) == 1
    assert seen[0] > 1000


@pytest.mark.parametrize(
    ("players", "known", "message"),
    [
        (["AhKh"], {}, "between 2 and 10 players"),
        (["random"] * 11, {}, "between 2 and 10 players"),
        (["AhKh", "QsQd"], {"board": "2c3c"}, "0, 3, 4 or 5 cards"),
        (["AhKh", "QsQd"], {"board": "Ah3c4c"}, "Ah is both in the board and in the hand of player 1"),
        (["AhKh", "QsQd"], {"dead": "Qs"}, "Qs is both in the dead cards and in the hand of player 2"),
        (["AhKh", "QsQd"], {"board": "2c3c4c", "dead": "2c"}, "2c is both in the board and in the dead cards"),
        (["AhKh", "AhQd"], {}, "Ah is both in the hand of player 1 and in the hand of player 2"),
        (["AA:0", "KK"], {}, "range of player 1 is empty"),
        (["AhKh, AhQh", "22"], {"board": "Ah3c4c"}, "player 1 has no hand left: Ah, 3c, 4c block"),
        (["AhKh, AhQh", "AhJh, AhTh"], {}, "no deal fits"),
        (["AA"] * 3, {}, "no deal fits"),
        (["A2+, AA"] * 5, {}, "fewer than 1 in 2000 draws"),
    ],
)
def test_bad_spots_are_refused(players, known, message):
    with pytest.raises(ValueError, match=message):
        of(*players, **known)


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match="samples"):
        of("AhKh", "QsQd", samples=0)
    with pytest.raises(ValueError, match="exact results draw none"):
        of("AhKh", "QsQd", samples=10, exact=True)
    with pytest.raises(ValueError, match="threads"):
        of("AhKh", "QsQd", threads=0)
    with pytest.raises(ValueError, match="too many to enumerate"):
        of("random", "random", "random", exact=True)
    with pytest.raises(ValueError, match="too few"):
        equity([np.ones(1326)] * 10, dead=range(30))
    with pytest.raises(ValueError, match="shape"):
        equity([np.ones(169), np.ones(1326)])


def test_results_do_not_change():
    with pytest.raises(AttributeError):
        of("AhKh", "QsQd", board="2c3c4c").tie = 0.0
    assert isinstance(of("AhKh", "QsQd", board="2c3c4c"), EquityResult)


def test_text_of_ranges():
    assert as_range("Ah Kh")[combo_index(*parse_cards("AhKh"))] == as_range("KhAh").sum() == 1
    assert as_range("AhKh, AhQh").sum() == 2
    with pytest.raises(ValueError, match="AhXh"):
        as_range("AhXh")


def test_the_interval_is_the_normal_one():
    """The half width is 1.96 standard errors of the share of the pot, which is 1, 1/2 or 0 in each deal."""
    result = of("AhKh", "AsKs", board="2h3h4c", samples=10_000, seed=1)
    mean, win, tie = result.equity[0], result.win[0], result.tie
    deviation = (win + tie / 4 - mean**2) ** 0.5
    assert result.ci95[0] == pytest.approx(1.96 * deviation / 100, rel=1e-4)


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e-300])
def test_the_scale_of_weights_does_not_matter(scale):
    ranges = [parse_range("AA, 72o:0.1"), parse_range("KK"), parse_range("QQ:0.5, JJ")]
    for some in (ranges[:2], ranges):
        scaled = equity([weights * scale for weights in some], samples=5000, seed=2)
        assert scaled == equity(some, samples=5000, seed=2)
    assert equity([weights * scale for weights in ranges[:2]]).equity == pytest.approx(
        equity(ranges[:2]).equity, abs=1e-12
    )


def test_ranges_that_hardly_fit_do_not_cancel():
    """Nearly all weight is on hands that exclude each other; what is left must be exact all the same."""
    one, two = parse_range("AhAs, KsKc:1e-15"), parse_range("AhKd, 2c2d:1e-15")
    board = parse_cards("7h8d9c")
    pairs = [("AhAs", "2c2d", 1e-15), ("KsKc", "AhKd", 1e-15), ("KsKc", "2c2d", 1e-30)]
    weights = np.array([weight for *_, weight in pairs])
    shares = [equity([as_range(a), as_range(b)], board).equity[0] for a, b, _ in pairs]
    assert equity([one, two], board).equity[0] == pytest.approx(weights @ shares / weights.sum(), abs=1e-12)
