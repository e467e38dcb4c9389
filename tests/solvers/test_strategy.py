"""Strategies as files: what is written can be read, what is damaged is refused, what is exchanged stays the same."""

from __future__ import annotations

import csv
import io
import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludus.games import kuhn, leduc, leduc_nl, make
from ludus.games.definition import define
from ludus.solvers import Evaluator, Strategy, open_spiel, solve
from ludus.solvers.strategy import Origin, differences
from ludus.trees.flat import flatten

REFUSED = (ValueError, OSError)


def random_strategy(game, seed=0):
    """Any probabilities in every information set."""
    flat, rng = flatten(game), np.random.default_rng(seed)
    chances = [rng.dirichlet(np.ones(count)) for count in np.diff(flat.sets.offsets)]
    origin = Origin("random", {"made_by": "a test"}, seed, 1)
    return replace(Strategy.of(flat, np.zeros(flat.entries), origin), probabilities=np.concatenate(chances))


def pure_strategy(game, *rows):
    """The strategy of a small game with these probabilities, in the order of the information sets."""
    return replace(random_strategy(game), probabilities=np.array([chance for row in rows for chance in row], float))


# Files


@pytest.mark.parametrize("game", [make("rps"), kuhn(), make("kuhn3"), leduc(show_suits=True), leduc_nl()], ids=str)
def test_a_strategy_comes_back_as_it_was_and_in_the_same_bytes(game, tmp_path):
    strategy = random_strategy(game)
    first, second = tmp_path / "first", tmp_path / "deep" / "second"
    strategy.save(first)
    loaded = Strategy.load(first, game)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert loaded.game() == game
    assert (loaded.origin, loaded.names, loaded.labels) == (strategy.origin, strategy.names, strategy.labels)
    for name in ("players", "offsets", "actions", "probabilities"):
        old, new = getattr(strategy, name), getattr(loaded, name)
        assert old.dtype == new.dtype
        np.testing.assert_array_equal(old, new)
    flat = flatten(game)
    np.testing.assert_array_equal(loaded.table(flat), strategy.table(flat))


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in "ab":
        solve(leduc(), "external", iterations=3000, seed=7).strategy.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("mine", "other", "field"),
    [
        (leduc_nl("pot,allin"), leduc_nl("all"), "bets"),
        (leduc(), leduc(deck="QQKKAA"), "deck"),
        (leduc(), leduc(show_suits=True), "show suits"),
        (kuhn(), kuhn(players=3), "players"),
        (leduc_nl(), leduc_nl(stack=1000), "stacks"),
        (kuhn(), make("rps"), "kind"),
    ],
)
def test_a_strategy_is_not_loaded_into_another_game(mine, other, field, tmp_path):
    strategy = random_strategy(mine)
    strategy.save(tmp_path / "file")
    for refuse in (lambda: Strategy.load(tmp_path / "file", other), lambda: strategy.check_game(other)):
        with pytest.raises(ValueError, match=f"for another game: {field} is .* there and .* here"):
            refuse()
    with pytest.raises(ValueError, match=f"different games: {field}"):
        differences(strategy, replace(strategy, definition=define(other)))


def test_the_remedy_is_told_where_the_deck_alone_differs():
    remedy = "deck is JJQQKK there and QQKKAA here; solve it again with --deck QQKKAA"
    with pytest.raises(ValueError, match=remedy):
        random_strategy(leduc()).check_game(leduc(deck="QQKKAA"))
    with pytest.raises(ValueError, match=r"there and QQKKAA here$"):
        random_strategy(leduc()).check_game(leduc(deck="QQKKAA", show_suits=True))


def test_a_strategy_that_does_not_know_all_of_its_game_plays_uniformly_elsewhere():
    game = kuhn()
    flat, whole = flatten(game), random_strategy(game)
    part = replace(
        whole, players=whole.players[:-1], names=whole.names[:-1], offsets=whole.offsets[:-1],
        actions=whole.actions[:-2], labels=whole.labels[:-2], probabilities=whole.probabilities[:-2],
    )  # fmt: skip
    found = Strategy.of(flat, part.table(flat))
    np.testing.assert_array_equal(found.probabilities[:-2], whole.probabilities[:-2])
    assert found.probabilities[-2:].tolist() == [0.5, 0.5]
    assert part.at(1, whole.names[-1]) == {}


def test_information_sets_are_found_by_player_and_name():
    whole = random_strategy(kuhn())
    swapped = replace(whole, players=(1 - whole.players).astype(np.int8))  # nobody's sets are his own
    flat = flatten(kuhn())
    assert set(swapped.table(flat).tolist()) == {0.5}


# Damage


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """The bytes of a sound file, and where to put damaged ones."""
    path = tmp_path_factory.mktemp("damage") / "file"
    random_strategy(kuhn()).save(path)
    return path.read_bytes(), path


def refused_or_sound(path, data):
    """Load damaged bytes: what is not refused must be a strategy in every respect."""
    path.write_bytes(data)
    try:
        strategy = Strategy.load(path)
    except REFUSED:
        return None
    assert len(strategy) == len(strategy.names) == len(strategy.players)
    assert np.isfinite(strategy.probabilities).all()
    assert strategy.to_csv()
    assert json.loads(strategy.to_json())
    try:
        strategy.table(flatten(strategy.game()))
    except REFUSED:
        return None
    return strategy


@settings(max_examples=300)
@given(
    changes=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=4),
    end=st.integers(0, 5000),
    more=st.binary(max_size=9),
)
@example(changes=[], end=0, more=b"")
@example(changes=[(7, 255)], end=5000, more=b"")
def test_flipped_and_missing_bytes_never_crash(valid, changes, end, more):
    data = bytearray(valid[0])
    for at, byte in changes:
        data[at % len(data)] = byte
    refused_or_sound(valid[1], bytes(data[:end]) + more)


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(valid, data):
    valid[1].write_bytes(data)
    with pytest.raises(ValueError, match="not a file of Ludus"):
        Strategy.load(valid[1])


def unpacked(data):
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["ludus"]), data[8 + length :]


def packed(header, facts, body):
    text = facts if isinstance(facts, str) else json.dumps(facts)
    head = json.dumps({**header, "__metadata__": {"ludus": text}}).encode()
    return struct.pack("<Q", len(head)) + head + body


JUNK = [
    None, 1, -1, 1.5, 10**30, float("nan"), float("inf"), "x", [], {}, [1], [1.5], [[1, 2]], {"a": 1}, {"fractions": 1},
    {"unit": 1.5}, True,
]  # fmt: skip


def test_every_field_of_the_header_may_be_junk(valid):
    header, facts, body = unpacked(valid[0])
    assert refused_or_sound(valid[1], packed(header, facts, body)) is not None
    for name in facts:
        for junk in JUNK:
            refused_or_sound(valid[1], packed(header, {**facts, name: junk}, body))
    for name in facts["game"]:
        for junk in JUNK:
            refused_or_sound(valid[1], packed(header, {**facts, "game": {**facts["game"], name: junk}}, body))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "checkpoint"}, "holds checkpoint, not strategy"),
        ({"format": 99}, "has format 99, this version of Ludus reads 1"),
        ({"labels": ["check"]}, "damaged strategy"),
        ({"labels": {}}, "damaged strategy"),
        ({"iterations": float("inf")}, "damaged strategy"),
        ({"game": [["name", "kuhn"]]}, "damaged strategy"),
    ],
)
def test_a_wrong_header_is_named(valid, change, message):
    header, facts, body = unpacked(valid[0])
    valid[1].write_bytes(packed(header, {**facts, **change}, body))
    with pytest.raises(ValueError, match=message):
        Strategy.load(valid[1])
    for text in ("", "{", "[]", "null", "[" * 100_000, '"strategy"'):
        valid[1].write_bytes(packed(header, text, body))
        with pytest.raises(ValueError, match="file"):
            Strategy.load(valid[1])


@pytest.mark.parametrize("kind", ["F64", "F32", "BF16", "F8_E4M3", "I64", "I8", "U8", "U64", "BOOL", "C64"])
def test_arrays_of_another_kind_or_size_are_refused(valid, kind):
    header, facts, body = unpacked(valid[0])
    width = {"F32": 4, "BF16": 2, "F64": 8, "I64": 8, "U64": 8, "C64": 8}.get(kind, 1)
    for name in header.keys() - {"__metadata__"}:
        first, last = header[name]["data_offsets"]
        count = (last - first) // width
        for shape in ([count], [1, count], [10**15], [-1], []):
            changed = {**header[name], "dtype": kind, "shape": shape}
            if changed != header[name]:
                valid[1].write_bytes(packed({**header, name: changed}, facts, body))
                with pytest.raises(ValueError, match=r"damaged strategy|not a file of Ludus"):
                    Strategy.load(valid[1])


def rewritten(strategy, path, **arrays):
    replace(strategy, **arrays).save(path)
    return path


def test_numbers_that_make_no_sense_are_refused(tmp_path):
    strategy, path = random_strategy(kuhn()), tmp_path / "file"
    chances, players, offsets = strategy.probabilities, strategy.players, strategy.offsets

    def changed(array, at, value):
        copy = array.copy()
        copy[at] = value
        return copy

    for value in (float("nan"), float("inf"), -0.25, 1.5):
        with pytest.raises(ValueError, match="probabilities"):
            Strategy.load(rewritten(strategy, path, probabilities=changed(chances, 3, value)))
    for value in (-1, 2, 100):
        with pytest.raises(ValueError, match="players of the game"):
            Strategy.load(rewritten(strategy, path, players=changed(players, 0, value)))
    for at, value in ((0, 1), (1, 0), (1, 10**12), (-1, 7), (2, -(2**63))):
        with pytest.raises(ValueError, match="damaged strategy"):
            Strategy.load(rewritten(strategy, path, offsets=changed(offsets, at, value)))
    twice = (strategy.names[1], *strategy.names[1:])
    with pytest.raises(ValueError, match="a name of its own"):
        Strategy.load(rewritten(strategy, path, names=twice))
    with pytest.raises(ValueError, match="names do not match"):
        Strategy.load(rewritten(strategy, path, names=strategy.names[1:]))


def test_actions_that_the_game_does_not_have_are_refused(tmp_path):
    strategy = random_strategy(kuhn())
    strange = replace(strategy, actions=strategy.actions + 1)
    with pytest.raises(ValueError, match="not those of the game"):
        strange.table(flatten(kuhn()))


def test_what_is_not_there_or_not_a_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Strategy.load(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        Strategy.load(tmp_path)


# Purification, differences, text


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0, [0.05, 0.15, 0.8]),
        (0.05, [0.05, 0.15, 0.8]),
        (0.1, [0, 0.15 / 0.95, 0.8 / 0.95]),
        (0.2, [0, 0, 1]),
        (1, [0, 0, 1]),
    ],
)
def test_purification_leaves_out_what_is_unlikely(threshold, expected):
    found = pure_strategy(make("rps"), [0.05, 0.15, 0.8], [0.4, 0.4, 0.2]).purified(threshold)
    np.testing.assert_allclose(found.probabilities[:3], expected, rtol=1e-15)
    second = [0.4, 0.4, 0.2] if threshold <= 0.2 else [0.5, 0.5, 0]  # the likeliest stay, however unlikely
    np.testing.assert_allclose(found.probabilities[3:], second)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_thresholds_are_probabilities(threshold):
    with pytest.raises(ValueError, match="between 0 and 1"):
        random_strategy(kuhn()).purified(threshold)


def test_purifying_a_good_strategy_hurts_where_mixing_is_needed():
    game = make("rps-doubled")
    strategy = solve(game, target=1e-3).strategy
    flat = flatten(game)
    assert Evaluator(flat).evaluate(strategy.purified(0.3).table(flat)).exploitability > 0.1


def test_differences_are_total_variation_biggest_first():
    one = pure_strategy(make("rps"), [1, 0, 0], [0.5, 0.5, 0])
    two = pure_strategy(make("rps"), [0.5, 0.25, 0.25], [0, 0.2, 0.8])
    rows = differences(one, two)
    assert [(row.player, row.name, row.total_variation) for row in rows] == [
        (1, "player 1", pytest.approx(0.8)),
        (0, "player 0", pytest.approx(0.5)),
    ]
    assert rows[1].first == {"rock": 1, "paper": 0, "scissors": 0}
    assert rows[1].second == {"rock": 0.5, "paper": 0.25, "scissors": 0.25}
    assert {row.total_variation for row in differences(one, one)} == {0}


def test_json_and_csv_hold_every_number():
    strategy = random_strategy(leduc_nl())
    content = json.loads(strategy.to_json())
    assert (content["algorithm"], content["seed"], content["iterations"]) == ("random", 0, 1)
    assert content["game"] == strategy.definition
    lines = list(csv.DictReader(io.StringIO(strategy.to_csv())))
    assert [float(line["probability"]) for line in lines] == strategy.probabilities.tolist()
    assert [int(line["action"]) for line in lines] == strategy.actions.tolist()
    wanted = [(player, name, {label: p for _, label, p in actions}) for player, name, actions in strategy.rows()]
    assert [(row["player"], row["information_set"], row["actions"]) for row in content["strategy"]] == wanted
    assert wanted[0][2].keys() == {"check", "bet 200", "all-in 1100"}


# OpenSpiel

SHARED = {
    "rps": make("rps"),
    "prisoners-dilemma": make("prisoners-dilemma"),
    "kuhn": kuhn(),
    "kuhn, other ranks": kuhn(deck="234"),
    "kuhn3": kuhn(players=3),
    "leduc with suits": leduc(show_suits=True),
    "leduc": leduc(),
    "leduc-nl": leduc_nl(),
    "leduc-nl all bets": leduc_nl("all", stack=300),
}


@pytest.fixture
def pyspiel():
    return pytest.importorskip("pyspiel")


def spiel_policy(pyspiel, table):
    return pyspiel.TabularPolicy({state: [tuple(row) for row in rows] for state, rows in table.items()})


@pytest.mark.parametrize("name", SHARED)
def test_openspiel_measures_what_we_measure(pyspiel, name):
    game = SHARED[name]
    flat, unit = flatten(game), 100 if "all bets" in name else 1  # that game is played in units of 100 chips
    theirs, judge = open_spiel.spiel_game(game), Evaluator(flat)
    for seed in range(3 if len(flat.sets) < 100 else 1):
        strategy = random_strategy(game, seed)
        table = open_spiel.to_table(strategy)
        found, policy = judge.evaluate(strategy.table(flat)), spiel_policy(pyspiel, table)
        assert unit * pyspiel.nash_conv(theirs, policy) == pytest.approx(found.nash_conv, abs=1e-9)
        values = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)
        assert unit * np.array(values) == pytest.approx(np.array(found.value), abs=1e-9)
        back = open_spiel.from_table(game, json.loads(json.dumps(table)), strategy.origin)
        assert (back.names, back.labels, back.definition) == (strategy.names, strategy.labels, strategy.definition)
        np.testing.assert_array_equal(back.probabilities, strategy.probabilities)


@pytest.mark.parametrize("name", ["rps", "kuhn", "kuhn3"])
def test_a_tabular_policy_of_openspiel_and_back(pyspiel, name):
    strategy = random_strategy(SHARED[name])
    policy = open_spiel.to_policy(strategy)
    from open_spiel.python.algorithms.exploitability import nash_conv

    flat = flatten(SHARED[name])
    found = Evaluator(flat).evaluate(strategy.table(flat))
    assert nash_conv(policy.game, policy) == pytest.approx(found.nash_conv, abs=1e-9)
    back = open_spiel.from_policy(SHARED[name], policy)
    np.testing.assert_array_equal(back.probabilities, strategy.probabilities)
    assert back.origin.algorithm == "open_spiel"


def test_suits_that_disagree_are_averaged(pyspiel):
    suited = random_strategy(leduc(show_suits=True))
    found = open_spiel.from_table(leduc(), open_spiel.to_table(suited))
    one, two = suited.at(0, "Kh:"), suited.at(0, "Ks:")
    assert found.at(0, "K:") == pytest.approx({action: (one[action] + two[action]) / 2 for action in one})
    hidden = open_spiel.to_table(found)
    assert len(hidden) == len(suited) == 936
    assert open_spiel.from_table(leduc(), hidden).probabilities.tolist() == found.probabilities.tolist()


@pytest.mark.parametrize(
    "game",
    [make("holdem"), kuhn(deck="TJQKA"), leduc(deck="JJJQQQKKK"), leduc_nl("0.5,pot,allin"), leduc_nl("pot")],
    ids=lambda game: game.name,
)
def test_what_cannot_be_exchanged_is_refused(pyspiel, game):
    with pytest.raises(ValueError, match="OpenSpiel"):
        list(open_spiel.pairs(game))


@pytest.mark.parametrize(
    ("state", "rows", "message"),
    [
        ("0", None, "does not say what to do in '0'"),
        ("0", [[0, 0.5], [1, 0.4]], "sum of 1"),
        ("0", [[0, -0.5], [1, 1.5]], "sum of 1"),
        ("0", [[0, float("nan")]], "sum of 1"),
        ("0", [[7, 1.0]], "action 7 is not legal"),
        ("0", [0, 1], "pairs of action and probability"),
        ("0", "bet", "pairs of action and probability"),
        ("0", 5, "pairs of action and probability"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(pyspiel, state, rows, message):
    table = open_spiel.to_table(random_strategy(kuhn()))
    changed = {name: row for name, row in table.items() if name != state} | ({} if rows is None else {state: rows})
    with pytest.raises(ValueError, match=message):
        open_spiel.from_table(kuhn(), changed)
    assert open_spiel.from_table(kuhn(), {**table, "0": [[1, 1]]}).at(0, "Q:")[2] == 1
    with pytest.raises(ValueError, match="has states that kuhn does not have"):
        open_spiel.from_table(kuhn(), {**table, "another game's state": []})


def test_without_openspiel_one_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(ValueError, match="OpenSpiel is not installed"):
        open_spiel.to_table(random_strategy(kuhn()))
