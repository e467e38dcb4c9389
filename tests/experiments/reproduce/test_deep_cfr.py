import json

import pytest

from ludus.experiments.reproduce import deep_cfr as module
from ludus.experiments.reproduce.deep_cfr import DEEP, EXACT, SINGLE, TABLES, deep_cfr


def test_contenders_stand_side_by_side(tmp_path, monkeypatch):
    """Some iterations of each on Kuhn, without OpenSpiel's."""
    monkeypatch.setattr(module, "THEIRS", {})
    report = deep_cfr("kuhn", 1.5, 1, tmp_path, lambda *_, **__: None)
    ends = {point["contender"]: point for point in report.figures["points"]}
    assert list(ends) == [DEEP, SINGLE, TABLES, EXACT]
    assert [row[0] for row in report.rows] == list(ends)
    assert ends[EXACT]["exploitability_mbb"] < 5
    for name in (DEEP, SINGLE, TABLES):
        assert ends[name]["exploitability_mbb"] < 100
    assert (tmp_path / "deep-cfr-kuhn-nodes.png").stat().st_size > 1000
    assert "does not play kuhn" in report.notes[-1]
    json.dumps(report.figures)


def test_unknown_games_are_refused(tmp_path):
    with pytest.raises(ValueError, match="kuhn, leduc, leduc-nl, got 'chess'"):
        deep_cfr("chess", 1, 1, tmp_path, lambda *_, **__: None)


@pytest.mark.slow
def test_open_spiel_takes_part():
    pytest.importorskip("pyspiel")
    run, measures = module._open_spiel("kuhn_poker", 1)
    iterations, nodes = next(run)
    (measure,) = measures.values()
    assert iterations == 1
    assert nodes > 2 * 375 * 3
    assert 0 < measure() < 0.5
