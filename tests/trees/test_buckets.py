"""Card abstraction: exact features, k-means in whole numbers, files, and the commands."""

import json
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.distribution import hand_equities
from ludus.cards.isomorphism import count_classes
from ludus.cards.ranges import COMBOS, class_of_combo, combo_index
from ludus.cards.strength import all_hands_strength, expected_strength, hand_strength
from ludus.compiled import cache_home
from ludus.files import load_arrays, save_arrays
from ludus.trees import bucket_building, bucket_quality
from ludus.trees.bucket_building import BucketPlan, build_buckets, deal_weights, hand_features, sample_boards
from ludus.trees.bucket_features import BINS, METHODS, OPPONENTS, SCALE, features
from ludus.trees.bucket_quality import measure_street
from ludus.trees.bucket_tables import board_index
from ludus.trees.buckets import FORMAT, KIND, SHIPPED, StreetBuckets, load_buckets, save_buckets
from ludus.trees.clusters import L1, L2, assign_all, cluster

FLOP, TURN, RIVER = (parse_cards(text) for text in ("Jh7h2c", "Jh7h2cTd", "Jh7h2cTd7s"))
ROUNDING = 0.51 / SCALE


@pytest.fixture(scope="module")
def buckets():
    return load_buckets("200")


@pytest.fixture(scope="module")
def opponents(buckets):
    return buckets.flop.opponents


def of(method, board, opponents):
    return features(method, np.array([board], np.uint8), opponents)[0]


# Features


@pytest.mark.parametrize("board", [FLOP, TURN, RIVER])
@pytest.mark.parametrize(("method", "column"), [("ehs", 1), ("ehs2", 2)])
def test_means_and_squares_are_those_of_hand_strength(board, method, column, opponents):
    expected = np.nan_to_num(all_hands_strength(board)[:, column])
    np.testing.assert_allclose(of(method, board, opponents)[:, 0] / SCALE, expected, atol=ROUNDING, rtol=0)


def at_least(strengths):
    """The share of strengths in each bin but the first, or beyond it."""
    bins = [int(round(1980 * strength) * BINS // 1981) for strength in strengths]
    return [sum(found >= at for found in bins) / len(bins) for at in range(1, BINS)]


def deck_without(*cards):
    return [card for card in range(52) if card not in cards]


@pytest.mark.parametrize("hand", ["AhKh", "7c7d", "3s2d"])
def test_a_histogram_counts_every_river(hand, opponents):
    held = parse_cards(hand)
    rivers = [hand_strength(held, (*TURN, card)) for card in deck_without(*held, *TURN)]
    found = of("emd", TURN, opponents)[combo_index(*held)] / SCALE
    np.testing.assert_allclose(found, at_least(rivers), atol=ROUNDING, rtol=0)
    assert np.array_equal(of("potential", TURN, opponents), of("emd", TURN, opponents))


def test_potential_is_the_histogram_of_the_river_and_of_the_equity_on_the_turn(opponents):
    held = parse_cards("AhKh")
    deck = deck_without(*held, *FLOP)
    rivers = [hand_strength(held, (*FLOP, *pair)) for pair in combinations(deck, 2)]
    turns = [expected_strength(held, (*FLOP, card))[0] for card in deck]
    turn_bins = [int(round(1980 * 46 * equity) * BINS // (1980 * 46 + 1)) for equity in turns]
    on_turn = [sum(found >= at for found in turn_bins) / 47 for at in range(1, BINS)]
    found = of("potential", FLOP, opponents)[combo_index(*held)] / SCALE
    np.testing.assert_allclose(found, at_least(rivers) + on_turn, atol=ROUNDING, rtol=0)
    assert np.array_equal(of("emd", FLOP, opponents), of("potential", FLOP, opponents)[:, : BINS - 1])


@pytest.mark.parametrize("board", [FLOP, TURN, RIVER])
def test_ochs_is_the_equity_against_each_cluster(board, opponents):
    found = of("ochs", board, opponents) / SCALE
    for at in range(OPPONENTS):
        theirs = (opponents[class_of_combo] == at).astype(np.float64)
        equities = np.nan_to_num(hand_equities([np.ones(len(COMBOS)), theirs], board)[0])
        np.testing.assert_allclose(found[:, at], equities, atol=ROUNDING, rtol=0)


def test_a_hand_wins_half_against_a_cluster_that_it_never_meets():
    aces = np.zeros(169, np.uint8)
    aces[0] = 1  # the only class of its cluster, of which two aces on the board leave one hand
    board = parse_cards("AhAd9c5d2s")
    found = features("ochs", np.array([board], np.uint8), aces)[0]
    assert found[combo_index(*parse_cards("AsAc")), 1] == SCALE // 2
    assert found[combo_index(*parse_cards("7s7c")), 1] == 0


def test_opponents_clusters_go_from_weak_to_strong(opponents):
    names = {name: int(opponents[class_of_combo[combo_index(*parse_cards(name))]]) for name in ("AhAd", "3h2d", "QhJh")}
    assert names["AhAd"] == OPPONENTS - 1
    assert names["3h2d"] == 0 < names["QhJh"] < OPPONENTS - 1
    assert set(opponents.tolist()) == set(range(OPPONENTS))


def test_weights_count_all_deals():
    weights = deal_weights(board_index(3)[1])
    assert int(weights.sum()) == 22100 * 1176
    assert int((weights > 0).sum()) == count_classes(2, 3)


@pytest.mark.parametrize("method", METHODS)
def test_features_of_a_sample_do_not_depend_on_threads(method, opponents):
    boards = sample_boards(5, 130, np.random.default_rng(3))
    one, weights = hand_features(method, boards, opponents)
    two, _ = hand_features(method, boards, opponents, threads=3)
    assert np.array_equal(one, two)
    assert len(one) == len(weights)


# Clusters

POINTS = st.integers(1, 4).flatmap(
    lambda wide: st.lists(
        st.lists(st.integers(0, SCALE), min_size=wide, max_size=wide), min_size=2, max_size=40, unique_by=tuple
    )
)


@given(POINTS, st.sampled_from([L1, L2]), st.integers(1, 6), st.integers(0, 5))
def test_the_nearest_centre_is_found(rows, distance, count, seed):
    points = np.array(rows, np.int16)
    weights = np.arange(1, len(points) + 1)
    centres = cluster(points, weights, min(count, len(points)), distance, np.random.default_rng(seed), 3)
    points, weights = np.concatenate([points, points[::2]]), np.concatenate([weights, weights[::2]])  # some twice
    nearest, costs, sums, held = assign_all(points, weights, centres, distance)
    gaps = np.abs(points[:, None].astype(np.int64) - centres)
    apart = (gaps if distance == L1 else gaps**2).sum(axis=2)
    assert nearest.tolist() == apart.argmin(axis=1).tolist()
    assert costs.tolist() == apart.min(axis=1).tolist()
    assert held.sum() == weights.sum()
    assert sums.sum() == (weights[:, None] * points).sum()


@pytest.mark.parametrize("distance", [L1, L2])
@pytest.mark.parametrize("seed", range(5))
def test_clusters_that_lie_apart_are_found(distance, seed):
    rng = np.random.default_rng(seed)
    middles = np.array([[1000, 1000, 1000], [1000, 7000, 1000], [6000, 2000, 6000], [7000, 7000, 7000]])
    points = (middles[rng.integers(4, size=400)] + rng.integers(-200, 201, (400, 3))).astype(np.int16)
    weights = rng.integers(1, 5, 400)
    centres = cluster(points, weights, 4, distance, rng, 20, threads=2)
    order = np.argsort(middles.sum(axis=1))
    for centre, middle in zip(centres, middles[order], strict=True):
        near = np.abs(points - middle).max(axis=1) <= 200
        mean = (weights[near, None] * points[near]).sum(axis=0) / weights[near].sum()
        np.testing.assert_allclose(centre, mean, atol=0.5)


def test_earth_moves_by_its_distance():
    """A histogram a bin away is nearer than one with a tenth of its mass moved from end to end twenty bins away."""
    centres = np.array([[0] * 9 + [SCALE] * 11, [SCALE // 10] * 20], np.int16)  # cumulative, from the top
    one_bin_on = np.array([[0] * 8 + [SCALE] * 12], np.int16)
    centres = centres[np.argsort(centres.sum(axis=1))]
    nearest, costs, _, _ = assign_all(one_bin_on, np.ones(1, np.int64), centres, L1)
    assert int(nearest[0]) == 1
    assert int(costs[0]) == SCALE


def test_more_clusters_than_points_are_refused():
    points = np.array([[1], [1], [2]], np.int16)
    with pytest.raises(ValueError, match="3 clusters ask for as many different points, but only 2"):
        cluster(points, np.ones(3, np.int64), 3, L1, np.random.default_rng(1))
    with pytest.raises(ValueError, match="1 to 65536 clusters"):
        cluster(points, np.ones(3, np.int64), 0, L1, np.random.default_rng(1))


# Buckets


def test_strong_hands_are_in_high_buckets(buckets):
    assert buckets.counts == (169, 200, 200, 200)
    for board, strong, weak in ((FLOP, "JcJd", "4s3s"), (TURN, "9h8h", "4s3s"), (RIVER, "7c7d", "4s3s")):
        found = buckets.of_board(board)
        assert found[combo_index(*parse_cards(strong))] > 170
        assert found[combo_index(*parse_cards(weak))] < 40
    assert buckets.of_board(())[combo_index(*parse_cards("AhKd"))] == class_of_combo[combo_index(*parse_cards("AhKd"))]


@pytest.mark.parametrize("board", [(1, 2), (1, 2, 52), (1, 1, 2), (1, 2, 3, 4, 5, 6)])
def test_impossible_boards_are_refused(buckets, board):
    with pytest.raises(ValueError, match=r"board|repeats"):
        buckets.of_board(board)


def test_thousands_of_buckets_fit(opponents):
    rng = np.random.default_rng(1)
    points, weights = hand_features("emd", sample_boards(4, 12, rng), opponents, threads=2)
    street = StreetBuckets(4, "emd", cluster(points, weights, 2000, L1, rng, 1, threads=2), opponents)
    found = street.of_boards(np.array([TURN], np.uint8))
    assert found.dtype == np.uint16
    assert 1500 < found.max() < 2000


@pytest.fixture
def small_plan(monkeypatch, tmp_path, opponents):
    """A plan that takes a second: few boards, no table of all flops; calls are counted by their titles."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bucket_building, "opponent_clusters", lambda *_: opponents)
    monkeypatch.setattr(bucket_building, "build_table", lambda *_: np.zeros((1755, 1326), np.uint16))
    return BucketPlan((169, 5, 6, 7), ("potential", "emd", "ochs"), seed=4, boards=(4, 6, 70), iterations=4)


def test_the_same_seed_gives_the_same_bytes(small_plan, tmp_path):
    made = []
    for number, plan in enumerate((small_plan, small_plan, replace(small_plan, seed=5))):
        path = tmp_path / f"{number}.safetensors"
        save_buckets(build_buckets(plan, threads=1 + number), path)
        made.append(path.read_bytes())
    assert made[0] == made[1] != made[2]
    loaded = load_buckets(tmp_path / "0.safetensors")
    assert loaded.counts == (169, 5, 6, 7)
    assert (loaded.methods, loaded.seed, loaded.fitted) == (small_plan.methods, 4, (4, 6, 70))
    assert not list((tmp_path / "cache" / "buckets" / "parts").iterdir())


def test_an_interrupted_build_goes_on_where_it_was(small_plan, tmp_path):
    whole = build_buckets(replace(small_plan))
    titles = []

    def stop(title, done, total):
        titles.append(title)
        if title == "clusters of the river":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_buckets(small_plan, 2, stop)
    assert "features of the flop" in titles
    titles.clear()
    again = build_buckets(small_plan, 2, lambda title, done, total: titles.append(title))
    assert set(titles) == {"features of the river", "clusters of the river"}
    assert again.digest == whole.digest


DAMAGES = {
    "a cluster that does not exist": ("opponents", {"opponents": np.full(169, 200, np.uint8)}),
    "clusters of another type": ("opponents", {"opponents": np.zeros(169)}),
    "clusters missing": ("opponents", {}),
    "centres below 0": ("flop", {"centres": np.full((5, 96), -1, np.int16)}),
    "centres of another shape": ("turn", {"centres": np.zeros((6, 3), np.int16)}),
    "more centres than planned": ("river", {"centres": np.zeros((200, 8), np.int16)}),
    "a bucket that does not exist": ("flop", {"table": np.full((1755, 1326), 200, np.uint16)}),
    "a short table": ("flop", {"table": np.zeros((3, 1326), np.uint16)}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_parts_of_an_interrupted_build_are_built_again(small_plan, damage):
    """No array of the cache folder reaches a kernel before it is known to be sound."""
    whole = build_buckets(small_plan)

    def stop(title, done, total):
        if title == "clusters of the river":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_buckets(small_plan, 1, stop)
    name, arrays = DAMAGES[damage]
    (folder,) = (cache_home() / "buckets" / "parts").iterdir()
    path = folder / f"{name}.safetensors"
    sound = load_arrays(path, bucket_building.KIND, bucket_building.FORMAT) if path.exists() else ({}, {})
    header = {"kind": bucket_building.KIND, "format": bucket_building.FORMAT}
    save_arrays(path, header, {**(sound[1] if arrays else {}), **arrays})
    titles = []
    again = build_buckets(small_plan, 1, lambda title, done, total: titles.append(title))
    assert again.digest == whole.digest
    assert ("features of the flop" in titles) == (name == "flop")


def test_the_flop_table_comes_from_the_features_that_were_fitted(opponents):
    boards = board_index(3)[1][[3, 1234]]
    points, weights = hand_features("ehs2", boards, opponents)
    centres = cluster(points, weights, 20, L1, np.random.default_rng(2), 3)
    nearest = assign_all(points, weights, centres, L1)[0]
    street = StreetBuckets(3, "ehs2", centres, opponents)
    assert np.array_equal(bucket_building._spread(boards, nearest), street.of_boards(boards))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": (100, 5, 5, 5)}, "169 before the flop"),
        ({"counts": (169, 5, 0, 5)}, "1 to 65536"),
        ({"methods": ("emd", "emd", "luck")}, "'luck' is no method"),
        ({"boards": (1, 0, 1)}, "boards for three streets"),
        ({"seed": -1}, "seed >= 0"),
    ],
)
def test_plans_are_checked(change, message):
    with pytest.raises(ValueError, match=message):
        BucketPlan(**change)


def test_too_many_buckets_for_a_street_are_told(small_plan):
    with pytest.raises(ValueError, match="river by ehs2 on 70 boards: 5000 clusters"):
        build_buckets(replace(small_plan, counts=(169, 5, 6, 5000), methods=("emd", "emd", "ehs2")))


# Files


def rewritten(tmp_path, header=None, **arrays):
    old_header, old_arrays = load_arrays(SHIPPED / "buckets-200.safetensors", KIND, FORMAT)
    path = tmp_path / "changed.safetensors"
    save_arrays(path, old_header | (header or {}), old_arrays | arrays)
    return path


@pytest.mark.parametrize(
    ("header", "arrays", "message"),
    [
        ({"methods": ["potential", "emd", "luck"]}, {}, "no method"),
        ({"methods": ["emd"]}, {}, "damaged"),
        ({"methods": 7}, {}, "damaged"),
        ({"fitted": [1]}, {}, "damaged"),
        ({"seed": "x"}, {}, "damaged"),
        ({"format": 99}, {}, "format 99"),
        ({"kind": "strategy"}, {}, "not buckets"),
        ({}, {"turn": np.zeros((200, 3), np.int16)}, "centres is int16"),
        ({}, {"turn": np.zeros((0, 48), np.int16)}, "1 to 65536 buckets"),
        ({}, {"turn": np.zeros((200, 48))}, "centres is float64"),
        ({}, {"turn": np.full((2, 48), -1, np.int16)}, "numbers from 0"),
        ({}, {"turn": np.array([[2] * 48, [1] * 48], np.int16)}, "order of their sums"),
        ({}, {"flop_table": np.full((1755, 1326), 200, np.uint16)}, "its table names 200"),
        ({}, {"flop_table": np.zeros((3, 1326), np.uint16)}, "flop_table is"),
        ({}, {"opponents": np.full(169, 8, np.uint8)}, "opponents' clusters"),
        ({}, {"opponents": np.zeros(5, np.uint8)}, "opponents is"),
    ],
)
def test_changed_files_are_refused_with_a_sentence(tmp_path, header, arrays, message):
    with pytest.raises(ValueError, match=message):
        load_buckets(rewritten(tmp_path, header, **arrays))


REFUSED = r"damaged|not a file of Ludus|holds|format"


@settings(max_examples=10)
@given(st.integers(0, 4_600_000))
def test_short_files_are_refused(tmp_path_factory, length):
    path = tmp_path_factory.mktemp("short") / "short.safetensors"
    path.write_bytes((SHIPPED / "buckets-200.safetensors").read_bytes()[:length])
    with pytest.raises(ValueError, match=REFUSED):
        load_buckets(path)


@settings(max_examples=30)
@given(st.integers(0, 1500), st.integers(1, 255))
def test_files_with_a_wrong_byte_are_refused_or_harmless(tmp_path_factory, place, change):
    data = bytearray((SHIPPED / "buckets-200.safetensors").read_bytes())
    data[place] ^= change
    path = tmp_path_factory.mktemp("wrong") / "wrong.safetensors"
    path.write_bytes(data)
    with suppress(ValueError):  # anything else is a failure, and so is a bucket that does not exist
        assert load_buckets(path).of_board(RIVER).max() < 200


def test_unknown_names_are_told_the_known_ones():
    with pytest.raises(ValueError, match=r"no buckets '17': name a file or one of .*200"):
        load_buckets("17")


# Quality and commands


def test_more_buckets_have_less_variance(opponents):
    found = measure_street("river", (5, 40), 12, opponents, iterations=5, threads=2)
    assert [(row.method, row.buckets) for row in found] == [
        (method, count) for method in ("ehs2", "emd", "ochs") for count in (5, 40)
    ]
    for few, many in zip(found[::2], found[1::2], strict=True):
        for key, variance in few.variance.items():
            assert 0 < many.variance[key] < variance
            assert 0 < few.explained[key] < many.explained[key] < 1
    by_method = {row.method: row for row in found if row.buckets == 40}
    assert by_method["emd"].variance["equity"] < by_method["ochs"].variance["equity"]
    assert by_method["ochs"].variance["opponents"] < by_method["emd"].variance["opponents"]


def test_show_tells_a_hand_and_its_mates(ludus, buckets):
    code, out, _ = ludus("buckets", "show", "200", "AhKh", "--board", "Qh7h2c", "--json")
    told = json.loads(out)
    board = parse_cards("Qh7h2c")
    found = buckets.of_board(board)
    assert code == 0
    assert told["bucket"] == found[combo_index(*parse_cards("AhKh"))]
    possible = ~np.isin(COMBOS, board).any(axis=1)
    assert told["mates"] == (possible & (found == told["bucket"])).sum()
    assert told["equity"] == pytest.approx(expected_strength(parse_cards("AhKh"), board)[0])
    code, out, _ = ludus("buckets", "show", "200", "AhKh", "--board", "Qh7h2c")
    assert code == 0
    assert f"bucket {told['bucket']} of 0..199" in out
    assert told["mates_range"] in out
    assert ludus("buckets", "show", "200", "AhKh")[1].startswith("AhKh: bucket 1 of 0..168")
    assert "turn: 200 by" in ludus("buckets", "show", "200")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "17"), "no buckets '17'"),
        (("show", "200", "AhAh"), "repeats"),
        (("show", "200", "AhKh", "--board", "Ah7h2c"), "Ah"),
        (("show", "200", "AhKh", "--board", "7h2c"), "board of 0, 3, 4 or 5"),
        (("show", "200", "Ah"), "two cards"),
        (("show", "200", "--board", "7h2c3d"), "name a hand"),
        (("build", "--counts", "169,200,200", "--out", "x"), "4 whole numbers"),
        (("build", "--counts", "169,200,200,-2", "--out", "x"), "4 whole numbers"),
        (("build", "--counts", "100,200,200,200", "--out", "x"), "169 before the flop"),
        (("build", "--flop", "luck", "--out", "x"), "no method"),
        (("build", "--out", "."), "is a folder"),
        (("report", "--streets", "preflop"), "expected streets"),
        (("report", "--plot", "x.txt"), "a plot is a file"),
    ],
)
def test_bad_input_is_one_sentence(ludus, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = ludus("buckets", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_build_writes_what_load_reads(ludus, small_plan, tmp_path):
    path = tmp_path / "small.safetensors"
    words = ("--counts", "169,5,6,7", "--boards", "4,6,70", "--seed", "4", "--iterations", "4", "--out", path)
    code, out, _ = ludus("buckets", "build", *words)
    assert code == 0
    assert "flop: 5 by potential, fitted on 4 boards" in out
    assert load_buckets(path).digest == build_buckets(small_plan).digest


def test_report_prints_a_table_and_draws(ludus, monkeypatch, tmp_path, opponents):
    monkeypatch.setattr(bucket_quality, "opponent_clusters", lambda *_: opponents)
    picture = tmp_path / "quality.png"
    words = ("--streets", "river", "--counts", "4,8", "--boards", "1,1,6", "--plot", picture)
    code, out, _ = ludus("buckets", "report", *words)
    assert code == 0
    assert "ochs" in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    code, out, _ = ludus("buckets", "report", *words[:-2], "--json")
    rows = json.loads(out)["qualities"]
    assert len(rows) == 6
    assert set(rows[0]["variance_within"]) == {"equity", "square", "histogram", "opponents"}
