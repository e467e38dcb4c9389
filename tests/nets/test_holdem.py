"""Value networks of hold'em: what they know of hands, what they compute and learn, and files that are not theirs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludus.cards.card import parse_cards
from ludus.cards.ranges import CLASSES, COMBOS, class_of_combo
from ludus.cards.runouts import MOVED
from ludus.files import save_arrays
from ludus.nets.holdem.boards import KNOWN, MOST, PARTS, board_hands, read_boards
from ludus.nets.holdem.network import BLOCKED_UNIT, NUMBERS, STAGES, HandNetwork, HandShape, hand_features
from ludus.nets.holdem.shipped import load_networks, shipped_values
from ludus.nets.holdem.situations import POT, Situations, betting_ranges, random_situations
from ludus.solvers.batch.hands import rank_runouts
from ludus.solvers.leaf_values import Leaves
from ludus.solvers.spot.leaf_solvers import EquityLeaves

SMALL = HandShape(pooled=6, context=8, width=8, layers=2)
BOARDS = {0: (), 3: "Ks Th 6h", 4: "Ks Th 6h 2c", 5: "Ks Th 6h 2c 9d"}


def network(stage, seed=0, size=0.3):
    rng = np.random.default_rng(seed)
    arrays = {name: (size * rng.standard_normal(each)).astype(np.float32) for name, each in SMALL.arrays.items()}
    return HandNetwork(SMALL, arrays, stage, {})


def board(cards):
    return tuple(parse_cards(BOARDS[cards])) if cards else ()


def leaves_of(found):
    return Leaves(found.boards, np.full(len(found.boards), POT), found.stacks)


@pytest.mark.parametrize("cards", [4, 5])
def test_places_are_those_among_all_hands_on_all_endings(cards):
    means, parts = read_boards(np.array([board(cards)], np.uint8))
    ranks = rank_runouts(np.array([board(cards)], np.uint8))[0]
    combos = np.flatnonzero(means[0] >= 0)
    assert len(combos) == ranks.shape[1]
    for hand in (0, 17, 300, 900):
        places = []
        for row in ranks[ranks[:, hand] > 0]:
            live = row[row > 0]
            places.append(((live < row[hand]).sum() + (live == row[hand]).sum() / 2) / len(live))
        assert means[0, combos[hand]] / MOST == pytest.approx(np.mean(places), abs=1e-9)
        centres = (np.arange(PARTS) + 0.5) / PARTS
        share = [[np.interp(place, centres, each) for each in np.eye(PARTS)] for place in places]
        np.testing.assert_allclose(parts[0, combos[hand]], np.mean(share, axis=0), atol=1e-5)


def test_features_match_their_definition():
    hands, rng = board_hands(board(3)), np.random.default_rng(1)
    count = len(hands.combos)
    ranges = rng.random((1, 2, count)).astype(np.float32)
    ranges /= ranges.sum(axis=2, keepdims=True)
    unbet = rng.random((1, 2, count)).astype(np.float32)
    seen = [hand_features(hands, ranges, unbet[:, player], player)[0] for player in (0, 1)]
    mean = hands.known[:, 0]
    cards = [set(COMBOS[combo].tolist()) for combo in hands.combos]
    for hand in (0, 500, 1175):
        sharing = np.array([bool(cards[hand] & other) for other in cards])
        for player in (0, 1):
            own, theirs = ranges[0, player], ranges[0, 1 - player]
            expected = [
                theirs[mean > mean[hand]].sum(), theirs[mean < mean[hand]].sum(),
                own[mean > mean[hand]].sum(), own[mean < mean[hand]].sum(),
                theirs[~sharing].sum(), unbet[0, player, hand],
                *(theirs[sharing] @ hands.known[sharing, 1:] / BLOCKED_UNIT),
            ]  # fmt: skip
            np.testing.assert_allclose(seen[player][hand], expected, atol=1e-5)


def test_ranges_that_betting_makes():
    """Wide and narrow ones, of good hands rather than bad ones, some without the best; all that a board allows."""
    rng = np.random.default_rng(5)
    means = read_boards(np.argsort(rng.random((100, 52)), axis=1)[:, :3].astype(np.uint8))[0]
    weights = betting_ranges(means, rng)
    assert (weights >= 0).all()
    assert (weights <= 1).all()
    sizes = weights.sum(axis=2) ** 2 / (weights**2).sum(axis=2)
    assert (sizes < 50).sum() > 10
    assert (sizes > 400).sum() > 10
    best, middle, worst = (
        weights[:, :, class_of_combo == CLASSES.index(name)].mean(2) for name in ("AA", "KTs", "72o")
    )
    assert best.mean() > middle.mean() > 3 * worst.mean()
    assert ((best < 0.2) & (middle > 0.5)).any()


@pytest.mark.parametrize("stage", ["flop-end", "preflop-end"])
def test_what_betting_adds_settles_on_ranges_and_the_rest_follows_them(stage):
    rng = np.random.default_rng(3)
    one, two = (random_situations(3, STAGES[stage], 1, rng) for _ in range(2))
    leaves, equities = leaves_of(one), EquityLeaves().bind(leaves_of(one))
    first, then = (each.ranges.astype(np.float32) for each in (one, two._replace(boards=one.boards)))
    then = np.where(first[:, :1] > 0, then + 1e-6, 0).astype(np.float32)
    then /= then.sum(axis=2, keepdims=True)
    settling, anew = network(stage).bind_settling(leaves), network(stage).bind(leaves)
    settling.settle(first)
    for player in (0, 1):
        np.testing.assert_allclose(settling.values(first, player), anew(first)[:, player], atol=1e-3)
    later = np.stack([settling.values(then, player) for player in (0, 1)], axis=1)
    np.testing.assert_allclose((later * then).sum(axis=(1, 2)), 0, atol=2e-3 * POT)
    assert np.abs(later - anew(then)).max() > 1
    added = anew(first) - equities(first)
    shift = ((later - equities(then)) - added)[first > 0].reshape(3, 2, -1)  # the same for all hands
    np.testing.assert_allclose(shift, np.broadcast_to(shift[:, :, :1], shift.shape), atol=1e-3 * POT)
    settling.settle(then)
    np.testing.assert_allclose(settling.values(then, 0), anew(then)[:, 0], atol=1e-3)


@pytest.mark.parametrize("stage", STAGES)
def test_values_add_up_to_nothing_and_all_in_they_are_equities(stage):
    found = random_situations(3, STAGES[stage], 1, np.random.default_rng(2))
    found = found._replace(stacks=np.array([0, 5000, 90_000]))
    reach = (found.ranges * np.array([2.0, 0.5])[:, None]).astype(np.float32)
    values = network(stage).bind(leaves_of(found))(reach)
    np.testing.assert_allclose((values * reach).sum(axis=(1, 2)), 0, atol=2e-3 * POT)
    np.testing.assert_allclose(values[0], EquityLeaves().bind(leaves_of(found))(reach)[0], atol=1e-3 * POT)
    assert (values[found.ranges == 0] == 0).all()
    assert np.abs(values[1] - EquityLeaves().bind(leaves_of(found))(reach)[1]).max() > 0.01 * POT


@pytest.mark.parametrize("stage", ["flop", "turn"])
def test_other_suits_give_the_same_values(stage):
    found = random_situations(1, STAGES[stage], 1, np.random.default_rng(3))
    here = network(stage).bind(leaves_of(found))(found.ranges)
    for permutation in (5, 14):
        moved, suits = MOVED[permutation], np.arange(4)
        suits = np.array([next(COMBOS[moved[at]][0] & 3 for at in range(1326) if _both(at, suit)) for suit in suits])
        boards = found.boards & ~np.uint8(3) | suits[found.boards & 3].astype(np.uint8)
        ranges = np.zeros_like(found.ranges)
        ranges[:, :, moved] = found.ranges
        there = network(stage).bind(leaves_of(Situations(boards, found.stacks, ranges)))(ranges)
        np.testing.assert_allclose(there[:, :, moved], here, atol=1e-3 * POT)


def _both(hand, suit):
    """Whether both cards of a hand are of a suit."""
    return (COMBOS[hand] & 3 == suit).all()


def test_what_is_shipped_is_no_worse_than_betting_nothing():
    networks = shipped_values()
    assert set(networks) >= {"preflop-end", "flop", "flop-end", "turn"}
    for stage, each in networks.items():
        assert each.stage == stage
        assert each.origin["huber"] < 0.02


def test_files_of_something_else_are_refused(tmp_path):
    file = tmp_path / "turn.safetensors"
    network("turn").save(file)
    whole = file.read_bytes()
    assert HandNetwork.load(file).stage == "turn"
    np.testing.assert_allclose(HandNetwork.load(file).arrays["out"], network("turn").arrays["out"], atol=1e-3)
    file.write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="turn"):
        HandNetwork.load(file)
    broken = network("turn")
    broken.arrays["out"][0] = np.nan
    broken.save(file)
    with pytest.raises(ValueError, match="not finite"):
        HandNetwork.load(file)
    network("flop").save(file)
    with pytest.raises(ValueError, match="is the network of the stage flop"):
        load_networks(tmp_path)
    save_arrays(file, {"kind": "hand-network", "format": 1, "shape": {"pooled": 0}, "stage": "turn"}, {})
    with pytest.raises(ValueError, match="no value network of hold'em"):
        HandNetwork.load(file)
    with pytest.raises(ValueError, match="boards of 4 cards"):
        network("turn").bind(Leaves(np.zeros((1, 3), np.uint8), np.array([1]), np.array([1])))
    with pytest.raises(ValueError, match="networks stand at"):
        network("dinner")


def test_known_numbers_are_shares():
    for cards in BOARDS:
        known = board_hands(board(cards)).known
        assert known.shape[1] == KNOWN
        np.testing.assert_allclose(known[:, 1:].sum(axis=1), 1, atol=1e-4)
        assert known[:, 0].mean() == pytest.approx(0.5, abs=1e-3)


# Training


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("stage", ["river", "flop-end", "preflop-end"])
def test_pytorch_trains_what_numpy_computes(torch, stage):
    from ludus.nets.holdem.tensors import TensorNetwork
    from ludus.solvers.batch.leaves import both_anew

    found = random_situations(4, STAGES[stage], 1 if stage == "preflop-end" else 2, np.random.default_rng(4))
    reach, device = (3 * found.ranges).astype(np.float32), torch.device("cpu")
    there = both_anew(
        TensorNetwork(network(stage), device).bind_tensors(leaves_of(found), device), torch.from_numpy(reach)
    )
    here = network(stage).bind(leaves_of(found))(reach)
    np.testing.assert_allclose(there.numpy(), here, rtol=1e-3, atol=2e-3 * POT)


def test_boards_that_are_kept_are_those_that_are_read_anew(torch):
    from ludus.nets.holdem.tensors import BoardReader

    boards = np.array([[0, 5, 10, 15], [1, 6, 11, 16], [2, 7, 12, 17]], np.uint8)
    kept, anew = BoardReader(torch.device("cpu"), 2), BoardReader(torch.device("cpu"))
    for rows in ([0, 1], [2, 1], [1, 0, 2]):  # the last forgets one board as soon as it is told
        for read in ("table", "matrices"):
            for one, two in zip(getattr(kept, read)(boards[rows]), getattr(anew, read)(boards[rows]), strict=True):
                assert torch.equal(one, two)


def test_networks_of_all_stages_are_compiled_once(torch):
    from ludus.nets.holdem.tensors import BoardReader, HandModule, added

    torch._dynamo.reset()
    graphs, reader = [], BoardReader(torch.device("cpu"))
    ask = torch.compile(added, dynamic=False, backend=lambda graph, _: graphs.append(graph) or graph.forward)
    ranges = torch.full((2, 2, 1326), 1 / 1326)
    for stage, board in (("river", [0, 5, 10, 15, 20]), ("turn", [0, 5, 10, 15]), ("flop-end", [1, 6, 11])):
        table = reader.table(np.array([board], np.uint8)).part(torch.zeros(2, dtype=torch.long))
        given = table, torch.ones(2, NUMBERS), torch.ones(2), ranges, ranges
        module = HandModule.of(network(stage)).requires_grad_(False)
        found = ask(module.tensors(), module.shape.layers, *given)
        torch.testing.assert_close(found, module.added(*given))
    assert len(graphs) == 1


@pytest.mark.parametrize(("stage", "before"), [("turn-end", "river"), ("flop-end", "turn")])
def test_the_end_of_a_street_is_worth_the_mean_over_the_next_card(torch, stage, before):
    from ludus.nets.holdem.labels import Block, draw_block, label

    without = network(before)
    without.arrays["out"][:] = without.arrays["out.bias"][:] = 0  # so that betting adds nothing
    drawn = draw_block(stage, Block(2, 1), {}, 0, np.random.SeedSequence(5))
    found = label(stage, drawn, {before: without}, 1, "cpu")
    np.testing.assert_allclose(found.values, found.unbet, atol=2e-3)


def test_before_the_flop_only_betting_is_averaged_over_random_flops(torch, monkeypatch):
    from ludus.nets.holdem import labels

    monkeypatch.setattr(labels, "FLOPS", 3)
    without = network("flop")
    without.arrays["out"][:] = without.arrays["out.bias"][:] = 0
    drawn = labels.draw_block("preflop-end", labels.Block(2, 1), {}, 0, np.random.SeedSequence(5))
    found = labels.label("preflop-end", drawn, {"flop": without}, 1, "cpu")
    np.testing.assert_allclose(found.values, found.unbet, atol=5e-3)


def test_a_stage_needs_the_one_before_it(torch):
    from ludus.nets.holdem.labels import Block, draw_block, label

    with pytest.raises(ValueError, match="the stage flop learns from the network of the stage flop-end"):
        label("flop", draw_block("flop", Block(1, 1), {}, 0, np.random.SeedSequence(0)), {}, 1, "cpu")


def test_training_learns_and_repeats_itself(torch):
    from ludus.nets.holdem.labels import Block, draw_block, label
    from ludus.nets.holdem.training import HandRecipe, Memory, train_network

    drawn = [draw_block("river", Block(12, 12), {}, 0, np.random.SeedSequence(at)) for at in range(2)]
    memory = Memory([label("river", each, {}, 20, "cpu") for each in drawn], torch.device("cpu"))
    recipe = HandRecipe(steps=60, batch=8, warm_up=5, held=0.2)
    (one, told), (two, _) = (train_network("river", SMALL, memory, recipe) for _ in range(2))
    assert json.dumps(one.origin) == json.dumps(two.origin)
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)
    nothing = train_network("river", SMALL, memory, HandRecipe(steps=1, batch=8, rate=1e-9, held=0.2))[1]
    assert told[-1].huber < nothing[-1].huber


def test_showdowns_of_many_boards_are_those_of_a_few_at_a_time(torch, monkeypatch):
    from ludus.nets.holdem import labels

    drawn = labels.draw_block("river", labels.Block(7, 7), {}, 0, np.random.SeedSequence(1))
    whole = labels.label("river", drawn, {}, 1, "cpu")
    monkeypatch.setattr(labels, "BOARDS_AT_ONCE", 3)
    np.testing.assert_allclose(labels.label("river", drawn, {}, 1, "cpu").unbet, whole.unbet, atol=1e-3)
