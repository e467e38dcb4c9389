"""Local best response: by hand, against a slow reference, against best responses and against played hands."""

import json
import zlib
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from ludus import agents, solvers
from ludus.arena.lbr import sampled as lbr_match
from ludus.arena.lbr.exact import best_response_values, exact_lbr, tabulated
from ludus.arena.lbr.menus import NAMED, POT_FRACTIONS, parse_menus
from ludus.arena.lbr.odds import odds
from ludus.arena.lbr.response import LocalBestResponse, settled
from ludus.arena.lbr.sampled import intervals, sampled_lbr
from ludus.cards.card import parse_cards
from ludus.cards.equity import equity
from ludus.cards.ranges import combo_index, parse_range
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem, kuhn, leduc, leduc_nl
from ludus.games.acpc import read_game
from ludus.games.record import free_hands, hole_hands
from ludus.games.showdown import strength
from ludus.parallel import Processes
from ludus.solvers.beliefs import RangeStrategy
from ludus.solvers.measure import measure
from ludus.trees.flat import flatten


class Always:
    """One rule for every hand: a function of the legal moves gives an action or probabilities."""

    def __init__(self, rule):
        self.rule, self.asked = rule, []

    def range_strategy(self, public):
        self.asked.append(public)
        found = self.rule(public.legal_actions())
        mix = found if isinstance(found, dict) else {found: 1.0}
        return RangeStrategy(tuple(mix), np.tile(list(mix.values()), (len(hole_hands(public.game)), 1)))


class Caller(Always):
    def __init__(self):
        super().__init__(lambda moves: CALL)


class Folder(Always):
    def __init__(self):
        super().__init__(lambda moves: FOLD if moves.fold else CALL)


class Raiser(Always):
    def __init__(self):
        super().__init__(lambda moves: moves.raises[-1] if moves.raises else CALL)


class Uniform(Always):
    def __init__(self):
        super().__init__(lambda moves: dict.fromkeys(moves, 1 / len(moves)))


class Mixed:
    """Any strategy at all, the same in every process: random numbers for each rank in each public state."""

    def __init__(self, seed=0):
        self.seed = seed

    def range_strategy(self, public):
        rng = np.random.default_rng([self.seed, zlib.crc32(public.public_state().encode())])
        moves = public.legal_actions()
        raises = [*moves.raises][:: max(1, len(moves.raises) // 3)]
        actions = (*[FOLD] * moves.fold, CALL, *raises)
        rows = rng.dirichlet(np.full(len(actions), 0.5), 13)
        return RangeStrategy(actions, rows[[hand[-1] // 4 for hand in hole_hands(public.game)]])


class OfTable:
    """A solved strategy."""

    def __init__(self, strategy):
        self.strategy = strategy

    def range_strategy(self, public):
        actions = tuple(public.legal_actions())
        rows = np.full((len(hole_hands(public.game)), len(actions)), 1 / len(actions))
        for at, hand in enumerate(hole_hands(public.game)):
            own = public.game.start().deal([*hand, *(card for card in public.game.deck if card not in hand)])
            name = own.information_state(0).removesuffix(own.public_state()) + public.public_state()
            if known := self.strategy.at(public.player, name):
                rows[at] = [known[action] for action in actions]
        return RangeStrategy(actions, rows)


ALWAYS = {"call": Caller, "fold": Folder, "raise": Raiser, "uniform": Uniform}


# By hand


class KuhnPlayer:
    """Bets aces and half the queens; calls with aces and a quarter of the kings."""

    def range_strategy(self, public):
        if public.to_call():
            return RangeStrategy((FOLD, CALL), np.array([[1, 0], [0.75, 0.25], [0, 1]]))
        return RangeStrategy((CALL, 2), np.array([[0.5, 0.5], [1, 0], [0, 1]]))


def test_kuhn_by_hand():
    # First: the ace bets (17/8 > 2) for 9/8, the king checks and calls for -1/4, the queen bets (1/8 > 0) for -7/8.
    # Second: the ace bets into a check for 11/8 in all, the king calls bets for -1/4, the queen bluffs kings: -3/8.
    game = kuhn()
    assert exact_lbr(game, KuhnPlayer(), parse_menus("fcpa", game)) == pytest.approx((0, 1 / 4))
    # Without bets it checks and calls with aces and kings from either seat: 5/4, -1/4 and the queen's -1.
    assert exact_lbr(game, KuhnPlayer(), parse_menus("fc", game)) == pytest.approx((0, 0))


@pytest.mark.parametrize(("name", "value"), [("call", 1 / 3), ("fold", 1), ("raise", 1 / 3)])
def test_kuhn_players_without_a_thought(name, value):
    game = kuhn()
    assert exact_lbr(game, ALWAYS[name](), parse_menus("fcpa", game)) == pytest.approx((value, value))


def test_river_choices_by_hand():
    game, deck = holdem(), [*parse_cards("AsAh2c4dKsQsJsTs3h")]
    menus = parse_menus("0.5,pot,allin", game)

    def river(agent):
        """LBR, seat 0, is first to act on the river of a limped pot of 4."""
        state = game.start().deal(deck).apply(CALL).apply(CALL)
        for _ in range(2):
            state = state.deal(deck).apply(CALL).apply(CALL)
        return LocalBestResponse(game, agent, menus), state.deal(deck).seen_by(-1)

    nuts, nothing = tuple(sorted(parse_cards("AsAh"))), tuple(sorted(parse_cards("2c4d")))
    lbr, state = river(Caller())
    weights = free_hands(game, [*nuts, *state.board]).astype(float)
    assert lbr.choose(state, nuts, weights) == 198  # a royal flush is called
    weights = free_hands(game, [*nothing, *state.board]).astype(float)
    assert lbr.choose(state, nothing, weights) == CALL
    lbr, state = river(Folder())
    assert lbr.choose(state, nothing, weights) == 2  # every bluff wins the pot of 4: the first one looked at

    class HalfFolds(Always):
        def __init__(self):
            super().__init__(lambda moves: {FOLD: 0.5, CALL: 0.5} if moves.fold else CALL)

    lbr, state = river(HalfFolds())
    beaten = np.zeros(1326)
    beaten[combo_index(*nuts)] = 1.0
    # a bluff of b wins half of 4 and loses half of b: +1, 0 and -97; checking is worth nothing
    assert lbr.choose(state, nothing, beaten) == 2
    assert [public.bets[0] for public in lbr.agent.asked] == [2, 4, 198]
    bet = state.apply(CALL).apply(198)  # 2 to win 202 by calling 198: never with a hand that cannot win
    assert lbr.choose(bet, nothing, beaten) == FOLD
    tie = np.zeros(1326)
    tie[combo_index(*parse_cards("2h4h"))] = 1.0
    assert lbr.choose(bet, nothing, tie) == CALL


# Slow reference


def reference_lbr(game, agent, raises):
    """The value in each seat from every deal, every range made anew from the whole history."""
    hands, values = hole_hands(game), [[], []]
    board_cards, strategies = sum(game.board_cards), {}

    def ask(public):
        key = public.public_state()
        if key not in strategies:
            strategies[key] = agent.range_strategy(public)
        return strategies[key]

    def chance(public, action, hand):
        reply = ask(public)
        return float(reply.chances[hands.index(hand)][reply.actions.index(action)]) if action in reply.actions else 0.0

    def ranges(own, state, history):
        """Hand -> probability of the agent's actions so far with it."""
        found = {}
        for hand in hands:
            if not set(hand) & {*own, *state.board}:
                found[hand] = np.prod([chance(public, action, hand) for public, action in history])
        return found

    def equity_of(own, state, weights):
        share = total = 0.0
        for hand, weight in weights.items():
            left = [card for card in game.deck if card not in (*own, *hand, *state.board)]
            boards = list(combinations(left, board_cards - len(state.board)))
            for rest in boards:
                mine, theirs = (strength([*cards, *state.board, *rest]) for cards in (own, hand))
                share += weight / len(boards) * ((mine > theirs) + (mine == theirs) / 2)
            total += weight
        return share / total

    def choice(own, state, history):
        weights, asked, pot = ranges(own, state, history), state.to_call(), state.pot
        wins = equity_of(own, state, weights)
        options = [(FOLD, 0.0)] if FOLD in state.legal_actions() else []
        options.append((CALL, wins * pot - (1 - wins) * asked))
        total = sum(weights.values())
        for size in [action for action in state.legal_actions() if action > 0] if raises else []:
            after, more = state.apply(size), size - max(state.bets)
            stays = {hand: weight * (1 - chance(after, FOLD, hand)) for hand, weight in weights.items()}
            fold = 1 - sum(stays.values()) / total
            wins = equity_of(own, state, stays) if fold < 1 - 1e-9 else 0.0
            options.append((size, fold * pot + (1 - fold) * (wins * (pot + more) - (1 - wins) * (asked + more))))
        best = max(value for _, value in options)
        return next(action for action, value in options if value >= best - 1e-12)

    def walk(seat, own, other, rest, state, history, probability):
        if state.player == TERMINAL:
            cards = [own, other] if seat == 0 else [other, own]
            live = len(state.live_seats()) > 1
            strengths = [strength([*hand, *state.board]) for hand in cards] if live else ()
            return probability * state.payoffs(strengths)[seat]
        if state.player == CHANCE:
            dealt = state.deal([*state.cards[: 2 * game.hole_cards], *rest])
            return walk(seat, own, other, rest, dealt, history, probability)
        if state.player == seat:
            return walk(seat, own, other, rest, state.apply(choice(own, state, history)), history, probability)
        return sum(
            walk(seat, own, other, rest, state.apply(action), [*history, (state, action)], probability * likely)
            for action in ask(state).actions
            if (likely := chance(state, action, other)) > 0
        )

    first = game.start().deal(game.deck).seen_by(-1)
    for seat in range(2):
        for own in hands:
            for other in hands:
                if not set(own) & set(other):
                    left = [card for card in game.deck if card not in (*own, *other)]
                    for rest in combinations(left, board_cards):
                        values[seat].append(walk(seat, own, other, rest, first, [], 1.0))
    return tuple(float(np.mean(value)) for value in values)


@pytest.mark.parametrize("bets", ["fc", "fcpa"])
@pytest.mark.parametrize("game", [kuhn(), leduc(), leduc_nl(stack=700)], ids=lambda game: game.name)
def test_exact_value_matches_reference(game, bets):
    for seed in range(2):
        wanted = reference_lbr(game, Mixed(seed), raises=bets == "fcpa")
        assert exact_lbr(game, Mixed(seed), parse_menus(bets, game)) == pytest.approx(wanted, abs=1e-9)


# Best responses


@pytest.mark.parametrize("game", [kuhn(), leduc(), leduc_nl()], ids=lambda game: game.name)
def test_no_more_than_a_best_response(game):
    players = [Mixed(seed) for seed in range(4)] + [make() for make in ALWAYS.values()]
    for player in players:
        best = best_response_values(game, player)
        for bets in ("c", "fc", "fcpa"):
            value = exact_lbr(game, player, parse_menus(bets, game))
            assert (np.array(value) <= np.array(best) + 1e-9).all()
        assert sum(value) > 0 or isinstance(player, Mixed)


def test_poor_and_good_strategies():
    game = leduc()
    menus = parse_menus("fcpa", game)
    poor = solvers.solve(game, "external", iterations=100, seed=1)
    value = exact_lbr(game, OfTable(poor.strategy), menus)
    assert 0 < sum(value) / 2 <= poor.exploitability
    good = solvers.solve(game, "dcfr", target=1e-3)
    assert sum(exact_lbr(game, OfTable(good.strategy), menus)) / 2 <= good.exploitability


def test_agents_as_tables():
    game = leduc()
    flat, solved = flatten(game), solvers.solve(game, "dcfr", iterations=20)
    table = tabulated(flat, OfTable(solved.strategy))
    np.testing.assert_allclose(table.probabilities, solved.strategy.probabilities)
    assert measure(table, flat=flat)[0].best_response == pytest.approx(solved.evaluation.best_response)


# Sampled hands


def z_scores(pairs, wanted):
    both, *seats = intervals(pairs)
    means = np.array([both.mean, *(seat.mean for seat in seats)])
    errors = np.array([both.error, *(seat.error for seat in seats)])
    return (means - [sum(wanted) / 2, *wanted]) / errors


@pytest.mark.parametrize("game", [kuhn(), leduc(), leduc_nl()], ids=lambda game: game.name)
def test_sampled_hands_agree_with_the_exact_value(game):
    for seed in range(2):
        menus = parse_menus("fcpa", game)
        pairs = np.vstack([*sampled_lbr(game, partial(Mixed, seed), menus, hands=1600, seed=seed)])
        assert pairs.shape == (800, 2)
        assert np.abs(z_scores(pairs, exact_lbr(game, Mixed(seed), menus))).max() < 4


def played_hand(lbr, seat, rng):
    """One hand with real cards: the agent acts with the hand it holds, and the chips are those of the showdown."""
    game, count = lbr.game, lbr.game.hole_cards
    deck = rng.permutation(game.deck).tolist()
    hands = [tuple(sorted(deck[s * count : (s + 1) * count])) for s in range(2)]
    state, row = game.start().deal(deck), hole_hands(game).index(hands[1 - seat])
    weights = free_hands(game, hands[seat]).astype(float)
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
            weights = np.where(free_hands(game, state.board), weights, 0.0)
        elif state.player == seat:
            state = state.apply(lbr.choose(state.seen_by(-1), hands[seat], weights))
        else:
            reply = lbr.reply(state.seen_by(-1))
            at = rng.choice(len(reply.actions), p=reply.chances[row])
            state, weights = state.apply(reply.actions[at]), weights * reply.chances[:, at]
    return state.returns()[seat]


def test_the_value_is_what_it_wins_at_the_table():
    game = leduc_nl(bets="0.5,pot,allin")
    menus, rng = parse_menus("fcpa", game), np.random.default_rng(5)
    lbr = LocalBestResponse(game, Mixed(3), menus)
    played = np.array([[played_hand(lbr, seat, rng) for seat in range(2)] for _ in range(1500)])
    exact = exact_lbr(game, Mixed(3), menus)
    assert np.abs(z_scores(played, exact)).max() < 4
    drawn = np.vstack([*sampled_lbr(game, partial(Mixed, 3), menus, hands=1000)])
    assert drawn.std() < 0.8 * played.std()  # expectations over ranges have less noise


def test_holdem_hands_agree_with_the_table():
    game = holdem(stack=40)
    menus, rng = parse_menus("fcpa", game), np.random.default_rng(6)
    lbr = LocalBestResponse(game, Mixed(1), menus)
    played = np.array([[played_hand(lbr, seat, rng) for seat in range(2)] for _ in range(250)])
    drawn = np.vstack([*sampled_lbr(game, partial(Mixed, 1), menus, hands=500)])
    for one, two in zip(intervals(played), intervals(drawn), strict=True):
        assert abs(one.mean - two.mean) < 4 * np.hypot(one.error, two.error)


def test_results_depend_on_the_seed_alone():
    game = leduc()
    run = partial(sampled_lbr, game, partial(Mixed, 2), parse_menus("fcpa", game))
    alone = [*run(hands=41, seed=9)]
    assert [len(block) for block in alone] == [4, 4, 4, 4, 4, 1]
    np.testing.assert_array_equal(np.vstack([*run(hands=41, seed=9, engine=Processes(2))]), np.vstack(alone))
    np.testing.assert_array_equal(np.vstack([*run(hands=16, seed=9)]), np.vstack(alone)[:8])
    np.testing.assert_array_equal(np.vstack([*run(hands=41, seed=9, first=5)]), np.vstack(alone)[5:])
    assert not np.array_equal(np.vstack([*run(hands=41, seed=8)]), np.vstack(alone))


# Hold'em


@pytest.mark.parametrize("bets", ["fcpa", "c/c/fcpa/fcpa", "c/c/56bets/56bets", "c/56bets/fc/fc"])
def test_an_agent_that_folds_loses_its_blinds(bets):
    """Published: 750 mbb/g with every set that bets (DeepStack's supplement, 'Always Fold')."""
    game = read_game("holdem.nolimit.2p.reverse_blinds.game")
    pairs = np.vstack([*sampled_lbr(game, Folder, parse_menus(bets, game), hands=16)])
    np.testing.assert_allclose(pairs, np.tile([50.0, 100.0], (8, 1)))


def test_without_bets_only_the_small_blind_is_lost():
    """Published: 250 mbb/g."""
    game = read_game("holdem.nolimit.2p.reverse_blinds.game")
    pairs = np.vstack([*sampled_lbr(game, Folder, parse_menus("fc", game), hands=600, seed=2)])
    np.testing.assert_allclose(pairs[:, 0], 50.0)
    both, _, second = intervals(pairs)
    assert abs(second.mean) < 4 * second.error
    assert abs(both.mean - 25) < 4 * both.error


def test_a_calling_station_loses_a_lot():
    game = holdem()
    both, *_ = intervals(np.vstack([*sampled_lbr(game, Caller, parse_menus("fcpa", game), hands=200, seed=3)]))
    assert both.mean - 2 * both.ci95 > 10  # five big blinds a hand
    waits = parse_menus("fcpa", game, start="river")
    later, *_ = intervals(np.vstack([*sampled_lbr(game, Caller, waits, hands=200, seed=3)]))
    assert later.mean > both.mean  # all chips with the best hand on the river


def test_limit_holdem():
    game = read_game("holdem.limit.2p.reverse_blinds.game")
    pairs = np.vstack([*sampled_lbr(game, Caller, parse_menus("fcpa", game), hands=100, seed=4)])
    both, *_ = intervals(pairs)
    assert both.mean > 2 * both.ci95
    assert np.abs(pairs).max() <= 240


def test_boards_come_as_often_as_the_range_leaves_them():
    game = leduc()
    lbr = LocalBestResponse(game, Caller(), parse_menus("fc", game))
    state, rng = lbr.first.apply(CALL).apply(CALL), np.random.default_rng(0)
    own, *others = (hand[0] for hand in hole_hands(game))
    weights = np.array([0, 0.75, 0.25, 0, 0, 0])
    boards = [lbr._deal(state, (own,), weights, rng).board[0] for _ in range(4000)]
    found = [boards.count(card) / 4000 for card in (own, *others)]
    assert found == pytest.approx([0, 1 / 16, 3 / 16, 1 / 4, 1 / 4, 1 / 4], abs=0.03)


def test_a_bet_counts_only_as_far_as_it_can_be_called():
    game, deck = holdem(stack=(200, 4)), [*range(52)]
    state = game.start().deal(deck).apply(CALL).apply(CALL)
    for _ in range(2):
        state = state.deal(deck).apply(CALL).apply(CALL)
    state = state.deal(deck).seen_by(-1)
    agent = Always(lambda moves: {FOLD: 0.8, CALL: 0.2} if moves.fold else CALL)
    lbr = LocalBestResponse(game, agent, parse_menus("allin", game))
    hole, better = tuple(sorted(parse_cards("4s7h"))), np.zeros(1326)  # the board is 3c 3d 3h 3s 4c
    better[combo_index(*parse_cards("AcKd"))] = 1.0
    assert state.stacks == (198, 2)
    assert lbr.choose(state, hole, better) == 198  # wins 4 four times in five, else loses 2 and not 198
    facing = holdem(stack=(4, 200)).start().deal(deck).apply(200).seen_by(-1)  # calls 2 to win 6: 1/4 is enough
    lbr = LocalBestResponse(facing.game, agent, parse_menus("fc", game))
    hole, better = tuple(sorted(parse_cards("7h6h"))), parse_range("AK")
    share = odds(facing.game, hole, ()).equity @ better / better.sum()
    assert 1 / 4 < share < 0.5
    assert lbr.choose(facing, hole, better) == CALL
    hole, better = tuple(sorted(parse_cards("7h2d"))), parse_range("JJ+")
    assert odds(facing.game, hole, ()).equity @ better / better.sum() < 1 / 4
    assert lbr.choose(facing, hole, better) == FOLD  # the 196 that cannot be called are not in the pot


def test_unequal_stacks_and_short_ones():
    game = holdem(stack=(3, 150))
    for agent in (Raiser, Caller, Folder):
        pairs = np.vstack([*sampled_lbr(game, agent, parse_menus("fcpa", game), hands=24)])
        assert np.abs(pairs).max() <= 3


@pytest.mark.parametrize("held", ["QQ+, AhQh, 7c2c:0.3", "QsQd"])
def test_all_in_before_the_flop_is_unbiased(held):
    game = holdem(stack=50)
    lbr = LocalBestResponse(game, Caller(), parse_menus("fcpa", game))
    state = lbr.first.apply(50).apply(CALL)
    assert settled(state)
    hole = tuple(sorted(parse_cards("AhKh")))
    weights = np.where(free_hands(game, hole), parse_range(held), 0.0)
    share = equity([parse_range("AhKh"), weights], exact=True).equity[0]
    rng = np.random.default_rng(1)
    found = np.array([lbr.worth(state, 1, hole, weights, rng) for _ in range(60)])
    assert abs(found.mean() - (100 * share - 50)) < 4 * found.std(ddof=1) / np.sqrt(60)
    assert found.std() < 10


# Odds


@pytest.mark.parametrize("board", ["2h7hQs", "2h7hQs9d", "2h7hQs9dAc"])
def test_odds_of_a_hand_match_equities(board):
    game, hole, shown = holdem(), tuple(sorted(parse_cards("AhKh"))), tuple(parse_cards(board))
    found = odds(game, hole, shown)
    free = free_hands(game, (*hole, *shown))
    assert not found.equity[~free].any()
    for at in np.flatnonzero(free)[::97]:
        one = np.zeros(1326)
        one[at] = 1.0
        wanted = equity([parse_range("AhKh"), one], shown, exact=True)
        assert (found.win[at], found.tie[at]) == pytest.approx((wanted.win[0], wanted.tie))


def test_odds_before_the_flop_are_those_of_classes():
    found = odds(holdem(), tuple(parse_cards("AcAd")), ()).equity
    others = parse_range("KK")
    assert found @ others / others.sum() == pytest.approx(equity([parse_range("AA"), others]).equity[0], abs=1e-6)
    assert found[combo_index(*parse_cards("AcKc"))] == 0


def test_odds_of_small_games():
    game = leduc()
    jack, king = hole_hands(game)[0], hole_hands(game)[-1]
    found = odds(game, jack, ())
    # against the other jack 4 ties; against a queen or a king only the other jack, one of four cards, wins
    assert found.tie.tolist() == [0, 1, 0, 0, 0, 0]
    assert found.win.tolist() == [0, 0, 0.25, 0.25, 0.25, 0.25]
    assert odds(game, jack, king).win.tolist() == [0, 0, 0, 0, 0, 0]


# Menus


def test_sets_of_the_paper():
    assert len(POT_FRACTIONS) + 1 == 56
    assert (POT_FRACTIONS[0], POT_FRACTIONS[-1]) == pytest.approx((0.05, 94.76618191))
    game = holdem(stack=10**6)
    state = game.start().deal(range(52)).apply(CALL).apply(CALL).deal(range(52))
    assert [NAMED[name].fold for name in ("c", "fc", "fcpa", "56bets")] == [False, True, True, True]
    assert NAMED["fcpa"].sizes(state) == (4, 10**6 - 2)
    assert not NAMED["fc"].sizes(state)
    sizes = NAMED["56bets"].sizes(state)
    assert (sizes[0], sizes[-2:]) == (2, (round(4 * POT_FRACTIONS[-1]), 10**6 - 2))
    menus = parse_menus("0.5,pot", game, start="turn")
    assert [menu.sizes(state) for menu in menus] == [(), (), (2, 4), (2, 4)]
    assert parse_menus("c/56bets/fc/fc", game) == (NAMED["c"], NAMED["56bets"], NAMED["fc"], NAMED["fc"])


def test_games_with_a_fixed_set_of_bets_offer_all_of_it():
    state = leduc_nl(bets="0.5,pot,allin").start().deal(leduc_nl().deck)
    for name in ("fcpa", "56bets"):
        assert tuple(NAMED[name].sizes(state)) == (200, 300, 1200)
    assert tuple(NAMED["fcpa"].sizes(leduc().start().deal(leduc().deck))) == (3,)


@pytest.mark.parametrize(
    ("bets", "start", "words"),
    [
        ("x", None, "'x' is not a bet"), ("", None, "is not a bet"),
        ("any", None, "too many"), ("all", None, "too many"),
        ("fc/fc", None, "4 streets"), ("-1", None, "above 0"), ("fc", "street", "preflop, flop, turn, river"),
        ("1," * 600, None, "at most 1000"), ("nan", None, "above 0"),
    ],
)  # fmt: skip
def test_bad_bets(bets, start, words):
    with pytest.raises(ValueError, match=words):
        parse_menus(bets, holdem(), start)


# Refusals


def test_refusals():
    menus = parse_menus("fc", kuhn())
    with pytest.raises(ValueError, match="does not tell how it plays every hand"):
        LocalBestResponse(kuhn(), object(), menus)
    with pytest.raises(ValueError, match="for two players"):
        LocalBestResponse(kuhn(players=3), Caller(), menus)
    with pytest.raises(ValueError, match="4 streets, got 1"):
        LocalBestResponse(holdem(), Caller(), menus)
    with pytest.raises(ValueError, match="sample hands instead"):
        exact_lbr(holdem(), Caller(), parse_menus("fc", holdem()))
    for hands, seed in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="1"):
            sampled_lbr(kuhn(), Caller, menus, hands, seed)


@pytest.mark.parametrize(
    ("chances", "words"),
    [(np.ones((2, 1)), "shape"), (np.full((3, 1), 0.5), "probabilities"), (np.full((3, 1), np.nan), "probabilities")],
)
def test_strategies_that_are_none(chances, words):
    class Broken:
        def range_strategy(self, public):
            return RangeStrategy((CALL,), chances)

    with pytest.raises(ValueError, match=words):
        exact_lbr(kuhn(), Broken(), parse_menus("fcpa", kuhn()))


# The command line


@pytest.fixture
def players(monkeypatch):
    """Names for the players of these tests."""
    made = {"caller": Caller, "folder": Folder, "uniform": Uniform, "stranger": object}
    monkeypatch.setattr(agents, "make", lambda name, game=None: made[name]())


def test_command_exact(ludus, players):
    code, out, _ = ludus("lbr", "caller", "--game", "leduc", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["exact"]
    assert result["chips"] == pytest.approx(22 / 15)
    assert result["mbb"] == pytest.approx(1000 * 22 / 15)
    assert result["exploitability_mbb"] == pytest.approx(result["mbb"])
    code, out, _ = ludus("lbr", "uniform", "--game", "leduc")
    assert code == 0
    assert "best response" in out
    assert "exploitability is at least 2,178.2 mbb/g" in out


def test_command_sampled(ludus, players):
    words = "lbr", "folder", "--hands", 20, "--workers", 1
    code, out, _ = ludus(*words, "--json")
    result = json.loads(out)
    assert (code, result["hands"], result["exact"], result["complete"]) == (0, 20, False, True)
    assert [seat["mbb"] for seat in result["seats"]] == pytest.approx([500, 1000])
    assert result["mbb_ci95"] == pytest.approx(0)
    assert result["too_few"]
    assert "only 10 pairs of hands: too few" in ludus(*words)[1]
    assert "exploitability is at least 750.0 mbb/g" in ludus(*words)[1]


def test_command_stopped_early(ludus, players, monkeypatch):
    def interrupted(*_, **__):
        yield np.array([[1.0, 2.0]])
        raise KeyboardInterrupt

    monkeypatch.setattr(lbr_match, "sampled_lbr", interrupted)
    code, out, err = ludus("lbr", "folder", "--json")
    assert code == 130
    assert "stopped early: 2 hands" in err
    result = json.loads(out)
    assert (result["hands"], result["mbb"], result["complete"]) == (2, 750, False)
    assert result["mbb_ci95"] is None
    assert "nothing is shown about exploitability yet" in ludus("lbr", "folder")[1]


def test_command_that_loses(ludus, players, monkeypatch):
    monkeypatch.setattr(lbr_match, "sampled_lbr", lambda *_, **__: (np.full((2, 2), -1.0) for _ in range(2)))
    code, out, _ = ludus("lbr", "folder")
    assert code == 0
    assert "it loses" in out
    assert "at least" not in out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("stranger", "--game", "kuhn"), "does not tell how it plays every hand"),
        (("caller", "--game", "kuhn3"), "for two players"),
        (("caller", "--game", "rps"), "not a poker game"),
        (("caller", "--bets", "much"), "'much' is not a bet"),
        (("caller", "--from", "dawn"), "has the streets"),
        (("caller", "--hands", "0"), "hands are 1"),
    ],
)
def test_command_refuses(ludus, players, words, complaint):
    code, _, err = ludus("lbr", *words)
    assert code == 2
    assert complaint in err
