"""AIVAT: the right mean by full enumeration, whatever the heuristic; no variance where everything is known."""

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import comb
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import games
from ludus.agents.simple import CallAgent, RaiseAgent, RandomAgent
from ludus.agents.strategy import StrategyAgent
from ludus.agents.styles import LooseAgent, TightAgent
from ludus.arena.aivat import hand_by_hand, preflop_counts
from ludus.arena.aivat.cell_tree import fits, profile_values, tree_of
from ludus.arena.aivat.estimator import Aivat, AivatTable, make_aivat
from ludus.arena.aivat.heuristics import (
    EquityHeuristic,
    SolvedHeuristic,
    ZeroHeuristic,
    default_heuristic,
    make_heuristic,
)
from ludus.arena.aivat.showdowns import Showdowns
from ludus.arena.interval import interval
from ludus.cards.card import parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS, combo_index
from ludus.cards.runouts import ALL_SYMMETRIES
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.decks import deck_of_ranks
from ludus.games.menu import Menu
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame
from ludus.games.record import hole_hands, replay
from ludus.games.showdown import strength
from ludus.solvers import expected_values, solve
from ludus.solvers.beliefs import ActionValues, RangeStrategy
from ludus.solvers.passes import copy_player, plan
from ludus.solvers.strategy import Strategy

GAMES = {"kuhn": games.kuhn(), "leduc": games.leduc(), "leduc-nl": games.leduc_nl()}
SEATINGS = [(0,), (1,), (0, 1)]


def any_strategy(game, seed):
    """A strategy drawn at random, some actions of which are never played."""
    flat, rng = tree_of(game).flat, np.random.default_rng(seed)
    strategy = Strategy.of(flat, np.ones(flat.entries))
    chances = np.where(rng.random(len(strategy.probabilities)) < 0.2, 0.0, rng.random(len(strategy.probabilities)) ** 3)
    starts, counts = strategy.offsets[:-1], np.diff(strategy.offsets)
    chances[starts] += 0.01
    return replace(strategy, probabilities=chances / np.repeat(np.add.reduceat(chances, starts), counts))


@cache
def profile(name, kind):
    """Strategies of both seats: random ones, bad against solved, or two that are nearly solved."""
    game = GAMES[name]
    if kind == "random":
        return any_strategy(game, 1), any_strategy(game, 2)
    solved = solve(game, "dcfr", iterations=60).strategy
    if kind == "bad":
        return any_strategy(game, 3), solved
    return solve(game, "external", iterations=200_000, seed=4).strategy, solved


def all_hands(game, players, forfeits=0.0):
    """Every way in which a hand can go: final state, probability, whether it ended with a forfeit."""

    def play(state, chance, forfeit):
        if state.player == TERMINAL:
            yield state, chance, forfeit
        elif state.player == CHANCE:
            for card, each in state.chance_outcomes():
                yield from play(state.apply(card), chance * each, False)
        else:
            if forfeits:
                yield from play(state.give_up(), chance * forfeits, True)
            row = players[state.player].at(state.player, state.information_state(state.player))
            for action, each in row.items():
                if each > 0:
                    yield from play(state.apply(action), chance * each * (1 - forfeits), False)

    return list(play(game.start(), 1.0, False))


@cache
def hands_of(name, kind):
    return all_hands(GAMES[name], profile(name, kind))


class NoiseHeuristic:
    """Numbers that mean nothing, the same for the same question."""

    averages_deals, asks_players = False, False

    def __init__(self, game, suits=False):
        self.hands = hole_hands(game)
        self.names = [hand if suits else tuple(card >> 2 for card in hand) for hand in self.hands]
        self.suits = suits

    def values(self, public, seat, others):
        board = public.board if self.suits else tuple(card >> 2 for card in public.board)
        rows = [self.names[self.hands.index(tuple(other))] for other in others]
        where = f"{public.line}{board}{public.player == CHANCE}"
        pairs = [[(own, other) if seat == 0 else (other, own) for own in self.names] for other in rows]
        return np.array([[crc32(f"{where}{pair}".encode()) / 2**30 - 2 for pair in row] for row in pairs])


@cache
def heuristic(name, game):
    return NoiseHeuristic(game) if name == "noise" else make_heuristic(name, game)


def moments(estimator, hands):
    """Mean and variance of the estimates for seat 0, over all hands by their probabilities."""
    chances = np.array([chance for _, chance, _ in hands])
    values = np.array([estimator.estimate(final, 0, forfeit) for final, _, forfeit in hands])
    mean = chances @ values
    return mean, chances @ (values - mean) ** 2


def plain(hands):
    chances, won = np.array([chance for _, chance, _ in hands]), np.array([final.returns()[0] for final, _, _ in hands])
    return chances @ won, chances @ (won - chances @ won) ** 2


def agents(strategies, seats):
    return {seat: StrategyAgent(strategies[seat]) for seat in seats}


# The right mean


@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.parametrize("name", ["zero", "equity", "solved", "noise"])
@pytest.mark.parametrize("kind", ["random", "bad", "solved"])
@pytest.mark.parametrize("game", list(GAMES))
def test_the_mean_is_exact_with_any_heuristic(game, kind, name, seats):
    strategies = profile(game, kind)
    table = AivatTable(GAMES[game], agents(strategies, seats), heuristic(name, GAMES[game]))
    mean, _ = moments(table, hands_of(game, kind))
    assert mean == pytest.approx(expected_values(*strategies)[0], abs=1e-9)


@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.parametrize("name", ["zero", "equity", "solved", "noise"])
def test_the_walk_gives_the_exact_mean_too(name, seats):
    game, strategies = GAMES["kuhn"], profile("kuhn", "random")
    walk = Aivat(game, agents(strategies, seats), heuristic(name, game))
    assert moments(walk, hands_of("kuhn", "random"))[0] == pytest.approx(expected_values(*strategies)[0], abs=1e-12)


class Teller(StrategyAgent):
    """A player who says things about the worth of their play that mean nothing, the same for the same question."""

    def action_values(self, public):
        actions = self.range_strategy(public).actions
        hands = hole_hands(public.game)
        noise = [
            [crc32(f"{public.line}{public.board}{hand}{each}".encode()) / 2**30 for each in actions] for hand in hands
        ]
        return ActionValues(actions, np.array(noise))

    def range_values(self, publics, seat):
        hands = hole_hands(publics[0].game)
        noise = [[crc32(f"{each.line}{each.board}{hand}{seat}".encode()) / 2**30 for hand in hands] for each in publics]
        return np.array(noise)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_the_mean_is_exact_whatever_players_say_of_their_play(game, seat):
    strategies = profile(game, "random")
    guess = EquityHeuristic(GAMES[game], asks_players=True)
    told = Aivat(GAMES[game], {seat: Teller(strategies[seat])}, guess)
    untold = Aivat(GAMES[game], agents(strategies, (seat,)), guess)
    hands = hands_of(game, "random")
    assert moments(told, hands)[0] == pytest.approx(expected_values(*strategies)[0], abs=1e-9)
    assert any(told.estimate(final, 0) != untold.estimate(final, 0) for final, _, _ in hands[::97])


@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.parametrize(("game", "name"), [("leduc", "noise"), ("leduc-nl", "equity"), ("leduc-nl", "solved")])
def test_the_table_equals_the_walk(game, name, seats):
    known = agents(profile(game, "bad"), seats)
    guess = heuristic(name, GAMES[game])
    walk, table = Aivat(GAMES[game], known, guess), AivatTable(GAMES[game], known, guess)
    for final, _, _ in hands_of(game, "bad")[::97]:
        value = walk.estimate(final, 0)
        assert table.estimate(final, 0) == pytest.approx(value, abs=1e-8)
        assert table.estimate(final, 1) == -table.estimate(final, 0)
        assert walk.estimate(final, 1) == -value


def odd_games():
    """Rules with something that could go wrong: unequal stacks, dead antes, odd chips, no betting on a street."""
    base = PokerGame(
        "odd", stacks=(9, 7), blinds=(2, 1), deck=deck_of_ranks("QQKKA"), hole_cards=1, board_cards=(0, 1),
        bets=Menu.pots(1.0),
    )  # fmt: skip
    return {
        "unequal": base,
        "dead ante": replace(base, antes=(3, 0), stacks=(9, 6)),
        "short blind": replace(base, stacks=(3, 9), antes=(1, 1)),
        "acpc": replace(base, dialect="acpc", stacks=(5, 11)),
        "suits": replace(base, dialect="acpc", show_suits=False),
        "three streets": replace(base, board_cards=(0, 1, 1), stacks=(4, 4), show_suits=False),
    }


@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.parametrize("rules", list(odd_games()))
def test_odd_rules_do_not_bias_it(rules, seats):
    game = odd_games()[rules]
    strategies = any_strategy(game, 5), any_strategy(game, 6)
    hands = all_hands(game, strategies)
    for name in ("equity", "solved", "noise"):
        guess = heuristic(name, game)
        estimators = [AivatTable(game, agents(strategies, seats), guess)]
        if rules != "three streets":
            estimators.append(Aivat(game, agents(strategies, seats), guess))
        for estimator in estimators:
            assert moments(estimator, hands)[0] == pytest.approx(plain(hands)[0], abs=1e-9)


class PairBettor:
    """Acts by what its hand of a tiny hold'em is worth with the board; it may do anything with any hand."""

    def __init__(self, tilt):
        self.tilt, self.asked = tilt, {}

    def range_strategy(self, public):
        key = public.line, public.board
        if key not in self.asked:
            actions, board = tuple(public.legal_actions()), public.board
            rows = np.full((len(hole_hands(public.game)), len(actions)), np.nan)
            for row, hand in zip(rows, hole_hands(public.game), strict=True):
                if not set(hand) & set(board):
                    weights = 1 + self.tilt * (strength(hand + board) % 997 / 997) * np.arange(len(actions))
                    row[:] = weights / weights.sum()
            self.asked[key] = RangeStrategy(actions, rows)
        return self.asked[key]


def tiny_holdem(board_cards, caps, deck):
    return PokerGame(
        "tiny", stacks=(40, 40), blinds=(2, 1), betting="limit", deck=tuple(sorted(parse_cards(deck))),
        board_cards=board_cards, raise_sizes=(2,) * len(caps), max_raises=caps,
    )  # fmt: skip


def totals(game, players, seat, estimator):
    """What seat 0 wins and what it is estimated to win, over every hand of one seat against all of the other's."""
    hands = hole_hands(game)
    apart = np.array([[not set(one) & set(two) for two in hands] for one in hands])
    cards_of = {card: np.array([card in hand for hand in hands]) for card in game.deck}

    def end(state, reach, chance, other):
        at = int(reach.argmax())
        pair = (hands[at], hands[other]) if seat == 0 else (hands[other], hands[at])
        final = replay(game, state.betting(), (*pair[0], *pair[1], *state.board))
        won = final.returns()[0] * reach.sum()
        if not state.folded:
            held = np.flatnonzero(reach).tolist()
            theirs, worth = strength(hands[other] + state.board), [strength(hands[at] + state.board) for at in held]
            shows = [state.payoffs((mine, theirs) if seat == 0 else (theirs, mine))[0] for mine in worth]
            won = reach[held] @ shows
        return chance * np.array([won, reach.sum() * estimator.estimate(final, 0)])

    def play(state, reach, chance, other):
        if not reach.any():
            return np.zeros(2)
        if state.player == TERMINAL:
            return end(state, reach, chance, other)
        total = np.zeros(2)
        if state.player == CHANCE:
            count = game.board_cards[state.street]
            each = chance / comb(len(game.deck) - 4 - len(state.board), count)
            for cards in combinations(sorted(set(game.deck) - set(hands[other]) - set(state.board)), count):
                left = reach * ~np.any([cards_of[card] for card in cards], axis=0)
                total += play(state.deal(state.cards + cards), left, each, other)
            return total
        asked = players[state.player].range_strategy(state)
        for action, column in zip(asked.actions, np.nan_to_num(asked.chances).T, strict=True):
            own = state.player == seat
            later = reach * column if own else reach, chance if own else chance * column[other]
            total += play(state.apply(action), *later, other)
        return total

    root = game.start().deal(game.deck).seen_by(-1)
    return sum(play(root, apart[other] / apart.sum(), 1.0, other) for other in range(len(hands)))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (((0, 3), (0, 1), "2s9d9sTdTsJdJs"), "equity"),
        (((0, 3), (0, 1), "2s9d9sTdTsJdJs"), "noise"),
        pytest.param(((0, 3), (1, 1), "2s9d9sTdTsJdJs"), "equity", marks=pytest.mark.slow),
        pytest.param(((0, 3, 1), (0, 0, 1), "9d9sTdTsJdJsQdQs"), "equity", marks=pytest.mark.slow),
    ],
)
def test_the_mean_is_exact_in_a_tiny_holdem(rules, name, seat):
    """Two cards each, a board of three or four, flushes and all."""
    game = tiny_holdem(*rules)
    players = PairBettor(3.0), PairBettor(-0.4)
    guess = EquityHeuristic(game) if name == "equity" else NoiseHeuristic(game, suits=True)
    won, estimated = totals(game, players, seat, Aivat(game, {seat: players[seat]}, guess))
    assert abs(won) > 0.01
    assert estimated == pytest.approx(won, abs=1e-9)


# Less variance


@pytest.mark.parametrize("game", list(GAMES))
def test_all_luck_is_gone_when_both_are_known_and_values_are_exact(game):
    strategies, tree = profile(game, "bad"), tree_of(GAMES[game])
    played = strategies[0].table(tree.flat)
    copy_player(plan(tree.flat), 1, strategies[1].table(tree.flat), played)
    exact = SolvedHeuristic(tree, played)
    value = expected_values(*strategies)[0]
    for estimator in (AivatTable, Aivat):
        found = estimator(GAMES[game], agents(strategies, (0, 1)), exact)
        for final, _, _ in hands_of(game, "bad")[:: 1 if estimator is AivatTable else 29]:
            assert found.estimate(final, 0) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(("name", "times"), [("zero", 1.2), ("equity", 8), ("solved", 80)])
@pytest.mark.parametrize("seat", [0, 1])
def test_one_known_player_is_enough_for_much_less_variance(seat, name, times):
    """Two strategies that are nearly solved; the heuristic is made from neither."""
    strategies, hands = profile("leduc-nl", "solved"), hands_of("leduc-nl", "solved")
    game = GAMES["leduc-nl"]
    _, variance = moments(AivatTable(game, agents(strategies, [seat]), heuristic(name, game)), hands)
    assert plain(hands)[1] > times * variance


def test_values_of_a_profile_are_those_of_the_game():
    tree, (first, _) = tree_of(GAMES["leduc"]), profile("leduc", "random")
    values = profile_values(tree, first.table(tree.flat))
    root = tree.cells_of(values, 0, 0)
    assert (root * tree.flat.deals.meet[0][0]).sum() == pytest.approx(expected_values(first, first)[0], abs=1e-12)


# Forfeits


@pytest.mark.parametrize("seats", SEATINGS)
@pytest.mark.parametrize("name", ["equity", "noise"])
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_forfeits_do_not_bias_it(game, name, seats):
    """Everybody gives up one decision in eight, with any hand, whether there is something to call or not."""
    strategies = profile(game, "random")
    hands = all_hands(GAMES[game], strategies, forfeits=1 / 8)
    known, guess = agents(strategies, seats), heuristic(name, GAMES[game])
    estimators = [AivatTable(GAMES[game], known, guess)]
    if game == "kuhn":
        estimators.append(Aivat(GAMES[game], known, guess))
    for estimator in estimators:
        assert moments(estimator, hands)[0] == pytest.approx(plain(hands)[0], abs=1e-9)


class NeverFolds(CallAgent):
    """Calls; so a fold of his cannot be a choice."""


@pytest.mark.parametrize("estimator", [Aivat, AivatTable])
def test_a_fold_that_a_strategy_never_plays_is_a_forfeit(estimator):
    game = GAMES["leduc"]
    known = {1: NeverFolds()}
    found = estimator(game, known, heuristic("equity", game))
    final = replay(game, "rf", game.deck)
    assert found.estimate(final, 0) == found.estimate(final, 0, forfeit=True)
    free = replay(game, "f", game.deck, forfeits=True)
    assert found.estimate(free, 0) == found.estimate(free, 0, forfeit=True)
    with pytest.raises(ValueError, match="never does"):
        found.estimate(replay(game, "rrc/cc", game.deck), 0)


# Hold'em


def test_chances_before_a_card_are_the_mean_of_those_after():
    game = games.holdem()
    showdowns = Showdowns(game)
    other, board = tuple(parse_cards("AhKd")), tuple(parse_cards("Ah2h7c9s"))[1:] + tuple(parse_cards("Th"))
    hands = showdowns.possible(other + board)
    win, tie = showdowns.against(other, board)
    sums = np.zeros((2, len(hands)))
    for card in set(game.deck) - {*other, *board}:
        after = showdowns.against(other, (*board, card))
        sums += np.array(after) * showdowns.possible([card])
    np.testing.assert_allclose(sums[:, hands] / 44, np.array([win, tie])[:, hands], atol=1e-12)


@pytest.mark.parametrize("board", ["2h7c9s", "2h7c9sTh", "2h7c9sThTc"])
def test_chances_against_a_hand_are_its_equities(board):
    win, tie = Showdowns(games.holdem()).against(parse_cards("KdAh"), parse_cards(board))
    for hand in ("AsAc", "8h6h", "Td3c"):
        exact = equity([as_range(hand), as_range("AhKd")], parse_cards(board))
        at = combo_index(*parse_cards(hand))
        assert (win[at], tie[at]) == pytest.approx((exact.win[0], exact.tie), abs=1e-12)


def test_pairs_of_hands_are_counted_on_every_board():
    """Two boards and all that turned suits make of them, against a count one by one."""
    boards = np.array([parse_cards("2h7h9sThTc"), parse_cards("AsKsQs2d2h")], np.uint8)
    turned = [np.unique(np.sort(ALL_SYMMETRIES[:, board & 3] | board & 60, axis=1), axis=0) for board in boards]
    times = np.array([len(images) for images in turned])
    counts = preflop_counts._for_every_hand(preflop_counts.count_pairs(boards, times, threads=2))
    hand = combo_index(*parse_cards("Ah9h"))
    wins, ties = np.zeros(1326, int), np.zeros(1326, int)
    for board in np.concatenate(turned):
        live = np.flatnonzero(~np.isin(COMBOS, board).any(axis=1))
        ranks = np.zeros(1326, int)
        ranks[live] = evaluate(np.column_stack([COMBOS[live], np.tile(board, (len(live), 1))]))
        apart = ~np.isin(COMBOS, COMBOS[hand]).any(axis=1) & (ranks > 0) & (ranks[hand] > 0)
        wins += apart & (ranks[hand] < ranks)
        ties += apart & (ranks[hand] == ranks)
    assert wins.any()
    assert ties.any()
    np.testing.assert_array_equal(counts[0, hand], wins)
    np.testing.assert_array_equal(counts[1, hand], ties)


def test_damaged_counts_are_not_read(tmp_path):
    path = tmp_path / "pairs.npz"
    assert preflop_counts._load(path) is None
    path.write_bytes(b"PK nonsense")
    assert preflop_counts._load(path) is None
    rows = np.zeros((2, 169, 1326), np.int32)
    np.savez(path, rows=rows)
    assert preflop_counts._load(path) is not None
    np.savez(path, rows=rows - 1)
    assert preflop_counts._load(path) is None
    np.savez(path, rows=rows.astype(np.float32))
    assert preflop_counts._load(path) is None
    np.savez(path, rows=rows + np.int32(2**30))  # their sum overflows 32 bits
    assert preflop_counts._load(path) is None


@settings(max_examples=60)
@given(st.one_of(st.integers(0, 80), st.integers(0, 2500)), st.integers(1, 255))
def test_counts_with_a_wrong_byte_are_left_or_harmless(tmp_path_factory, place, change):
    path = tmp_path_factory.mktemp("counts") / "pairs.npz"
    rows = np.zeros((2, 169, 1326), np.int32)
    np.savez_compressed(path, rows=rows)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= change
    path.write_bytes(data)
    found = preflop_counts._load(path)
    assert found is None or np.array_equal(found, rows)


def play_hands(game, players, count, seed):
    rng, hands = np.random.default_rng(seed), []
    for _ in range(count):
        deck, state = rng.permutation(game.deck).tolist(), game.start()
        while state.player != TERMINAL:
            acting = state.player
            state = (
                state.deal(deck) if acting == CHANCE else state.apply(players[acting].act(state.seen_by(acting), rng))
            )
        hands.append(state)
    return hands


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("players", "value", "times"),
    [
        ((RaiseAgent(), CallAgent()), 0.0, 3.5),
        ((TightAgent(), LooseAgent()), None, 1.5),
        ((RandomAgent(), TightAgent()), None, 1.8),
    ],
)
def test_a_match_of_holdem_has_the_same_mean_and_less_variance(players, value, times, seat):
    game = games.holdem()
    hands = play_hands(game, players, 3000, seed=7)
    estimator = make_aivat(game, {seat: players[seat]}, make_heuristic("", game))
    won = np.array([final.returns()[0] for final in hands])
    estimates = np.array([estimator.estimate(final, 0) for final in hands])
    gap = interval(won - estimates)
    assert abs(gap.mean) < 4 * gap.error
    assert won.var() > times * estimates.var()
    if value is not None:
        found = interval(estimates)
        assert abs(found.mean - value) < 4 * found.error


@pytest.mark.slow
def test_pairs_of_hands_before_the_flop_are_exact():
    counts = preflop_counts.pair_counts()
    for one, two in (("AhKh", "8h7h"), ("QsQh", "AhKh"), ("2c2d", "AsKd")):
        exact = equity([as_range(one), as_range(two)])
        pair = combo_index(*parse_cards(one)), combo_index(*parse_cards(two))
        assert counts[0][pair] / preflop_counts.BOARDS_OF_A_PAIR == pytest.approx(exact.win[0], abs=1e-12)
        assert counts[1][pair] / preflop_counts.BOARDS_OF_A_PAIR == pytest.approx(exact.tie, abs=1e-12)
    assert np.array_equal(counts[1], counts[1].T)


# What is offered and what is refused


def test_heuristics_by_name(tmp_path):
    game = GAMES["kuhn"]
    assert isinstance(make_heuristic("zero", game), ZeroHeuristic)
    assert isinstance(make_heuristic("", game), SolvedHeuristic)
    assert default_heuristic(games.leduc_nl("all")) == "solved"
    assert default_heuristic(games.leduc_nl("any")) == default_heuristic(games.holdem()) == "search"
    first, _ = profile("kuhn", "random")
    first.save(tmp_path / "first")
    saved = make_heuristic(f"strategy:{tmp_path / 'first'}", game)
    assert isinstance(saved, SolvedHeuristic)
    np.testing.assert_array_equal(saved.cells, profile_values(saved.tree, first.table(saved.tree.flat)))
    for name in ("best", "equity:2", "strategy", "solved:fast"):
        with pytest.raises(ValueError, match="there is no value heuristic"):
            make_heuristic(name, game)
    with pytest.raises(ValueError, match="too large"):
        make_heuristic("solved", games.holdem())
    with pytest.raises(ValueError, match="two players"):
        make_heuristic("equity", games.kuhn(players=3))
    with pytest.raises(ValueError, match="factor"):
        EquityHeuristic(game, growth=0)


def test_a_small_game_gets_a_table():
    game, known = GAMES["leduc-nl"], agents(profile("leduc-nl", "bad"), [0])
    assert isinstance(make_aivat(game, known, heuristic("zero", game)), AivatTable)
    large = games.leduc_nl("any")
    assert not fits(large)
    found = make_aivat(large, {1: CallAgent()}, make_heuristic("", large))
    assert isinstance(found, Aivat)
    assert np.isfinite(found.estimate(replay(large, "r337c/r500c", large.deck), 0))


class SuitReader(CallAgent):
    """Looks at suits: with a spade he bets."""

    def range_strategy(self, public):
        actions = tuple(public.legal_actions())
        spades = np.array([hand[0] & 3 == 3 for hand in hole_hands(public.game)])
        chances = np.full((len(spades), len(actions)), 0.1 / (len(actions) - 1))
        chances[spades, -1] = chances[~spades, 0] = 0.9
        return RangeStrategy(actions, chances)


@pytest.mark.parametrize("seats", SEATINGS)
def test_a_player_may_look_at_suits(seats):
    game = GAMES["leduc"]
    known, guess = {seat: SuitReader() for seat in seats}, heuristic("solved", game)
    with pytest.raises(ValueError, match="tells hands apart"):
        AivatTable(game, known, guess)
    table, walk = make_aivat(game, known, guess), Aivat(game, known, guess)
    assert isinstance(table, AivatTable)
    for final, _, _ in hands_of("leduc", "random")[::211]:
        assert table.estimate(final, 1) == pytest.approx(walk.estimate(final, 1), abs=1e-9)


class Broken(CallAgent):
    """Says nonsense about itself."""

    def __init__(self, chances):
        self.chances = chances

    def range_strategy(self, public):
        return RangeStrategy((CALL,), np.array(self.chances))


def test_what_it_refuses():
    game, zero = GAMES["leduc"], heuristic("zero", GAMES["leduc"])
    final = replay(game, "cc/cc", game.deck)
    with pytest.raises(ValueError, match="seat 0, of seat 1 or both"):
        make_aivat(game, {}, zero)
    with pytest.raises(ValueError, match="two players"):
        make_aivat(games.kuhn(players=3), {0: CallAgent()}, zero)
    with pytest.raises(ValueError, match="cannot tell how it plays"):
        make_aivat(game, {1: object()}, zero)
    for chances, wrong in (([[0.5]] * 6, "add up to 1"), ([[1.0]] * 5, "row of chances"), ([[np.nan]] * 6, "add up")):
        with pytest.raises(ValueError, match=wrong):
            make_aivat(game, {0: Broken(chances)}, zero).estimate(final, 0)
    for estimator in (Aivat(game, {0: CallAgent()}, zero), AivatTable(game, {0: CallAgent()}, zero)):
        with pytest.raises(ValueError, match="finished hand"):
            estimator.estimate(final.seen_by(0), 0)
        with pytest.raises(ValueError, match="another game"):
            estimator.estimate(replay(GAMES["leduc-nl"], "cc/cc", GAMES["leduc-nl"].deck), 0)
    large = replace(games.leduc_nl(), deck=tuple(range(52)), name="leduc-52", hole_cards=2)
    with pytest.raises(ValueError, match="too many to average over both"):
        Aivat(large, {0: CallAgent(), 1: CallAgent()}, zero)


def test_decisions_with_very_many_choices_are_left_uncorrected(monkeypatch):
    """Which is sound, as the choice of what to correct does not depend on what is done."""
    game, strategies, hands = GAMES["kuhn"], profile("kuhn", "random"), hands_of("kuhn", "random")
    known, guess = agents(strategies, [0]), heuristic("solved", game)
    mean, variance = moments(Aivat(game, known, guess), hands)
    monkeypatch.setattr(hand_by_hand, "MOST_ACTIONS", 1)
    fewer, other = moments(Aivat(game, known, guess), hands)
    assert fewer == pytest.approx(mean, abs=1e-12)
    assert other != pytest.approx(variance, rel=0.01)


@settings(max_examples=20)
@given(growth=st.floats(1, 3), seed=st.integers(0, 99), seat=st.integers(0, 1))
def test_any_growth_of_pots_has_the_same_mean(growth, seed, seat):
    game = GAMES["kuhn"]
    strategies = any_strategy(game, seed), any_strategy(game, seed + 1)
    hands = all_hands(game, strategies)
    table = AivatTable(game, agents(strategies, [seat]), EquityHeuristic(game, growth))
    assert moments(table, hands)[0] == pytest.approx(plain(hands)[0], abs=1e-12)
