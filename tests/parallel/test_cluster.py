"""A real Ray cluster of several nodes on this machine: the results of one thread, whatever is killed on the way."""

import json
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from cluster_tasks import cluster, tried
from ludus import games
from ludus.arena.log import read_log
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.files import load_arrays
from ludus.parallel import HERE, Work
from ludus.parallel.cluster import AHEAD, RayCluster, TaskFailed
from ludus.server.work.jobs import solving
from ludus.solvers.spot.solution import Solution
from ludus.trees.spot import Spot

pytest.importorskip("ray", reason="these tests need the extra 'ray'")
DRAWS = Work("cluster_tasks:draws", (7,))


@pytest.fixture(scope="module")
def nodes():
    with cluster(2) as started:
        yield started


@pytest.fixture
def engine(nodes):
    nodes.fill(2)
    with RayCluster(nodes.address, patience=60) as connected:
        yield connected


def test_a_node_killed_in_the_middle_changes_nothing(nodes, engine):
    expected = [*HERE.run(DRAWS, ((number,) for number in range(24)))]
    found = []
    for result in engine.run(DRAWS, ((number, 0.2) for number in range(24))):
        found.append(result)
        if len(found) == 6:
            nodes.kill()
    assert np.array(found).tobytes() == np.array(expected).tobytes()
    seen = engine.figures()
    assert (seen["engine"], seen["nodes"], seen["workers"], seen["tasks"]) == ("ray", 1, 1, 24)
    assert seen["bytes_moved"] > 24 * 8000
    again = seen["failures"] + seen["lost"]
    assert engine.told() == "1 nodes, 1 cores" + (f", {again} tasks again" if again else "")


@pytest.mark.slow
def test_a_cluster_without_cores_is_asked_for_one(nodes, engine):
    """As one that starts nodes when somebody waits for them needs to be."""
    nodes.kill()
    nodes.kill()
    while engine.workers:
        time.sleep(0.1)
    taken = []

    def tasks():
        for number in range(4):
            taken.append(number)
            if number == 0:
                nodes.fill(1)
            yield (number,)

    np.testing.assert_array_equal([*engine.run(DRAWS, tasks())], [*HERE.run(DRAWS, ((n,) for n in range(4)))])
    assert taken == [*range(4)]


@pytest.mark.slow
def test_all_nodes_killed_are_waited_for(nodes, engine):
    results = engine.run(DRAWS, ((number, 0.1) for number in range(10)))
    found = [next(results)]
    nodes.kill()
    nodes.kill()
    waiting = threading.Thread(target=lambda: found.extend(results))
    waiting.start()
    nodes.fill(1)
    waiting.join()
    np.testing.assert_array_equal(found, [*HERE.run(DRAWS, ((number,) for number in range(10)))])


@pytest.mark.slow
def test_no_node_at_all_ends_the_run_with_a_sentence(nodes, engine):
    engine.patience = 1.0
    results = engine.run(DRAWS, ((number, 0.1) for number in range(10)))
    next(results)
    nodes.kill()
    nodes.kill()
    with pytest.raises(OSError, match="the cluster has had no core for too long"):
        list(results)


def test_a_task_that_fails_twice_runs_a_third_time(engine, tmp_path):
    found = engine.run(Work("cluster_tasks:fail", (str(tmp_path), 2)), ((number,) for number in range(6)))
    assert [*found] == [*range(6)]
    assert engine.figures()["failures"] == 2


def test_a_task_that_fails_three_times_ends_the_run_with_its_error_and_its_seed(engine, tmp_path):
    work = Work("cluster_tasks:fail", (str(tmp_path), 99), seed=41)
    sentence = r"task 2 of cluster_tasks:fail \(2\) with the seed 41 has failed 3 times, last on .*: ZeroDivisionError"
    with pytest.raises(TaskFailed, match=sentence) as told:
        list(engine.run(work, ((number,) for number in range(6))))
    assert "in fail" in told.value.details
    assert len(tried(tmp_path)) == 3


def test_a_refusal_ends_the_run_at_once(engine):
    with pytest.raises(ValueError, match="nobody wants 4"):
        list(engine.run(Work("cluster_tasks:refuse"), [(4,)]))
    assert engine.figures()["failures"] == 0


def test_a_worker_killed_costs_only_its_task(engine, tmp_path):
    assert [*engine.run(Work("cluster_tasks:die", (str(tmp_path),)), ((n,) for n in range(6)))] == [*range(6)]
    assert engine.figures()["failures"] == 1


def test_what_tasks_tell_is_heard_while_they_run(engine, tmp_path):
    work = Work("cluster_tasks:say", (str(tmp_path),), tells=True)
    heard = engine.run(work, ((number,) for number in range(5)), lambda number: (tmp_path / f"heard{number}").touch())
    assert [*heard] == [*range(5)]


def test_results_can_be_written_to_as_on_one_machine(engine):
    (found,) = engine.run(DRAWS, [(3,)])
    found += 1
    np.testing.assert_array_equal(found, next(HERE.run(DRAWS, [(3,)])) + 1)


def test_tasks_that_take_a_gpu_run_where_one_is_declared_and_are_refused_where_none_is(nodes, engine):
    work = Work("cluster_tasks:gpus", gpus=1.0)
    with pytest.raises(ValueError, match="a task takes 1 GPU, and no node of the cluster has that and a core"):
        next(engine.run(work, [(0,)]))
    nodes.fill(3, num_gpus=2)
    while engine.room(1.0) < 1:  # a core for its two GPUs
        time.sleep(0.1)
    assert {*map(tuple, engine.run(work, ((number,) for number in range(4))))} <= {(0,), (1,)}
    assert engine.told() == "3 nodes, 3 cores, 2 GPUs"
    half = Work("cluster_tasks:gpus", gpus=0.5)
    assert [len(each) for each in engine.run(half, ((number,) for number in range(3)))] == [1, 1, 1]
    nodes.kill(-1)


def test_a_straggler_is_run_a_second_time(engine, tmp_path):
    begun = time.monotonic()
    assert [*engine.run(Work("cluster_tasks:straggle", (str(tmp_path),)), ((n,) for n in range(6)))] == [*range(6)]
    assert engine.figures()["run_twice"] == 1
    assert time.monotonic() - begun < 300  # the first try sleeps for twice as long


def test_only_a_few_tasks_are_out_at_a_time(engine):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield (number,)

    results = engine.run(DRAWS, tasks())
    next(results)
    assert len(taken) <= (AHEAD + 1) * engine.workers
    results.close()


def test_workers_stay_prepared_for_one_work(engine, tmp_path):
    work = Work("cluster_tasks:power", (str(tmp_path), 3), prepare="cluster_tasks:Own")
    assert [*engine.run(work, ((number,) for number in range(20)))] == [3**number for number in range(20)]
    assert len(list(tmp_path.glob("prepared*"))) <= 2


@pytest.mark.parametrize(
    ("address", "why"),
    [("nowhere", "HOST:PORT"), ("ray://x:1", "HOST:PORT"), ("127.0.0.1:1", "there is no Ray cluster at 127.0.0.1:1")],
)
def test_an_address_without_a_cluster_is_refused(address, why):
    with pytest.raises(ValueError, match=why):
        RayCluster(address)


# What commands do there


def test_a_match_has_the_same_log_although_a_node_is_killed(nodes, engine, tmp_path):
    plan = MatchPlan(games.leduc(), ("call", "random"), 400, duplicate=True, seed=3)
    killed = []

    def kill(done, total):
        if done >= total // 4 and not killed:
            killed.append(done)
            nodes.kill()

    assert play_match(plan, tmp_path / "here").complete
    assert play_match(plan, tmp_path / "there", engine, progress=kill).complete
    assert (tmp_path / "there" / "hands.log").read_bytes() == (tmp_path / "here" / "hands.log").read_bytes()
    assert killed


@pytest.mark.slow
def test_a_match_whose_driver_is_killed_goes_on_from_its_log(nodes, tmp_path):
    nodes.fill(2)
    words = [
        sys.executable,
        *["-m", "ludus", "match", "call", "random", "--game", "leduc", "--hands", "30000", "--seed", "3"],
    ]
    driver = subprocess.Popen([*words, "--out", str(tmp_path / "there"), "--ray", nodes.address])
    log = tmp_path / "there" / "hands.log"
    while not (log.exists() and log.stat().st_size > 20_000):
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    plan = MatchPlan(games.leduc(), ("call", "random"), 30_000, seed=3)
    assert len(read_log(log.parent).hands) < 30_000
    with RayCluster(nodes.address) as engine:
        assert play_match(plan, tmp_path / "there", engine).complete
    assert play_match(plan, tmp_path / "here").complete
    assert log.read_bytes() == (tmp_path / "here" / "hands.log").read_bytes()


@pytest.mark.slow
def test_commands_give_the_same_files_on_a_cluster(ludus, nodes, tmp_path, monkeypatch):
    nodes.fill(2)
    (tmp_path / "spot.toml").write_text(SPOT)
    monkeypatch.chdir(tmp_path)
    for place, more in (("here", ()), ("there", ("--ray", nodes.address))):
        for words in COMMANDS:
            code, out, err = ludus(*f"{words} --json --out {place}/{words.split()[1]}".split(), *more)
            assert code == 0, err
            assert (json.loads(out)["engine"]["engine"] == "ray") == bool(more)
        code, out, err = ludus(*f"{BLUEPRINT} {place}/blueprint --json".split(), *more)
        assert code == 0, err
    for file in FILES:
        assert Path("here", file).read_bytes() == Path("there", file).read_bytes(), file
    assert len(list(Path("there").glob("call/*/hands.log"))) == 3
    one, two = (
        load_arrays(Path(place, "blueprint.training"), "blueprint training", 1)[1] for place in ("here", "there")
    )
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in two.items()
    }
    lbr = ["lbr", "call", "--game", "leduc", "--hands", "40", "--json"]
    one, two = (json.loads(ludus(*lbr, *more)[1]) for more in ((), ("--ray", nodes.address)))
    assert (one["mbb"], one["mbb_ci95"]) == (two["mbb"], two["mbb_ci95"])


@pytest.mark.slow
def test_a_network_learns_the_same_while_a_cluster_makes_its_situations(ludus, nodes, tmp_path, monkeypatch):
    """A node is killed in the middle."""
    nodes.fill(2)
    monkeypatch.chdir(tmp_path)
    words = "train values holdem --stage river --situations 24 --block 2 --iterations 20 --steps 12 --batch 4 --json"
    code, _, err = ludus(*words.split(), "--stream", "--out", "here", "--device", "cpu")
    assert code == 0, err
    killing = threading.Thread(target=_kill_after, args=(nodes, Path("there/river.situations"), 4))
    killing.start()
    code, out, err = ludus(*words.split(), "--stream", "--out", "there", "--device", "cpu", "--ray", nodes.address)
    killing.join()
    assert code == 0, err
    assert (json.loads(out)["engine"]["engine"], json.loads(out)["engine"]["nodes"]) == ("ray", 1)
    files = [path.relative_to("here") for path in Path("here").rglob("*") if path.is_file()]
    assert len(files) == 13
    assert [file for file in files if Path("here", file).read_bytes() != Path("there", file).read_bytes()] == []


def _kill_after(nodes, folder, files):
    while len(list(folder.glob("*.safetensors"))) < files:
        time.sleep(0.05)
    nodes.kill()


@pytest.mark.slow
def test_a_sweep_runs_there(ludus, nodes, tmp_path, monkeypatch):
    nodes.fill(2)
    monkeypatch.chdir(tmp_path)
    words = ("sweep", "match call {who} --game kuhn --hands 40", "--over", "who=random always-raise", "--json")
    (one, _), (two, engine) = (
        (json.loads(out)["table"], json.loads(out)["engine"]["engine"])
        for out in (ludus(*words, "--out", place, *more)[1] for place, *more in (("a",), ("b", "--ray", nodes.address)))
    )
    assert engine == "ray"
    assert [{name: row[name] for name in row if "second" not in name} for row in one] == [
        {name: row[name] for name in row if "second" not in name} for row in two
    ]


@pytest.mark.slow
def test_experiments_and_the_solves_of_a_server_run_there(ludus, nodes, tmp_path, monkeypatch):
    nodes.fill(2)
    monkeypatch.chdir(tmp_path)
    words = (
        "reproduce",
        "all",
        "--only",
        "prisoners-dilemma,kuhn-table",
        "--page",
        "page.md",
        "--out",
        "out",
        "--json",
    )
    code, out, err = ludus(*words, "--ray", nodes.address)
    assert (code, len(json.loads(out)["done"]), json.loads(out)["failed"]) == (0, 2, {}), err
    assert "prisoner" in Path("page.md").read_text()
    job = {"spot": Spot.from_dict(tomllib.loads(RIVER)).to_dict(), "target": 1.0, "seconds": 30.0}
    one = solving.solve("here", lambda _: None, **job)
    try:
        two = solving.solve("there", lambda _: None, ray=nodes.address, **job)
    finally:
        solving._engine(nodes.address).close()
        solving._engine.cache_clear()
    assert two["summary"]["ev"] == one["summary"]["ev"]
    assert Solution.load("there").strategies[0][0].tobytes() == Solution.load("here").strategies[0][0].tobytes()


RIVER = """
board = "Ks Th 6h 4c 2s"
pot = 100
stack = 100
oop = "KK, QdJd, QcJc, 9c8c"
ip = "AA"

[sizes.river.oop]
bet = "a"
"""
SPOT = """
board = "Ks Th 6h"
pot = 100
stack = 100
oop = "AA, QJs"
ip = "QQ, KJs"

[sizes.flop]
bet = "a"
"""
COMMANDS = (
    "tournament call random always-raise --game kuhn --hands 60",
    "spot flops spot.toml --count 3 --iterations 5",
    "train values leduc --situations 64 --epochs 1",
)
BLUEPRINT = "train blueprint --stack 5 --bets small --cards aparicio --block 500 --hands 3000 --copies 3"
FILES = (
    "call/1-2-call-random/hands.log", "call/2-3-random-always-raise/hands.log", "flops/report.csv", "values",
    "values.situations",
)  # fmt: skip
