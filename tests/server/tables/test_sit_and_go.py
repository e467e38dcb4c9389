"""Sit-and-goes: levels, elimination, places and prizes, as a fold over the log and at a real table."""

import json
import random

import pytest
from pydantic import ValidationError

from ludus.games import CALL
from ludus.server.tables.commands import MOST
from ludus.server.tables.config import MOST_CHIPS, MOST_LEVEL, TableConfig
from ludus.server.tables.dealing import GivenSeeds, consequences, next_hand
from ludus.server.tables.ledger import MOST_GONE, counted, got_up, sat_down
from ludus.server.tables.log import NotKept
from ludus.server.tables.registry import plays_push_or_fold
from ludus.server.tables.requests import ready as may_be_ready
from ludus.server.tables.requests import rebuy, sit
from ludus.server.tables.sit_and_go import prizes_left, ranking, standings
from ludus.server.tables.state import Conflict, apply, new_table, passive, rebuild
from server_helpers import another, service_of
from server_tables import new_table as set_up
from server_tables import play_out, ready


def table_of(**config):
    """A new table with the log of how it came about."""
    given = {"seats": 4, "stack": 100, "sit_and_go": {"hands": 2}} | config
    made = TableConfig.model_validate(given)
    table = new_table(made, "ann", "Ann")
    log = [(1, "created", {"person": "ann", "name": "Ann"})]
    return settled(table, log), log


def happened(table, log, kind, data):
    """The table after an event and its consequences."""
    table = apply(table, kind, data)
    log.append((table.number, kind, json.loads(json.dumps(data))))
    return settled(table, log)


def settled(table, log):
    """The same for what happens by itself."""
    while events := consequences(table):
        for kind, data in events:
            table = apply(table, kind, data)
            log.append((table.number, kind, json.loads(json.dumps(data))))
    return table


def next_dealt(table, log, now=0.0):
    """The next hand."""
    for kind, data in next_hand(table, GivenSeeds(), now):
        table = happened(table, log, kind, data)
    return table


def played(table, log, choose):
    """A hand to its end."""
    while table.playing:
        hand = table.hand
        data = {"hand": hand.id, "turn": hand.turn, "chair": hand.to_act, "action": choose(hand.state)}
        table = happened(table, log, "acted", data)
    return table


def wild(seed):
    """All-in or call, or else check or fold."""
    chance = random.Random(seed)

    def choose(state):
        bounds = state.raise_bounds()
        return chance.choice([CALL, bounds[1] if bounds else CALL, passive(state), passive(state)])

    return choose


@pytest.mark.parametrize("seed", range(12))
def test_it_is_played_to_its_end_and_the_log_gives_it_back(seed):
    table, log = table_of(seats=2 + seed % 8, ante=seed % 2)
    choose, players = wild(seed), 2 + seed % 8
    for number in range(400):
        before = table.out
        table = played(next_dealt(table, log), log, choose)
        assert sum(chair.stack for chair in table.chairs) == 100 * players
        assert table.out[: len(before)] == before, "who is out stays out"
        assert {at for at, chair in enumerate(table.chairs) if not chair.stack} == set(table.out)
        if table.closed:
            break
        assert table.level == min(number // 2, number)
        assert set(table.in_next_hand()).isdisjoint(table.out)
    assert table.closed, "rising blinds bring it to an end"
    final = standings(table)
    assert final["decided"]
    assert [row["place"] for row in final["places"]] == list(range(1, players + 1))
    assert sum(row["prize"] for row in final["places"]) == 100
    assert ranking(table)[::-1][: len(table.out)] == list(table.out)
    alive = [at for at, chair in enumerate(table.chairs) if chair.stack]
    assert len(alive) == 1 or table.chairs[0].stack == 0, "it ends with one winner, or when no person is left"
    again = rebuild(table.config, iter(log))
    assert (again.chairs, again.out, again.level, again.ledger) == (table.chairs, table.out, table.level, table.ledger)
    starts = [at for at, (_, kind, _) in enumerate(log) if kind == "dealt"]
    promise = [event for event in log[: starts[-1]] if event[1] == "promised"][-1]
    late = rebuild(table.config, iter([promise, *log[starts[-1] :]]))
    assert (late.out, late.level, late.ledger, late.closed) == (table.out, table.level, table.ledger, True)


def test_blinds_double_with_every_second_level():
    config = TableConfig(small_blind=10, big_blind=20, ante=2, stack=1500)
    assert [config.blinds(level) for level in range(5)] == [
        (10, 20, 2), (15, 30, 3), (20, 40, 4), (30, 60, 6), (40, 80, 8),
    ]  # fmt: skip


def test_levels_by_the_clock_rise_one_by_one():
    table, log = table_of(sit_and_go={"minutes": 5})
    for now, level in ((1000.0, 0), (1299.0, 0), (1300.0, 1), (9999.0, 2), (9999.0, 3)):
        table = next_dealt(table, log, now)
        assert (table.level, table.began) == (level, 1000)
        assert table.hand.state.game.big_blind == table.config.blinds(level)[1]
        table = played(table, log, passive)


def test_who_had_more_chips_comes_in_before_who_had_fewer():
    table, log = table_of(seats=3, sit_and_go={"hands": 50, "prizes": [70, 30]})
    table = next_dealt(table, log)
    table = played(table, log, passive)  # blinds change hands
    for _ in range(300):
        stacks = [chair.stack for chair in table.chairs]
        table = played(next_dealt(table, log), log, lambda state: (state.raise_bounds() or (0, CALL))[1])
        gone = [at for at, chair in enumerate(table.chairs) if stacks[at] and not chair.stack]
        if len(gone) == 2:
            first, second = table.out[-2:]
            assert stacks[first] <= stacks[second]
        if table.closed:
            return
    pytest.fail("it did not end")


def test_who_leaves_is_played_for_and_nobody_sits_down_later():
    table, log = table_of(people=2)
    table = happened(table, log, "sat", {"chair": 1, "person": "bob", "name": "Bob"})
    table = next_dealt(table, log)
    with pytest.raises(Conflict, match="has begun"):
        sit(table, "eve", "Eve", None, invited=True)
    table = happened(table, log, "left", {"chair": 1})
    table = played(table, log, passive)
    assert table.chairs[1].person is None
    assert sum(chair.stack for chair in table.chairs) == 400, "the chips stay in the game"
    assert table.free_chairs() == []
    [bob] = [account for account in table.ledger if account.person == "bob"]
    assert not bob.sitting
    assert prizes_left(table) == [0.65, 0.35, 0, 0]
    table = happened(table, log, "left", {"chair": 0})
    assert table.closed, "without a person it is over"
    assert len(standings(table)["places"]) == 4


def test_nobody_buys_chips():
    table, log = table_of()
    table = played(next_dealt(table, log), log, passive)
    with pytest.raises(Conflict, match="sit-and-go"):
        rebuy(table, "ann")
    assert may_be_ready(table, "ann") == 0
    assert all(kind != "rebought" for _, kind, _ in log)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"seats": 10}, "2 to 9 players"),
        ({"game": "kuhn"}, "hold'em"),
        ({"sit_and_go": {"hands": 3, "minutes": 3}}, "not for both"),
        ({"sit_and_go": {"prizes": [50, 40]}}, "add up to 100"),
        ({"sit_and_go": {"prizes": [30, 70]}}, "the largest first"),
        ({"seats": 2, "sit_and_go": {"prizes": [50, 30, 20]}}, "too many"),
    ],
)
def test_what_cannot_be_is_said(config, why):
    given = {"seats": 6, "stack": 1500, "small_blind": 10, "big_blind": 20, "sit_and_go": {}} | config
    if config.get("game"):
        given = {"game": "kuhn", "sit_and_go": {}}
    with pytest.raises(ValidationError, match=why):
        TableConfig.model_validate(given)


def test_who_plays_short_stacks_by_solves():
    assert all(map(plays_push_or_fold, ["blueprint:level=3", "blueprint:level=5", "exploiter", "resolver", "multiway"]))
    assert not any(map(plays_push_or_fold, ["blueprint:level=2", "call", "random", "tight", "equilibrium"]))


@pytest.mark.parametrize("tournament", [None, {"hands": 50}])
def test_an_ai_with_a_short_stack_pushes_or_folds(me, tournament):
    """Eight big blinds heads-up: first in, the AI is all-in or out, and nobody else's play is asked for."""
    short = {"stack": 16, "opponents": [{"agent": "blueprint", "level": 3}], "sit_and_go": tournament}
    table = set_up(me, **short, chips="carry")
    first = set()
    for _ in range(8):
        view = play_out(
            me, ready(me, table["id"]), lambda view: ("fold",) if view["hand"]["legal"]["fold"] else ("call",)
        )
        if view["hand"]["button"] == 1:
            first.add(view["hand"]["betting"][:1])
            assert view["hand"]["betting"][:2] in ("f", "r1", "r2"), "not a limp and not a small raise"
        if view["closed"]:
            break
    assert first <= {"f", "r"}
    assert first


def test_a_rematch_is_the_same_table_for_all(me, web):
    table = set_up(me, seats=2, stack=4, people=2, sit_and_go={"hands": 1})
    friend = another(web)
    friend.get("/api/me")
    sat = friend.post(f"/api/tables/{table['id']}/seats", json={"invite": table["invite"]})
    assert sat.status_code == 200, sat.text
    assert me.post(f"/api/tables/{table['id']}/rematch").status_code == 409, "it is still being played"
    me.delete(f"/api/tables/{table['id']}")
    view = friend.get(f"/api/tables/{table['id']}").json()
    assert view["closed"]
    first = friend.post(f"/api/tables/{table['id']}/rematch").json()["rematch"]
    assert first is not None
    assert friend.post(f"/api/tables/{table['id']}/rematch").json()["rematch"] == first
    stranger = another(web)
    stranger.get("/api/me")
    assert stranger.get(f"/api/tables/{table['id']}").json()["rematch"] is None
    again = friend.get(f"/api/tables/{first[0]}").json()
    assert again["config"] == table["config"]
    assert again["chairs"][0]["kind"] == "person"


def test_a_rematch_that_cannot_be_kept_is_no_defect(me, web, monkeypatch):
    table = set_up(me, seats=2, stack=4, sit_and_go={"hands": 1})
    me.delete(f"/api/tables/{table['id']}")

    async def lost(entry):
        raise NotKept("the database is away")

    monkeypatch.setattr(service_of(web).tables.log, "keep", lost)
    answer = me.post(f"/api/tables/{table['id']}/rematch")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


# What cannot grow without end


def test_blinds_rise_up_to_all_chips():
    """On PostgreSQL a number has 32 bits, and a hand that cannot be kept would stop its table."""
    config = TableConfig.model_validate(
        {"seats": 9, "stack": MOST_CHIPS, "small_blind": MOST_CHIPS // 2, "big_blind": MOST_CHIPS, "sit_and_go": {}}
    )
    levels = [config.blinds(level) for level in range(MOST_LEVEL + 1)]
    assert levels[:3] == [(500_000, 1_000_000, 0), (750_000, 1_500_000, 0), (1_000_000, 2_000_000, 0)]
    assert levels == sorted(levels)
    assert max(levels[-1]) == 9 * MOST_CHIPS
    game = config.game_of([MOST_CHIPS] * 9, MOST_LEVEL)
    assert sum(game.start().bets) <= 9 * MOST_CHIPS


def test_a_table_closes_before_it_has_more_chips_than_can_be_counted():
    table, log = table_of(sit_and_go=None, chips="carry", stack=MOST_CHIPS, seats=2, small_blind=1, big_blind=2)
    while not table.closed:
        table = happened(table, log, "rebought", {"chair": 1, "chips": MOST_CHIPS})
        assert table.bought <= MOST
    assert table.bought > MOST - 3 * MOST_CHIPS, "and not long before that"
    assert rebuild(table.config, iter(log)).closed


def test_the_ledger_remembers_only_so_many_who_have_left():
    ledger = ()
    for number in range(3 * MOST_GONE):
        person = f"person {number}"
        ledger = sat_down(ledger, person, person, 1, 100)
        if number % 3:
            ledger = counted(ledger, person, person, 1, 5)
        ledger = got_up(ledger, person, 1)
    assert len(ledger) == MOST_GONE
    assert all(account.hands for account in ledger), "who has played nothing leaves nothing"
    assert ledger[-1].name == f"person {3 * MOST_GONE - 1}"
    ledger = sat_down(ledger, ledger[0].person, "back", 1, 100)
    assert (ledger[0].name, ledger[0].hands, ledger[0].buys) == ("back", 1, 2)


def test_the_ledger_remembers_who_left_last():
    host, ledger = "host", counted(sat_down((), "host", "Ann", 0, 100), "host", "Ann", 0, 7)
    for number in range(2 * MOST_GONE):
        person = f"person {number}"
        ledger = counted(sat_down(ledger, person, person, 1, 100), person, person, 1, 5)
        ledger = got_up(ledger, person, 1)
    ledger = got_up(ledger, host, 0)
    assert (ledger[-1].person, ledger[-1].net, len(ledger)) == (host, 7, MOST_GONE)


def test_a_real_table_ends_with_places(me):
    table = set_up(me, seats=2, stack=20, sit_and_go={"hands": 1})
    for _ in range(60):
        view = play_out(me, ready(me, table["id"]))
        if view["closed"]:
            break
    view = me.get(f"/api/tables/{table['id']}").json()
    assert view["closed"]
    assert [row["prize"] for row in view["sit_and_go"]["places"]] == [100, 0]
    assert [each["id"] for each in me.get("/api/tables", params={"mine": True}).json()] == []
