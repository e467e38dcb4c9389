"""``ludus train`` with learners of small games, as a user types it."""

import json

import pytest


@pytest.mark.parametrize("learner", ["q-learning", "dqn", "reinforce", "actor-critic", "a3c"])
def test_figures_by_command(ludus, learner):
    code, text, err = ludus("train", learner, "kuhn", "--against", "call", "--steps", "2k", "--json")
    assert (code, err) == (0, "")
    result = json.loads(text)
    assert result["best_response_value"] == pytest.approx(1 / 3)
    assert result["value"] <= result["best_response_value"] + 1e-9
    assert ("gradient_variance" in result) == (learner == "reinforce")


def test_self_play_is_shown_with_its_file(ludus, tmp_path):
    code, text, _ = ludus("train", "q-learning", "kuhn", "--steps", "2k", "--out", tmp_path / "kuhn.strategy")
    assert code == 0
    assert "mbb/g, exactly" in text
    assert (tmp_path / "kuhn.strategy").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reinforce", "kuhn", "--form", "gae"), "form is trajectory, reward-to-go, baseline"),
        (("dqn", "kuhn3", "--against", "call"), "two players"),
        (("a3c", "kuhn", "--against", "nobody"), "nobody"),
    ],
)
def test_bad_input_is_one_sentence(ludus, words, said):
    code, _, err = ludus("train", *words)
    assert code == 2
    assert said in err
