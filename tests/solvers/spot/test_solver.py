"""The solver of spots: a peer's values, known answers, plain recursion, and what must not change a result."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import ludus.solvers.spot.layout
from ludus.cards.card import parse_card
from ludus.cards.equity import equity
from ludus.cards.ranges import combo_name, parse_range
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.experiments.bench.spots import SPOTS
from ludus.solvers.capabilities import algorithms_of
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.kernels.structures import PackedTable, pack, unpack
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solve import measure, pair_masses, solve_spot
from ludus.solvers.spot.solver import AVERAGE_EVERY, SpotSolver
from ludus.solvers.spot.traverser import Traverser
from ludus.trees.spot import Spot
from ludus.trees.subgame import Rake
from paths import TESTS
from reference_spot import (
    Reference,
    ReferenceCFR,
    as_tables,
    from_tables,
    hand_of,
    matched,
    random_strategy,
    strategy_of,
    symmetries_of,
)

GOLDEN = json.loads((TESTS / "data" / "golden_spots.json").read_text())
BOARD = "Ks Th 6h 4c 2s"
STREETS = {"river": 5, "turn": 4, "flop": 3}


def board_of(street: str) -> str:
    return " ".join(BOARD.split()[: STREETS[street]])


def hand_evs(solver: SpotSolver, player: int) -> dict[str, float]:
    """The EV of each hand at the start, in chips."""
    names = [combo_name(int(combo)) for combo in solver.layout.boards[0].hands[player].combo]
    values = solver.follow(player, solver.sums) / pair_masses(solver.layout)[player] + solver.layout.spot.pot / 2
    return dict(zip(names, values.tolist(), strict=True))


def strategy_at(solver: SpotSolver, line: str = "") -> tuple[list[str], np.ndarray]:
    """The hands on the first board and the average strategy ``[hands, actions]`` at a decision there."""
    node = solver.layout.tree.find(line)
    table = from_tables(solver.layout, solver.average())
    hands = [hand for at, dealt, hand in table if at == node and not dealt]
    return (
        [combo_name(high * (high - 1) // 2 + low) for low, high in hands],
        np.array([matched(table[node, (), hand]) for hand in hands]),
    )


def locked(spot: Spot, *locks: dict) -> Spot:
    return Spot.from_dict(spot.to_dict() | {"lock": list(locks)})


# --- A peer's values -------------------------------------------------------------------------------------------------


def check_against_the_peer(name: str, target: float, most: float, spread: float, points: float) -> None:
    """Bounds: on the difference of any hand's EV and on that of all (root mean square), in percent of the pot; on
    frequencies at the start, in percentage points."""
    golden = GOLDEN[name]
    spot = Spot.load(SPOTS / f"{name}.toml")
    run = solve_spot(spot, target=target, iterations=5000, workers=2)
    assert run.stopped_by == "target"
    assert run.measured.percent == pytest.approx(run.checks[-1].measured, abs=1e-3)
    assert run.measured.percent <= target + 1e-3
    if "decisions" in golden:
        assert run.solver.layout.tree.decisions == golden["decisions"]
    close = spot.pot * (2 * run.measured.percent + 0.02) / 100
    assert run.measured.ev == pytest.approx(golden["ev"], abs=close)
    for player in (0, 1):
        found, known = hand_evs(run.solver, player), golden["hand_ev"][player]
        assert found.keys() == known.keys()
        off = np.array([found[hand] - known[hand] for hand in known]) * 100 / spot.pot
        assert np.abs(off).max() < most
        assert np.sqrt(np.mean(off**2)) < spread
    weights = run.solver.reach[0] * pair_masses(run.solver.layout)[0]
    frequencies = weights @ strategy_at(run.solver)[1] / weights.sum()
    assert run.solver.layout.tree.words(0) == tuple(golden["frequencies"])
    assert frequencies == pytest.approx(list(golden["frequencies"].values()), abs=points / 100)


def test_the_river_is_that_of_the_peer():
    check_against_the_peer("river", 0.05, most=1.5, spread=0.3, points=2)


def test_the_river_is_that_of_the_peer_hand_by_hand():
    check_against_the_peer("river", 0.01, most=1, spread=0.15, points=2)


@pytest.mark.slow
def test_the_turn_is_that_of_the_peer():
    check_against_the_peer("turn", 0.5, most=8, spread=1.5, points=15)


@pytest.mark.slow
def test_the_turn_is_that_of_the_peer_closely():
    check_against_the_peer("turn", 0.1, most=1.5, spread=0.4, points=6)


@pytest.mark.slow
def test_the_flop_is_that_of_the_peer():
    check_against_the_peer("flop", 0.3, most=2, spread=0.8, points=6)


@pytest.mark.parametrize("name", ["river", "turn", "flop"])
def test_without_bets_the_peers_ranges_get_the_peers_equity(name):
    spot = Spot.load(SPOTS / f"{name}.toml")
    run = solve_spot(spot.changed(stacks=(0, 0)), iterations=1)
    share = GOLDEN[name]["equity"]
    assert run.measured.ev == pytest.approx((spot.pot * share, spot.pot * (1 - share)), abs=spot.pot * 2e-6)


# --- Games with known answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("street", STREETS)
def test_the_nuts_win_the_pot_of_a_hand_without_a_chance(street):
    board = " ".join(["As", "Ah", "Ad", "7c", "2s"][: STREETS[street]])
    sizes = {street: {"bet": "50%, a", "raise": "a"}}
    for oop, ip, ev in (("AcKc", "3d3h", (100, 0)), ("3d3h", "AcKc", (0, 100))):
        run = solve_spot(Spot.of(board, 100, 200, oop, ip, sizes), target=0.02, iterations=2000)
        assert run.measured.ev == pytest.approx(ev, abs=0.05)


@pytest.mark.parametrize("stack", [0, 500])
@pytest.mark.parametrize("street", STREETS)
def test_without_bets_everybody_gets_his_equity(street, stack):
    spot = Spot.of(board_of(street), 80, stack, "AA, QJs:0.5, 98s, Kd2d", "KQs, 77:0.25, AhJh, QJs")
    run = solve_spot(spot, iterations=4)
    share = equity([spot.weights[0], spot.weights[1]], spot.board, exact=True).equity
    assert run.measured.ev == pytest.approx([80 * each for each in share], abs=1e-4)
    assert run.measured.exploitability == pytest.approx(0, abs=1e-4)
    assert bool(run.solver.layout.tree.decisions) == (stack > 0)
    for player, (ours, theirs) in enumerate(((spot.weights[0], spot.weights[1]), (spot.weights[1], spot.weights[0]))):
        found = hand_evs(run.solver, player)
        for combo in np.flatnonzero(ours)[::5].tolist():
            alone = np.zeros(len(ours))
            alone[combo] = 1
            known = equity([alone, theirs], spot.board, exact=True).equity[0]
            assert found[combo_name(combo)] == pytest.approx(80 * known, abs=1e-4)


@pytest.mark.parametrize("street", STREETS)
def test_equal_ranges_without_bets_share_the_pot(street):
    run = solve_spot(Spot.of(board_of(street), 100, 300, "AA, QJs:0.5, 76o", "AA, QJs:0.5, 76o"), iterations=2)
    assert run.measured.ev == pytest.approx((50, 50), abs=1e-4)
    oop, ip = (hand_evs(run.solver, player) for player in (0, 1))
    assert oop == pytest.approx(ip, abs=1e-4)


@pytest.mark.parametrize(("size", "bet"), [("50%", 0.5), ("100%", 1.0), ("200%", 2.0)])
def test_a_polarised_range_against_bluff_catchers(size, bet):
    """With b pots to call, the catcher calls 1 / (1 + b), and there are b / (1 + b) bluffs to a value bet."""
    sizes = {"river": {"oop": {"bet": size}}}
    run = solve_spot(Spot.of(BOARD, 100, 200, "KK, QdJd, QcJc, 9c8c", "AA", sizes), iterations=4000)
    calls, bluffs = 1 / (1 + bet), bet / (1 + bet)
    hands, mix = strategy_at(run.solver)
    betting = dict(zip(hands, mix[:, 1], strict=True))
    assert [betting[hand] for hand in ("KhKd", "KhKc", "KdKc")] == pytest.approx([1, 1, 1], abs=0.01)
    assert sum(betting[hand] for hand in ("QdJd", "QcJc", "9c8c")) / 3 == pytest.approx(bluffs, abs=0.01)
    assert strategy_at(run.solver, f"B{round(100 * bet)}")[1][:, 1].mean() == pytest.approx(calls, abs=0.02)
    assert run.measured.ev[0] == pytest.approx(100 * 3 * (1 + bluffs) / 6, abs=0.05)
    evs = hand_evs(run.solver, 0)
    assert evs["KdKc"] == pytest.approx(100 * (1 + bluffs), abs=2)
    assert evs["9c8c"] == pytest.approx(0, abs=2)


def test_kuhn_poker():
    """Three hands, the same for both, that cannot be held twice; one bet of half the pot; first to act loses 1/18."""
    hands = "AcAd, QcQd, JcJd"
    spot = Spot.of(BOARD, 200, 100, hands, hands, {"river": {"bet": "a"}})
    run = solve_spot(spot, target=0.002, iterations=20_000)
    assert run.stopped_by == "target"
    assert run.measured.value[0] == pytest.approx(-100 / 18, abs=0.02)
    hands, calls = strategy_at(run.solver, "B100")
    assert hands == ["AdAc", "QdQc", "JdJc"]
    assert calls[:, 1] == pytest.approx([1, 1 / 3, 0], abs=0.02)
    assert strategy_at(run.solver, "X")[1][:, 1] == pytest.approx([1, 0, 1 / 3], abs=0.02)
    jack, ace = (strategy_at(run.solver)[1][hands.index(hand), 1] for hand in ("JdJc", "AdAc"))
    assert jack == pytest.approx(ace / 3, abs=0.02)


def test_blocked_hands_do_not_count():
    spot = Spot.of(BOARD, 100, 100, "KK, 66:0.5, 72o", "AA, TT", {"river": {"bet": "a"}})
    layout = Layout.of(spot)
    oop, ip = (layout.boards[0].hands[player].combo for player in (0, 1))
    assert len(oop) == 3 + 3 + 9
    assert len(ip) == 6 + 3
    assert not {parse_card(card) for card in BOARD.split()} & {card for combo in oop for card in hand_of(int(combo))}
    without = "KdKc, KhKd, KhKc, 6s6d:0.5, 6s6c:0.5, 6d6c:0.5, " + ", ".join(
        f"7{one}2{two}" for one in "cdhs" for two in "cdh" if one != two
    )
    one, two = (
        solve_spot(each, iterations=50)
        for each in (spot, replace(spot, ranges=np.stack([parse_range(without), spot.ranges[1]])))
    )
    assert one.measured == two.measured


@pytest.mark.parametrize(
    ("oop", "ip", "message"),
    [
        ("", "AA", "needs at least one hand"),
        ("KsKh", "AA", "no hand left on KsTh6h4c2s"),
        ("AA", "KsQs, 6h5h", "no hand left on KsTh6h4c2s"),
        ("AhAd", "AhKh, AdQd", "shares a card with every hand"),
        ("AhAd", "AhAd", "shares a card with every hand"),
    ],
)
def test_ranges_that_cannot_play_are_refused(oop, ip, message):
    with pytest.raises(ValueError, match=message):
        Spot.of(BOARD, 100, 100, oop, ip)


# --- Plain recursion -------------------------------------------------------------------------------------------------

SMALL = {  # with cards that both players may hold, weights below 1, and decisions without a choice
    "river": Spot.of(
        BOARD, 100, 250, "KdKc, TsTd:0.5, QhJh, AhQh:0.3, KdQd", "AsAd:0.7, KdQd, 9d8d, TdTc, AhQh",
        {"river": {"bet": "50%, a", "raise": "a"}},
    ),
    "river, one player bets": Spot.of(
        BOARD, 100, 250, "KdKc, QhJh, KdQd", "AsAd, KdQd:0.5", {"river": {"ip": {"bet": "a"}}}
    ),
    "turn": Spot.of(
        "Ks Th 6h 4c", 100, 200, "AhAd, QhJh:0.4, 7d6d, KhQd", "QdQc, KhJc, AhKd:0.6, 7d6d",
        {"turn": {"bet": "50%", "raise": "100%"}, "river": {"bet": "75%"}},
    ),
    "turn, symmetric": Spot.of(
        "Kh Th 6h 4h", 100, 150, "QcQd, QcQs, QdQs, AhAd:0.5, AhAc:0.5, AhAs:0.5", "9c8c, 9d8d, 9s8s, Ah7h:0.25",
        {"turn": {"bet": "a"}, "river": {"oop": {"bet": "50%", "donk": "a"}, "ip": {"bet": "a"}}},
    ),
    "turn, all-in": Spot.of("Ks Th 6h 4c", 100, 0, "AhAd, QhJh:0.4", "QdQc, KhJc, AhKd:0.6"),
}  # fmt: skip
FLOP = Spot.of(
    "Ks Th 6d", 60, 90, "AhAd, QhJh:0.5", "QdQc:0.8, JhTc", {"flop": {"bet": "50%"}, "river": {"oop": {"bet": "a"}}}
)
SYMMETRIC_FLOP = Spot.of("Kc Td 6d", 60, 90, "AhAs, QcJc:0.5", "8h8s", {"flop": {"bet": "50%"}, "turn": {"bet": "a"}})
RAKES = [None, "4%", "5% cap 3"]


def close_to(spot: Spot, found: np.ndarray, known: np.ndarray | list[float]) -> None:
    np.testing.assert_allclose(found, known, rtol=1e-6, atol=2e-6 * spot.pot)


def check_values(spot: Spot, tables=None, rivers: int = 48) -> None:
    """Best responses to a strategy, its own values and those of its decisions, all by plain recursion."""
    reference, layout = Reference(spot), Layout.of(spot)
    traverser = Traverser(layout)
    strategy = random_strategy(reference, 5, symmetries_of(spot)) if tables is None else strategy_of(layout, tables)
    average = as_tables(layout, strategy) if tables is None else tables
    for player in (0, 1):
        combos = [hand_of(int(combo)) for combo in layout.boards[0].hands[player].combo]
        seen: dict = {}
        followed = {hand: reference.value(player, hand, strategy, seen=seen) for hand in combos}
        best = reference.values(player, strategy, best=True)
        close_to(spot, traverser.follow(player, average), [followed[hand] for hand in combos])
        close_to(spot, traverser.best_response(player, average), [best[hand] for hand in combos])
        for at, boards in enumerate(layout.boards):
            for board in range(0, len(boards.cards), max(1, len(boards.cards) // rivers)):
                dealt = tuple(boards.cards[board].tolist()[len(spot.board) :])
                hands = boards.hands[player].combo[
                    boards.hands[player].start[board] : boards.hands[player].start[board + 1]
                ]
                nodes, values = traverser.node_values(player, average, at, board)
                assert (
                    nodes.tolist()
                    == np.flatnonzero((layout.tree.kind <= 1) & (layout.tree.street == len(boards.cards[0]))).tolist()
                )
                for node, row in zip(nodes.tolist(), values, strict=True):
                    close_to(spot, row, [seen[node, dealt, hand_of(int(combo))][0] for combo in hands])


@pytest.mark.parametrize("rake", RAKES)
@pytest.mark.parametrize("name", SMALL)
def test_values_match_plain_recursion(name, rake):
    check_values(SMALL[name].changed(rake=Rake.of(rake)))


@pytest.mark.parametrize("spot", [FLOP, SYMMETRIC_FLOP], ids=["flop", "symmetric"])
@pytest.mark.slow
def test_values_from_the_flop_on_match_plain_recursion(spot):
    assert (len(symmetries_of(spot)) > 1) == (spot is SYMMETRIC_FLOP)
    check_values(spot.changed(rake=Rake.of("5% cap 3")), rivers=12)


@pytest.mark.parametrize("name", ["river", "turn", "turn, symmetric"])
def test_values_of_a_solved_strategy_match_plain_recursion(name):
    run = solve_spot(SMALL[name], iterations=200)
    check_values(SMALL[name], run.solver.average())
    reference, strategy = Reference(SMALL[name]), strategy_of(run.solver.layout, run.solver.average())
    for player in (0, 1):
        for best, found in ((True, run.measured.best_response), (False, run.measured.value)):
            known = reference.mean(player, reference.values(player, strategy, best))
            assert found[player] == pytest.approx(known, abs=1e-4)
    assert 0 <= run.measured.percent < 1


# --- The recurrence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("river", "cfr"),
        ("river", "cfr+"),
        ("river", "lcfr"),
        ("river", "dcfr+"),
        ("turn", "cfr+"),
        ("turn", "dcfr"),
        ("turn", "dcfr-restarts"),
    ],
)
def test_iterations_match_the_recurrence(name, algorithm):
    """Each from the tables of the solver before it: rounding decides between actions that are worth the same."""
    spot, chosen = SMALL[name], ALGORITHMS[algorithm]
    solver = SpotSolver(Layout.of(spot), chosen)
    every = AVERAGE_EVERY.get(len(solver.layout.boards), 1)
    known = ReferenceCFR(Reference(spot), lambda t: chosen.discount(t, 0), chosen.clip, every)

    def tables():
        for each in (solver.regrets, solver.sums):
            yield from_tables(solver.layout, [[table.plain for table in street] for street in each])

    for t in range(1, every + 2):
        solver.run(1)
        known.run()
        assert solver.iterations == t
        for found, rows in zip(tables(), (known.regrets, known.sums), strict=True):
            assert found.keys() == rows.keys()
            for key, row in found.items():
                np.testing.assert_allclose(row, rows[key], rtol=1e-5, atol=5e-6 * spot.pot, err_msg=str(key))
        known.regrets, known.sums = tables()


# --- Symmetries of the suits -----------------------------------------------------------------------------------------

ALL_IN = {"turn": {"bet": "a"}, "river": {"bet": "a"}}
SYMMETRIC = {  # with the number of symmetries
    "monotone turn": (6, Spot.of(
        "Kh Th 6h 4h", 100, 200, "QQ, A9s, 76s:0.5", "99, AJo:0.5, KQs",
        {"turn": {"bet": "50%", "raise": "a"}, "river": {"bet": "75%"}},
    )),
    "rainbow turn": (1, Spot.of("Kh Td 6c 4s", 100, 200, "QQ, A9s", "99, KQs", ALL_IN)),
    "paired turn": (4, Spot.of("Kh Kd 6c 6s", 100, 200, "QQ, A9s", "99, AQs", ALL_IN)),
    "partly symmetric ranges": (2, Spot.of(
        "Kc Tc 6c 4c", 100, 150, "AhQh, AdQd, QQ", "AJs, 99:0.5", {"turn": {"bet": "a"}, "river": {"bet": "50%"}}
    )),
    "two-tone flop": (2, Spot.of(
        "Kh Th 6d", 60, 90, "QcQs, AhJh", "9c8c, 9s8s, AdTc:0.5, AdTs:0.5",
        {"flop": {"bet": "50%"}, "river": {"ip": {"bet": "a"}}},
    )),
    "monotone flop": (6, Spot.of(
        "Kh Th 6h", 60, 90, "QcQd, QcQs, QdQs", "AhJh, Ah9h:0.5", {"flop": {"bet": "a"}, "turn": {"bet": "a"}}
    )),
}  # fmt: skip


def without_symmetries(monkeypatch, spot: Spot) -> Layout:
    with monkeypatch.context() as patch:
        patch.setattr(ludus.solvers.spot.layout, "suit_symmetries", lambda *_: ALL_SYMMETRIES[:1])
        return Layout.of(spot)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_an_iteration_is_the_same_with_and_without_symmetries(name, monkeypatch):
    """From random tables, so that rounding does not decide between actions that are worth the same."""
    order, spot = SYMMETRIC[name]
    layouts = Layout.of(spot), without_symmetries(monkeypatch, spot)
    boards = [sum(len(street.cards) for street in layout.boards) for layout in layouts]
    assert len(symmetries_of(spot)) == order
    assert boards[0] < boards[1] if order > 1 else boards[0] == boards[1]
    assert boards[1] == (1 + 48 if len(spot.board) == 4 else 1 + 49 + 49 * 48)
    mix = random_strategy(Reference(spot), 3, symmetries_of(spot))
    found = []
    for layout in layouts:
        solver = SpotSolver(layout)
        for at, street in enumerate(as_tables(layout, mix)):
            for player, values in enumerate(street):
                solver.sums[at][player].plain[:] = values
                solver.regrets[at][player].plain[:] = values - 0.3
        values = [solver.follow(player, solver.sums) for player in (0, 1)]
        best = [solver.best_response(player, solver.sums) for player in (0, 1)]
        solver.run(1)
        learnt = [
            from_tables(layout, [[table.plain for table in street] for street in stored])
            for stored in (solver.regrets, solver.sums)
        ]
        found.append((values, best, learnt))
    for few, many in zip(found[0][:2], found[1][:2], strict=True):
        for player in (0, 1):
            close_to(spot, few[player], many[player])
    for kept, whole in zip(found[0][2], found[1][2], strict=True):
        assert kept.keys() <= whole.keys()
        keys = list(kept)
        close_to(spot, np.concatenate([kept[key] for key in keys]), np.concatenate([whole[key] for key in keys]))


@pytest.mark.parametrize(
    ("name", "lock"),
    [
        ("monotone turn", None),
        ("partly symmetric ranges", None),
        ("monotone flop", None),
        ("monotone turn", {"line": "X-X-2d", "play": {"B75": 1}}),  # a card that others no longer stand for
        ("monotone turn", {"line": "", "play": {"X": 1}, "hands": "QcQd"}),
        ("monotone turn", {"line": "X-B50", "play": {"F": 1}, "hands": "QQ"}),
        ("monotone flop", {"line": "X-X-D", "play": {"B90": 1}, "hands": "QcQd"}),
    ],
)
def test_symmetries_do_not_change_the_solution(name, lock, monkeypatch):
    spot = locked(SYMMETRIC[name][1], *([lock] if lock else []))
    layouts = Layout.of(spot), without_symmetries(monkeypatch, spot)
    assert layouts[0].memory < layouts[1].memory
    one, two = (solve_spot(layout, target=0.1, iterations=1000).measured for layout in layouts)
    assert max(one.percent, two.percent) < 0.1 + 1e-3
    assert one.value == pytest.approx(two.value, abs=one.exploitability + two.exploitability)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_boards_and_those_they_stand_for_are_all_boards_once(name):
    layout = Layout.of(SYMMETRIC[name][1])
    for above, boards in zip(layout.boards, layout.boards[1:], strict=False):
        for parent, known in enumerate(above.cards.tolist()):
            children = range(above.children[parent], above.children[parent + 1])
            assert [boards.parent[child] for child in children] == [parent] * len(children)
            dealt = []
            for child in children:
                copies = range(boards.copies[child], boards.copies[child + 1])
                cards = boards.cards[child].tolist()
                assert cards[:-1] == known
                assert boards.copy_card[copies[0]] == cards[-1]
                for copy in copies:
                    suits = ALL_SYMMETRIES[boards.copy_symmetry[copy]]
                    moved = [card & ~3 | int(suits[card & 3]) for card in cards]
                    assert set(moved[:-1]) == set(known)
                    assert moved[-1] == boards.copy_card[copy]
                    dealt.append(moved[-1])
                    check_renamed_hands(above, boards, parent, child, copy)
            assert sorted(dealt) == sorted(set(range(52)) - set(known))


def check_renamed_hands(above, boards, parent: int, child: int, copy: int) -> None:
    for mine, earlier in zip(boards.hands, above.hands, strict=True):
        combos = mine.combo[mine.start[child] : mine.start[child + 1]]
        names = earlier.combo[earlier.start[parent] : earlier.start[parent + 1]]
        places = mine.copy[mine.copy_start[copy] : mine.copy_start[copy] + len(combos)]
        np.testing.assert_array_equal(names[places], MOVED[boards.copy_symmetry[copy]][combos])


# --- Threads and 16-bit tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["monotone turn", "two-tone flop"])
def test_the_number_of_threads_changes_nothing(name):
    states = []
    for workers in (1, 2, 3):
        solver = SpotSolver(Layout.of(SYMMETRIC[name][1]), workers=workers)
        solver.run(5)
        measured = measure(solver)
        states.append([measured, *((key, array.tobytes()) for key, array in solver.state().items())])
    assert states[0] == states[1] == states[2]


WIDE = Spot.of(
    "Ks Th 6h 4c", 100, 200, "99+, AJ+, KQ, QJs, 87s, 75s", "TT-66, ATs+, KT+, QJ, J9s, 76s:0.5",
    {"turn": {"bet": "66%", "raise": "a"}, "river": {"bet": "66%"}},
)  # fmt: skip


def test_16_bit_tables_reach_the_same_with_half_the_memory():
    layout = Layout.of(WIDE)
    plain, packed = SpotSolver(layout), SpotSolver(layout, packed=True)
    assert plain.memory == layout.memory
    assert packed.memory == sum(array.nbytes for array in packed.state().values())
    assert packed.memory == pytest.approx(plain.memory / 2, rel=0.05)
    for solver in (plain, packed):
        solver.run(150)
    one, two = measure(plain), measure(packed)
    assert max(one.percent, two.percent) < 0.3
    assert one.ev == pytest.approx(two.ev, abs=2 * (one.exploitability + two.exploitability))
    for at, street in enumerate(packed.average()):  # what is read of them is what the passes see
        for player, table in enumerate(street):
            assert len(table) == layout.entries(at, player)
    close_to(WIDE, packed.follow(0, packed.sums), packed.follow(0, packed.average()).tolist())


@given(arrays(np.float32, (3, 7), elements=st.floats(-(2.0**70), 2.0**70, width=32)), st.integers(0, 2))
def test_packing_is_off_by_half_a_step_at_most(rows, before):
    count, hands = rows.shape
    size = (before + count) * hands
    table = PackedTable(np.zeros(0, np.float32), np.zeros(size, np.int16), np.zeros(before + count, np.float32))
    pack(rows.ravel(), np.uint64(count), np.uint64(hands), table, np.uint64(before * hands), np.uint64(before))
    back = np.full(rows.size, np.nan, np.float32)
    unpack(table, np.uint64(before * hands), np.uint64(before), np.uint64(count), np.uint64(hands), back)
    largest = np.abs(rows).max(axis=1, keepdims=True).astype(np.float64)
    step = largest / 32767
    assert (np.abs(back.reshape(rows.shape) - rows.astype(np.float64)) <= 0.5 * step + 1e-6 * largest + 1e-30).all()
    assert (
        np.abs(table.packed.reshape(-1, hands)[before:]).max(axis=1) == np.where(largest[:, 0] > 1e-30, 32767, 0)
    ).all()
    assert not table.packed[: before * hands].any()


# --- Locks -----------------------------------------------------------------------------------------------------------

POLAR = Spot.of(BOARD, 100, 100, "KK, QdJd, QcJc, 9c8c", "AA", {"river": {"oop": {"bet": "a"}}})


@pytest.mark.parametrize(
    ("lock", "value"),
    [
        ({"line": "B100", "play": {"F": 1.0}}, 100),  # every bet wins the pot
        ({"line": "B100", "play": {"C": 1}}, 100),  # value wins 200, air nothing
        ({"line": "B100", "play": {"F": 0.25, "C": 0.75}}, 87.5),  # value wins 175
        ({"line": "", "play": {"X": 1}}, 50),  # nobody bets
        ({"line": "", "play": {"R100": 1}}, 50),  # always calling, aces share the pot
        ({"line": "", "play": {"B100": 1}, "hands": "KK"}, 75),  # as in equilibrium
        ({"line": "", "play": {"X": 1}, "hands": "QJs, 98s"}, 50),  # no bluffs: no calls
        ({"line": "", "play": {"X": 1}, "hands": "KK"}, 50),  # bets are bluffs, so they are called
    ],
)
def test_locks_of_a_polarised_game(lock, value):
    run = solve_spot(locked(POLAR, lock), iterations=3000)
    assert run.measured.ev == pytest.approx((value, 100 - value), abs=0.2)
    assert 0 <= run.measured.percent + 1e-4 < 0.2
    actions = run.solver.layout.tree.words(run.solver.layout.tree.find(lock["line"]))
    play = {f"B{action[1:]}" if action[0] == "R" else action: share for action, share in lock["play"].items()}
    hands, mix = strategy_at(run.solver, lock["line"])
    fixed = parse_range(lock.get("hands", "random"))
    for name, row in zip(hands, mix, strict=True):
        if fixed[parse_range(name) > 0].all():
            assert row.tolist() == [play.get(action, 0.0) for action in actions]
    free = [row for name, row in zip(hands, mix, strict=True) if not fixed[parse_range(name) > 0].any()]
    assert len(free) == {"KK": 3, "QJs, 98s": 3}.get(lock.get("hands", ""), 0)


def test_locked_strategies_stay_what_they_are_card_by_card():
    locks = [
        {"line": "X-X-D", "play": {"X": 0.25, "B75": 0.75}, "hands": "AhAd"},
        {"line": "X-X-2d-X", "play": {"X": 1.0}},
        {"line": "B50", "play": {"F": 0.125, "C": 0.5, "B200": 0.375}, "hands": "QdQc, 7d6d"},
    ]
    spot = locked(SMALL["turn"], *locks)
    solver = SpotSolver(Layout.of(spot))
    tree, ace, deuce = solver.layout.tree, hand_of(int(np.flatnonzero(parse_range("AhAd"))[0])), parse_card("2d")
    queens = [hand_of(int(combo)) for combo in np.flatnonzero(parse_range("QdQc, 7d6d"))]
    plays = {"X-X-D": [0.25, 0.75], "X-X-D-X": [1, 0], "B50": [0.125, 0.5, 0.375]}

    def is_locked(line, dealt, hand):
        return {"X-X-D": hand == ace, "X-X-D-X": dealt == (deuce,), "B50": hand in queens}[line]

    for _ in range(3):
        solver.run(7)
        for tables in (solver.regrets, solver.sums):
            table = from_tables(solver.layout, [[each.plain for each in street] for street in tables])
            rows = [(tree.line(node), dealt, hand, row) for (node, dealt, hand), row in table.items()]
            kept = [each for each in rows if each[0] in plays and each[3].tolist() == plays[each[0]]]
            assert len(kept) == (48 - 2) + 4 + 2  # aces on 46 rivers, four hands beside the deuce, two hands
            assert all(is_locked(line, dealt, hand) for line, dealt, hand, _ in kept)


def test_best_responses_keep_what_is_locked():
    locks = [
        {"line": "X-X-D", "play": {"X": 0.25, "B75": 0.75}, "hands": "AhAd, KhQd"},
        {"line": "B50", "play": {"C": 1}},
    ]
    spot = locked(SMALL["turn"], *locks)
    run = solve_spot(spot, iterations=30)
    layout = run.solver.layout
    reference, strategy = Reference(spot), strategy_of(layout, run.solver.average())
    fixed = {hand_of(int(combo)) for combo in np.flatnonzero(parse_range("AhAd, KhQd"))}

    def is_locked(node, _dealt, hand):
        return layout.tree.line(node) == "B50" or (layout.tree.line(node) == "X-X-D" and hand in fixed)

    for player in (0, 1):
        known = reference.values(player, strategy, best=True, locked=is_locked)
        hands = [hand_of(int(combo)) for combo in layout.boards[0].hands[player].combo]
        close_to(spot, run.solver.best_response(player, run.solver.sums), [known[hand] for hand in hands])


def test_a_bad_lock_is_worth_something_to_the_opponent():
    free = solve_spot(SMALL["turn"], target=0.05, iterations=5000)
    assert free.measured.percent <= 0.05 + 1e-4
    for lock, player in (
        ({"line": "", "play": {"B50": 1.0}}, 0),
        ({"line": "B50", "play": {"F": 1.0}}, 1),
        ({"line": "X-B50-C-D", "play": {"X": 1.0}}, 0),
        ({"line": "X-X-D-X", "play": {"B75": 1.0}, "hands": "QdQc"}, 1),
    ):
        run = solve_spot(locked(SMALL["turn"], lock), target=0.05, iterations=5000)
        assert run.measured.ev[1 - player] >= free.measured.ev[1 - player] - 0.1, lock
        assert run.measured.percent <= 0.05 + 1e-4


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        ({"line": "B50", "play": {"C": 1}}, "'B50' is not possible at the start: write one of X, B100"),
        ({"line": "", "play": {"C": 1}}, "C cannot be played at '': possible are X, B100"),
        ({"line": "X-X", "play": {"X": 1}}, "nobody decides at 'X-X'"),
        ({"line": "B100-F", "play": {"X": 1}}, "nobody decides at 'B100-F'"),
        ({"line": "", "play": {"X": 0.5}}, "adds up to 1, got 0.5"),
        ({"line": "", "play": {"X": 0.75, "B100": 0.75}}, "adds up to 1, got 1.5"),
        ({"line": "", "play": {"X": 2, "B100": -1}}, "0 to 1, got X = 2"),
        ({"line": "", "play": {"X": float("nan")}}, "0 to 1, got X = nan"),
        ({"line": "", "play": {"X": True}}, "0 to 1, got X = True"),
        ({"line": "", "play": {}}, "play of a lock is a table"),
        ({"line": 5, "play": {"X": 1}}, "line of a lock is a text"),
        ({"line": "", "play": {"X": 1}, "hands": "ZZ"}, "'ZZ' is not a hand"),
        ({"line": "", "play": {"X": 1}, "hands": "72o"}, "holds for no hand that oop can have"),
        ({"line": "B100", "play": {"C": 1}, "hands": "KK"}, "holds for no hand that ip can have"),
        ({"line": "", "play": {"X": 1}, "player": "oop"}, "a table of line, play and perhaps hands"),
        ({"play": {"X": 1}}, "a table of line, play and perhaps hands"),
        ("X", "a table of line, play and perhaps hands"),
    ],
)
def test_bad_locks_are_refused(lock, message):
    with pytest.raises(ValueError, match=message):
        solve_spot(Spot.from_dict(POLAR.to_dict() | {"lock": [lock]}), iterations=1)


def test_a_lock_for_a_card_that_cannot_come_is_refused():
    with pytest.raises(ValueError, match="'X-X-Ks' holds for no hand that oop can have"):
        solve_spot(locked(SMALL["turn"], {"line": "X-X-Ks", "play": {"X": 1}}), iterations=1)


def test_16_bit_tables_take_no_locks():
    with pytest.raises(ValueError, match="16-bit tables cannot hold locked strategies"):
        SpotSolver(Layout.of(locked(POLAR, {"line": "", "play": {"X": 1}})), packed=True)


# --- Rake ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rake", "taken"), [("5%", 5), ("5% cap 3", 3), ("5% cap 7", 5), ("0%", 0)])
def test_the_rake_of_a_pot_without_bets(rake, taken):
    run = solve_spot(Spot.of(BOARD, 100, 0, "AA, QJs", "QQ, KdQd", rake=rake), iterations=1)
    plain = solve_spot(Spot.of(BOARD, 100, 0, "AA, QJs", "QQ, KdQd"), iterations=1)
    assert run.measured.ev == pytest.approx([each * (100 - taken) / 100 for each in plain.measured.ev], abs=1e-4)


@pytest.mark.parametrize("name", ["river", "turn"])
@pytest.mark.parametrize("rake", ["5% cap 4", "10%"])
def test_evs_add_up_to_the_pot_less_the_expected_rake(name, rake):
    spot = SMALL[name].changed(rake=Rake.of(rake))
    run = solve_spot(spot, iterations=300)
    reference, strategy = Reference(spot), strategy_of(run.solver.layout, run.solver.average())
    taken = reference.expected_rake(strategy)
    assert sum(run.measured.ev) == pytest.approx(spot.pot - taken, abs=1e-3)
    assert sum(run.measured.value) == pytest.approx(-taken, abs=1e-3)
    assert taken == pytest.approx(4) if "cap" in rake else taken > 10  # 5% of the pot alone are above the cap
    assert 0 <= run.measured.percent < 0.3
    assert run.checks[-1].measured == pytest.approx(run.measured.percent, abs=1e-4)


# --- Checkpoints -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "packed"), [("river", False), ("turn", False), ("turn", True)])
def test_a_run_goes_on_from_its_checkpoint_to_the_same_bytes(name, packed, tmp_path):
    part, whole = tmp_path / "part", tmp_path / "whole"
    solve_spot(SMALL[name], iterations=11, checkpoint=part, packed=packed)
    run = solve_spot(SMALL[name], iterations=40, checkpoint=part, packed=packed)
    straight = solve_spot(SMALL[name], iterations=40, checkpoint=whole, packed=packed)
    assert (run.resumed_from, run.iterations, straight.resumed_from) == (11, 40, 0)
    assert part.read_bytes() == whole.read_bytes()
    assert run.measured == straight.measured
    again = solve_spot(SMALL[name], iterations=40, checkpoint=part, packed=packed)  # nothing is left to do
    assert (again.resumed_from, again.measured) == (40, run.measured)


def test_checkpoints_are_saved_on_the_way(tmp_path):
    seen = []
    path = tmp_path / "run"

    def look(_check):
        seen.append(path.exists())

    solve_spot(SMALL["turn"], iterations=30, checkpoint=path, checkpoint_every=1e-9, progress=look)
    assert seen[0] is False
    assert len(seen) > 1
    assert all(seen[1:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pot": 101}, "another run: pot"),
        ({"oop": "AA"}, "another run: oop"),
        ({"board": "Ks Th 6h 4d 2s"}, "another run: board"),
        ({"rake": "5%"}, "another run: rake"),
        ({"lock": [{"line": "", "play": {"X": 1}}]}, "another run"),
    ],
)
def test_a_checkpoint_of_another_spot_is_refused(change, message, tmp_path):
    path = tmp_path / "run"
    solve_spot(POLAR, iterations=5, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        solve_spot(Spot.from_dict(POLAR.to_dict() | change), iterations=10, checkpoint=path)
    assert path.read_bytes() == before


def test_a_checkpoint_of_another_algorithm_or_a_longer_run_is_refused(tmp_path):
    path = tmp_path / "run"
    solve_spot(POLAR, "cfr+", iterations=5, checkpoint=path)
    with pytest.raises(ValueError, match="another run: algorithm"):
        solve_spot(POLAR, "dcfr", iterations=10, checkpoint=path)
    with pytest.raises(ValueError, match="another run: packed"):
        solve_spot(POLAR, "cfr+", iterations=10, checkpoint=path, packed=True)
    with pytest.raises(ValueError, match="5 iterations already, more than the 3 wanted"):
        solve_spot(POLAR, "cfr+", iterations=3, checkpoint=path)


def test_damaged_checkpoints_are_refused(tmp_path):
    path = tmp_path / "run"
    solve_spot(POLAR, iterations=5, checkpoint=path)
    whole = path.read_bytes()
    not_a_number = whole[:-4] + np.float32(np.nan).tobytes()
    for data in (b"", b"junk", whole[:100], whole[:-1], whole + b"x", whole[:8] + b"#" + whole[9:], not_a_number):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"not a file of Ludus|cannot go on"):
            solve_spot(POLAR, iterations=10, checkpoint=path)


# --- Algorithms, limits and interrupts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm", ["cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "dcfr-4", "dcfr-restarts", "hs-dcfr", "hs-dcfr-15"]
)
def test_every_algorithm_converges(algorithm):
    assert algorithm in algorithms_of("spots")
    bound = {"cfr": 1, "lcfr": 0.4}.get(algorithm, 0.2)
    for name in ("river", "turn"):
        few, many = (solve_spot(SMALL[name], algorithm, iterations=n).measured.percent for n in (10, 400))
        assert 0 <= many < bound
        assert many < few / 5


def test_algorithms_that_spots_do_not_take_are_refused():
    assert set(ALGORITHMS) - set(algorithms_of("spots")) == {"rm", "rm+", "pcfr+", "pdcfr+", "hs-pcfr+"}
    with pytest.raises(ValueError, match=r"algorithms for spots are cfr, .*, got 'pcfr\+'"):
        solve_spot(POLAR, "pcfr+", iterations=1)
    for name in ("rm", "pcfr+"):
        with pytest.raises(ValueError, match="alternating updates and without prediction"):
            SpotSolver(Layout.of(POLAR), ALGORITHMS[name])
    with pytest.raises(ValueError, match="must know its number of iterations"):
        solve_spot(POLAR, "hs-dcfr", target=1)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "say when to stop"),
        ({"target": 0}, "a target must be above 0"),
        ({"target": -1.0}, "a target must be above 0"),
        ({"target": float("nan")}, "a target must be above 0"),
        ({"iterations": 0}, "iterations must be above 0"),
        ({"iterations": 10**18}, "iterations must be above 0 and at most"),
        ({"seconds": 0}, "seconds must be above 0"),
        ({"target": 1, "seconds": -5}, "seconds must be above 0"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        solve_spot(POLAR, **limits)


@pytest.mark.parametrize("target", [3, 0.3, 0.03])
def test_a_target_that_is_reached_is_measured(target):
    run = solve_spot(SMALL["turn"], target=target, iterations=10_000)
    assert run.stopped_by == "target"
    assert run.measured.percent <= target + 1e-4
    assert all(check.measured > target for check in run.checks[:-1])
    assert run.iterations == run.checks[-1].iterations < 10_000


def test_runs_stop_by_time_or_by_iterations():
    run = solve_spot(SMALL["turn"], target=1e-9, seconds=0.3)
    assert run.stopped_by == "seconds"
    assert run.measured.percent > 1e-9
    run = solve_spot(SMALL["turn"], target=1e-9, iterations=25, seconds=600)
    assert (run.stopped_by, run.iterations) == ("iterations", 25)
    assert [check.iterations for check in run.checks] == [20, 25]


def test_progress_is_reported():
    seen = []
    run = solve_spot(SMALL["turn"], iterations=100, progress=seen.append)
    iterations = [check.iterations for check in seen]
    assert iterations == sorted(set(iterations))
    assert iterations[-1] == 100
    assert [check for check in seen if check.measured is not None] == list(run.checks)
    assert run.checks[-1].measured < run.checks[0].measured / 10


def test_an_interrupt_ends_a_run_without_loss(tmp_path):
    def press(check):
        if check.iterations >= 50:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    run = solve_spot(SMALL["turn"], seconds=60, checkpoint=tmp_path / "run", progress=press)
    assert run.stopped_by == "interrupt"
    assert signal.getsignal(signal.SIGINT) is before
    done = run.iterations
    assert done >= 50
    more = solve_spot(SMALL["turn"], iterations=done + 5, checkpoint=tmp_path / "run")
    straight = solve_spot(SMALL["turn"], iterations=done + 5)
    assert more.resumed_from == done
    assert more.measured == straight.measured
