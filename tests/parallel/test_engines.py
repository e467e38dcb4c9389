"""Every engine of one machine gives the same results in the same order, bounded, and tidies up."""

import numpy as np
import pytest

from ludus.parallel import HERE, Processes, Threads, Work, open_engine
from ludus.parallel.work import difference, versions

ENGINES = [HERE, Threads(3), Processes(2)]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """New processes find the helpers of the tests."""
    from paths import TESTS

    monkeypatch.setenv("PYTHONPATH", str(TESTS / "helpers"))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_results_are_those_of_one_thread_in_the_order_of_the_tasks(engine):
    work = Work("cluster_tasks:draws", (7,))
    found = [*engine.run(work, ((number,) for number in range(12)))]
    expected = [np.random.default_rng((7, number)).random(1000) for number in range(12)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_each_worker_prepares_once_and_closes_what_it_has(engine, tmp_path):
    work = Work("cluster_tasks:power", (str(tmp_path), 3), prepare="cluster_tasks:Own")
    assert [*engine.run(work, ((number,) for number in range(9)))] == [3**number for number in range(9)]
    prepared = {path.name.removeprefix("prepared") for path in tmp_path.glob("prepared*")}
    assert 1 <= len(prepared) <= engine.workers
    assert {path.name.removeprefix("closed") for path in tmp_path.glob("closed*")} == prepared


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_only_a_few_tasks_are_handed_out_ahead(engine):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield (number,)

    results = engine.run(Work("cluster_tasks:draws", (1,)), tasks())
    next(results)
    results.close()
    assert len(taken) <= 3 * engine.workers


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_what_a_task_or_its_preparation_refuses_is_told(engine, tmp_path):
    with pytest.raises(ValueError, match="nobody wants 4"):
        next(engine.run(Work("cluster_tasks:refuse"), [(4,)]))
    with pytest.raises(FileNotFoundError):
        next(engine.run(Work("cluster_tasks:power", (str(tmp_path / "no"), 3), prepare="cluster_tasks:Own"), [(4,)]))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_what_tasks_tell_is_heard_while_they_run(engine, tmp_path):
    work = Work("cluster_tasks:say", (str(tmp_path),), tells=True)
    heard = engine.run(work, ((number,) for number in range(5)), lambda number: (tmp_path / f"heard{number}").touch())
    assert [*heard] == [*range(5)]
    assert [*engine.run(work, ((number,) for number in range(5)))] == [*range(5)]  # and nobody has to listen


def test_a_listener_who_fails_holds_nobody_up(tmp_path, caplog):
    work = Work("cluster_tasks:chatter", (100,), tells=True)
    assert [*Processes(2).run(work, ((number,) for number in range(4)), lambda _: 1 / 0)] == [0, 1, 2, 3]
    assert "no longer passed on" in caplog.text


def test_a_process_that_dies_ends_the_run_with_a_sentence(tmp_path):
    with pytest.raises(OSError, match="the same command goes on"):
        list(Processes(2).run(Work("cluster_tasks:die", (str(tmp_path),)), ((number,) for number in range(5))))


def test_the_engine_is_what_options_ask_for():
    assert open_engine() is HERE
    assert (open_engine(3).name, open_engine(3).workers) == ("processes", 3)
    assert (open_engine(3, tables=8).name, open_engine(3, tables=8).workers) == ("threads", 8)
    for wrong in ({"workers": 0}, {"tables": 2, "ray": "local"}):
        with pytest.raises(ValueError, match=r"worker|--ray"):
            open_engine(**wrong)


def test_versions_name_what_differs():
    here = versions()
    assert set(here) == {"Python", "Ludus", "NumPy", "Numba", "Ludus' source"}
    assert difference(here, here) == ""
    assert difference(here | {"Ludus": "0.0.9"}, here) == f"Ludus 0.0.9 where {here['Ludus']} is wanted"
