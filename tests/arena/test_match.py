"""Matches: the same log however they are played, nothing lost or repeated, and results that agree with the theory."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from ludus import games, solvers
from ludus.agents import StrategyAgent, make
from ludus.agents.base import Event
from ludus.arena import log as log_module
from ludus.arena import match as match_module
from ludus.arena.log import NAME, read_log
from ludus.arena.match import play_match
from ludus.arena.match_units import MatchUnits
from ludus.arena.plan import MOST_GAME_HANDS, MatchPlan, read_decks, short_names
from ludus.arena.statistics import Statistics
from ludus.cards.philox import Streams, decks, uniform_at
from ludus.games import CALL, TERMINAL
from ludus.games.acpc import read_game
from ludus.parallel import Processes
from ludus.solvers.measure import expected_values

LEDUC = games.leduc_nl()


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Two strategies for no-limit Leduc, a good one and a hasty one, in files."""
    folder = tmp_path_factory.mktemp("tables")
    good = solvers.solve(LEDUC, "dcfr", iterations=150).strategy
    hasty = solvers.solve(LEDUC, "external", iterations=2000, seed=1).strategy
    paths = folder / "good.safetensors", folder / "hasty.safetensors"
    good.save(paths[0])
    hasty.save(paths[1])
    return paths, (good, hasty)


def log_of(plan: MatchPlan, out: Path, **how) -> bytes:
    assert play_match(plan, out, **how).complete
    return (out / NAME).read_bytes()


# Random numbers


def test_random_numbers_are_numpy_s():
    seed = 2**63 + 12345
    streams = Streams(seed, 3)
    for unit, hand in ((0, 0), (7, 3), (2**40, 1)):
        generators = streams.rewind(unit, hand)
        for seat, generator in enumerate(generators):
            own = [uniform_at(np.uint64(seed), *map(np.uint64, (unit, hand, seat + 1)), at) for at in range(9)]
            assert own == generator.random(9).tolist()


def test_decks_are_shuffles_and_every_card_is_as_likely_everywhere():
    rows = decks(5, 0, 20_000, tuple(range(52)), 52)
    assert (np.sort(rows, axis=1) == np.arange(52)).all()
    for place in (0, 1, 25, 51):
        counts = np.bincount(rows[:, place], minlength=52)
        assert ((counts - 20_000 / 52) ** 2 / (20_000 / 52)).sum() < 100  # chi-squared with 51 degrees, p of 5e-5
    assert (decks(5, 100, 3, tuple(range(52)), 9) == rows[100:103, :9]).all()


# The log


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("game", [LEDUC, read_game("leduc.nolimit.2p.game")], ids=["tree", "table"])
def test_the_compiled_way_gives_the_log_of_the_readable_one(tables, game, duplicate):
    agents = [StrategyAgent(table) for table in tables[1]]
    units = MatchUnits(MatchPlan(game, ("a", "b"), 3000, seed=9, duplicate=duplicate), agents)
    assert units.fast is not None
    quick = units.play(5, 1000)
    units.fast = None
    assert units.play(5, 1000) == quick


def test_tables_that_may_have_to_translate_are_not_compiled(tables):
    other = StrategyAgent(solvers.solve(games.leduc_nl("0.5,allin"), "cfr", iterations=2).strategy)
    plan = MatchPlan(read_game("leduc.nolimit.2p.game"), ("a", "b"), 100, seed=9)
    units = MatchUnits(plan, [StrategyAgent(tables[1][0]), other])
    assert units.fast is None
    assert len(units.play(0, 100)) == 100


@pytest.mark.parametrize(
    "game", [games.kuhn(), games.leduc(), games.leduc(show_suits=True)], ids=lambda game: game.name
)
def test_the_compiled_way_plays_other_small_games_too(game):
    agents = [StrategyAgent(solvers.solve(game, "cfr", iterations=n).strategy) for n in (3, 30)]
    units = MatchUnits(MatchPlan(game, ("a", "b"), 1000, seed=2), agents)
    assert units.fast is not None
    quick = units.play(0, 500)
    units.fast = None
    assert units.play(0, 500) == quick


@pytest.mark.parametrize(
    "plan",
    [
        MatchPlan(games.holdem(), ("random", "tight"), 150, seed=4),
        MatchPlan(games.holdem(players=3), ("random", "call", "loose"), 90, seed=4, duplicate=True),
        MatchPlan(games.holdem(stack=100, blinds=(5, 10)), ("random", "call"), 12, seed=4, freezeout=True),
    ],
    ids=["plain", "duplicate", "freezeout"],
)
@pytest.mark.slow
def test_the_log_is_the_same_with_any_number_of_workers(plan, tmp_path):
    assert log_of(plan, tmp_path / "one") == log_of(plan, tmp_path / "two", engine=Processes(2))


@pytest.mark.parametrize(
    "plan",
    [
        MatchPlan(games.holdem(players=3), ("random", "loose", "tight"), 60, seed=4),  # pots are split in three
        MatchPlan(games.holdem(stack=100, blinds=(5, 10)), ("random", "call"), 5, seed=4, freezeout=True),
        MatchPlan(games.leduc(), ("random", "call"), 40, seed=4, aivat="solved"),
    ],
    ids=["plain", "freezeout", "aivat"],
)
def test_a_match_in_memory_is_the_one_in_a_file_and_no_text_is_parsed(plan, tmp_path, monkeypatch):
    kept = play_match(plan, tmp_path).log

    def parsed(lines):
        raise AssertionError("a match in memory is not read from text")

    monkeypatch.setattr(log_module, "parse_hands", parsed)
    assert play_match(plan).log.hands == kept.hands


def test_every_hand_of_a_log_can_be_played_again(tmp_path):
    plan = MatchPlan(games.holdem(stack=100, blinds=(5, 10)), ("random", "loose"), 10, seed=1, freezeout=True)
    log = play_match(plan).log
    for hand in log.hands:
        assert hand.state(log.game).returns() == hand.values


def test_a_deal_is_played_from_every_seat_with_the_same_cards():
    log = play_match(MatchPlan(games.holdem(players=4), ("random", "call", "loose", "tight"), 40, duplicate=True)).log
    assert len(log.units) == 10
    for unit in log.units:
        assert len({hand.cards.split("/")[0] for hand in unit}) == 1
        for place in range(4):
            assert {hand.names[place] for hand in unit} == set(log.names)
    assert len({unit[0].cards.split("/")[0] for unit in log.units}) == 10


def test_seats_rotate_as_at_an_acpc_dealer():
    log = play_match(MatchPlan(games.holdem(players=3), ("a", "b", "c"), 5), agents=[make("call")] * 3).log
    assert [hand.names for hand in log.hands[:3]] == [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]


def test_a_match_from_recorded_decks_is_the_same_match(tmp_path, ludus):
    saved = tmp_path / "decks.txt"
    args = ("match", "random", "call", "--hands", "20", "--seed", "3", "--json")
    code, out, _ = ludus(*args, "--save-decks", str(saved))
    assert code == 0
    replayed = json.loads(ludus(*args, "--decks", str(saved))[1])
    assert replayed["mbb_per_game"] == json.loads(out)["mbb_per_game"]
    assert len(read_decks(saved, games.holdem())) == 20
    assert "are 20" in ludus("match", "random", "call", "--hands", "21", "--decks", str(saved))[2]
    saved.write_text("AhAh|KsKd/2c3c4c/5c/6c\n")
    assert "line 1" in ludus(*args, "--decks", str(saved))[2]
    saved.write_text("AhAd|KsK\n")
    assert "line 1" in ludus(*args, "--decks", str(saved))[2]


# Going on


@pytest.mark.slow
def test_a_match_killed_at_any_moment_goes_on_without_a_lost_or_repeated_hand(tmp_path):
    whole = tmp_path / "whole"
    args = ["match", "random", "loose", "--hands", "1500", "--seed", "8", "--duplicate", "--no-histories", "--out"]
    subprocess.run([sys.executable, "-m", "ludus", *args, str(whole)], check=True, capture_output=True, timeout=120)
    broken, kills = tmp_path / "broken", 0
    rng = np.random.default_rng(0)
    for attempt in range(40):
        process = subprocess.Popen(
            [sys.executable, "-m", "ludus", *args, str(broken), "--workers", str(1 + attempt % 2)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        before = _size(broken / NAME)
        deadline = time.monotonic() + 60
        while process.poll() is None and _size(broken / NAME) == before and time.monotonic() < deadline:
            time.sleep(0.005)
        if kills < 4:
            time.sleep(float(rng.random()) * 0.15)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
        if process.wait(60) == 0:
            break
    assert kills >= 3
    assert (broken / NAME).read_bytes() == (whole / NAME).read_bytes()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize("freezeout", [False, True])
def test_a_torn_log_is_cut_to_its_last_whole_unit(tmp_path, freezeout):
    game = games.holdem(stack=100, blinds=(5, 10))
    plan = MatchPlan(game, ("random", "call"), 10, seed=2, duplicate=not freezeout, freezeout=freezeout)
    whole = log_of(plan, tmp_path / "whole")
    rng = np.random.default_rng(1)
    for cut in (*rng.integers(0, len(whole), 12).tolist(), 0, len(whole) - 1):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir(exist_ok=True)
        (folder / NAME).write_bytes(whole[:cut])
        assert log_of(plan, folder) == whole


@pytest.mark.parametrize(("quick", "written"), [(0.0, [1, 2, 3, 4, 5, 6, 7, 8]), (1e9, [1, 3, 7, 8])])
def test_what_slow_players_have_played_is_written_at_once(tmp_path, monkeypatch, quick, written):
    monkeypatch.setattr(match_module, "QUICK", quick)
    told = []
    play_match(MatchPlan(games.holdem(), ("call", "tight"), 8), tmp_path, progress=lambda *at: told.append(at))
    assert told == [(units, 8) for units in written]


def test_a_match_can_be_made_longer(tmp_path):
    plan = MatchPlan(games.holdem(), ("random", "call"), 30, seed=2)
    log_of(plan, tmp_path / "a")
    longer = replace(plan, hands=60)
    assert log_of(longer, tmp_path / "a") == log_of(longer, tmp_path / "b")


def test_a_folder_of_another_match_is_refused(tmp_path):
    plan = MatchPlan(games.holdem(), ("random", "call"), 5, seed=2)
    play_match(plan, tmp_path)
    with pytest.raises(ValueError, match="seed is 2 there and 3 here"):
        play_match(replace(plan, seed=3), tmp_path)
    with pytest.raises(ValueError, match="another match"):
        play_match(replace(plan, players=("random", "loose")), tmp_path)
    lines = (tmp_path / NAME).read_text().splitlines(keepends=True)
    (tmp_path / NAME).write_text("".join([lines[0], *lines[2:]]))
    with pytest.raises(ValueError, match="damaged"):
        play_match(plan, tmp_path)
    (tmp_path / NAME).write_bytes(b"\xff\x00junk\n" * 50)
    with pytest.raises(ValueError, match="not the log of a match"):
        play_match(plan, tmp_path)
    with pytest.raises(ValueError, match="not the log of a match"):
        read_log(tmp_path)


@dataclass
class Learner:
    """Raises every hand after it has seen the opponent fold, and counts what it has seen."""

    seen: list[Event] = field(default_factory=list)

    def act(self, observation, rng):
        raises = observation.legal_actions().raises
        return raises[0] if raises and len(self.seen) % 3 == 0 else CALL

    def observe(self, event):
        self.seen.append(event)


def test_who_learns_sees_all_hands_in_order_also_after_an_interruption(tmp_path):
    plan = MatchPlan(games.holdem(), ("learner", "random"), 40, seed=6)
    whole = Learner()
    expected = play_match(plan, tmp_path / "whole", agents=[whole, make("random")])
    halves = Learner()
    play_match(replace(plan, hands=25), tmp_path / "halves", agents=[halves, make("random")])
    again = Learner()
    play_match(plan, tmp_path / "halves", agents=[again, make("random")])
    assert (tmp_path / "halves" / NAME).read_bytes() == (tmp_path / "whole" / NAME).read_bytes()
    assert [str(event.state) for event in again.seen] == [str(event.state) for event in whole.seen]
    assert [event.state.cards for event in again.seen] == [event.state.cards for event in whole.seen]
    ends = [event for event in whole.seen if event.state.player == TERMINAL]
    assert len(ends) == 40 == len(expected.log.hands)
    shown = [event for event in ends if len(event.state.live_seats()) == 2]
    assert all(-1 not in event.state.cards for event in shown)
    assert all(-1 in event.state.cards for event in ends if len(event.state.live_seats()) == 1)


# Players who break the rules


class DumbError(Exception):
    """Cannot even say what it is."""

    def __str__(self):
        raise RuntimeError


class Bad:
    """Fails in one of several ways every third time."""

    def __init__(self, how):
        self.how, self.times = how, 0

    def act(self, observation, rng):
        self.times += 1
        if self.times % 3:
            return CALL
        if self.how == "sleep":
            time.sleep(5)
        if self.how == "spin":
            while True:
                pass
        if self.how == "raise":
            raise RuntimeError("a|b:c\nd \udcff \x1b[31m")
        if self.how == "exit":
            sys.exit(3)
        if self.how == "dumb":
            raise DumbError
        return {"illegal": 10**9, "text": "call", "none": None, "fold": -1}.get(self.how, CALL)


@pytest.mark.parametrize("how", ["raise", "illegal", "text", "none", "exit", "dumb", "sleep", "spin"])
def test_who_breaks_the_rules_loses_the_hand_and_the_match_goes_on(how, tmp_path):
    limit = 0.05 if how in ("sleep", "spin") else None
    plan = MatchPlan(games.holdem(players=3), ("bad", "call", "call"), 9, seed=1, move_seconds=limit)
    log = play_match(plan, tmp_path, agents=[Bad(how), make("call"), make("call")]).log
    failed = [hand for hand in log.hands if hand.forfeits]
    assert len(log.hands) == 9
    assert failed
    for hand in failed:
        ((name, reason),) = hand.forfeits
        assert name == "bad"
        assert reason
        assert hand.values[hand.names.index("bad")] <= 0
        assert sum(hand.values) == 0
        assert hand.state(log.game).returns() == hand.values
    assert Statistics((log,)).figures(0)["forfeits"] == len(failed)


def test_small_numbers_of_numpy_are_actions_too(tmp_path):
    class Numpy:
        def act(self, observation, rng):
            raises = observation.legal_actions().raises
            return np.uint8(raises[0]) if raises and raises[0] < 256 else np.int8(CALL)

    log = play_match(MatchPlan(games.holdem(), ("numpy", "call"), 20), tmp_path, agents=[Numpy(), make("call")]).log
    assert not any(hand.forfeits for hand in log.hands)


def test_an_alarm_that_rings_at_the_last_moment_ends_no_match():
    class LastMoment:
        def act(self, observation, rng):
            until = time.perf_counter() + 0.00198
            while time.perf_counter() < until:
                pass
            return CALL

    plan = MatchPlan(LEDUC, ("late", "call"), 400, move_seconds=0.002)
    before = signal.getsignal(signal.SIGALRM)
    assert len(play_match(plan, agents=[LastMoment(), make("call")]).log.hands) == 400
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_freezeout_that_nobody_wins_ends():
    class Hopeless:
        def act(self, observation, rng):
            raise RuntimeError

    plan = MatchPlan(games.holdem(stack=100, blinds=(5, 10)), ("a", "b"), 1, freezeout=True)
    log = play_match(plan, agents=[Hopeless(), Hopeless()]).log
    assert len(log.hands) == MOST_GAME_HANDS
    assert len(log.units) == 1


def test_a_strategy_for_another_game_is_refused(tables):
    spec = f"strategy:{tables[0][0]}"
    with pytest.raises(ValueError, match="is for another game"):
        play_match(MatchPlan(games.holdem(), (spec, "call"), 5))
    with pytest.raises(ValueError, match="no freeze-outs"):
        play_match(MatchPlan(LEDUC, (spec, "call"), 5, freezeout=True))


def test_a_player_without_time_left_gives_up_every_hand():
    class Slow:
        def act(self, observation, rng):
            time.sleep(0.03)
            return CALL

    plan = MatchPlan(LEDUC, ("slow", "call"), 10, match_seconds=0.1)
    hands = play_match(plan, agents=[Slow(), make("call")]).log.hands
    assert not hands[0].forfeits
    assert all("time" in hand.forfeits[0][1] or "longer" in hand.forfeits[0][1] for hand in hands[-5:])


# What comes out


def test_a_duplicate_match_agrees_with_the_exact_value(tables):
    good, hasty = tables[1]
    plan = MatchPlan(LEDUC, ("good", "hasty"), 200_000, seed=11, duplicate=True)
    found = Statistics((play_match(plan, agents=[StrategyAgent(good), StrategyAgent(hasty)]).log,))
    exact = (expected_values(good, hasty)[0] - expected_values(hasty, good)[0]) / 2 * found.mbb
    result = found.result(0)
    assert abs(result.mean - exact) < result.ci95
    assert exact > 0
    plain = Statistics((play_match(replace(plan, duplicate=False, hands=50_000),
                                   agents=[StrategyAgent(good), StrategyAgent(hasty)]).log,))  # fmt: skip
    assert abs(plain.result(0).mean - exact) < plain.result(0).ci95


def test_freezeouts_carry_stacks_until_somebody_is_broke():
    plan = MatchPlan(games.holdem(stack=100, blinds=(5, 10)), ("random", "call"), 30, seed=5, freezeout=True)
    log = play_match(plan).log
    assert len(log.units) == 30
    for unit in log.units:
        chips = dict.fromkeys(log.names, 100.0)
        for hand in unit:
            assert min(chips.values()) > 0
            assert hand.stacks == tuple(chips[name] for name in hand.names)
            for name, won in zip(hand.names, hand.values, strict=True):
                chips[name] += won
        assert sorted(chips.values()) == [0, 200]
    figures = Statistics((log,)).figures(0)
    assert figures["average_stack"] == pytest.approx(200 * figures["match_win_rate"])
    short = play_match(replace(plan, max_hands=2)).log
    assert max(len(unit) for unit in short.units) == 2


def test_names_are_short_and_different():
    assert short_names(["call", "call", "heuristic-mc:simulations=5", "exec:python bots/b.py x", "exec:"]) == (
        "call", "call#2", "heuristic-mc", "b", "exec",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hands": 0}, "1 to"),
        ({"seed": -1}, "a seed is from 0"),
        ({"seed": 2**64}, "a seed is from 0"),
        ({"players": ("call",)}, "has 2 seats, got 1"),
        ({"freezeout": True, "duplicate": True}, "no duplicate"),
        ({"max_hands": 3}, "freeze-outs only"),
        ({"move_seconds": 0}, "a time limit is from"),
        ({"move_seconds": float("inf")}, "a time limit is from"),
        ({"match_seconds": 1e30}, "a time limit is from"),
        ({"decks": ()}, "recorded decks are 0"),
    ],
)
def test_bad_plans_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MatchPlan(**{"game": games.holdem(), "players": ("call", "call"), "hands": 10, **settings})


def test_freezeouts_need_stacks_that_can_be_lost():
    with pytest.raises(ValueError, match="equal stacks"):
        MatchPlan(games.leduc(), ("call", "call"), 1, freezeout=True)
    with pytest.raises(ValueError, match="fractions of chips"):
        MatchPlan(games.holdem(players=3, dialect="acpc"), ("call",) * 3, 1, freezeout=True)
