"""The figures of the server: against ones worked out by hand, and against those of the arena."""

import io
import json
from datetime import timedelta
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from sqlalchemy import func, insert, select, update

from ludus.agents.levels import STEPS
from ludus.arena.interval import interval, student_95
from ludus.arena.log import LOGS, read_log
from ludus.arena.statistics import Statistics
from ludus.games import holdem, leduc_nl
from ludus.games.pots import share_pots
from ludus.games.showdown import strength
from ludus.protocols.histories import PlayedHand
from ludus.protocols.histories.files import read_hands
from ludus.server.hands.columns import fold, people_to_fold, unfold
from ludus.server.hands.filters import ERRORS, GRADES
from ludus.server.hands.follow_up import keep_adjusted
from ludus.server.hands.histories import seat_habits
from ludus.server.hands.means import from_sums, per_100
from ludus.server.hands.rating import level_of, on_scale, position
from ludus.server.hands.statistics import curve
from ludus.server.models import Decision, FoldedHands, HandSeat, TableRow
from ludus.teach.endings.luck import adjusted, ran_out
from ludus.teach.grading import ERRORS as REVIEW_ERRORS
from ludus.teach.grading import GRADES as REVIEW_GRADES
from paths import TESTS
from server_hands import HEADS_UP, START, at_random, dealt_out, keep
from server_helpers import another, service_of

LOG = TESTS / "data" / "review" / "heads_up.log"


# Intervals


@pytest.mark.parametrize("hands", [0, 1])
def test_too_few_hands_have_no_interval(me, web, hands):
    if hands:
        keep(service_of(web), dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None])
    found = me.get("/api/statistics").json()
    assert found["hands"] == hands
    assert found["bb100"] == {"mean": 50.0 if hands else None, "low": None, "high": None, "too_few": True}
    assert (found["adjusted"] is None) == (hands == 0)
    assert [point["low"] for point in found["curve"]] == [None] * hands
    assert found["style"]["vpip"] == (0.0 if hands else None)
    assert found["grades"]["loss_per_100"] == {"mean": None, "low": None, "high": None, "too_few": True}


def test_sums_give_the_same_interval_as_values():
    values = np.random.default_rng(1).normal(3, 20, 500)
    found = from_sums(500, float(values.sum()), float((values**2).sum()))
    assert per_100(found).model_dump() == pytest.approx(per_100(interval(values)).model_dump())
    assert (per_100(interval(values[:99])).too_few, per_100(interval(values[:100])).too_few) == (True, False)


def test_the_curve_is_the_running_total_with_its_interval():
    rng = np.random.default_rng(2)
    won = rng.normal(0, 10, 1000)
    fair = won + rng.normal(0, 1, 1000)
    points = curve(won, fair)
    assert len(points) == 400
    assert (points[0].hand, points[-1].hand) == (1, 1000)
    for point in points[1::57]:
        so_far = fair[: point.hand]
        half = student_95(point.hand - 1) * so_far.std(ddof=1) * sqrt(point.hand)
        assert point.total == pytest.approx(won[: point.hand].sum())
        assert point.adjusted == pytest.approx(so_far.sum())
        assert (point.low, point.high) == pytest.approx((so_far.sum() - half, so_far.sum() + half), abs=1e-4)
    assert [point.hand for point in curve(won[:3], fair[:3])] == [1, 2, 3]


# Hands


def test_figures_worked_out_by_hand(me, web):
    service = service_of(web)
    people = [me.key, None]  # in the big blind, seat 0; the button acts first before the flop
    keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), people, number=1)  # +1: the button folds
    keep(service, dealt_out(HEADS_UP, "7h2d KsQd", 6, -1), people, number=2)  # -2: folds to a raise
    keep(service, dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, -1), people, number=3)  # +20
    keep(service, dealt_out(HEADS_UP, "7h2d KsQd Ac2c3c4d9h", 0, 0, 0, 0, 0, 0, 0, 0), people, number=4)  # +2, pairs
    found = me.get("/api/statistics").json()
    results = np.array([1, -2, 20, 2]) / 2
    assert (found["hands"], found["won"], found["tied"], found["lost"]) == (4, 3, 0, 1)
    assert found["total"] == 10.5
    half = student_95(3) * 100 * results.std(ddof=1) / 2
    wanted = {"mean": 262.5, "low": 262.5 - half, "high": 262.5 + half, "too_few": True}
    assert found["bb100"] == pytest.approx(wanted, abs=1e-3)
    assert found["adjusted"] == found["bb100"]
    assert found["pending"] == 0
    assert found["style"] == {
        "vpip": 0.25, "pfr": 0.25, "three_bet": 0.5, "fold_to_three_bet": None, "steal": None, "c_bet": 1.0,
        "fold_to_c_bet": None, "aggression": None, "showdowns": 0.5, "won_at_showdown": 1.0,
        "chances": {"vpip": 4, "pfr": 4, "three_bet": 2, "fold_to_three_bet": 0, "steal": 0, "c_bet": 1,
                    "fold_to_c_bet": 0, "aggression": 0, "showdowns": 2, "won_at_showdown": 1},
    }  # fmt: skip
    [place] = found["by_place"]
    assert (place["key"], place["hands"], place["total"]) == ("BB", 4, 10.5)
    assert {row["key"]: (row["hands"], row["total"]) for row in found["by_street"]} == {
        "0": (2, -0.5), "1": (1, 10.0), "3": (1, 1.0),
    }  # fmt: skip
    [other] = found["opponents"]
    assert (other["name"], other["agent"], other["hands"], other["total"]) == ("player 1", "blueprint:level=3", 4, 10.5)
    assert other["bb100"] == pytest.approx(found["bb100"])
    assert other["style"] == {  # raises twice, limps once; calls a 3-bet and completes, folds to a bet on the flop
        "vpip": 0.75, "pfr": 0.5, "three_bet": None, "fold_to_three_bet": 0.0, "steal": 0.5, "c_bet": None,
        "fold_to_c_bet": 1.0, "aggression": None, "showdowns": 0.5, "won_at_showdown": 0.0,
        "chances": {"vpip": 4, "pfr": 4, "three_bet": 0, "fold_to_three_bet": 1, "steal": 4, "c_bet": 0,
                    "fold_to_c_bet": 1, "aggression": 0, "showdowns": 2, "won_at_showdown": 1},
    }  # fmt: skip
    assert place["style"] == found["style"]
    assert found["choices"] == {"games": ["holdem"], "places": ["BB"], "tables": [], "opponents": ["player 1"]}


def test_the_arena_counts_the_same(me, web):
    log = read_log(LOG)
    figures = Statistics((log,)).figures(0)
    text = LOG.read_text()
    hands = [hand for hand in read_hands(io.StringIO(text), (LOGS,)) if isinstance(hand, PlayedHand)]
    assert len(hands) > 5
    for number, hand in enumerate(hands):
        people = [me.key if name == "tight" else None for name in hand.players]
        keep(service_of(web), hand.state, people, hand.players, number)
    found = me.get("/api/statistics").json()
    assert found["hands"] == figures["hands"]
    assert found["bb100"]["mean"] == pytest.approx(figures["mbb_per_game"]["mean"] / 10)
    assert found["bb100"]["high"] - found["bb100"]["mean"] == pytest.approx(figures["mbb_per_game"]["ci95"] / 10)
    assert found["won"] / found["hands"] == pytest.approx(figures["win_rate"])
    for name in ("vpip", "pfr"):
        assert found["style"][name] == pytest.approx(figures[name]), name
    theirs = Statistics((log,)).figures(1)
    [other] = found["opponents"]
    for name in ("vpip", "pfr"):
        assert other["style"][name] == pytest.approx(theirs[name]), name


def test_filters_choose_the_hands(me, web):
    service = service_of(web)
    for number in range(20):
        state = at_random(holdem(players=2 + number % 2, stack=100), number)
        seat = number % state.game.players
        people = [me.key if at == seat else None for at in range(state.game.players)]
        names = ["me" if at == seat else f"foe {state.game.players}" for at in range(state.game.players)]
        keep(service, state, people, names, number)
    every = me.get("/api/statistics").json()
    by_place = {row["key"]: row["hands"] for row in every["by_place"]}
    assert sum(by_place.values()) == 20
    for place, hands in by_place.items():
        assert me.get("/api/statistics", params={"place": place}).json()["hands"] == hands
    assert me.get("/api/statistics", params={"opponent": "foe 3"}).json()["hands"] == 10
    assert me.get("/api/statistics", params={"opponent": "blueprint"}).json()["hands"] == 20
    assert me.get("/api/statistics", params={"since": "2026-01-01T00:15:00+00:00"}).json()["hands"] == 5
    assert me.get("/api/statistics", params={"since": "2026-01-01T01:15:00+01:00"}).json()["hands"] == 5
    assert me.get("/api/statistics", params={"until": START.isoformat()}).json()["hands"] == 0
    assert me.get("/api/statistics", params={"game": "kuhn"}).json()["hands"] == 0
    assert me.get("/api/statistics", params={"nonsense": "1"}).status_code == 422
    assert another(web).get("/api/statistics").status_code == 401


def test_grades_and_leaks(me, web):
    service = service_of(web)
    assert (GRADES, ERRORS) == (REVIEW_GRADES, REVIEW_ERRORS)
    advice = {"name": "call 4", "difference": 1.0, "error": 0.1, "advice": {"cards": "AhAd", "board": "Ac2c3c"}}
    told = [("best", 0, 0.0, "first in", ""), ("blunder", 1, 3.0, "facing a bet", "calls too much"),
            ("mistake", 1, 1.0, "facing a bet", "folds too much")]  # fmt: skip
    key = keep(service, dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, -1), [me.key, None])
    other = keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [None, me.key])
    with service.database.session() as session:
        session.execute(insert(Decision), [
            {"hand_id": key, "step": step, "seat": 0, "person_id": me.key, "street": street, "action": 0,
             "grade": grade, "loss": loss, "situation": situation, "tendency": tendency, "advice": advice,
             "place": "BB"}
            for step, (grade, street, loss, situation, tendency) in enumerate(told)
        ])  # fmt: skip
    found = me.get("/api/statistics").json()["grades"]
    assert (found["decisions"], found["hands"], found["loss"]) == (3, 1, 4.0)
    assert found["counts"] == {"best": 1, "fine": 0, "inaccuracy": 0, "mistake": 1, "blunder": 1}
    spread = student_95(2) * 100 * np.std([0, 3, 1], ddof=1) / sqrt(3)
    assert found["loss_per_100"] == pytest.approx(
        {"mean": 400 / 3, "low": 400 / 3 - spread, "high": 400 / 3 + spread, "too_few": True}, abs=1e-3
    )
    assert found["leaks"]["street"] == [
        {"kind": "flop", "decisions": 2, "errors": 2, "loss": 4.0},
        {"kind": "pre-flop", "decisions": 1, "errors": 0, "loss": 0.0},
    ]
    assert [row["kind"] for row in found["leaks"]["tendency"]] == ["calls too much", "folds too much"]
    assert [row["kind"] for row in found["leaks"]["position"]] == ["BB"]
    assert [(row["grade"], row["cards"], row["name"]) for row in found["worst"]] == [
        ("blunder", ["Ah", "Ad"], "call 4"), ("mistake", ["Ah", "Ad"], "call 4"),
    ]  # fmt: skip
    [row] = me.get("/api/hands", params={"graded": "mistake"}).json()["hands"]
    assert (row["id"], row["grade"], row["loss"]) == (key, "blunder", 4.0)
    rows = me.get("/api/hands").json()["hands"]
    assert {row["id"]: row["grade"] for row in rows} == {key: "blunder", other: None}


# The luck of all-ins


def test_all_ins_worked_out_by_hand():
    before = dealt_out(HEADS_UP, "AhKh QsQd 2c3c4d9h5s", 200, 0)
    assert adjusted(PlayedHand(before, ("a", "b"), 1)) == pytest.approx(
        [400 * 0.462145 - 200, 200 - 400 * 0.462145], abs=1e-3
    )
    # The turn is 2h 7h 9s 3c: nine hearts, three aces and three kings of 44 cards beat the queens.
    turn = dealt_out(HEADS_UP, "AhKh QsQd 2h7h9s 3c 4d", 6, 0, 0, 0, 194, 0)
    assert turn.street == 3
    assert adjusted(PlayedHand(turn, ("a", "b"), 1)) == pytest.approx([400 * 15 / 44 - 200, 200 - 400 * 15 / 44])
    river = dealt_out(HEADS_UP, "AhKh QsQd 2h7h9s 3c 4d", 6, 0, 0, 0, 0, 0, 194, 0)
    assert not ran_out(river)
    assert adjusted(PlayedHand(river, ("a", "b"), 1)) == [-200, 200]


def reference(state):
    """All boards that could have come, each pot shared exactly; folded cards may come."""
    live, game = state.live_seats(), state.game
    last = max((street for street, actions in enumerate(state.line) if actions), default=0)
    board = state.cards[game.players * game.hole_cards : game.card_targets[last]]
    seen = {*board, *(card for seat in live for card in state.hole(seat))}
    rest = [card for card in game.deck if card not in seen]
    total, boards = np.zeros(game.players), 0
    for more in combinations(rest, sum(game.board_cards) - len(board)):
        strengths = [0] * game.players
        for seat in live:
            strengths[seat] = strength((*state.hole(seat), *board, *more))
        total += share_pots(state.pots(), strengths, game.players, exact=True)
        boards += 1
    return (total / boards - np.array(state.spent())).tolist()


def test_side_pots_count_by_the_hands_in_them():
    compared = 0
    for seed in range(400):
        chance = np.random.default_rng(seed)
        game = holdem(3 + seed % 3, [int(stack) for stack in chance.integers(5, 60, 3 + seed % 3)])
        state = at_random(game, seed)
        streets = [street for street, actions in enumerate(state.line) if actions]
        if ran_out(state) and len(state.pots()) > 1 and streets and streets[-1] == 2:
            assert adjusted(PlayedHand(state, ("x",) * game.players, 1)) == pytest.approx(reference(state)), seed
            compared += 1
    assert compared >= 5


def test_small_games_have_luck_too():
    compared = 0
    for seed in range(60):
        state = at_random(leduc_nl("any"), seed)
        found = adjusted(PlayedHand(state, ("a", "b"), 1))
        if ran_out(state):
            compared += 1
            assert found == pytest.approx(reference(state))
        else:
            assert found == list(state.returns())
    assert compared > 5


def test_what_is_counted_of_a_hand():
    """Two limp, the big blind raises, the button calls; it bets the turn and wins."""
    state = dealt_out(holdem(players=3), "AhAd KsQd 7h2d Ac2c3c4d9h", 0, 0, 8, 0, -1, 0, 0, 0, 20, -1)
    small, big, button = seat_habits(state)
    assert button == {
        "paid": True, "raised": False, "raises": 1, "calls": 2, "folded": False, "showdown": False, "street": 2,
    }  # fmt: skip
    assert big == button | {"raised": True, "calls": 0, "folded": True}
    assert small == button | {"raises": 0, "calls": 1, "folded": True, "street": 0}


# The scale of the levels


def test_a_rating_is_where_the_results_against_levels_put_one(me, web):
    """Two hundred hands against level 3."""
    service = service_of(web)
    won, lost = dealt_out(HEADS_UP, "AhAd KsQd", -1), dealt_out(HEADS_UP, "7h2d KsQd", 6, -1)  # +0.5 and -1 big blinds
    for number in range(200):
        keep(service, won if number % 3 else lost, [me.key, None], number=number)
    [found] = me.get("/api/statistics").json()["ratings"]
    values = np.array([0.5 if number % 3 else -1.0 for number in range(200)])
    assert (found["players"], found["hands"]) == (2, 200)
    [row] = found["against"]
    assert (row["level"], row["hands"]) == (3, 200)
    assert row["bb100"]["mean"] == pytest.approx(100 * values.mean())
    half = student_95(199) * values.std(ddof=1) / sqrt(200)
    start = position(3, 2) + values.mean()
    assert found["level"] == pytest.approx(on_scale(start, 2))
    assert (found["low"], found["high"]) == pytest.approx(
        (on_scale(start - half, 2), on_scale(start + half, 2)), abs=1e-4
    )


def test_the_scale_goes_through_the_levels_and_beyond():
    for players in (2, 6):
        assert [on_scale(position(level, players), players) for level in range(1, 6)] == [1, 2, 3, 4, 5]
        assert on_scale(-STEPS[players][0], players) == pytest.approx(0)
        assert on_scale(position(5, players) + STEPS[players][-1], players) == pytest.approx(6)
    assert on_scale(position(3, 2) + STEPS[2][2] / 2, 2) == pytest.approx(3.5)


@pytest.mark.parametrize(
    ("agent", "level"), [("blueprint:level=3", 3), ("blueprint", 5), ("resolver", 6), ("tight", None), ("", None)]
)
def test_agents_have_levels(agent, level):
    assert level_of(agent) == level


def test_hands_of_an_older_version_are_counted_later(me, web):
    service = service_of(web)
    keep(service, dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, -1), [me.key, None], number=3)
    counted = me.get("/api/statistics").json()["style"]
    with service.database.session() as session:
        session.execute(update(HandSeat).values(chances=None, taken=None, later_raises=None, later_calls=None))
    assert me.get("/api/statistics").json()["style"]["c_bet"] is None
    while service.follow_up._count():
        pass
    assert me.get("/api/statistics").json()["style"] == counted


# Folded hands


def folded(service, me):
    """In how many blocks the hands of a person are, and how many are in none."""
    with service.database.session() as session:
        blocks = session.scalar(select(func.count()).where(FoldedHands.person_id == me.key))
        unfolded = HandSeat.person_id == me.key, HandSeat.block.is_(None)
        return blocks, session.scalar(select(func.count()).select_from(HandSeat).where(*unfolded))


def fold_all(service, me, most):
    while True:
        with service.database.session() as session:
            if not fold(session, me.key, most):
                return


def rounded(found):
    return json.loads(json.dumps(found), parse_float=lambda digits: round(float(digits), 6))


QUESTIONS = (
    {}, {"place": "BTN"}, {"place": "nowhere"}, {"game": "holdem"}, {"game": "kuhn"}, {"opponent": "foe 3"},
    {"opponent": "blueprint"}, {"opponent": "blueprint:level=3"}, {"opponent": "blue"}, {"opponent": "nobody"},
    {"since": "2026-01-01T00:15:00+00:00"}, {"until": "2026-01-01T00:15:00+00:00"}, {"table": "b" * 22},
    {"table": "b" * 22, "place": "SB", "opponent": "Zoë"}, {"since": "0001-01-01T00:00:00"},
)  # fmt: skip


def test_folding_changes_no_figure(me, web):
    service = service_of(web)
    with service.database.session() as session:
        session.merge(TableRow(id="b" * 22, host_id=me.key, config={}))
    for number in range(60):
        game = leduc_nl("any") if number % 7 == 6 else holdem(players=2 + number % 3, stack=100)
        state = at_random(game, number)
        seat, players = number % game.players, game.players
        people = [me.key if at == seat else None for at in range(players)]
        names = ["me" if at == seat else f"foe {players}" if number % 5 else "Zoë" for at in range(players)]
        keep(
            service, state, people, names, (7 * number) % 60, "leduc-nl" if number % 7 == 6 else "holdem",
            agent=("blueprint:level=3", "resolver", "tight")[number % 3], table_id="b" * 22 if number % 2 else None,
        )  # fmt: skip
    with service.database.session() as session:
        session.execute(update(HandSeat).values(adjusted=HandSeat.net))
    before = [rounded(me.get("/api/statistics", params=asked).json()) for asked in QUESTIONS]
    assert [each["hands"] for each in before].count(0) == 5
    assert folded(service, me) == (0, 60)
    fold_all(service, me, 13)
    assert folded(service, me) == (4, 8)
    assert [rounded(me.get("/api/statistics", params=asked).json()) for asked in QUESTIONS] == before
    late = at_random(holdem(stack=100), 99)
    keep(service, late, [me.key, None], finished=START + timedelta(minutes=3.5))  # its server's clock is behind
    after = rounded(me.get("/api/statistics").json())
    assert (after["hands"], folded(service, me)[1]) == (61, 9)
    with service.database.session() as session:
        unfold(session, me.key)
    assert folded(service, me) == (0, 61)
    assert rounded(me.get("/api/statistics").json()) == after


def test_a_hand_is_folded_when_nothing_about_it_changes_any_more(me, web):
    service = service_of(web)
    keys = [keep(service, at_random(HEADS_UP, seed), [me.key, None], number=seed) for seed in range(6)]
    with service.database.session() as session:
        session.execute(update(HandSeat).where(HandSeat.person_id == me.key).values(adjusted=HandSeat.net))
        session.execute(update(HandSeat).where(HandSeat.hand_id == keys[0]).values(adjusted=None))
        session.execute(update(HandSeat).where(HandSeat.hand_id == keys[1]).values(chances=None))
    fold_all(service, me, 2)
    assert folded(service, me) == (2, 2)
    assert me.get("/api/statistics").json()["pending"] == 1
    with service.database.session() as session:
        keep_adjusted(session, keys[0], [5.0, -5.0])
    while service.follow_up._count():
        pass
    fold_all(service, me, 2)
    assert folded(service, me) == (3, 0)
    found = me.get("/api/statistics").json()
    assert (found["hands"], found["pending"]) == (6, 0)


def test_folded_hands_are_not_read_again(me, web):
    service = service_of(web)
    for number in range(4):
        keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None], number=number)
    fold_all(service, me, 2)
    with service.database.session() as session:
        session.execute(update(HandSeat).where(HandSeat.person_id == me.key).values(paid=True))
    assert me.get("/api/statistics").json()["style"]["vpip"] == 0


def test_what_an_earlier_version_has_folded_is_folded_anew(me, web):
    service = service_of(web)
    for number in range(4):
        keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None], number=number)
    fold_all(service, me, 2)
    with service.database.session() as session:
        session.execute(update(FoldedHands).values(format=0, hands=b"something else"))
    fold_all(service, me, 2)
    assert folded(service, me) == (2, 0)
    assert me.get("/api/statistics").json()["hands"] == 4


def test_the_server_folds_by_itself(me, web):
    service = service_of(web)
    for number in range(4):
        keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None], number=number)
    with service.database.session() as session:
        assert me.key in people_to_fold(session, 4)
        assert me.key not in people_to_fold(session, 5)
        assert me.key not in people_to_fold(session)
