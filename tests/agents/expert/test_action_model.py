"""Guessing what an opponent does next: the classifiers against slow references, and what a memory keeps."""

import numpy as np
import pytest

from ludus.agents.expert.guesses import (
    ACTIONS,
    AS_USUAL,
    BAYES,
    EXAMPLE,
    MODEL,
    NETWORK,
    NO_RAISE,
    NOTHING,
    WEIGHTS,
    exploit,
    guess,
    longest_run,
    mean_class,
    most_of_a_suit,
    network_logits,
    observe_spot,
)
from ludus.agents.expert.model import ActionModel, Learning, fit_bayes
from ludus.agents.opponents import CALLS, FOLDS, RAISES
from ludus.cards.card import parse_cards
from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS


def examples(count: int, seed: int = 0) -> np.ndarray:
    """Decisions of somebody who folds to large demands, and otherwise raises on boards with an ace or a king."""
    rng, found = np.random.default_rng(seed), np.zeros(count, EXAMPLE)
    for example in found:
        dealt = rng.permutation(52).astype(np.uint8)
        board = dealt[2 : 2 + rng.choice([0, 3, 4, 5])]
        owed = int(rng.integers(0, 60)) if rng.random() < 0.6 else 0
        observe_spot(example, dealt[0], dealt[1], board, owed, 40, 80, 10, rng.random() < 0.9)
        high = (board >> 2 >= 11).any() and example["can_raise"]
        example["action"] = FOLDS if owed > 30 else RAISES if high else CALLS
    return found


def board_of(text: str) -> np.ndarray:
    return np.array(parse_cards(text), np.uint8)


@pytest.mark.parametrize(
    ("board", "run", "suited"),
    [("", 0, 0), ("AhKhQh", 3, 3), ("Ah2c3d", 3, 1), ("9h9c9d4d", 1, 2), ("5h6c9d7d8s", 5, 2), ("Ks2h3h", 2, 2)],
)
def test_runs_and_suits_of_a_board(board, run, suited):
    assert longest_run(board_of(board)) == run
    assert most_of_a_suit(board_of(board)) == suited


@pytest.mark.parametrize("board", ["3h4cJh", "3h4cJh2d", "3h4cJh2d2s"])
def test_the_mean_hand_of_an_opponent_is_that_of_all_they_may_hold(board):
    own, cards = parse_cards("AdQc"), board_of(board)
    free = COMBOS[~np.isin(COMBOS, [*own, *cards]).any(axis=1)]
    ranks = evaluate(np.hstack([free, np.tile(cards, (len(free), 1))]))
    assert mean_class(*own, cards) == pytest.approx((7462 - ranks.mean()) / 7461)
    assert mean_class(*own, board_of("")) == 0


def test_naive_bayes_is_bayes_rule_with_normal_numbers():
    seen, model = examples(300), np.zeros(1, MODEL)[0]
    fit_bayes(model, seen)
    model["stage"] = BAYES
    numbers, actions = seen["numbers"], seen["action"]
    found, out = [], np.empty(ACTIONS)
    for example in seen[:50]:
        guess(model, example, out)
        found.append(out.copy())
    least = 1e-3 * numbers.var(axis=0) + 1e-6
    density = np.empty((50, ACTIONS))
    for action in range(ACTIONS):
        own = numbers[actions == action]
        off = (numbers[:50] - own.mean(axis=0)) ** 2 / (own.var(axis=0) + least)
        scale = np.sqrt(own.var(axis=0) + least)
        density[:, action] = (len(own) + 0.5) / (len(seen) + 1.5) * np.prod(np.exp(-off / 2) / scale, axis=1)
    density[~seen["can_fold"][:50], FOLDS] = 0
    density[~seen["can_raise"][:50], RAISES] = 0
    np.testing.assert_allclose(found, density / density.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-12)


def random_network(seed: int = 3) -> np.void:
    model, rng = np.zeros(1, MODEL)[0], np.random.default_rng(seed)
    for name, shape in WEIGHTS.items():
        model[name] = rng.normal(size=shape) * 0.3
    model["stage"] = NETWORK
    return model


def test_the_network_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    from ludus.agents.expert.training import PARAMETERS, logits, pictures_of

    seen, model, out = examples(30), random_network(), np.empty(ACTIONS)
    weights = {name: torch.from_numpy(np.array(model[name])) for name in PARAMETERS}
    numbers = torch.from_numpy((seen["numbers"] - model["mean"]) * model["scale"])
    wanted = logits(weights, torch.from_numpy(pictures_of(seen).astype(np.float64)), numbers).numpy()
    for example, want in zip(seen, wanted, strict=True):
        network_logits(model, example, out)
        np.testing.assert_allclose(out, want, rtol=1e-9, atol=1e-9)


def test_what_cannot_be_done_has_no_chance():
    seen, out = examples(40), np.empty(ACTIONS)
    for example in seen:
        best = guess(random_network(), example, out)
        assert out.sum() == pytest.approx(1)
        assert out[best] == out.max()
        assert out[FOLDS] == 0 or example["can_fold"]
        assert out[RAISES] == 0 or example["can_raise"]


def learnt(learning: Learning, seen: np.ndarray) -> ActionModel:
    model = ActionModel(learning)
    for example in seen:
        model.remember(example, int(example["action"]))
        model.learn()
    return model


def test_bayes_guesses_after_its_minimum_and_is_judged_out_of_sample():
    model = learnt(Learning(bayes=50, network=0), examples(49))
    assert not model.ready
    assert model.accuracy == 0
    assert model.share_right() is None
    model = learnt(Learning(bayes=50, network=0), examples(400))
    assert model.record[0]["stage"] == BAYES
    assert model.record[0]["guesses"] == 350
    assert model.share_right("right_folds") > 0.9
    assert 0.6 < model.accuracy < model.share_right() < 1


def test_the_network_takes_over_and_guesses_better():
    pytest.importorskip("torch")
    seen = examples(900)
    bayes = learnt(Learning(bayes=50, network=0), seen)
    both = learnt(Learning(bayes=50, network=300, steps=300), seen)
    assert both.record[0]["stage"] == NETWORK
    assert both.record[0]["guesses"] == 600  # its own
    assert both.share_right() > bayes.share_right()
    again = learnt(Learning(bayes=50, network=300, steps=300), seen)
    assert again.record.tobytes() == both.record.tobytes()


def test_without_pytorch_bayes_goes_on(monkeypatch):
    monkeypatch.setattr("ludus.agents.expert.model.has_torch", lambda: False)
    model = learnt(Learning(bayes=50, network=100), examples(250))
    assert model.record[0]["stage"] == BAYES
    assert model.trained == 250


def test_a_memory_is_kept_whole_and_goes_on(tmp_path):
    seen, path = examples(260), tmp_path / "memory.safetensors"
    whole = learnt(Learning(bayes=50, network=0), seen)
    half = learnt(Learning(bayes=50, network=0), seen[:130])
    half.save(path)
    back = ActionModel.load(path)
    assert back.learning == half.learning
    for example in seen[130:]:
        back.remember(example, int(example["action"]))
        back.learn()
    assert back.count == 260
    assert back.record.tobytes() == whole.record.tobytes()
    assert back.examples[:260].tobytes() == whole.examples[:260].tobytes()


def test_what_is_no_memory_is_refused(tmp_path):
    from ludus.files import load_arrays, save_arrays

    path = tmp_path / "memory.safetensors"
    learnt(Learning(bayes=50, network=0), examples(60)).save(path)
    header, arrays = load_arrays(path, "opponent-actions", 1)
    save_arrays(path, header, arrays | {"prior": arrays["prior"][:, :2]})
    with pytest.raises(ValueError, match="not a whole memory of an opponent"):
        ActionModel.load(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bayes": 5}, "at least 10 actions, got 5"),
        ({"bayes": 100, "network": 150}, "at least twice as many actions"),
        ({"steps": 0}, "above 0"),
    ],
)
def test_bad_learning_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        Learning(**settings)


def certain(action: int) -> np.void:
    """A model that always guesses one action."""
    model = np.zeros(1, MODEL)[0]
    model["stage"], model["variances"], model["prior"] = BAYES, 1.0, -50.0
    model["prior"][action] = 0.0
    return model


@pytest.mark.parametrize(
    ("action", "board", "value", "wanted"),
    [
        (FOLDS, "", 0.1, 20),  # the least raise steals as much as a larger one
        (FOLDS, "3h4cJh", 0.1, 20),
        (CALLS, "", 0.95, NO_RAISE),
        (CALLS, "", 0.1, NO_RAISE),
        (CALLS, "3h4cJh", 0.95, 30),  # the pot, for value
        (CALLS, "3h4cJh", 0.5, AS_USUAL),
        (RAISES, "3h4cJh", 0.1, AS_USUAL),
    ],
)
def test_the_exploiting_rules(action, board, value, wanted):
    spot = np.zeros(1, EXAMPLE)[0]
    observe_spot(spot, *parse_cards("AsAd"), board_of(board), 0, 20, 90, 10, True)
    found = exploit(certain(action), spot, value, 0.8, 0.9, 0, 20, 10, 10, 10, 90, 20, 100)
    assert found == wanted
    assert NOTHING == 0
