"""Rollouts under a blueprint, against the readable rules move by move and against values that are known."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.agents.evaluation import Estimate
from ludus.agents.rollouts import Rollouts
from ludus.cards.card import parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.random import next_state
from ludus.cards.ranges import COMBOS, combo_index, parse_range
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import rules_of
from ludus.games.holdem import holdem
from ludus.games.menu import Menu
from ludus.games.moves import CALL, FOLD
from ludus.games.pots import share_pots
from ludus.games.record import dealt, replay
from ludus.solvers.blueprint.presets import BETS
from ludus.solvers.blueprint.rollouts import deal_cards, draws_of, fraction, moments, table_of
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.trees.blueprint import Abstraction

AK = tuple(parse_cards("AhKh"))
SMALL_TREE = "75%,allin;allin;- / 50%,150%,allin;allin;-"


def abstraction(players, form, bets=BETS["aparicio"], stack=2000):
    return Abstraction(holdem(players, stack, (10, 20), bets=Menu.parse(bets)), form, "aparicio")


def lively(game, seed=1):
    """Some strategy in which what one does depends on everything, with rows never met and actions never taken."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(1, 256, 100_003, dtype=np.uint8)  # a prime, so that they lie anew in every row
    numbers[rng.random(len(numbers)) < 0.3] = 0
    return Blueprint(game, {}, np.resize(numbers, game.layout.slots))


def fixed(game, slot):
    """In every situation one slot: 0 for fold or else check, 1 for check or call; not for trees."""
    rows = np.zeros((game.layout.slots // int(game.layout.spec["width"]), int(game.layout.spec["width"])), np.uint8)
    rows[:, slot] = 200
    if slot == 0:
        rows[:, 1] = 1
    return Blueprint(game, {}, rows.ravel())


S1_2 = abstraction(2, "aparicio")
CALLERS = fixed(S1_2, 1)
SOME = lively(abstraction(6, "aparicio")), lively(abstraction(4, "bounded", "75%,allin"))


@cache
def tree():
    return lively(abstraction(2, "tree", SMALL_TREE, stack=400))


def at_table(game, betting, cards):
    """A public state after some betting, with a deck that begins with any hole cards and has this board."""
    board = list(parse_cards(cards))
    rest = [card for card in game.deck if card not in board]
    return replay(game, betting, rest[: 2 * game.players] + board + rest[2 * game.players :]).seen_by(-1)


def ranges_of(public, *texts):
    """Ranges of the seats still in the hand but for the player to act, in their order."""
    seats = [seat for seat in public.live_seats() if seat != public.player]
    found = dict(zip(seats, map(as_range, texts), strict=True))
    return [found.get(seat) for seat in range(public.game.players)]


def any_hands(public):
    return ranges_of(public, *["random"] * (len(public.live_seats()) - 1))


def reference(blueprint, public, hand, ranges, action, deals, seed, biases=None):
    """The mean that `Rollouts` finds, by the readable rules and one look-up at a time."""
    layout, table = blueprint.abstraction.layout, table_of(public, hand, ranges)
    rules = layout.rules if layout.tree.nodes else rules_of(public.game)
    state = np.random.SeedSequence((seed, 0)).generate_state(2, np.uint64)
    deck, line = table.deck.copy(), [move for street in public.line for move in street]
    total = 0.0
    for _ in range(deals):
        found, *state = deal_cards(table, deck, *map(np.uint64, state))
        assert found
        assert len(set(deck.tolist())) == len(deck)
        key = np.uint64(sum(state) % (1 << 64))
        state = next_state(*map(np.uint64, state))
        hand_now, played = dealt(public.game.start(), deck.tolist()), []
        while hand_now.player != TERMINAL:
            known = [*line, action][len(played) : len(played) + 1]
            played += known or [looked_up(blueprint, rules, hand_now, played, key, biases)]
            hand_now = dealt(hand_now.after(played[-1]), deck.tolist())
        total += won(hand_now, public.player) + public.spent()[public.player]
    return total / deals


def looked_up(blueprint, rules, state, played, key, biases):
    found = blueprint.find(rules, played)
    seat, street = state.player, state.street
    kind = blueprint.kinds(state.board)[[combo_index(*state.hole(seat))]]
    row = blueprint.strategy[found.start + kind[0] * found.stride + np.array(found.slots)].astype(float)
    factors = np.ones(len(row))
    if biases is not None:
        raised = int(any(move > 0 for move in state.line[-1]))
        factors = np.array([biases[seat, street, raised, np.sign(action) + 1] for action in found.actions])
    calls = np.array(found.actions) == CALL
    weights = next(kind for kind in (row * factors, factors, calls) if kind.any())
    u = fraction(key, ((street * 16 + seat) << 8) + len(state.line[-1]))
    return found.actions[int(np.searchsorted(np.cumsum(weights) / weights.sum(), u, side="right"))]


def won(state, seat):
    """Chips of a seat; pots are split exactly, as kernels do where antes are not dead."""
    if state.game.dead_antes or len(state.live_seats()) == 1:
        return state.returns()[seat]
    return share_pots(state.pots(), state.strengths(), state.game.players, True)[seat] - state.spent()[seat]


UNEQUAL = (900, 2000, 450, 1700, 130, 2000)
BIG_BLIND_ANTE = holdem(3, (400, 900, 2000), (10, 20), ante=(0, 20, 0))
SPOTS = {
    "two players before the flop": ("aparicio", 2, holdem(2, 2000, (10, 20)), "r60", "", (0, 180, 333, 2000)),
    "two on the turn": ("aparicio", 2, holdem(2, 2000, (10, 20)), "r60c/cr160c/c", "Kd7c2s5d", (0, 77, 150)),
    "three with unequal stacks": ("bounded", 3, holdem(3, (300, 2000, 900), (10, 20)), "r70cc/", "Kd7c2s", (0, 120)),
    "six with unequal stacks": ("aparicio", 6, holdem(6, UNEQUAL, (10, 20)), "r60cfc", "", (0, 410, 900)),
    "four at a table for six": ("bounded", 6, holdem(4, 1500, (10, 20), ante=2), "cr100", "", (0, 300)),
    "a big-blind ante": (
        "aparicio",
        3,
        BIG_BLIND_ANTE,
        "r60cc/c",
        "Kd7c2s",
        (0, 150),
    ),
}


@pytest.mark.parametrize("name", SPOTS)
def test_hands_are_played_on_as_the_readable_rules_and_look_ups_say(name):
    form, players, game, betting, board, actions = SPOTS[name]
    blueprint = lively(abstraction(players, form))
    public = at_table(game, betting, board)
    rng = np.random.default_rng(5)
    biases = rng.choice([0.0, 0.5, 1.0, 3.0], (game.players, 4, 2, 3)) if "six" in name else None
    ranges = [None if weights is None else rng.random(1326) for weights in any_hands(public)]
    values = Rollouts(blueprint, hands=60, seed=3).values(public, AK, ranges, actions, biases)
    for action in actions:
        slow = reference(blueprint, public, AK, ranges, action, 60, 3, biases)
        assert values[action].mean == pytest.approx(slow, abs=1e-9)


def some_decision(game, rng):
    """A decision of a hand that is played at random, and a raise or call there."""
    deck = rng.permutation(52).tolist()
    state = dealt(game.start(), deck)
    while True:
        low, high = state.raise_bounds() or (CALL, CALL)
        raise_to = int(min(high, rng.integers(low, high + 1), low + rng.geometric(0.01)))
        if rng.random() < 0.2:
            return state.seen_by(-1), state.hole(state.player), raise_to
        action = FOLD if state.to_call() and rng.random() < 0.2 else CALL if rng.random() < 0.6 else raise_to
        state = dealt(state.apply(action), deck)
        if state.player == TERMINAL:
            deck = rng.permutation(52).tolist()
            state = dealt(game.start(), deck)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_any_table_is_played_on_as_the_readable_rules_say(seed):
    rng = np.random.default_rng(seed)
    players = int(rng.integers(2, 8))
    stacks = rng.integers(30, 1500, players).tolist()
    game = holdem(players, stacks, (10, 20), ante=int(rng.integers(0, 4)), straddle=40 if players == 5 else 0)
    public, hand, action = some_decision(game, rng)
    ranges = any_hands(public)
    blueprint = SOME[bool(seed % 2)]
    value = Rollouts(blueprint, hands=3, seed=seed).values(public, hand, ranges, [action])[action]
    assert value.mean == pytest.approx(reference(blueprint, public, hand, ranges, action, 3, seed), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_tree_values_any_decision_of_any_two(seed):
    rng = np.random.default_rng(seed)
    game = holdem(2, rng.integers(60, 3000, 2).tolist(), (10, 20))
    public, hand, action = some_decision(game, rng)
    found = Rollouts(tree(), hands=5).compare(public, hand, any_hands(public), [FOLD, CALL, action])
    assert found.value(FOLD) == Estimate(0.0, 0.0)
    assert np.isfinite(found.means).all()


def test_a_tree_is_played_on_in_its_own_game():
    public = at_table(tree().abstraction.game, "r50c/cr100", "Kd7c2s")
    ranges = any_hands(public)
    actions = list(public.legal_actions())
    values = Rollouts(tree(), hands=60, seed=3).values(public, AK, ranges, actions)
    for action in actions[1:]:
        assert values[action].mean == pytest.approx(reference(tree(), public, AK, ranges, action, 60, 3), abs=1e-9)


# Values that are known


def test_a_call_on_the_river_is_worth_its_share_of_the_pot_less_its_price():
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/cc/cc/r260", "Kd7c2s5d9h")
    pot, price = 120 + 400, 200
    for held, share in (("QcQd", 1.0), ("KcKs", 0.0), ("AcKc", 0.5)):
        value = Rollouts(CALLERS, hands=50).values(public, AK, ranges_of(public, held), [CALL])[CALL]
        assert value == Estimate(share * pot - price, 0.0)
    ranges = ranges_of(public, "QQ+, AK, 77:0.5")
    value = Rollouts(CALLERS, hands=4000).values(public, AK, ranges, [CALL])[CALL]
    own = np.zeros(1326)
    own[combo_index(*AK)] = 1.0
    exact = equity([own, ranges[0]], public.board).equity[0] * pot - price
    assert value.mean == pytest.approx(exact, abs=5 * value.error)
    assert 0 < value.error < 5


def test_all_in_before_the_flop_is_worth_the_equity_with_any_number_of_wide_ranges():
    public = at_table(holdem(4, (2000, 1200, 2000, 2000), (10, 20)), "fr2000", "")
    ranges = ranges_of(
        public,
        "22+, A2s+, KTs+, ATo+",
        "55+, A8s+, KQo",
    )
    found = Rollouts(fixed(abstraction(4, "aparicio"), 1), hands=20_000).compare(public, AK, ranges, [FOLD, CALL])
    assert found.value(FOLD) == Estimate(0.0, 0.0)
    # the third player has 1200 chips: a main pot for three, a side pot for two
    own = np.zeros(1326)
    own[combo_index(*AK)] = 1.0
    three = equity([own, *ranges[1::2]], samples=200_000).equity[0]
    two = equity([own, ranges[3]], samples=200_000).equity[0]
    expected = three * 3600 + two * 1600 - 1990
    assert found.value(CALL).mean == pytest.approx(expected, abs=5 * found.value(CALL).error + 10)


def test_a_bet_that_everybody_folds_to_wins_the_pot():
    for players in (2, 6):
        folders = fixed(abstraction(players, "aparicio"), 0)
        public = at_table(holdem(players, 2000, (10, 20)), "r60" + "c" * (players - 1) + "/", "Kd7c2s")
        value = Rollouts(folders, hands=50).values(public, AK, any_hands(public), [50, 777])
        assert value == {50: Estimate(60.0 * players, 0.0), 777: Estimate(60.0 * players, 0.0)}


def test_the_nuts_win_what_callers_pay_and_no_more_than_they_have():
    public = at_table(holdem(3, (300, 2000, 900), (10, 20)), "r60cc/ccc/ccc/", "QhJhTh2s2d")
    rollouts = Rollouts(fixed(abstraction(3, "aparicio"), 1), hands=50)
    others = any_hands(public)
    assert rollouts.values(public, AK, others, [0, 100, 240]) == {
        0: Estimate(180.0), 100: Estimate(380.0), 240: Estimate(660.0)
    }  # fmt: skip
    public = public.apply(CALL)
    assert rollouts.values(public, AK, any_hands(public), [1940])[1940] == Estimate(180.0 + 240 + 840)


def test_whoever_neither_folds_nor_raises_is_a_caller():
    blueprint = lively(abstraction(3, "bounded"))
    public = at_table(holdem(3, 2000, (10, 20)), "r60cc/cc", "Kd7c2s")
    biases = np.ones((3, 4, 2, 3))
    biases[..., 0] = biases[..., 2] = 0
    ranges = any_hands(public)
    biased = Rollouts(blueprint, hands=300, seed=8).values(public, AK, ranges, [0, 100], biases)
    callers = Rollouts(fixed(abstraction(3, "bounded"), 1), hands=300, seed=8).values(public, AK, ranges, [0, 100])
    assert biased == callers
    assert biased != Rollouts(blueprint, hands=300, seed=8).values(public, AK, ranges, [0, 100])


def test_biases_of_one_change_nothing_and_those_of_one_seat_change_it_alone():
    blueprint = lively(S1_2)
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/", "Kd7c2s")
    rollouts, ranges = Rollouts(blueprint, hands=400), any_hands(public)
    biases = np.ones((2, 4, 2, 3))
    assert rollouts.values(public, AK, ranges, [0, 100], biases) == rollouts.values(public, AK, ranges, [0, 100])
    biases[1, 1:, 1] = (1, 0, 0)  # folds to every bet
    assert rollouts.values(public, AK, ranges, [100], biases)[100] == Estimate(120.0, 0.0)


# The same cards and the same luck for all


def test_an_action_is_worth_the_same_whatever_else_is_asked_for():
    for blueprint, table in ((lively(S1_2), holdem(2, 2000, (10, 20))), (tree(), holdem(2, 400, (10, 20)))):
        public = at_table(table, "r50c/c", "Kd7c2s")
        rollouts, ranges = Rollouts(blueprint, hands=5000), any_hands(public)
        together = rollouts.values(public, AK, ranges, [0, 70, 80, 350])
        for action in together:
            assert rollouts.values(public, AK, ranges, [action])[action] == together[action]


def test_differences_are_known_better_than_values():
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/", "Kd7c2s")
    found = Rollouts(CALLERS, hands=1000).compare(public, AK, any_hands(public), [0, 60])
    # against callers a bet of 60 is worth the check and half a pot more
    assert found.difference(60, 0).error == pytest.approx(found.value(0).error, rel=1e-6)
    assert found.difference(60, 60) == Estimate(0.0, 0.0)
    assert found.best == 60
    assert found.losses()[0] == found.difference(60, 0)
    assert found.deals == 1000
    assert not found.approximate


def test_a_seed_gives_the_same_values_on_any_number_of_threads():
    public = at_table(holdem(3, 2000, (10, 20)), "r60c", "")
    args = public, AK, any_hands(public), [FOLD, CALL, 240]
    blueprint = lively(abstraction(3, "aparicio"))
    one = Rollouts(blueprint, hands=1500, seed=4).compare(*args)
    for threads in (1, 3):
        again = Rollouts(blueprint, hands=1500, seed=4, threads=threads).compare(*args)
        np.testing.assert_array_equal(again.means, one.means)
        np.testing.assert_array_equal(again.covariance, one.covariance)
    other = Rollouts(blueprint, hands=1500, seed=5).compare(*args)
    assert (other.means[1:] != one.means[1:]).all()


def test_with_a_time_limit_there_are_as_many_deals_as_fit():
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/", "Kd7c2s")
    found = Rollouts(CALLERS, hands=2, seconds=0.05, threads=2).compare(public, AK, any_hands(public), [CALL])
    assert found.deals >= 256


# Cards


def test_hands_are_drawn_jointly():
    one, two = parse_range("AA, KK:0.5"), parse_range("AA, QQ:0.25")
    joint = {}
    for a in np.flatnonzero(one):
        for b in np.flatnonzero(two):
            if not set(COMBOS[a]) & set(COMBOS[b]):
                joint[a, b] = one[a] * two[b]
    total = sum(joint.values())
    public = at_table(holdem(3, 2000, (10, 20)), "r60c", "")
    wide = np.full(1326, 1e-9)  # so many that not all deals are listed
    for extra in (0.0, wide):
        table = table_of(public, tuple(parse_cards("2h3h")), [np.maximum(one, extra), None, np.maximum(two, extra)])
        assert (len(table.draws.starts) == 2) == (extra is not wide)
        deck, seen = table.deck.copy(), dict.fromkeys(joint, 0)
        state = np.random.SeedSequence(1).generate_state(2, np.uint64)
        for _ in range(20_000):
            _, *state = deal_cards(table, deck, *map(np.uint64, state))
            pair = combo_index(*deck[0:2].tolist()), combo_index(*deck[4:6].tolist())
            if pair in seen:
                seen[pair] += 1
        for pair, count in seen.items():
            chance = joint[pair] / total
            assert count / 20_000 == pytest.approx(chance, abs=5 * np.sqrt(chance / 20_000))


def test_ranges_that_exclude_each_other_are_said_to():
    public = at_table(holdem(3, 2000, (10, 20)), "r60c", "")
    rollouts = Rollouts(fixed(abstraction(3, "aparicio"), 1))
    with pytest.raises(ValueError, match="no deal fits these ranges"):
        rollouts.values(public, tuple(parse_cards("2h3h")), ranges_of(public, "AcAd", "AcKc"), [CALL])
    with pytest.raises(ValueError, match="seat 0 has no hand left: Ah Kh"):
        rollouts.values(public, AK, ranges_of(public, "AhAd", "QQ"), [CALL])
    public = at_table(holdem(10, 2000, (10, 20)), "r60" + "c" * 8, "")
    tight = np.maximum(parse_range("AA, KK"), 1e-12)
    with pytest.raises(ValueError, match="hardly ever"):
        rollouts.values(public, AK, [None if weights is None else tight for weights in any_hands(public)], [CALL])


# Trees


def test_a_tree_counts_in_proportion_to_the_pot():
    rollouts = Rollouts(tree(), hands=300)
    small = at_table(holdem(2, 400, (10, 20)), "r50c/", "Kd7c2s")
    large = at_table(holdem(2, 4000, (100, 200)), "r500c/", "Kd7c2s")
    values = rollouts.values(small, AK, any_hands(small), [0, 50, 350])
    for action, value in rollouts.values(large, AK, any_hands(large), [0, 500, 3500]).items():
        assert value.mean == pytest.approx(10 * values[action // 10].mean)
        assert value.error == pytest.approx(10 * values[action // 10].error)


def test_a_size_between_two_of_a_tree_is_a_mixture_of_them():
    rollouts = Rollouts(tree(), hands=300)
    public = at_table(holdem(2, 400, (10, 20)), "r50c/", "Kd7c2s")
    values = rollouts.values(public, AK, any_hands(public), [50, 100, 150])
    chance = (1.5 - 1.0) * (1 + 0.5) / ((1.5 - 0.5) * (1 + 1.0))
    assert values[100].mean == pytest.approx(chance * values[50].mean + (1 - chance) * values[150].mean)


def test_where_a_tree_cannot_follow_all_check_and_call():
    public = at_table(holdem(2, 400, (10, 20)), "r50c/r100c/cr120", "Kd7c2s5d")  # taken for a check
    ranges = any_hands(public)
    found = Rollouts(tree(), hands=400).compare(public, AK, ranges, [FOLD, CALL, 300])
    assert found.approximate
    callers = Rollouts(CALLERS, hands=400).values(public, AK, ranges, [FOLD, CALL, 300])
    assert {action: found.value(action) for action in found.actions} == callers


def test_a_tree_is_for_two():
    rollouts = Rollouts(tree())
    public = at_table(holdem(3, 400, (10, 20)), "", "")
    with pytest.raises(ValueError, match="for two players, there are 3"):
        rollouts.values(public, AK, any_hands(public), [CALL])


# The rest


def test_moments_are_means_and_scatter():
    rng = np.random.default_rng(2)
    results, weights = rng.normal(size=(3, 50)), np.array([[1.0, 0.0], [0.0, 0.25], [0.0, 0.75]])
    mean, scatter = moments(results, weights)
    np.testing.assert_allclose(mean, weights.T @ results.mean(axis=1))
    np.testing.assert_allclose(scatter, 49 * np.cov(weights.T @ results))


def test_errors_are_those_of_repeated_estimates():
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/", "Kd7c2s")
    blueprint, ranges = lively(S1_2), any_hands(public)
    runs = [Rollouts(blueprint, hands=300, seed=seed).compare(public, AK, ranges, [0, 100]) for seed in range(200)]
    for pick in (lambda run: run.value(100), lambda run: run.difference(100, 0)):
        spread = np.std([pick(run).mean for run in runs], ddof=1)
        assert np.mean([pick(run).error for run in runs]) == pytest.approx(spread, rel=0.25)


def test_draws_of_one_range_follow_its_weights():
    draws = draws_of({1: parse_range("AcAd, KcKd:0.25")})
    np.testing.assert_allclose(np.sort(np.diff(draws.total, prepend=0.0)), [0.2, 0.8])


def test_bad_input_is_a_clear_sentence():
    public = at_table(holdem(2, 2000, (10, 20)), "r60c/", "Kd7c2s")
    rollouts, ranges = Rollouts(CALLERS), any_hands(public)
    for arguments, words in (
        ((public, AK, ranges, [10]), "between 20 and 1940"),
        ((public, AK, ranges, [-2]), "not an action"),
        ((public, tuple(parse_cards("KdKh")), ranges, [0]), "not on the board"),
        ((public, AK, ranges[:1], [0]), "each of 2 seats"),
        ((public, AK, [None, None], [0]), "needs a range"),
        ((public, AK, ranges, [0], np.ones((2, 4, 2))), "biases"),
        ((public, AK, ranges, [0], -np.ones((2, 4, 2, 3))), "biases"),
        ((replay(public.game, "r60f", range(52)), AK, ranges, [0]), "nobody is to act"),
    ):
        with pytest.raises(ValueError, match=words):
            rollouts.values(*arguments)
    for changed in ({"hands": 1}, {"threads": 0}, {"seconds": 0.0}, {"seed": -1}):
        with pytest.raises(ValueError, match="got"):
            replace(rollouts, **changed)
