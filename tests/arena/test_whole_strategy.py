"""Whole strategies read off agents: exact where the truth is known, and refused where there is none."""

from __future__ import annotations

import json

import pytest

from ludus.agents import make
from ludus.arena.whole_strategy import whole_strategy
from ludus.games import kuhn, leduc, leduc_nl
from ludus.games import make as make_game
from ludus.solvers import expected_values, measure, solve
from ludus.trees.flat import flatten


def test_a_saved_strategy_is_read_off_as_it_is(tmp_path):
    for game in (kuhn(), leduc(), leduc_nl()):
        solved = solve(game, "dcfr", iterations=50).strategy
        solved.save(tmp_path / "one")
        read = whole_strategy(make(f"strategy:{tmp_path / 'one'}"), game)
        assert measure(read)[0].best_response == pytest.approx(measure(solved)[0].best_response)
        assert read.names == solved.names


def test_known_exploitabilities():
    (found,) = measure(whole_strategy(make("call"), kuhn()))
    assert found.value == pytest.approx((0, 0))
    # Against somebody who always calls: bet the king, show the queen down, never bluff.
    assert found.best_response == pytest.approx((1 / 3, 1 / 3))


def test_where_its_own_play_never_leads_it_is_not_asked():
    class Caller:
        asked = 0

        def strategy(self, observation):
            self.asked += 1
            assert not any(action > 0 for action in observation.line[-1][observation.player :: 2])
            return {0: 1.0}

        def act(self, observation, rng):
            return 0

    agent, game = Caller(), leduc_nl()
    read = whole_strategy(agent, game)
    assert 0 < agent.asked < len(flatten(game).sets)
    assert len(read) == len(flatten(game).sets)


def test_what_cannot_be_read_off_is_refused():
    with pytest.raises(ValueError, match="two players, kuhn3 has 3"):
        whole_strategy(make("call"), make_game("kuhn3"))
    with pytest.raises(ValueError, match="does not say how it mixes"):
        whole_strategy(object(), kuhn(), "somebody")

    class Odd:
        def strategy(self, observation):
            return {77: 1.0}

    with pytest.raises(ValueError, match="it plays 77 in"):
        whole_strategy(Odd(), kuhn())


def test_the_command(ludus, tmp_path):
    code, out, _ = ludus("exploitability", "agent:resolver:end,iterations=200", "--game", "leduc-nl", "--json")
    assert code == 0
    assert 0 < json.loads(out)["exploitability_mbb"] < 16
    code, out, _ = ludus("exploitability", "agent:tight", "--game", "leduc", "--against", "agent:call", "--json")
    found = json.loads(out)
    assert found["exploitability_mbb"] > 100
    tight, call = (whole_strategy(make(name), leduc()) for name in ("tight", "call"))
    assert found["against"]["first_seat"] == pytest.approx(expected_values(tight, call)[0])
    solve(leduc(), "dcfr", iterations=5).strategy.save(tmp_path / "a")
    code, _, err = ludus("exploitability", tmp_path / "a", "--game", "leduc")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "--game, --bets and --stack are for agents" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("agent:nobody",), "there is no player 'nobody' here"),
        (("agent:resolver", "--game", "holdem"), "not in holdem"),
        (("agent:call", "--game", "kuhn3"), "two players"),
        (("agent:resolver:nowhere.values",), "there is no file nowhere.values"),
        (("agent:resolver:network", "--game", "leduc", "--bets", "all"), "leduc has no --bets"),
    ],
)
def test_bad_requests_are_one_sentence(ludus, words, message):
    code, out, err = ludus("exploitability", *words)
    assert code in (1, 2)
    assert not out
    assert message in err
    assert len(err.splitlines()) == 1
