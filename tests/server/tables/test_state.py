"""The table as a value: chips, seats, decks, the log."""

import json
from copy import deepcopy
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ludus.agents import AGENTS, CallAgent, register
from ludus.cards.card import CARDS, DECK, parse_cards
from ludus.games import CALL, FOLD, holdem
from ludus.server.hands.histories import read_record, write_record
from ludus.server.tables.config import TableConfig, agents_at, catalogue
from ludus.server.tables.deck import (
    PromisedDeck,
    closed_places,
    commitment,
    first_button,
    order,
    read_seed,
    shuffled,
    verify,
)
from ludus.server.tables.finished import played_hand, table_rows
from ludus.server.tables.state import MISSED, apply, deal, new_table, next_button, passive, rebuild
from ludus.server.tables.story import tell
from ludus.server.work.jobs.players import play

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SEEDS = {0: "00" * 16, 2: "f1" * 16}
KEY = "00" * 32


def promised(hand, deck, seeds=None):
    """A promise by which a deck is dealt in its own order."""
    by_place = dict(zip(order(hand, seeds or {}, len(deck)), deck, strict=True))
    return PromisedDeck(hand, tuple(by_place[place] for place in range(len(deck))), KEY).to_dict()


def dealt(table, deck=DECK, button=None):
    at = next_button(table) if button is None else button
    table = apply(table, "promised", promised(f"hand {table.hands}", deck))
    return apply(table, "dealt", deal(table, at or 0, {}))


def acted(table, action, **more):
    hand = table.hand
    return apply(table, "acted", {"hand": hand.id, "turn": hand.turn, "chair": hand.to_act, "action": action, **more})


def chips(table):
    """All chips on the table, counted one by one."""
    hand = table.hand
    if hand is None or hand.over:
        return sum(chair.stack for chair in table.chairs)
    outside = sum(chair.stack for at, chair in enumerate(table.chairs) if at not in hand.seats)
    return outside + sum(hand.state.stacks) + hand.state.pot


def told(table):
    """All that makes a table, to compare it by."""
    hand = table.hand
    played = () if hand is None else (
        hand.id, hand.number, hand.seats, hand.people, hand.names, hand.deck, hand.promised, hand.seeds, hand.turn,
        hand.promised.commitment, hand.net, hand.state.cards, hand.state.line, hand.state.stacks, hand.state.bets,
        hand.state.player,
    )  # fmt: skip
    kept = table.ledger, table.level, table.began, table.out, table.rematch
    return (
        table.chairs, table.bought, table.number, table.hands, table.promised, table.closing, table.closed, kept, played
    )  # fmt: skip


# Chips are neither made nor lost, and a log gives the table back


def next_events(table, draw):
    """An event that could happen now."""
    choices = []
    if table.playing:
        choices += [("acted", late) for late in (False, False, False, True)]
    elif len(table.in_next_hand()) > 1 and table.promised is not None:
        choices += [("dealt", None)] * 3
    if table.promised is None:
        choices += [("promised", None)] * 3
    seated = {chair.person for chair in table.chairs} | {chair.coming[0] for chair in table.chairs if chair.coming}
    choices += [("sat", at) for at in table.free_chairs() if f"person {at}" not in seated]
    for at, chair in enumerate(table.chairs):
        if (chair.person and not chair.leaving) or chair.coming:
            choices.append(("left", at))
        if chair.person and not chair.leaving:
            choices.append(("back" if chair.away else "away", at))
        out = not (table.playing and at in table.hand.seats)
        if out and table.config.chips == "carry" and chair.stack < table.config.stack:
            choices.append(("rebought", at))
    return draw(st.sampled_from(choices))


def as_event(table, kind, at, draw):
    if kind == "acted":
        moves = table.hand.state.legal_actions()
        action = passive(table.hand.state) if at else draw(st.sampled_from(sorted({*moves[:3], moves[-1]})))
        hand = table.hand
        data = {"hand": hand.id, "turn": hand.turn, "chair": hand.to_act, "action": action}
        return {**data, "late": True} if at else data
    if kind == "dealt":
        button = next_button(table)
        seeds = {at: f"{at:032x}" for at in table.in_next_hand() if draw(st.booleans())}
        return deal(table, table.in_next_hand()[0] if button is None else button, seeds)
    if kind == "promised":
        deck = tuple(draw(st.permutations(table.config.game_of([table.config.stack] * 2).deck)))
        return PromisedDeck(f"hand {table.number}", deck, KEY).to_dict()
    if kind == "sat":
        return {"chair": at, "person": f"person {at}", "name": f"Person {at}"}
    if kind == "rebought":
        return {"chair": at, "chips": table.config.stack - table.chairs[at].stack}
    return {"chair": at}


@given(st.data())
@settings(max_examples=40)
def test_chips_are_conserved_and_the_log_gives_the_table_back(data):
    draw = data.draw
    seats = draw(st.integers(2, 5))
    carry, ante = draw(st.booleans()), draw(st.integers(0, 2))
    config = TableConfig(
        seats=seats, stack=draw(st.integers(8, 40)), people=draw(st.integers(1, seats)), ante=ante,
        chips="carry" if carry else "reset",
    )  # fmt: skip
    table = new_table(config, "person 0", "Person 0")
    log = [(1, "created", {"person": "person 0", "name": "Person 0"})]
    for _ in range(draw(st.integers(5, 60))):
        kind, at = next_events(table, draw)
        event = as_event(table, kind, at, draw)
        after = apply(table, kind, event)
        changed = after.bought - table.bought
        if carry and not (kind in ("sat", "left", "rebought") or (after.hands > table.hands and changed)):
            assert not changed
        assert chips(after) == after.bought
        assert all(chair.stack >= 0 for chair in after.chairs)
        assert not sum(account.net for account in after.ledger), "what one has won, others have lost"
        for account in after.ledger if carry and not after.playing else ():
            assert account.buys == 1 or account.bought > 0
        for step in tell(table, kind, event, after):
            if "stacks" in step and after.bought == table.bought:
                assert sum(step["stacks"]) + step["pot"] == after.bought, step
                assert min(step["stacks"]) >= 0
        table = after
        log.append((table.number, kind, json.loads(json.dumps(event))))
    assert told(rebuild(config, iter(log))) == told(table)
    starts = [at for at, (_, kind, _) in enumerate(log) if kind == "dealt"]
    if starts:
        promise = [event for event in log[: starts[-1]] if event[1] == "promised"][-1]
        assert told(rebuild(config, iter([promise, *log[starts[-1] :]]))) == told(table)


def test_a_log_with_a_gap_is_not_believed():
    table = dealt(new_table(TableConfig(), "ann", "Ann"))
    event = {"hand": "hand 0", "turn": 0, "chair": 0, "action": CALL}
    log = [(1, "created", {"person": "ann", "name": "Ann"}), (3, "acted", event)]
    with pytest.raises(AssertionError, match="gap"):
        rebuild(table.config, iter(log))


# Seats


def test_heads_up_the_button_has_the_small_blind_and_moves():
    table = dealt(new_table(TableConfig(), "ann", "Ann"), button=0)
    assert table.hand.seats == (1, 0)
    assert table.hand.state.bets == (2, 1)
    assert table.hand.to_act == 0
    table = dealt(acted(table, FOLD))
    assert table.hand.seats == (0, 1)
    assert table.chairs[0].stack == 200, "stacks are reset"


def test_with_more_seats_the_blinds_follow_the_button():
    table = dealt(new_table(TableConfig(seats=4), "ann", "Ann"), button=2)
    assert table.hand.seats == (3, 0, 1, 2)
    assert table.hand.state.bets == (1, 2, 0, 0)
    assert table.hand.to_act == 1


def test_the_button_passes_over_who_is_away():
    config = TableConfig(seats=4, people=2)
    table = dealt(new_table(config, "ann", "Ann"), button=0)
    while table.playing:
        table = acted(table, passive(table.hand.state))
    table = apply(table, "sat", {"chair": 1, "person": "bob", "name": "Bob"})
    table = dealt(apply(table, "away", {"chair": 1}))
    assert table.hand.seats == (3, 0, 2)


def test_chips_are_carried_over_and_a_broke_player_sits_out():
    table = dealt(new_table(TableConfig(chips="carry", seats=3, stack=10), "ann", "Ann"), button=0)
    while table.playing:
        table = acted(table, 10 if 10 in table.hand.state.legal_actions() else CALL)
    stacks = [chair.stack for chair in table.chairs]
    assert sorted(stacks) == [0, 0, 30]
    winner = stacks.index(30)
    assert table.in_next_hand() == [winner]
    table = apply(table, "rebought", {"chair": (winner + 1) % 3, "chips": 10})
    assert (table.bought, len(table.in_next_hand())) == (40, 2)


def test_who_leaves_in_a_hand_is_replaced_when_it_is_over():
    table = dealt(new_table(TableConfig(chips="carry"), "ann", "Ann"), button=0)
    table = apply(table, "left", {"chair": 0})
    assert table.chairs[0].person == "ann"
    table = acted(table, FOLD)
    assert table.chairs[0].person is None
    assert (table.chairs[0].stack, table.chairs[1].stack, table.bought) == (200, 201, 401)


def test_who_misses_his_turns_is_away_until_he_is_back():
    config = TableConfig(seats=2, people=2, stack=1000)
    table = new_table(config, "ann", "Ann")
    for turn in range(MISSED):
        table = dealt(table, button=0)
        table = acted(table, FOLD, late=True)
        assert table.chairs[0].away == (turn == MISSED - 1)
    assert not apply(table, "back", {"chair": 0}).chairs[0].away


# Set-ups


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"seats": 1}, "greater than or equal to 2"),
        ({"seats": 11}, "less than or equal to 10"),
        ({"small_blind": 3}, "a big one that is not smaller"),
        ({"small_blind": 0}, "at least 1"),
        ({"stack": 1}, "does not cover the big blind"),
        ({"ante": 199}, "does not cover the big blind"),
        ({"stack": 10**7}, "less than or equal"),
        ({"people": 3}, "do not fit"),
        ({"seconds": 1}, "greater than or equal to 5"),
        ({"opponents": [{"agent": "nobody"}]}, "there are blueprint"),
        ({"opponents": [{"agent": "call", "level": 2}]}, "only the blueprint has levels"),
        ({"opponents": [{"agent": "blueprint", "level": 6}]}, "less than or equal to 5"),
        ({"seats": 3, "opponents": [{"agent": "call"}, {"agent": "resolver"}]}, "at two seats, not at 3"),
        ({"small_blind": 2, "opponents": [{"agent": "resolver"}]}, "small blind on the button"),
        ({"opponents": [{"agent": "call"}] * 2}, "one for each of the 1 other seats"),
        ({"game": "chess"}, "'holdem', 'leduc-nl', 'leduc' or 'kuhn'"),
        ({"game": "leduc", "seats": 3}, "two seats"),
        ({"game": "kuhn", "stack": 100}, "leave them out"),
        ({"game": "leduc-nl", "chips": "carry"}, "the same in every hand"),
        ({"game": "leduc", "opponents": [{"agent": "blueprint"}]}, "there are equilibrium"),
        ({"wallpaper": "red"}, "Extra inputs"),
    ],
)
def test_a_table_that_cannot_be_is_refused(config, words):
    with pytest.raises(ValidationError, match=words):
        TableConfig.model_validate(config)


def test_every_preset_is_a_table_and_stays_the_same_when_kept():
    for game in catalogue({})["games"]:
        for preset in game["presets"]:
            config = TableConfig.model_validate(
                {"game": game["game"]} | {k: v for k, v in preset.items() if k != "key"}
            )
            assert TableConfig.model_validate(config.model_dump(mode="json")) == config
            assert config.game_of([config.stack] * config.seats).start().pot > 0


# Decks


def check(promise, reveal, seeds=SEEDS, deck=DECK):
    return verify(promise.commitment, promise.hand, deck, reveal, seeds=seeds)


def test_a_shuffled_deck_is_the_deck_and_its_promise_can_be_checked():
    promise = shuffled("a hand", DECK)
    assert sorted(promise.cards) == list(DECK)
    assert promise.cards != DECK
    deck = promise.dealt(SEEDS)
    assert sorted(deck) == list(DECK)
    assert deck != promise.cards
    assert [leaf["card"] for leaf in promise.opened(SEEDS)["cards"]] == [CARDS[card] for card in deck]
    assert check(promise, promise.opened(SEEDS))
    assert check(promise, promise.opened(SEEDS, {0, 1, 51}))
    for change in ("card", "salt", "hash"):
        false = deepcopy(promise.opened(SEEDS))
        false["cards"][7][change] = false["cards"][8][change]
        assert not check(promise, false), change
    swapped = deepcopy(promise.opened(SEEDS))
    swapped["cards"][3], swapped["cards"][4] = swapped["cards"][4], swapped["cards"][3]
    assert not check(promise, swapped)
    other = shuffled("a hand", DECK)
    assert not verify(other.commitment, "a hand", DECK, promise.opened(SEEDS))


def test_the_promise_is_the_documented_one():
    from hashlib import sha256

    hand, cards = "a hand", parse_cards("AhKdQc")
    promise = PromisedDeck(hand, tuple(cards), "07" * 32)
    salts = promise.salts
    assert len(set(salts)) == 3
    assert all(len(read_seed(salt)) == 32 for salt in salts)
    leaves = [sha256(f"ludus-2:leaf:a hand:{place}:{salt}:{card}".encode()).hexdigest()
              for place, (salt, card) in enumerate(zip(salts, ("Ah", "Kd", "Qc"), strict=True))]  # fmt: skip
    assert promise.commitment == sha256(f"ludus-2:deck:a hand:3:{''.join(leaves)}".encode()).hexdigest()
    given = f"ludus-2:order:a hand:0={SEEDS[0]},2={SEEDS[2]}"
    places = sorted(range(3), key=lambda place: sha256(f"{given}:{place}".encode()).hexdigest())
    told = [{"place": place, "card": CARDS[cards[place]], "salt": salts[place], "hash": leaves[place]}
            for place in places]  # fmt: skip
    told[1] |= {"card": None, "salt": None}
    assert promise.opened(SEEDS, {1}) == {
        "scheme": "ludus-2", "id": "a hand", "cards": told,
        "seeds": [{"chair": 0, "seed": SEEDS[0]}, {"chair": 2, "seed": SEEDS[2]}],
    }  # fmt: skip


def test_the_first_button_is_anybodys():
    chairs = [4, 0, 2]
    buttons = [first_button("hand", {0: f"{number:032x}"}, chairs) for number in range(3000)]
    assert all(900 < buttons.count(chair) < 1100 for chair in chairs)


def test_the_promise_of_one_hand_is_none_of_another():
    promise = shuffled("hand", DECK)
    assert commitment("hand", promise.leaves) == promise.commitment != commitment("other", promise.leaves)


@pytest.mark.parametrize("chair", [0, 2])
def test_every_seed_is_in_the_order(chair):
    promise = shuffled("hand", DECK)
    others = SEEDS | {chair: "0123456789abcdef" * 2}
    without = {at: seed for at, seed in SEEDS.items() if at != chair}
    assert len({promise.dealt(seeds) for seeds in (SEEDS, others, without, {})}) == 4
    for seeds in (others, without):
        reveal = promise.opened(seeds)
        assert verify(promise.commitment, "hand", DECK, reveal)
        assert not verify(promise.commitment, "hand", DECK, reveal, own=(chair, SEEDS[chair]))
        assert not verify(promise.commitment, "hand", DECK, reveal, seeds=SEEDS)
        assert not check(promise, {**promise.opened(SEEDS), "seeds": reveal["seeds"]}, seeds=None)


def test_the_order_is_fair():
    """Over many seeds every card is dealt first about as often, whatever deck was promised."""
    first = [order("hand", {0: f"{number:032x}"}, 52)[0] for number in range(5200)]
    counts = np.bincount(first, minlength=52)
    assert ((counts - 100) ** 2 / 100).sum() < 100  # chi-squared with 51 degrees of freedom: above 100 in 1 of 20,000


@pytest.mark.parametrize(
    "seed", ["", "0" * 31, "0" * 33, "0" * 31 + "A", "g" * 32, 5, None, ["0" * 32], "0" * 31 + "\n"]
)
def test_a_seed_is_a_seed(seed):
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        read_seed(seed)


@given(st.sets(st.integers(0, 5)), st.sampled_from([0, 3, 4, 5]))
def test_a_closed_hand_cannot_be_told_by_elimination(shown, board):
    players, hole = 6, 2
    dealt_cards = players * hole + board
    closed = closed_places(shown, players, hole, dealt_cards, 52)
    hidden = {seat * hole + at for seat in range(players) if seat not in shown for at in range(hole)}
    assert hidden <= closed
    assert not closed & set(range(players * hole, dealt_cards)), "the board is open"
    assert not hidden or len(closed) == len(hidden) + 52 - dealt_cards
    assert hidden or not closed


# Records


def test_the_rows_of_a_hand_count_what_everybody_did():
    table = dealt(new_table(TableConfig(seats=3, stack=100), "ann", "Ann"), button=2)  # seats: chairs 0, 1, 2
    # The button raises, the small blind calls, bets the flop, checks the turn, bets the river; then the button folds.
    for action in (6, CALL, FOLD, 10, CALL, CALL, CALL, 20, FOLD):
        table = acted(table, action)
    assert table.hand.over
    hand, seats = table_rows("table", table, NOW)
    assert (hand["players"], hand["big_blind"], hand["number"], hand["board"]) == (3, 2, 1, "3h3s4c4d4h")
    keys = ("paid", "raised", "raises", "calls", "folded", "showdown", "street", "place", "net")
    rows = [tuple(row[key] for key in keys) for row in seats]
    assert rows[0] == (True, False, 2, 1, False, False, 3, "SB", 18)
    assert rows[1] == (False, False, 0, 0, True, False, 0, "BB", -2)
    assert rows[2] == (True, True, 1, 1, True, False, 3, "BTN", -16)
    assert [row["person_id"] for row in seats] == ["ann", None, None]
    assert seats[1]["agent"] == "blueprint:level=3"


@pytest.mark.parametrize("game", ["holdem", "leduc-nl", "leduc", "kuhn"])
def test_a_hand_can_be_read_again(game):
    config = TableConfig(game=game)
    rules = config.game_of([config.stack] * 2)
    table = dealt(new_table(config, "ann", "Ann"), deck=rules.deck, button=0)
    table = acted(table, table.hand.state.legal_actions()[-1])
    while table.playing:
        table = acted(table, CALL)
    read = read_record(write_record(played_hand(table.hand)))
    assert read.returns() == tuple(map(float, table.hand.net))
    assert read.players == table.hand.names
    assert read.state.line == table.hand.state.line
    assert CARDS[read.state.cards[0]] == CARDS[table.hand.state.cards[0]]


# Who may sit down


@pytest.fixture
def spare_registry():
    """Agents that a test registers are gone after it."""
    before = dict(AGENTS)
    yield
    AGENTS.clear()
    AGENTS.update(before)


@pytest.mark.usefixtures("spare_registry")
def test_an_agent_with_one_line_in_the_registry_sits_at_web_tables():
    register("mirror", CallAgent, "does what it likes", games=("holdem",))
    register("programs", lambda command: CallAgent(), "needs to be told what to run")
    config = TableConfig.model_validate({"opponents": [{"agent": "mirror"}]})
    assert config.opponent(1).spec == "mirror"
    told = catalogue({})
    assert {"agent": "mirror", "levels": False, "games": ["holdem"]} in told["opponents"]
    assert told["described"]["mirror"] == "does what it likes"
    assert "programs" not in told["described"]
    state = holdem().start().deal(holdem().deck)
    assert play("mirror", state.seen_by(state.player), np.random.default_rng(1)) == CALL


@pytest.mark.parametrize("game", ["holdem", "leduc-nl", "leduc", "kuhn"])
@pytest.mark.parametrize(
    "agent",
    ["strategy", "strategy:/etc/passwd", "blueprint:/etc/passwd", "blueprint:name=x", "exec:ls", "exec", "human", ""],
)
def test_no_agent_at_a_web_table_reads_files_or_runs_programs(game, agent):
    with pytest.raises(ValidationError, match="there are"):
        TableConfig.model_validate({"game": game, "opponents": [{"agent": agent}]})


def test_agents_at_web_tables_need_nothing_and_stay_offered():
    assert {*agents_at("holdem")} >= {"blueprint", "tight", "loose", "call", "random", "always-raise", "heuristic-mc"}
    for game in ("leduc-nl", "leduc", "kuhn"):
        assert {*agents_at(game)} >= {"equilibrium", "call", "random", "always-raise"}
        assert agents_at(game)[0] == "equilibrium"
    assert agents_at("holdem")[0] == "blueprint"
    assert not any(AGENTS[name].needed for game in ("holdem", "kuhn") for name in agents_at(game))
