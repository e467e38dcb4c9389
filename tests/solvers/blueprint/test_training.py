"""Training blueprints: towards the equilibrium, the same for a seed, saved and gone on with; and what is finished."""

import random
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file

from ludus.cards.evaluator import CATEGORY, evaluate
from ludus.cards.preflop import preflop_table
from ludus.cards.ranges import COMBOS, combo_index
from ludus.files import load_arrays, save_arrays
from ludus.games import CALL, holdem
from ludus.games.compiled import engine
from ludus.games.menu import Menu
from ludus.solvers.best_response import Evaluator
from ludus.solvers.blueprint import strategy as strategy_module
from ludus.solvers.blueprint import training as training_module
from ludus.solvers.blueprint.deals import DEAL, sort_hands
from ludus.solvers.blueprint.presets import BETS
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training, row_ends
from ludus.solvers.preflop import PreflopTree, flatten_tree, grow, path_to
from ludus.trees.blueprint import Abstraction
from ludus.trees.bucket_tables import BucketTables, board_index, find_board

SHORT = Abstraction(holdem(stack=20, bets=Menu.parse("allin / -")), "tree", "aparicio")
"""Ten big blinds: fold, limp or all-in before the flop, and then the hands are shown."""
LINES = {(): (), ("limp",): (CALL,), ("all-in",): (20,), ("limp", "all-in"): (CALL, 20)}
METHODS = {
    "external": Method("external", block=2000),
    "pruned": Method("external", block=2000, pruned=0.9, threshold=-20.0),
    "outcome": Method("outcome", block=20_000, epsilon=0.4),
    "baselines": Method("outcome", block=20_000, baseline=0.05),
}


def trained(method: Method, blocks: int, abstraction: Abstraction = SHORT, workers: int = 1) -> Training:
    training = Training(abstraction, method)
    for _ in range(blocks):
        training.run_block(workers)
    return training


def arrays_of(training: Training):
    return [training.walk.regret, training.walk.average, training.walk.baseline]


# Towards the equilibrium


@pytest.fixture(scope="module")
def judge():
    """The same game as the pre-flop solver has it: a checked limp is shared by equity."""
    table = preflop_table()
    tree = PreflopTree(stack=10, limp=True)
    betting = grow(tree)
    evaluator = Evaluator(flatten_tree(tree, table, betting))

    def evaluate(training: Training):
        book, rows = Blueprint.of(training)[0], []
        for at in range(len(betting)):
            if betting.children(at):
                found = book.find(SHORT.layout.rules, LINES[path_to(tree, betting, at)])
                rows.append(book.rows(found, np.arange(169)).T.ravel())
                assert len(found.actions) == len(betting.children(at))
        return evaluator.evaluate(np.concatenate(rows))

    return evaluate


@pytest.mark.parametrize("name", METHODS)
def test_training_approaches_the_equilibrium_of_a_short_game(judge, name):
    training = Training(SHORT, METHODS[name])
    start = judge(training)
    assert start.exploitability > 0.5  # big blinds a hand, of the uniform strategy
    few = judge(next(training.run(40_000)) and training)
    list(training.run(1_600_000))
    end = judge(training)
    assert end.exploitability < 0.05 < few.exploitability
    assert end.value[0] == pytest.approx(-0.0257, abs=0.03)  # which the pre-flop solver finds


def test_later_blocks_weigh_more():
    """Every walk for the big blind averages the small blind's first decision once."""
    rows = slice(0, 169 * 3)
    even = trained(replace(METHODS["external"], algorithm="cfr"), 3)
    assert even.walk.average[rows].sum() == pytest.approx(3 * 1000, rel=1e-5)
    linear = trained(METHODS["external"], 3)
    assert linear.walk.average[rows].sum() == pytest.approx((1 / 4 + 2 / 4 + 3 / 4) * 1000, rel=1e-5)


def test_what_is_measured(tmp_path):
    training = Training(SHORT, METHODS["external"])
    assert (training.seen(), training.regret()) == (0, 0.0)
    training.run_block()
    first = training.measure()
    rows = [
        array.reshape(-1, width)
        for array, width in zip(
            np.split(training.walk.regret != 0, row_ends(SHORT)[:-1, 0]), row_ends(SHORT)[:, 1], strict=True
        )
    ]
    averaged = np.split(training.walk.average != 0, row_ends(SHORT)[:-1, 0])
    met = sum(
        int((row.any(axis=1) | other.reshape(row.shape).any(axis=1)).sum())
        for row, other in zip(rows, averaged, strict=True)
    )
    assert first.infosets == training.seen() == met
    list(training.run(100_000))
    assert training.measure().regret < first.regret
    assert training.measure() is training.curve[-1]  # no second point at the same place
    assert [point.hands for point in training.curve] == [first.hands, training.state.hands]
    training.save(tmp_path / "file")
    assert Training.load(tmp_path / "file").curve == training.curve


# The same for a seed


@pytest.mark.parametrize("name", METHODS)
def test_one_worker_gives_the_same_for_a_seed_in_one_go_or_in_two(name, tmp_path):
    method = replace(METHODS[name], block=3001)
    straight, again = trained(method, 4), trained(method, 2)
    again.save(tmp_path / "half")
    resumed = Training.load(tmp_path / "half")
    assert resumed.state == again.state
    for _ in range(2):
        resumed.run_block()
    assert resumed.state[:2] == straight.state[:2]
    for one, other in zip(arrays_of(straight), arrays_of(resumed), strict=True):
        assert one.tobytes() == other.tobytes()
    other = trained(replace(method, seed=2), 4)
    assert not np.array_equal(other.walk.regret, straight.walk.regret)


def test_several_workers_play_all_hands(judge):
    training = trained(Method("outcome", block=10_001), 3, workers=3)
    assert training.state[:2] == (3, 30_003)
    many = trained(METHODS["external"], 60, workers=2)
    assert many.state.hands >= 60 * 2000
    assert judge(many).exploitability < judge(trained(METHODS["external"], 3)).exploitability


@pytest.mark.parametrize(
    ("players", "form", "bets"),
    [
        (2, "aparicio", BETS["aparicio"]),
        (6, "aparicio", BETS["aparicio"]),
        (10, "aparicio", BETS["aparicio"]),
        (4, "bounded", "allin"),
    ],
)
def test_any_table_trains(players, form, bets):
    abstraction = Abstraction(holdem(players=players, bets=Menu.parse(bets)), form, "aparicio")
    for sampling, block in (("outcome", 3000), ("external", 60)):
        training = trained(Method(sampling, block=block), 1, abstraction)
        assert training.state.hands >= block
        assert np.isfinite(training.walk.regret).all()
        assert (training.walk.average >= 0).all()
        assert 100 < training.seen() < training.layout.infosets


def test_methods_are_checked():
    for wrong, message in (
        ({"sampling": "magic"}, "sampling is one of outcome, external"),
        ({"seed": -1}, "a seed is"), ({"seed": 1.5}, "whole numbers"), ({"block": -1}, "a block has"),
        ({"epsilon": 0.0}, "exploration"), ({"baseline": 2.0}, "baseline is a share"),
        ({"pruned": -0.1}, "pruned is a share"), ({"threshold": 1.0}, "below 0"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            Method(**wrong)
    with pytest.raises(ValueError, match="1 to 256 workers"):
        Training(SHORT, METHODS["external"]).run_block(0)


def test_damaged_trainings_are_refused(tmp_path):
    path = tmp_path / "file"
    training = trained(Method("outcome", block=500, baseline=0.1), 1)
    training.save(path)
    header, arrays = load_arrays(path, training_module.KIND, training_module.FORMAT)
    assert set(arrays) == {"regret", "average", "baseline"}
    for changes, others in (
        ({"method": {}}, {"regret": arrays["regret"]}), ({"state": {"blocks": 1}}, {}), ({"state": None}, {}),
        ({"state": {"blocks": [], "hands": 1, "seconds": 1}}, {}), ({"method": {"magic": 1}}, {}),
        ({"state": {"blocks": -1, "hands": 1, "seconds": 1}}, {}), ({"abstraction": {}}, {}),
        ({"curve": 1}, {}), ({"curve": [[1]]}, {}),
        ({}, {"regret": arrays["regret"][1:]}), ({}, {"average": arrays["average"].astype(np.float64)}),
        ({}, {"regret": arrays["regret"] * np.nan}),
    ):  # fmt: skip
        save_arrays(path, header | changes, (arrays | others) if changes != {"method": {}} else others)
        with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
            Training.load(path)
    Blueprint.of(training)[0].save(path)
    with pytest.raises(ValueError, match="holds blueprint, not blueprint training"):
        Training.load(path)


# What is finished


@pytest.fixture(scope="module", params=["tree", "aparicio"])
def finished(request):
    """A training with rows that were never met, and its blueprint."""
    bets = "pot,allin;allin;- / allin;-"
    abstraction = Abstraction(holdem(stack=20, bets=Menu.parse(bets)), request.param, "aparicio")
    training = trained(Method("external", block=4000), 2, abstraction)
    return training, *Blueprint.of(training, note="a note")


def test_rows_become_bytes_with_the_loss_that_is_told(finished):
    training, book, loss = finished
    distances, weights, start = [], [], 0
    for end, width in row_ends(training.abstraction).tolist():
        average, regret = (array[start:end].reshape(-1, width).astype(float) for array in arrays_of(training)[:2][::-1])
        written = book.strategy[start:end].reshape(-1, width).astype(float)
        start = end
        source = np.where(average.sum(axis=1, keepdims=True) > 0, average, np.maximum(regret, 0))
        known = source.sum(axis=1) > 0
        assert not written[~known].any()
        source, written = source[known], written[known]
        assert (np.abs(written.sum(axis=1) - 255) <= width / 2).all()
        exact = source / source.sum(axis=1, keepdims=True)
        distances.append(np.abs(written / written.sum(axis=1, keepdims=True) - exact).sum(axis=1) / 2)
        weights.append(average[known].sum(axis=1))
    far, weight = np.concatenate(distances), np.concatenate(weights)
    assert loss.largest == pytest.approx(far.max(), rel=1e-6)
    assert loss.mean == pytest.approx((far * weight).sum() / weight.sum(), rel=1e-6)
    assert 0 < loss.mean < loss.largest < 0.01
    assert book.training["quantisation"] == loss._asdict()
    assert book.training["note"] == "a note"
    assert book.training["infosets"] == training.seen()


def test_a_blueprint_as_a_file(finished, tmp_path):
    _, book, _ = finished
    path = tmp_path / "folder" / "file"
    book.save(path)
    again = Blueprint.load(path)
    assert again.abstraction == book.abstraction
    assert again.training == book.training
    assert np.array_equal(again.strategy, book.strategy)
    assert not again.strategy.flags.writeable
    assert path.stat().st_size < len(book.strategy) + 4000  # a byte a probability


def test_damaged_and_foreign_blueprints_are_refused(finished, tmp_path):
    training, book, _ = finished
    path = tmp_path / "file"
    book.save(path)
    whole, (header, arrays) = path.read_bytes(), load_arrays(path, strategy_module.KIND, strategy_module.FORMAT)
    for damaged in (b"", whole[:100], whole[:-1], whole + b"x", b"\xff" * 200):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is not a file of Ludus"):
            Blueprint.load(path)
    game = header["abstraction"]["game"]
    odd = {**header["abstraction"], "game": {**game, "max_raises": [10**30] * 4}}
    for changes, others in (
        ({"abstraction": None}, {}), ({"training": 1}, {}), ({"format": 99}, {}), ({"abstraction": odd}, {}),
        ({}, {"strategy": arrays["strategy"][1:]}), ({}, {"strategy": arrays["strategy"].astype(np.uint16)}),
    ):  # fmt: skip
        save_arrays(path, header | changes, arrays | others)
        with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
            Blueprint.load(path)
    save_arrays(path, header, {"other": arrays["strategy"]})
    with pytest.raises(ValueError, match="has no 'strategy'"):
        Blueprint.load(path)
    training.save(path)
    with pytest.raises(ValueError, match="holds blueprint training, not blueprint"):
        Blueprint.load(path)
    with pytest.raises(FileNotFoundError):
        Blueprint.load(tmp_path / "nothing")


def test_decisions_are_found_and_rows_are_probabilities(finished):
    training, book, _ = finished
    rules = training.layout.rules
    first = book.find(rules, ())
    assert first.actions == (-1, 0, 6, 20)
    assert first.street == 0
    kinds = book.kinds(())
    rows = book.rows(first, kinds)
    assert rows.shape == (1326, 4)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    aces = combo_index(51, 50)
    places = first.start + kinds[aces] * first.stride + np.array(first.slots)
    average = training.walk.average[places]
    np.testing.assert_allclose(rows[aces], average / average.sum(), atol=0.01)
    assert book.find(rules, (-1,)) is None  # the hand is over
    flop = book.find(rules, (0, 0))
    assert flop.actions == (0, 18)
    assert flop.street == 1
    if training.abstraction.form == "tree":
        assert book.find(rules, (7,)) is None  # no such raise
    else:
        wider = book.find(engine.rules_of(holdem(stack=500)), (7,))  # another table
        assert wider.actions[:2] == (-1, 0)


def test_what_was_never_met_is_played_evenly():
    book = Blueprint(SHORT, {}, np.zeros(SHORT.layout.slots, np.uint8))
    np.testing.assert_array_equal(
        book.rows(book.find(SHORT.layout.rules, ()), np.arange(169)), np.full((169, 3), 1 / 3)
    )


def test_the_header_of_a_file_is_plain_data(finished, tmp_path):
    finished[1].save(tmp_path / "file")
    assert load_file(tmp_path / "file").keys() == {"strategy"}  # nothing that could be run


# Buckets


def test_kernels_find_the_buckets_of_hands():
    """Tables of what hands make instead of buckets: that does not change with the names of the suits either."""
    rng, players, deal = random.Random(4), 3, np.zeros(1, DEAL)[0]
    indices = [board_index(cards)[0] for cards in (3, 4, 5)]
    tables = [np.zeros((len(board_index(cards)[1]), 1326), np.uint16) for cards in (3, 4, 5)]
    for _ in range(20):
        deck = np.array(rng.sample(range(52), 2 * players + 5), np.uint8)
        for street, cards in ((1, 3), (2, 4), (3, 5)):
            row = int(find_board(indices[street - 1], deck, 2 * players, cards)) >> 5  # the only one that is asked for
            canonical = board_index(cards)[1][row]
            possible = ~np.isin(COMBOS, canonical).any(axis=1)
            hands = np.column_stack([COMBOS[possible], np.tile(canonical, (possible.sum(), 1))])
            tables[street - 1][row, possible] = CATEGORY[evaluate(hands)]
            sort_hands(BucketTables(*indices, *tables), deck, players, street, deal)
            board = deck[2 * players : 2 * players + cards]
            for seat in range(players):
                hand = np.concatenate([deck[2 * seat : 2 * seat + 2], board])
                assert deal["kind"][seat * 4 + street] == CATEGORY[evaluate(hand[None])[0]]


def test_files_of_the_version_before_say_linear_for_their_algorithm(tmp_path):
    training, path = trained(replace(METHODS["external"], algorithm="cfr"), 1), tmp_path / "old"
    training.save(path)
    header, arrays = load_arrays(path, training_module.KIND, training_module.FORMAT)
    for linear, algorithm in ((False, "cfr"), (True, "lcfr")):
        del header["method"]["algorithm" if not linear else "linear"]
        header["method"]["linear"] = linear
        save_arrays(path, header, arrays)
        assert Training.load(path).method == replace(METHODS["external"], algorithm=algorithm)


def test_blocks_are_discounted_as_the_algorithm_says():
    """By its formulas after each block: positive and negative regrets, and averages."""
    how = replace(METHODS["external"], algorithm="dcfr")
    before, after = trained(replace(how, algorithm="cfr"), 1), trained(how, 1)
    np.testing.assert_allclose(after.walk.regret, before.walk.regret / 2, rtol=1e-6)
    np.testing.assert_allclose(after.walk.average, before.walk.average / 4, rtol=1e-6)
    assert after.regret() == pytest.approx(before.regret())  # by the weight of a hand
    mixed = np.array([-3.0, 0.0, 2.0], np.float32)
    training_module._discount(mixed, np.float32(0.5), np.float32(0.25))
    assert mixed.tolist() == [-0.75, 0.0, 1.0]
    with pytest.raises(ValueError, match=r"algorithms for blueprints are cfr, lcfr, lcfr-3, dcfr, .*, got 'cfr"):
        replace(how, algorithm="cfr+")
