"""Depth-limited search of a street: kernels against slow references, and spots whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents.blueprint import load_blueprint
from ludus.agents.multiway import MultiwayAgent, compared, searched_mix
from ludus.cards.card import parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS, blocked, combo_index, parse_range
from ludus.games import CALL, FOLD, holdem
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, rules_of
from ludus.games.menu import Menu
from ludus.search.multiway import MultiwaySearch, _groups
from ludus.search.multiway_walks import (
    AT_END,
    CHOICES,
    CONTINUATIONS,
    RANKED,
    REGRET,
    UPDATE,
    Street,
    Walker,
    add_up,
    learn,
    luck,
    make_room,
    shown_down,
    sort_deal,
    value_actions,
    walk,
)  # fmt: skip
from ludus.search.river_walks import learn_river, make_river_room, members_of
from ludus.search.river_walks import walk as river_walk
from ludus.search.street_start import begin_with, folding_part
from ludus.search.street_tree import BETS, MOST_ALL_IN, MOST_NODES, place_rows, street_tree
from ludus.solvers.blueprint.deals import DEAL
from ludus.solvers.blueprint.presets import BETS as PRESETS
from ludus.solvers.blueprint.rollouts import deal_cards, play_on, result, table_of, table_of_ranges
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.teach.situation import parse_situation
from ludus.trees.blueprint import Abstraction
from ludus.trees.buckets import some_boards
from ludus.trees.situations import FRAME
from ludus.trees.spot import Spot

FLOP = "3 players, 20bb, blinds 10/20; hero BB AhKh; BTN r3bb SB c c; Kd7c2s x"
RIVER = FLOP + " x x 3d x x x 9h x"
GROUPS = 8


def lively(players):
    """A blueprint in which what one does depends on everything."""
    form = Abstraction(holdem(players, 2000, (10, 20), bets=Menu.parse(PRESETS["aparicio"])), "aparicio", "aparicio")
    strategy = np.random.default_rng(5).integers(1, 256, form.layout.slots, dtype=np.uint8)
    return Blueprint(form, {}, strategy)


class Case:
    """A situation as the kernels see it, with everybody holding any hand and regrets at random."""

    def __init__(self, text, seed=0):
        self.state = parse_situation(text)
        self.public, self.hand = self.state.seen_by(-1), tuple(sorted(self.state.hole(self.state.player)))
        self.blueprint = lively(self.public.game.players)
        self.rules = rules_of(replace(self.public.game, bets=None))
        self.line = [action for street in self.public.line for action in street]
        self.search = MultiwaySearch(self.blueprint, seconds=0.02)
        self.actions = self.search._actions(self.public, self.rules, self.line, ())
        self.tree = street_tree(self.blueprint, self.rules, self.line, self.actions)
        self.ranges = [blocked(np.ones(1326), self.public.board) for _ in range(self.public.game.players)]
        self.players = self.public.game.players
        groups = _groups(self.public, self.ranges, GROUPS - 1)
        self.street = Street(self.tree, groups, GROUPS, self.public.player)
        self.numbers = place_rows(self.tree, self.players, GROUPS, CHOICES)
        self.regret = np.random.default_rng(seed).normal(size=self.numbers)
        self.spec, self.book = self.blueprint.abstraction.layout.spec, self.blueprint.book()

    def dealt(self, seed):
        """Room with the cards of a deal."""
        room, table = make_room(self.players), table_of_ranges(self.public, self.ranges)
        room.deck[:] = table.deck
        s0, s1 = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        assert deal_cards(table, room.deck, s0, s1)[0]
        sort_deal(self.street, self.players, room)
        return room

    def strategy(self, numbers, row, count):
        """Regret matching."""
        positive = np.maximum(numbers[row : row + count], 0)
        return positive / positive.sum() if positive.any() else np.full(count, 1 / count)


def chosen(strategy, u):
    return int(np.searchsorted(np.cumsum(strategy), u, side="right"))


# The tree


@pytest.mark.parametrize(
    "text", [FLOP, "5 players, 50bb; hero UTG AhKh", RIVER, "hu, 5bb; hero BTN AhKh; c x; Kd7c2s x"]
)
def test_the_tree_is_the_betting_by_the_rules(text):
    case = Case(text)
    tree, states = case.tree, {0: case.public}
    assert sorted(tree.action[1 : 1 + len(case.actions)]) == case.actions
    for node in range(len(tree.memory)):
        state, hand = states[node], tree.hands[node]
        over = state.player < 0 or state.street > case.public.street  # a card comes, or nothing at all
        assert hand["pot"] == state.pot
        assert hand["stack"][: case.players].tolist() == list(state.stacks)
        gives_up = 0 < node <= tree.children[0] and tree.action[node] == FOLD
        assert (tree.children[node] == 0) == (over or gives_up)
        if tree.children[node]:
            assert hand["player"] == state.player
        children = range(tree.first[node], tree.first[node] + tree.children[node])
        actions = [int(tree.action[child]) for child in children]
        assert actions == sorted(set(actions))
        assert set(actions) <= set(state.legal_actions()) if actions else True
        for child, action in zip(children, actions, strict=True):
            states[child] = state.apply(action)
    assert len(states) == len(tree.memory)


def test_a_large_tree_has_fewer_bets():
    small, large = Case(FLOP.replace("20bb", "100bb")), Case("9 players; hero UTG AhKh")
    assert len(large.tree.memory) <= MOST_NODES
    depth = small.tree.hands["raises"].max(), large.tree.hands["raises"].max()
    assert depth[0] > depth[1]
    assert BETS[-1] == (0, 0)
    for node in range(1, len(small.tree.memory)):  # no all-in of far more than the pot beside other bets
        bets = [a for a in small.tree.action[small.tree.first[node] :][: small.tree.children[node]] if a > CALL]
        hand = small.tree.hands[node]
        pot = hand["pot"] + hand["top"] - hand["bet"][hand["player"]]
        assert len(bets) < 2 or bets[-1] - hand["top"] <= MOST_ALL_IN * pot
    with pytest.raises(ValueError, match="at most 16 actions"):
        street_tree(small.blueprint, small.rules, small.line, range(17))


# Walks


def reference_walk(case, walker, room, key):
    """Regrets and averages that a walk adds, by recursion."""
    gain, average = np.zeros(case.numbers), np.zeros(case.numbers)
    tree, seat = case.tree, walker.seat

    def played_on(node, ways):
        biases = np.ones((case.players, 4, 2, 3))
        for other, way in ways.items():
            biases[other] = CONTINUATIONS[way]
        hand, deal, frame = np.zeros(1, HAND), np.zeros(1, DEAL), np.zeros(1, FRAME)
        hand[0] = tree.hands[node]
        play_on(
            case.spec, case.rules, case.book, room.deck, deal[0], biases, key, tree.memory[node], seat, hand[0],
            frame[0],
        )  # fmt: skip
        return result(case.rules, hand[0], room.deck, deal[0], seat, np.zeros(10))

    def end(node):
        hand = tree.hands[node]
        if hand["player"] == TERMINAL or hand["folded"] >> seat & 1:
            return shown_down(case.rules, tree, node, seat, room, key)
        ways, own = {}, np.array([1.0])
        for other in range(case.players):
            if hand["folded"] >> other & 1 or hand["stack"][other] == 0:
                continue
            row = tree.row[node] + (other * GROUPS + room.own[other]) * CHOICES
            strategy = case.strategy(case.regret, row, CHOICES)
            ways[other] = chosen(strategy, luck(key, other, AT_END))
            if (other != seat) != walker.exact:
                average[row : row + CHOICES] += strategy
            if other == seat:
                own, own_row = strategy, row
        if not walker.compares or seat not in ways:
            return played_on(node, ways)
        values = np.array([played_on(node, ways | {seat: way}) for way in range(CHOICES)])
        gain[own_row : own_row + CHOICES] += values - own @ values
        return own @ values

    def value(node, reach):
        count = int(tree.children[node])
        if not count:
            return end(node)
        actor = int(tree.hands[node]["player"])
        row = tree.row[node] + room.own[actor] * count
        strategy = case.strategy(case.regret, row, count)
        if actor != seat:
            average[row : row + count] += 0 if walker.exact else strategy
            at = chosen(strategy, luck(key, actor, tree.hands[node]["moves"]))
            return value(tree.first[node] + at, reach)
        average[row : row + count] += reach * strategy if walker.exact else 0
        values = np.array([value(tree.first[node] + at, reach * strategy[at]) for at in range(count)])
        gain[row : row + count] += values - strategy @ values
        return strategy @ values

    value(0 if walker.first < 0 else tree.first[0] + walker.first, 1.0)
    return gain, average


@pytest.mark.parametrize("text", [FLOP, RIVER, "3 players, 6bb, blinds 10/20; hero BB AhKh; BTN r3bb SB f"])
def test_a_walk_adds_what_the_reference_does(text):
    case = Case(text)
    live = [seat for seat in case.public.live_seats() if case.public.stacks[seat]]
    for number in range(12):
        seat = live[number % len(live)]
        asked = seat == case.public.player
        walker = Walker(seat, asked and number % 2 == 0, number % 3 == 0, -1 if asked else len(case.actions) - 1)
        room, key = case.dealt(number), np.uint64(977 * number + 5)
        if walker.exact:
            room.own[seat] = GROUPS - 1
        updates = np.zeros(4000, UPDATE)
        written, ends = walk(case.spec, case.rules, case.book, case.street, case.regret, walker, room, key, updates)
        found = np.zeros(case.numbers), np.zeros(case.numbers)
        add_up(updates, written, 1.0, *found)
        assert ends > 0
        for one, other in zip(found, reference_walk(case, walker, room, key), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
        assert {*updates["kind"][:written].tolist()} >= {REGRET}


def test_learning_is_walks_of_everybody():
    case = Case(FLOP)
    everyone, asked = table_of_ranges(case.public, case.ranges), table_of(case.public, case.hand, case.ranges)
    updates, walkers = np.zeros(200_000, UPDATE), np.array([0, 1, 2])
    s0, s1 = np.random.SeedSequence(3).generate_state(2, np.uint64)
    written, ends, walks = learn(
        case.spec, case.rules, case.book, case.street, case.regret, everyone, asked, walkers, 20, s0, s1, updates
    )
    assert 40 <= walks <= 80
    assert ends > walks
    average = np.zeros(case.numbers)
    add_up(updates, written, 1.0, np.zeros(case.numbers), average)
    root = average[: GROUPS * len(case.actions)].reshape(GROUPS, -1)
    assert root[-1].sum() == pytest.approx(20)  # the hand that is asked about, once a round
    assert not root[:-1].any()
    short = learn(
        case.spec, case.rules, case.book, case.street, case.regret, everyone, asked, walkers, 20, s0, s1, updates[:100]
    )
    assert short == (0, 0, 0)  # there is no room


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_walk_of_all_hands_of_the_river_is_a_walk_of_each(seat):
    case = Case(RIVER)
    free = ~np.isin(COMBOS, case.public.board).any(axis=1)
    ranks = np.zeros(1326, np.int64)
    ranks[free] = evaluate(np.column_stack([COMBOS[free], np.tile(case.public.board, (int(free.sum()), 1))]))
    for number in range(4):
        one, key = case.dealt(number), np.uint64(number + 1)
        room = make_river_room(case.players, GROUPS)
        room.deck[:] = one.deck
        combos = [combo_index(*one.deck[2 * other : 2 * other + 2].tolist()) for other in range(case.players)]
        room.own[:], room.deals[0]["rank"][: case.players] = one.own, ranks[combos]
        taken = [card for other in range(case.players) if other != seat for card in COMBOS[combos[other]].tolist()]
        apart = free & ~np.isin(COMBOS, taken).any(axis=1)
        inside = {group: np.flatnonzero(apart & (case.street.group[seat] == group)) for group in range(GROUPS - 1)}
        hands = {group: int(there[number % len(there)]) for group, there in inside.items() if len(there)}
        for group, hand in hands.items():
            room.rank[group] = ranks[hand]
        first = -1 if seat == case.public.player else number % len(case.actions)
        gain, average = np.zeros(case.numbers), np.zeros(case.numbers)
        river_walk(case.rules, case.street, case.regret, seat, key, first, room, gain, average)
        expected = np.zeros(case.numbers)
        for group, hand in hands.items():
            one.deck[2 * seat : 2 * seat + 2], one.own[seat], one.deals[0]["ready"] = COMBOS[hand], group, 0
            expected += reference_walk(case, Walker(seat, False, False, first), one, key)[0]
        np.testing.assert_allclose(gain, expected, atol=1e-9)
        assert (average > 0).any()


def test_members_are_the_hands_of_their_groups():
    weights, group = parse_range("AA, KK:0.5, QQ"), np.arange(1326) % 3
    exact = int(np.flatnonzero(weights)[0])
    members = members_of(group, weights, 4, exact)
    assert sorted(members.combo.tolist()) == sorted([*np.flatnonzero(weights).tolist(), exact])
    for at in range(4):
        part = slice(members.starts[at], members.starts[at + 1])
        held = members.combo[part]
        assert (group[held] == at).all() if at < 3 else held.tolist() == [exact]
        np.testing.assert_allclose(np.diff(members.total[part], prepend=0), weights[held] / weights[held].sum())


def test_a_showdown_is_worth_the_equity():
    case = Case("3 players, 20bb, blinds 10/20; hero BTN AhKh; BTN r3bb SB f c; Kd7c2s a")
    room, node, dead = case.dealt(1), int(case.tree.first[0]) + case.actions.index(CALL), parse_cards("QcQd")
    hands = {0: dead, 1: parse_cards("7d7h"), 2: parse_cards("AhKh")}  # the small blind has folded
    for seat, cards in hands.items():
        room.deck[2 * seat : 2 * seat + 2] = cards
    won, pot, lost = [], 810, 400
    keys = np.random.default_rng(2).integers(1, 2**63, 3000, np.uint64)
    for key in keys:
        room.deals[0]["ready"] &= ~RANKED
        room.deck[-2:] = parse_cards("4c5c")  # the first board, which three sevens win
        won.append(8 / 7 * (shown_down(case.rules, case.tree, node, 2, room, key) + lost / 8))
    share = equity([as_range("AhKh"), as_range("7d7h")], case.public.board, dead=dead, exact=True).equity[0]
    assert room.deck[-2:].tolist() == list(parse_cards("4c5c"))
    assert np.mean(won) == pytest.approx(share * pot - lost, abs=4 * np.std(won) / 3000**0.5)


def test_the_blueprint_is_what_a_search_begins_with():
    case = Case(FLOP)
    regret, average = np.zeros(case.numbers), np.zeros(case.numbers)
    hand, kinds = combo_index(*case.hand), case.blueprint.kinds(case.public.board)
    weights = np.stack(case.ranges) * np.random.default_rng(1).random((3, 1326))
    begin_with(case.spec, case.rules, case.book, case.street, kinds, weights, hand, 2.0, 10.0, regret, average)
    found = case.blueprint.find(case.rules, case.line)
    rows = case.blueprint.rows(found, kinds)
    count, seat = len(case.actions), case.public.player
    places = [min(range(count), key=lambda at: abs(case.actions[at] - action)) for action in found.actions]
    for group in range(GROUPS):
        inside = case.street.group[seat] == group if group < GROUPS - 1 else np.arange(1326) == hand
        share = np.where(inside, weights[seat] if group < GROUPS - 1 else 1.0, 0.0)
        expected = np.zeros(count)
        for column, at in enumerate(places):
            expected[at] += share @ rows[:, column] / share.sum()
        row = slice(group * count, (group + 1) * count)
        np.testing.assert_allclose(average[row], 2 * expected)
        np.testing.assert_allclose(regret[row], 10 * case.public.pot * expected)


def test_where_nothing_is_known_the_better_part_of_a_range_calls():
    case = Case(
        FLOP.replace("x", "b60", 1)
        if False
        else "3 players, 20bb, blinds 10/20; hero BB AhKh; BTN r3bb SB c c; Kd7c2s b90"
    )
    case.blueprint = replace(case.blueprint, strategy=np.zeros_like(case.blueprint.strategy))
    book = case.blueprint.book()
    regret, average = np.zeros(case.numbers), np.zeros(case.numbers)
    kinds = case.blueprint.kinds(case.public.board)
    begin_with(
        case.spec, case.rules, book, case.street, kinds, np.stack(case.ranges), combo_index(*case.hand), 10.0, 10.0,
        regret, average,
    )  # fmt: skip
    fold = folding_part(case.rules, case.tree.hands[0])
    assert fold == pytest.approx((90 / 270) ** 0.5)
    root = average[: GROUPS * len(case.actions)].reshape(GROUPS, -1)
    calls = [(group + 0.5) / (GROUPS - 1) > fold for group in range(GROUPS - 1)]
    assert (root[:-1, 1] > 0).tolist() == calls
    assert root[-1].tolist() == root[case.street.group[case.public.player, combo_index(*case.hand)]].tolist()


@pytest.mark.parametrize("text", [FLOP, RIVER])
def test_values_are_of_the_average_strategies(text):
    case = Case(text)
    average = np.abs(case.regret)
    table, seat = table_of(case.public, case.hand, case.ranges), case.public.player
    s0, s1 = np.random.SeedSequence(9).generate_state(2, np.uint64)
    out = np.zeros((len(case.actions), 30))
    assert value_actions(case.spec, case.rules, case.book, case.street, average, table, s0, s1, out) == 30
    room = make_room(case.players)
    room.deck[:] = table.deck
    _, t0, t1 = deal_cards(table, room.deck, s0, s1)
    sort_deal(case.street, case.players, room)
    room.own[seat] = GROUPS - 1
    with np.errstate(over="ignore"):
        key = np.uint64(t0) + np.uint64(t1)
    for at in range(len(case.actions)):
        node = case.tree.first[0] + at
        while count := int(case.tree.children[node]):
            actor = int(case.tree.hands[node]["player"])
            strategy = case.strategy(average, case.tree.row[node] + room.own[actor] * count, count)
            node = case.tree.first[node] + chosen(strategy, luck(key, actor, case.tree.hands[node]["moves"]))
        case.regret = average
        [expected] = [reference_end(case, node, seat, room, key)]
        assert out[at, 0] == pytest.approx(expected)


def reference_end(case, node, seat, room, key):
    """What a seat wins from the end of a street on, everybody going on by the strategies that are the regrets."""
    hand = case.tree.hands[node]
    if hand["player"] == TERMINAL or hand["folded"] >> seat & 1:
        return shown_down(case.rules, case.tree, node, seat, room, key)
    biases = np.ones((case.players, 4, 2, 3))
    for other in range(case.players):
        row = case.tree.row[node] + (other * GROUPS + room.own[other]) * CHOICES
        biases[other] = CONTINUATIONS[chosen(case.strategy(case.regret, row, CHOICES), luck(key, other, AT_END))]
    hands, deals, frames = np.zeros(1, HAND), np.zeros(1, DEAL), np.zeros(1, FRAME)
    hands[0] = hand
    memory = case.tree.memory[node]
    play_on(case.spec, case.rules, case.book, room.deck, deals[0], biases, key, memory, seat, hands[0], frames[0])
    return result(case.rules, hands[0], room.deck, deals[0], seat, np.zeros(10))


# The whole


HELD = (
    parse_range("22+, A2s+, KTs+, QJs, ATo+, KQo, JTs, T9s"),
    parse_range("55+, A8s+, K9s+, QTs+, JTs, AJo+, 98s, 76s"),
)


def river_of_two(hand):
    return parse_situation(f"heads-up, 13bb; hero BB {hand}; BTN r3bb c; As8s7d x x 5c x x 2h")


def test_a_river_of_two_is_worth_what_its_exact_solution_says():
    state = river_of_two("AdKd")
    menu = {"river": {"bet": "33%, 75%, a", "raise": "100%, a"}}
    spot = Spot.of("As 8s 7d 5c 2h", state.pot, state.stacks[0], *HELD, menu)
    view = Solution.of(solve_spot(spot, iterations=300)).at("")
    ranges = [blocked(own, state.board) for own in HELD]
    form = Abstraction(holdem(2, 200, bets=Menu.parse("75% / 33%, 75%, a; 100%, a; a; -")), "bounded", "aparicio")
    search = MultiwaySearch(Blueprint(form, {}, np.zeros(form.layout.slots, np.uint8)), seconds=1.0, threads=2)
    for text in ("AdKd", "9c9d", "8d8c", "JhTh"):
        mine = view.combos[0].tolist().index(combo_index(*parse_cards(text)))
        exact = dict(zip((action.number for action in view.actions), view.action_ev[:, mine].tolist(), strict=True))
        public = river_of_two(text).seen_by(-1)
        found = compared(search.answer(public, tuple(sorted(parse_cards(text))), ranges))
        assert set(found.actions) == set(exact)
        best = max(exact, key=exact.__getitem__)
        assert abs(found.value(best).mean - exact[best]) < 0.06 * state.pot
        assert exact[best] - exact[found.best] < 0.03 * state.pot


def test_opponents_do_not_learn_the_hand():
    """They answer the range: their regrets are the same whichever hand is asked about."""
    kept = []
    for text in ("AhKh", "7h6h"):
        case = Case(RIVER.replace("AhKh", text))
        free = ~np.isin(COMBOS, case.public.board).any(axis=1)
        ranks = np.zeros(1326, np.int64)
        ranks[free] = evaluate(np.column_stack([COMBOS[free], np.tile(case.public.board, (int(free.sum()), 1))]))
        gain, average = np.zeros(case.numbers), np.zeros(case.numbers)
        for seat in range(3):
            exact = combo_index(*case.hand) if seat == case.public.player else -1
            members = members_of(case.street.group[seat], case.ranges[seat], GROUPS, exact)
            table = table_of_ranges(case.public, case.ranges, without=seat)
            s0, s1 = np.random.SeedSequence((1, seat)).generate_state(2, np.uint64)
            learn_river(case.rules, case.street, case.regret, table, ranks, members, seat, 50, s0, s1, gain, average)
        others = np.concatenate([
            np.arange(case.tree.row[node], case.tree.row[node] + GROUPS * case.tree.children[node])
            for node in range(len(case.tree.memory))
            if case.tree.children[node] and case.tree.hands[node]["player"] != case.public.player
        ])  # fmt: skip
        kept.append(gain[others])
        assert gain.any()
    np.testing.assert_array_equal(*kept)


@pytest.mark.parametrize("text", [FLOP, RIVER])
def test_the_same_seed_is_the_same_answer_by_any_number_of_threads(text):
    state = parse_situation(text)
    ranges, hand = [blocked(np.ones(1326), state.board)] * 3, tuple(sorted(state.hole(1)))
    one, two = (MultiwaySearch(lively(3), 0.02, 3, threads, 1e9).answer(state, hand, ranges) for threads in (1, 3))
    other = MultiwaySearch(lively(3), 0.02, 4, 1, 1e9).answer(state, hand, ranges)
    assert (one.actions, one.chances, one.walks, one.deals) == (two.actions, two.chances, two.walks, two.deals)
    np.testing.assert_array_equal(one.means, two.means)
    assert one.chances != other.chances


def test_the_nuts_bet_and_nothing_folds():
    ranges = [blocked(np.ones(1326), parse_cards("Kd7c2s3d9h"))] * 3
    facing = parse_situation(RIVER.replace("9h x", "9h b90"))
    search = MultiwaySearch(lively(3), 0.3)
    nothing = search.answer(facing, tuple(sorted(parse_cards("5h4h"))), ranges)
    nuts = search.answer(facing, tuple(sorted(parse_cards("KsKc"))), ranges)
    assert searched_mix(nothing)[FOLD] > 0.9
    assert searched_mix(nuts)[FOLD] == 0
    assert compared(nuts).value(CALL).mean > 90
    assert compared(nothing).value(FOLD) == (0.0, 0.0)


PREFLOP = "3 players, 20bb, blinds 10/20; hero SB AhKh; BTN c"


def test_before_the_flop_only_some_boards_are_dealt():
    state = parse_situation(PREFLOP)
    public, hand = state.seen_by(-1), tuple(sorted(state.hole(state.player)))
    boards = some_boards()[:40]
    table = table_of(public, hand, [np.ones(1326)] * 3, boards)
    deck, known, dealt = table.deck.copy(), {tuple(board) for board in boards.tolist()}, []
    random = np.random.SeedSequence(1).generate_state(2, np.uint64)
    for _ in range(2000):
        found, *random = deal_cards(table, deck, *map(np.uint64, random))
        assert found
        assert len(set(deck.tolist())) == len(deck)
        dealt.append(tuple(deck[-5:].tolist()))
    free = {board for board in known if not set(board) & set(hand)}
    assert set(dealt) == free < known
    hopeless = table_of(public, hand, [np.ones(1326)] * 3, np.array([[*hand, 0, 1, 2]], np.uint8))
    hopeless.boards.setflags(write=False)
    assert not deal_cards(hopeless, deck, *map(np.uint64, random))[0]


def test_a_search_before_the_flop_needs_no_tables(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))  # of tables; kernels are where they are
    shipped = load_blueprint("six-player")
    fresh = replace(shipped, abstraction=Abstraction.from_json(shipped.abstraction.to_json()))
    search = MultiwaySearch(fresh, 0.02, build=False)
    state = parse_situation(PREFLOP)
    answer = search.answer(state.seen_by(-1), tuple(sorted(state.hole(state.player))), [np.ones(1326)] * 3)
    assert answer.boards == len(some_boards())
    assert sum(answer.chances) == pytest.approx(1)
    assert not list(tmp_path.rglob("*.safetensors"))


def test_bad_settings_are_refused():
    tree = Abstraction(holdem(2, 20, bets=Menu.parse("75%; - / 75%; -")), "tree", "aparicio")
    with pytest.raises(ValueError, match="not by one of the form of a tree"):
        MultiwaySearch(Blueprint(tree, {}, np.zeros(tree.layout.slots, np.uint8)))
    with pytest.raises(ValueError, match="more than 0 seconds"):
        MultiwaySearch(lively(3), 0.0)
    with pytest.raises(ValueError, match="not negative"):
        MultiwaySearch(lively(3), seed=-1)
    state = parse_situation(FLOP)
    with pytest.raises(ValueError, match="range of the player to act"):
        MultiwaySearch(lively(3), 0.02).answer(state, (0, 1), [np.ones(1326), None, np.ones(1326)])


def test_the_agent_plays_charts_before_the_flop_and_searches_after_it():
    agent = MultiwayAgent(seconds=0.02)
    opening = agent.strategy(parse_situation("6 players; hero UTG AhAs"))
    assert max(opening) > CALL
    assert opening[max(opening)] > 0.95
    state = parse_situation("6 players; hero BB 4s4d; r2.5bb, f, f, BTN c, f, BB c; flop Ks9h4c: x, UTG b50%, BTN c")
    played = agent.strategy(state)
    assert sum(played.values()) == pytest.approx(1)
    assert FOLD not in played
    assert agent.act(state, np.random.default_rng(1)) in played
    with pytest.raises(ValueError, match="own cards are hidden"):
        agent.strategy(state.seen_by(-1))
