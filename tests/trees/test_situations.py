"""Abstract games: their actions against the readable rules, their situations, their trees and their layout."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem
from ludus.games.compiled import engine
from ludus.games.menu import Menu
from ludus.solvers.blueprint.presets import BETS
from ludus.solvers.blueprint.samplers import play
from ludus.trees import blueprint as blueprint_module
from ludus.trees.blueprint import Abstraction, build_tree, spec_of
from ludus.trees.situations import FRAME, menu, place, situation, situations
from random_games import random_game

SIZES = ("33%", "50%", "75%", "100%", "150%", "200%")
SMALL = "pot;allin;- / allin;-"


def random_menu(rng: random.Random) -> Menu:
    def one() -> str:
        sizes = rng.sample(SIZES, rng.randint(0, 3)) + ["allin"] * rng.randint(0, 1)
        return ",".join(sizes) or "-"

    def street() -> str:
        return ";".join(one() for _ in range(rng.randint(1, 4)))

    return Menu.parse(" / ".join(street() for _ in range(rng.randint(1, 4))))


def random_table(rng: random.Random, **changes):
    """Any table with a bet menu and equal antes."""
    while True:
        game = random_game(rng, "no-limit", rng.choice(["casino", "acpc"]))
        if not game.dead_antes:
            return replace(game, **changes)


def dealt(state, deck):
    while state.player == CHANCE:
        state = state.deal(deck)
    return state


# Actions


@pytest.mark.parametrize("form", ["tree", "bounded", "leads", "aparicio"])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_the_menu_has_the_legal_actions_of_the_game_with_the_menu(form, seed):
    rng = random.Random(seed)
    game = random_table(rng, bets=random_menu(rng))
    assume(dealt(game.start(), game.deck).player != TERMINAL)  # somebody decides something
    spec = spec_of(Abstraction(game, form, "aparicio"))
    rules, hand, out = (
        engine.rules_of(blueprint_module.replace(game, bets=None)),
        engine.empty_hand(),
        np.zeros(1, FRAME)[0],
    )
    deck = rng.sample(range(52), 52)
    engine.new_hand(rules, hand)
    state = dealt(game.start(), deck)
    while state.player != TERMINAL:
        count = menu(spec, rules, hand, out)
        actions, slots = out["action"][:count].tolist(), out["slot"][:count].tolist()
        assert actions == list(state.legal_actions()), (game, state)
        if form == "tree":
            assert slots == list(range(count))
        else:
            assert slots == sorted(set(slots))
            assert all(0 <= slot < spec["width"] for slot in slots)
            for action, slot in zip(actions, slots, strict=True):
                all_in = action == state.stacks[state.player] + state.bets[state.player]
                assert slot == {FOLD: 0, CALL: 1}.get(action, spec["width"] - 1 if all_in else slot)
                assert action in (FOLD, CALL) or all_in or 2 <= slot < spec["width"] - 1
        action = rng.choice(actions)
        engine.act(rules, hand, action)
        state = dealt(state.apply(action), deck)
    assert hand["player"] == TERMINAL


# Situations


def walk(spec, game, rng: random.Random):
    """Any legal hand at a table: the street and the situation of every decision."""
    rules, hand = engine.rules_of(game), engine.empty_hand()
    engine.new_hand(rules, hand)
    memory = np.int64(0)
    while hand["player"] != TERMINAL:
        yield int(hand["street"]), situation(spec, game.players, memory, hand)
        low, high = map(int, engine.raise_bounds(rules, hand))
        moves = [CALL, CALL, FOLD] if hand["bet"][hand["player"]] < hand["top"] else [CALL]
        if high:
            moves += [rng.choice([low, high, rng.randint(low, high)])] * 2
        memory = play(spec, rules, hand, memory, rng.choice(moves), 0)


@pytest.mark.parametrize("form", ["bounded", "leads", "seats", "aparicio"])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), trained=st.integers(2, 10))
def test_situations_are_in_range_at_any_table(form, seed, trained):
    rng = random.Random(seed)
    spec = spec_of(Abstraction(holdem(players=trained, bets=random_menu(rng)), form, "aparicio"))
    game = random_table(rng) if rng.random() < 0.8 else holdem(players=10)
    for _ in range(3):
        for street, found in walk(spec, game, rng):
            assert 0 <= found < situations(spec, street)


def situations_of(spec, players, lines):
    """The situation after each line of actions at a table of 100 big blinds."""
    rules, found = engine.rules_of(holdem(players=players)), []
    for line in lines:
        hand, memory = engine.empty_hand(), np.int64(0)
        engine.new_hand(rules, hand)
        for action in line:
            memory = play(spec, rules, hand, memory, action, 0)
        found.append((int(hand["street"]), int(situation(spec, players, memory, hand))))
    return found


def test_what_two_have_learnt_has_a_place_for_small_blind_and_button_of_three():
    spec = spec_of(Abstraction(holdem(players=2, bets=Menu.parse("50%,pot,allin")), "seats", "aparicio"))
    [(street, found)] = situations_of(spec, 3, [[6, CALL, FOLD]])
    assert street == 1
    assert 0 <= found < situations(spec, street)


def test_what_a_bounded_memory_tells_apart():
    spec = spec_of(Abstraction(holdem(players=6, bets=Menu.parse("50%,pot,allin")), "bounded", "aparicio"))
    fold, call = FOLD, CALL
    before = [
        (),  # under the gun
        (fold,),  # the next position
        (5,), (7,), (200,),  # a raise, a larger one, all-in
        (fold, 5),  # by another
        (5, call),  # a caller between
    ]  # fmt: skip
    assert len(set(situations_of(spec, 6, before))) == len(before)
    raised = (5, fold, fold, fold, fold, call)  # under the gun against the big blind
    limped = (call, fold, fold, fold, fold, call)
    after = [raised, (*raised, call), (*raised, 6), limped, (*raised, call, 6)]
    assert len(set(situations_of(spec, 6, after))) == len(after)
    # Who had folded before does not matter, nor how much exactly was raised
    assert len(set(situations_of(spec, 6, [(fold, fold, 7, fold), (fold, fold, 8, fold)]))) == 1
    assert len(set(situations_of(spec, 6, [(*raised, 6), (fold, 5, fold, fold, fold, call, 6)]))) == 1


def test_who_led_is_remembered_of_the_last_street_with_a_raise_or_of_the_last_street_too():
    opened = (FOLD, FOLD, FOLD, 5, FOLD, CALL)  # the button against the big blind, who acts first from now on
    checked, led, answered = (CALL, CALL), (CALL, 6, CALL), (6, CALL)
    lines = [(*opened, *flop, *turn) for flop in (checked, led, answered) for turn in (checked, led, answered)]
    for form, kinds in (("bounded", 2), ("leads", 6)):
        spec = spec_of(Abstraction(holdem(players=6, bets=Menu.parse("50%,pot,allin")), form, "aparicio"))
        found = situations_of(spec, 6, lines)
        levels = 5  # of the stack by the pot, which bets change
        assert len({place // levels for _, place in found}) == kinds
        assert {street for street, _ in found} == {3}


@pytest.mark.parametrize("form", ["bounded", "leads", "seats", "aparicio"])
def test_the_most_sizes_are_told_apart(form):
    sizes = [100 * size for size in range(1, 15)]
    bets = ",".join(f"{size}%" for size in sizes) + ",allin"
    spec = spec_of(Abstraction(holdem(players=6, bets=Menu.parse(bets)), form, "aparicio"))
    raises = [2 + size * 5 // 100 for size in sizes] + [200]  # a call makes the pot 5
    found = situations_of(spec, 6, [(), *((to,) for to in raises)])
    assert len(set(found)) == 16
    assert all(0 <= at < situations(spec, 0) for _, at in found)
    after = situations_of(spec, 6, [(CALL,) * 6, *((*(CALL,) * 6, to) for to in (12 * size // 100 for size in sizes))])
    assert len(set(after)) == 15


def test_seats_tells_apart_where_the_two_of_a_flop_sit_and_what_one_did_before_it():
    menu = Menu.parse("50%;100%;allin;-")
    seats, leads = (spec_of(Abstraction(holdem(players=6, bets=menu), form, "aparicio")) for form in ("seats", "leads"))
    early = (5, FOLD, FOLD, FOLD, FOLD, CALL)  # under the gun against the big blind
    flops = [
        early, (FOLD, *early[:1], FOLD, FOLD, FOLD, CALL),  # the two earliest seats are alike
        (FOLD, FOLD, FOLD, 5, FOLD, CALL),  # the button against the big blind
        (FOLD, FOLD, FOLD, 5, CALL, FOLD),  # the button against the small blind
        (5, FOLD, FOLD, CALL, FOLD, FOLD), (5, CALL, FOLD, FOLD, FOLD, FOLD),  # called by a late seat, an early one
    ]  # fmt: skip
    assert len(set(situations_of(seats, 6, flops))) == len(flops) - 1
    assert len(set(situations_of(leads, 6, flops))) == 2  # whether one acts first or last
    both = [(5, CALL, FOLD, FOLD, FOLD, FOLD, CALL), (FOLD, FOLD, 5, CALL, FOLD, FOLD, CALL)]
    assert len(set(situations_of(seats, 6, both))) == 2  # who acts last of two in one place
    squeezed = [(5, CALL, FOLD, FOLD, FOLD, 20, FOLD), (FOLD, 5, FOLD, FOLD, FOLD, 20)]
    assert len(set(situations_of(seats, 6, squeezed))) == 2  # who had called, who had raised
    assert len(set(situations_of(leads, 6, squeezed))) == 1


def test_the_form_of_aparicio_keeps_the_last_action_alone():
    spec = spec_of(Abstraction(holdem(players=2, bets=Menu.parse(BETS["aparicio"])), "aparicio", "aparicio"))
    flop = (CALL, CALL)
    lines = [(), (CALL,), (5,), (11,), (200,), flop, (*flop, CALL), (*flop, 3), (5, CALL)]
    found = situations_of(spec, 2, lines)
    assert found[:5] == [(0, 7 + 0), (0, 0 + 2), (0, 0 + 4), (0, 0 + 5), (0, 0 + 6)]  # 75 % is nearest to raising by 3
    assert found[5:] == [(1, 0), (1, 7 + 1), (1, 7 + 4), (1, 0)]  # how the flop was reached is lost


@pytest.mark.parametrize(
    ("trained", "players", "places"),
    [
        (6, 6, [0, 1, 2, 3, 4, 5]),
        (6, 2, [1, 0]),  # the button has the small blind
        (6, 3, [0, 1, 5]),
        (6, 9, [0, 1, 2, 2, 2, 2, 3, 4, 5]),
        (2, 2, [0, 1]),
        (2, 4, [1, 0, 1, 1]),
    ],
)
def test_positions_count_from_the_button(trained, players, places):
    spec = spec_of(Abstraction(holdem(players=trained, bets=Menu.parse("pot")), "bounded", "aparicio"))
    assert [place(spec, players, seat) for seat in range(players)] == places


# Trees


def readable_tree(state, rows, child):
    """Depth-first: (street, actions) of every decision, and where actions lead."""
    state = dealt(state, range(52))
    if state.player == TERMINAL:
        return -1
    at = len(rows)
    rows.append((state.street, list(state.legal_actions())))
    child.append([])
    child[at] = [readable_tree(state.apply(action), rows, child) for action in rows[at][1]]
    return at


@pytest.mark.parametrize(
    ("players", "stack", "bets"),
    [(2, 20, SMALL), (2, 7, BETS["aparicio"]), (3, 10, "allin;- / -"), (4, 5, "allin / -")],
)
def test_a_tree_is_what_the_readable_rules_lead_to(players, stack, bets):
    game = holdem(players=players, stack=stack, bets=Menu.parse(bets))
    rows, child = [], []
    readable_tree(game.start(), rows, child)
    abstraction = Abstraction(game, "tree", "aparicio")
    tree = abstraction.layout.tree
    assert tree.nodes == len(rows)
    assert tree.street.tolist() == [street for street, _ in rows]
    assert np.diff(tree.first).tolist() == [len(actions) for _, actions in rows]
    assert tree.child.tolist() == [to for children in child for to in children]
    kinds = np.array([169, 1521, 1521, 1521])
    slots = [len(actions) * kinds[street] for street, actions in rows]
    assert tree.offset.tolist() == [0, *np.cumsum(slots)[:-1]]
    assert abstraction.layout.slots == sum(slots)
    assert abstraction.layout.infosets == sum(kinds[street] for street, _ in rows) == sum(abstraction.layout.by_street)


def test_too_many_sequences_are_refused(monkeypatch):
    monkeypatch.setattr(blueprint_module, "MOST_NODES", 100)
    abstraction = Abstraction(holdem(bets=Menu.parse(BETS["aparicio"])), "tree", "aparicio")
    with pytest.raises(ValueError, match="more than 100 betting sequences: list fewer sizes"):
        build_tree(spec_of(abstraction), engine.rules_of(abstraction.table))


# Abstractions


def test_the_sizes_of_the_published_key():
    for players in (2, 6, 10):
        layout = Abstraction(holdem(players=players, bets=Menu.parse(BETS["aparicio"])), "aparicio", "aparicio").layout
        assert layout.infosets == players * 7 * (169 + 3 * 1521)  # last actions: none, check, call, 3 sizes, all-in
        assert layout.slots == 6 * layout.infosets
        assert layout.training_bytes == 8 * layout.slots < 1e9


def test_an_abstraction_as_data_and_back():
    made = Abstraction(holdem(players=3, stack=50, bets=Menu.parse(SMALL)), "bounded", "aparicio")
    data = made.to_json()
    assert Abstraction.from_json(data) == made
    for wrong in (
        {}, [], None, "x", data | {"form": "none"}, data | {"cards": 5}, data | {"game": []},
        data | {"game": data["game"] | {"bets": None}}, data | {"game": data["game"] | {"betting": "limit"}},
        data | {"game": {"kind": "matrix", "name": "x"}}, data | {"cards": "no-such-buckets"},
    ):  # fmt: skip
        with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
            Abstraction.from_json(wrong)


def test_schedules_beyond_what_kernels_hold_are_refused():
    for bets in (";".join(["pot"] * 7), ",".join(f"{size}%" for size in range(10, 160, 10))):
        with pytest.raises(ValueError, match="at most 6 raises a street and 14 sizes"):
            Abstraction(holdem(bets=Menu.parse(bets)), "tree", "aparicio")


def test_a_game_without_raises_has_a_layout():
    layout = Abstraction(holdem(bets=Menu.parse("-")), "tree", "aparicio").layout
    assert layout.tree.nodes == 8  # two calls or checks a street


def test_abstractions_saved_under_the_old_name_are_read():
    made = Abstraction(holdem(bets=Menu.parse(BETS["aparicio"])), "aparicio", "aparicio")
    old = made.to_json() | {"form": "s1", "cards": "s1"}
    assert Abstraction.from_json(old) == Abstraction.from_json(made.to_json()) == made
