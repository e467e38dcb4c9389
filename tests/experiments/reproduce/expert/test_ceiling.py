"""What a table learns to win from the source's players."""

import json

import numpy as np

from ludus.experiments.reproduce.expert.ceiling import EDGES, TableLanes, cells
from ludus.rl.pictures import NUMBERS, OWN, POT, PRICE, SHARE, STREET, THEIRS


def test_every_combination_of_numbers_has_a_cell_of_its_own():
    grids = [np.concatenate([[-1.0], edges]) for edges in EDGES.values()]
    rows = np.zeros((TableLanes.sets, NUMBERS))
    rows[:, list(EDGES)] = np.stack(np.meshgrid(*grids, indexing="ij"), -1).reshape(-1, len(EDGES))
    assert sorted(cells(rows).tolist()) == list(range(TableLanes.sets))
    assert set(EDGES) == {SHARE, PRICE, OWN, THEIRS, POT, STREET}


def test_a_table_learns_to_beat_random(ludus, tmp_path):
    """A short training is already above what a caller gets, 100 chips; the same seed gives the same figures."""
    args = ("reproduce", "pricope-ceiling", "--decisions", "300000", "--games", "2000", "--opponents", "random")
    args += ("--seed", "3", "--out", str(tmp_path), "--json")
    code, out, err = ludus(*args)
    assert code == 0, err
    found = json.loads(out)
    table, expert = found["rows"]
    assert (table["player"], expert["player"]) == ("table", "expert")
    assert table["stack"] - table["stack_ci95"] > 110
    assert (table["source_stack"], expert["source_stack"]) == (173.02, 141)
    assert json.loads(ludus(*args)[1]) == found
