"""What following the advice costs, on a few decisions."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

from ludus.agents.blueprint import BlueprintAgent
from ludus.cards.ranges import combo_index
from ludus.experiments.bench import advice as bench
from ludus.experiments.bench.advice import Judged, _judge, _spots
from ludus.games import holdem
from ludus.solvers.beliefs import reach_of
from ludus.teach.advisor import default_advisor


def test_rivers_are_advised_nearly_as_they_are_solved(ludus):
    words = ("bench", "advice", "--street", "river", "--decisions", 10, "--hands", 4, "--seed", 3)
    code, out, _ = ludus(*words, "--json")
    found = json.loads(out)
    assert code == 0
    assert {"river", "seconds", "stack_bb", "hands", "seed", "cores"} == set(found)
    river = found["river"]
    assert (river["decisions"], river["spots"], river["unsolved"]) == (10, 3, 0)
    assert 0 <= river["regret_mean"] <= river["regret_p95"] <= river["regret_max"] < 0.03
    assert river["regret_ci95"] > 0
    assert river["target_percent"] == 0.1


def spots_of(hands, seed=3):
    return next(_spots(holdem(stack=200), "turn", seed, hands))


def test_a_spot_has_the_hand_that_was_played_and_others_that_come_there():
    played, *others = spots_of(30)
    assert spots_of(1)[0].cards == played.cards
    reach = reach_of(BlueprintAgent(), played.seen_by(-1))
    for other in others:
        assert (other.line, other.board, other.player) == (played.line, played.board, played.player)
        assert other.cards[: 2 * other.player] == played.cards[: 2 * other.player]
        assert reach[combo_index(*other.hole(other.player))] > 0
    assert len({other.hole(other.player) for other in others}) > 10


def test_bad_advice_is_seen():
    """Advice that always folds, and advice that throws all chips in, lose what that loses."""
    advisor = default_advisor(holdem(stack=200), seconds=0.1)
    spot, costs = next(_spots(holdem(stack=200), "river", 3, 6)), []
    for bad in (None, min, max):
        judged, asked = Judged(), advisor
        if bad:
            asked = SimpleNamespace(
                spots=advisor.spots, beliefs=advisor.beliefs, seconds=0.1,
                advise=lambda state, bad=bad: always(advisor.advise(state), bad),
            )  # fmt: skip
        _judge(asked, spot, 0.5, judged)
        costs.append(judged.data(0.5)["regret_mean"])
    assert costs[0] < 0.02
    assert min(costs[1:]) > 5 * costs[0] + 0.02


def test_ctrl_c_keeps_what_was_found_and_judges_by_nothing_half_solved(monkeypatch):
    asked = []

    def judge(advisor, spot, target, judged):
        if asked:
            return judge_spot(advisor, spot, target, judged)
        asked.append(spot)
        judged.regrets.append([0.01, 0.03])
        judged.seconds.append(0.5)

    judge_spot = bench._judge
    monkeypatch.setattr(bench, "_judge", judge)
    monkeypatch.setattr(bench, "solve_spot", lambda *_, **__: SimpleNamespace(stopped_by="interrupt"))
    found = bench.bench_advice(("river", "turn"), 10, 0.1, 3, 100, lambda _: None)
    assert found["river"]["regret_mean"] == 0.02
    assert found["river"]["regret_ci95"] is None
    assert "turn" not in found


def always(advice, choose):
    action = choose(choice.action for choice in advice.choices)
    mixed = (replace(choice, chance=float(choice.action == action)) for choice in advice.choices)
    return replace(advice, choices=tuple(mixed))


def test_other_streets_are_refused(ludus):
    code, _, error = ludus("bench", "advice", "--street", "preflop")
    assert (code, "on the river, turn, flop, got 'preflop'" in error) == (2, True)
