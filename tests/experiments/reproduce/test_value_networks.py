"""``ludus reproduce value-networks``, small: three forms of networks on the same situations."""

import json

import numpy as np
import pytest

from ludus.nets.holdem.situations import random_situations

torch = pytest.importorskip("torch")


def test_forms_are_trained_on_the_same_situations(ludus, tmp_path, monkeypatch):
    from ludus.nets.holdem import forms

    monkeypatch.setattr(forms, "SAMPLED", 2)
    words = ("--situations", "12", "--steps", "3", "--batch", "4", "--device", "cpu", "--out", tmp_path)
    code, out, _ = ludus("reproduce", "value-networks", *words, "--json")
    found = json.loads(out)
    assert (code, [len(form["form"]) > 5 for form in found["forms"]]) == (0, [True] * 3)
    assert all(0 < form["validation_loss"] < 10 for form in found["forms"])
    assert found["forms"][2]["parameters"] < 100_000 < found["forms"][0]["parameters"]
    code, out, _ = ludus("reproduce", "value-networks", *words)
    assert code == 0
    assert "hand by hand" in out
    code, _, err = ludus("reproduce", "value-networks", "--stage", "flop", *words)
    assert (code, len(err.splitlines())) == (2, 1)


def test_other_forms_keep_to_what_values_are():
    from ludus.nets.holdem.forms import ClusterForm, DenseForm
    from ludus.nets.holdem.tensors import BoardTable

    found = random_situations(3, 5, 3, np.random.default_rng(1))
    table, generator = BoardTable.of(found.boards, torch.device("cpu")), torch.Generator().manual_seed(0)
    ranges = torch.from_numpy(found.ranges.astype(np.float32))
    for form in (ClusterForm(table, generator, 20, 8, 2), DenseForm(table, generator, 8, 2)):
        torch.nn.init.normal_(form.layers[-1].weight, generator=generator)
        values = form(table, torch.zeros(3, 2), torch.ones(3), ranges, torch.zeros_like(ranges))
        assert values.shape == ranges.shape
        assert float((values * ranges).sum(dim=(1, 2)).abs().max().detach()) < 1e-4
        assert (values[found.ranges == 0] == 0).all()
        assert values.abs().max() > 0


def test_there_are_no_more_clusters_than_kinds_of_hands():
    from ludus.nets.holdem.forms import ClusterForm
    from ludus.nets.holdem.tensors import BoardTable

    boards = random_situations(24, 5, 24, np.random.default_rng(1)).boards
    form = ClusterForm(BoardTable.of(boards, torch.device("cpu")), torch.Generator().manual_seed(0), 10**5, 8, 2)
    assert 500 < form.clusters == len(form.centres) < 24 * 1081 / 2
