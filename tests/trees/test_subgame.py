"""Subgames and the one builder of betting trees: before the flop, half-way through a street, Leduc, several players."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.ranges import parse_range
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem, kuhn, leduc, leduc_nl
from ludus.games.action import Kind
from ludus.games.menu import BetRules, Menu
from ludus.trees import betting
from ludus.trees.betting import FRONTIER, IP, OOP, OTHER, SHOWDOWN, build_betting_tree, game_tree, leaf_payoffs
from ludus.trees.spot import Spot
from ludus.trees.subgame import Rake, Subgame

FLOP, RIVER = parse_cards("KsTh6h"), parse_cards("KsTh6h4c2s")
MENU = Menu.of_tables({street: {"bet": "50%, a", "raise": "100%"} for street in ("flop", "turn", "river")})


# --- The readable rules lead to the same trees -----------------------------------------------------------------------


def readable(state, streets):
    """The nodes of a game by its readable rules, depth first: kind, player, street, parent, paid, action."""
    rows, game = [], state.game
    start = [stack - ante for stack, ante in zip(game.stacks, game.posted[0], strict=True)]
    last = len(game.board_cards) - 1 if streets is None else streets - 1

    def paid(state):
        return tuple(begun - left for begun, left in zip(start, state.stacks, strict=True))

    def visit(state, parent, done, street):
        over = state.player == TERMINAL
        if over and len(state.live_seats()) == 1:
            rows.append((betting.FOLD, -1, street, parent, paid(state), done))
            return
        while over or state.street > street:
            kind = betting.CHANCE if street < last else SHOWDOWN if street == len(game.board_cards) - 1 else FRONTIER
            rows.append((kind, -1, street, parent, paid(state), done))
            if kind != betting.CHANCE:
                return
            parent, done, street = len(rows) - 1, None, street + 1
        rows.append(
            (min(state.player, 2) if state.player < 2 else OTHER, state.player, street, parent, paid(state), done)
        )
        here = len(rows) - 1
        for number in state.legal_actions():
            visit(dealt(state.apply(number)), here, state.action(number), street)

    visit(dealt(state), -1, None, 0)
    return rows


def dealt(state):
    while state.player == CHANCE:
        state = state.deal(state.game.deck)
    return state


def check_game(game, streets=None):
    rows, tree = readable(game.start(), streets), game_tree(game, streets=streets)
    cards = np.cumsum(game.board_cards)
    assert len(tree) == len(rows)
    for node, (kind, player, street, parent, paid, done) in enumerate(rows):
        assert (tree.kind[node], tree.player[node], tree.parent[node]) == (kind, player, parent)
        assert tree.street[node] == cards[street]
        assert tuple(tree.paid[node].tolist()) == paid
        assert tree.done[node] == (0 if done is None else done.kind)
        assert tree.amount[node] == (0 if done is None else done.amount)
    assert [node for node in range(len(tree)) for _ in tree.children(node)] == sorted(tree.parent[1:].tolist())
    return tree


GAMES = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "three at leduc": leduc(players=3),
    "no-limit leduc": leduc_nl(),
    "multiples": leduc_nl("all", stack=500),
    "heads-up": holdem(stack=20, bets=Menu.parse("pot; a; - / a; -")),
    "three players": holdem(players=3, stack=8, bets=Menu.parse("a; - / -")),
    "short stacks": replace(holdem(players=3, bets=Menu.parse("pot, a; - / -")), stacks=(3, 9, 20)),
    "acpc": holdem(stack=12, bets=Menu.parse("a / a; -"), dialect="acpc"),
    "every kind of size": holdem(stack=30, bets=Menu.parse("2.5x, 3c; a / e, 2e60%; - / 7u; -")),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_the_tree_of_its_readable_rules(name):
    check_game(GAMES[name])


@pytest.mark.parametrize("streets", [1, 2, 3])
def test_a_tree_of_a_game_may_end_at_a_frontier(streets):
    tree = check_game(GAMES["heads-up"], streets)
    assert (tree.kind == FRONTIER).any()
    assert not (tree.kind == SHOWDOWN).any()
    assert tree.street.max() == (0, 3, 4)[streets - 1]
    check_game(GAMES["leduc"], 1)


def test_a_game_without_a_menu_has_no_tree():
    with pytest.raises(ValueError, match="give it a bet menu"):
        game_tree(holdem())
    with pytest.raises(ValueError, match="at least one street"):
        game_tree(leduc(), streets=0)
    with pytest.raises(ValueError, match="list fewer sizes"):
        game_tree(leduc_nl("all", stack=100_000, ante=10))


# --- Before the flop -------------------------------------------------------------------------------------------------


def preflop(menu="2.5x, 3x; 3x; a", stack=100, small=1, big=2, **more):
    sizes = Menu.parse(menu)
    rules = more.pop("rules", BetRules(min_bet=big))
    return Subgame((), 0, (stack - big, stack - small), replace(sizes, fit="lift"), rules, bets=(big, small), **more)


def test_before_the_flop_the_button_acts_first():
    tree = build_betting_tree(preflop(depth=1))
    assert (tree.kind[0], tree.street[0], tree.paid[0].tolist()) == (IP, 0, [2, 1])
    assert tree.words(0) == ("F", "C", "B5", "B6")
    assert tree.words(tree.find("C")) == ("X", "B5", "B6")  # the big blind may raise a limp
    assert tree.kind[tree.find("C")] == OOP
    assert tree.words(tree.find("B6")) == ("F", "C", "B18")
    assert tree.words(tree.find("B6-B18")) == ("F", "C", "B100")
    for line in ("C-X", "B5-C", "B6-B18-C", "B6-B18-B100-C"):
        assert tree.kind[tree.find(line)] == FRONTIER
    assert tree.paid[tree.find("B6-B18-C")].tolist() == [18, 18]


def test_before_the_flop_trees_go_on_to_the_flop():
    subgame = preflop("2x; -")
    flop = Menu.of_tables({"flop": {"bet": "50%", "donk": "25%"}})
    tree = build_betting_tree(
        replace(subgame, menu=replace(flop, streets=(subgame.menu.streets[0], *flop.streets[1:])))
    )
    assert tree.words(tree.find("C-X-D")) == ("X", "B2")
    assert tree.words(tree.find("B4-C-D")) == ("X", "B2")  # a donk: the button has raised
    assert tree.words(tree.find("B4-C-D-X")) == ("X", "B4")
    assert tree.kind[tree.find("B4-C-D")] == OOP


def test_who_opens_may_be_barred_from_limping():
    rules = BetRules(min_bet=2, limp=False)
    tree = build_betting_tree(preflop("3x; -", rules=rules, depth=1))
    assert tree.words(0) == ("F", "B6")
    tree = build_betting_tree(preflop("3x; -", stack=2, rules=rules, depth=1))  # the big blind is all-in
    assert tree.words(0) == ("F", "C")
    assert tree.kind.tolist() == [IP, betting.FOLD, FRONTIER]
    even = preflop("3x; -", small=2, rules=rules, depth=1)
    assert build_betting_tree(even).words(0) == ("F", "B6")
    assert build_betting_tree(replace(even, rules=BetRules(min_bet=2))).words(0) == ("X", "B6")


def test_the_blind_is_the_bet_that_a_raise_cap_counts_from():
    tree = build_betting_tree(preflop("2x; 2x", rules=BetRules(min_bet=2, raise_cap=2), depth=1))
    assert tree.words(tree.find("B4-B8")) == ("F", "C")
    none = build_betting_tree(preflop("2x; 2x", rules=BetRules(min_bet=2, raise_cap=0), depth=1))
    assert none.words(0) == ("F", "C")


def test_before_the_flop_it_is_the_tree_of_heads_up_holdem():
    game = holdem(stack=30, blinds=(1, 2), bets=Menu.parse("2.5x, a; 3x; -"))
    mine = build_betting_tree(Subgame((), 0, (28, 29), game.bets, BetRules(min_bet=2), bets=(2, 1)))
    whole = game_tree(game)
    for name in ("kind", "street", "parent", "child", "child_start", "done", "amount", "size", "player", "paid"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(whole, name))


# --- Half-way through a street ---------------------------------------------------------------------------------------


def below(tree, node):
    """The nodes of a subtree, which follow its root."""
    last = node + 1
    while last < len(tree) and tree.parent[last] >= node:
        last += 1
    return slice(node, last)


@st.composite
def starts(draw):
    sizes = st.lists(st.sampled_from(["33%", "75%", "150%", "2e", "30c", "a"]), max_size=2).map(", ".join)
    table = {"bet": draw(sizes), "raise": draw(st.sampled_from(["60%", "2.5x, a", "a", "100%; a", "50%; -"]))}
    street = draw(st.sampled_from([0, 3, 4, 5]))
    rules = BetRules(
        draw(st.sampled_from([1, 10])), draw(st.sampled_from([None, 1, 3])), force_all_in=10, add_all_in=50
    )
    menu = Menu.of_tables(dict.fromkeys(("flop", "turn", "river"), table))
    menu = replace(menu, streets=(menu.streets[1], *menu.streets[1:]))
    posted = (10, 5) if street == 0 else (0, 0)
    stacks = (draw(st.integers(20, 300)), draw(st.integers(20, 300)))
    pot = draw(st.integers(street > 0, 100))
    return Subgame(RIVER[:street], pot, stacks, menu, rules, bets=posted, depth=draw(st.sampled_from([1, 2, None])))


@settings(max_examples=80)
@given(starts(), st.integers(0, 2**32))
def test_a_tree_may_begin_half_way_through_a_street(subgame, seed):
    """From any decision of the first street on: the subgame there has the tree that lies below it."""
    try:
        tree = build_betting_tree(subgame, most=20_000)
    except ValueError:
        assume(False)
    first = np.flatnonzero((tree.player >= 0) & (tree.street == len(subgame.board)))
    node = int(random.Random(seed).choice(first.tolist()))
    line, raises = tree.line(node), 0
    above = node
    while above:
        raises += int(tree.done[above] == Kind.RAISE)
        above = int(tree.parent[above])
    paid = tuple(tree.paid[node].tolist())
    stacks = (subgame.stack - paid[0], subgame.stack - paid[1])
    here = replace(subgame, bets=paid, stacks=stacks, player=int(tree.player[node]), raises=raises)
    part, own = below(tree, node), build_betting_tree(here)
    assert len(own) == part.stop - part.start, line
    for name in ("kind", "street", "amount", "done", "size", "player", "paid"):
        at = 1 if name in ("amount", "done", "size") else 0  # how one came to the root is no part of it
        np.testing.assert_array_equal(getattr(own, name)[at:], getattr(tree, name)[part][at:], err_msg=f"{name} {line}")


def test_a_raise_half_way_is_at_least_what_is_faced():
    menu = Menu.of_tables({"river": {"raise": "1c, a"}})
    here = Subgame(RIVER, 100, (950, 850), menu, bets=(50, 150), player=0, raises=2)
    tree = build_betting_tree(here)
    assert (tree.paid[0].tolist(), tree.words(0)) == ([50, 150], ("F", "C", "B250", "B1000"))
    alpha, beta = leaf_payoffs(here, tree)
    assert beta[tree.find("F")].tolist() == [-100, 100]  # half the pot and the bet
    assert alpha[tree.find("C")] == 200


def test_only_the_smaller_stack_counts():
    one, two = Subgame(RIVER, 100, (900, 400), MENU), Subgame(RIVER, 100, (400, 400), MENU)
    assert one == two
    assert one.stack == 400
    over = Subgame(RIVER, 100, (0, 400), MENU, bets=(900, 0), player=1, raises=1)  # 900 that only 400 can be called of
    assert (over.bets, over.stacks) == ((400, 0), (0, 400))
    assert build_betting_tree(over).words(0) == ("F", "C")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"board": parse_cards("KsTh")}, "0, 3, 4 or 5 different cards"),
        ({"board": "KsKs"}, "repeats"),
        ({"pot": 0}, "pot is a whole number from 1"),
        ({"stacks": 100}, "two numbers"),
        ({"stacks": (100, -1)}, "stacks is a whole number from 0"),
        ({"bets": (0, 50)}, "how many raises"),
        ({"bets": (50, 0), "raises": 1}, "do not lead to player 0"),
        ({"bets": (50, 50), "raises": 1}, "faces the last raise"),
        ({"player": 2}, "player is 0 or 1"),
        ({"raises": -1}, "player is 0 or 1"),
        ({"depth": 0}, "at least one street"),
        ({"menu": "50%"}, "menu is a Menu"),
        ({"rules": None}, "rules is a BetRules"),
        ({"rake": "5%"}, "rake is a Rake"),
    ],
)
def test_a_wrong_subgame_is_one_clear_sentence(change, message):
    good = {"board": RIVER, "pot": 100, "stacks": (900, 900)}
    with pytest.raises(ValueError, match=message):
        Subgame(**good | change)


# --- Spots -----------------------------------------------------------------------------------------------------------


def test_a_spot_is_a_subgame_and_two_ranges():
    ranges = np.stack([parse_range("QQ+:0.123456789"), parse_range("random")])
    spot = Spot(Subgame(FLOP, 100, (900, 900), MENU, rake=Rake.of("5%")), ranges)
    assert Spot.from_dict(spot.to_dict()) == spot
    assert hash(Spot.from_dict(spot.to_dict())) == hash(spot)
    assert spot.to_dict()["ip"] == "random"
    assert spot != replace(spot, ranges=ranges[::-1])
    assert spot != spot.changed(pot=101)
    ranges[:] = 0  # a spot owns its ranges
    assert spot.weights[0].any()
    with pytest.raises(ValueError, match="read-only"):
        spot.ranges[:] = 1


def test_range_text_is_read_once(monkeypatch):
    spot = Spot.of("KsTh6h", 10, 20, "QQ+", "AK")
    monkeypatch.setattr("ludus.trees.spot.parse_range", None)
    assert spot.weights[0] is spot.weights[0]
    assert (spot.oop, spot.ip) == ("QQ+", "AK")


def test_what_a_file_cannot_say_is_refused():
    ranges = np.ones((2, 1326))
    for subgame in (
        replace(preflop(), rules=BetRules(limp=False)),
        replace(preflop(), player=0, bets=(10, 10), stacks=(990, 990)),
        Subgame(RIVER, 100, (950, 900), MENU, bets=(0, 50), raises=1),
        Subgame(FLOP, 100, (900, 900), MENU, depth=1),
        Subgame(FLOP, 100, (900, 900), Menu.parse("50%")),
    ):
        with pytest.raises(ValueError, match="written down from the start of a street"):
            Spot(subgame, ranges).to_dict()


def test_wrong_ranges_are_refused():
    subgame = Subgame(FLOP, 100, (900, 900))
    for ranges in (np.ones(1326), np.full((2, 1326), -1.0), np.full((2, 1326), np.nan), np.ones((3, 1326))):
        with pytest.raises(ValueError, match="finite and not negative"):
            Spot(subgame, ranges)
    with pytest.raises(ValueError, match="the oop range has no hand left"):
        Spot(subgame, np.stack([parse_range("KsTh"), parse_range("AA")]))


def test_codes_of_actions_are_those_of_games():
    state = holdem(stack=200).start().deal(range(52))
    tree = game_tree(holdem(stack=200, bets=Menu.parse("3x; a; - / -")))
    assert [action.number for action in tree.actions(0)] == [FOLD, CALL, 6]
    assert [state.action(number) for number in (FOLD, CALL, 6)] == list(tree.actions(0))
