"""``ludus train``, ``ludus bench blueprint`` and ``ludus reproduce aparicio-models``, small, as a user types them."""

import json
import os
import re
import signal
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest

import ludus.cli.views.train as report
from ludus.cards.evaluator import CATEGORY, evaluate
from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.cli.views.progress import stages
from ludus.experiments.reproduce import aparicio_models
from ludus.experiments.reproduce.aparicio_models import KINDS_OF_HANDS, READINGS, TABLE, most_infosets
from ludus.games.menu import Menu
from ludus.solvers.blueprint.presets import BETS, make_abstraction
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training

SMALL = ("--stack", 10, "--cards", "aparicio", "--bets", "allin / -", "--block", "2k", "--workers", 1)


@pytest.fixture
def train(ludus):
    """Train in this process: the result as data."""

    def run(out, *words):
        code, text, err = ludus("train", "blueprint", out, *SMALL, "--json", *words)
        assert (code, err) == (0, "")
        return json.loads(text)

    return run


@pytest.fixture
def impatient(monkeypatch):
    """Ctrl-C once a training has so many blocks."""

    def stop_after(blocks):
        @contextmanager
        def bar(*_):
            def progress(training):
                if training.state.blocks >= blocks:
                    os.kill(os.getpid(), signal.SIGINT)

            yield progress

        @contextmanager
        def stages(*_):
            heard = []

            def progress(stage, done, total, unit="", figure=""):
                if done >= blocks * aparicio_models.BLOCK and not heard:
                    heard.append(stage)
                    os.kill(os.getpid(), signal.SIGINT)

            yield progress

        monkeypatch.setattr(report, "training_bar", bar)
        monkeypatch.setattr("ludus.cli.views.progress.stages", stages)

    return stop_after


def test_a_blueprint_is_trained_and_told_about(ludus, train, tmp_path):
    out, plot = tmp_path / "new" / "short.safetensors", tmp_path / "curve.png"
    found = train(out, "--hands", "30k", "--plot", plot)
    assert found["finished"]
    assert found["hands"] >= 30_000 > found["hands"] - 10_000
    assert found["hands_per_second"] == pytest.approx(found["hands"] / found["seconds"])
    assert found["nodes"] == 10
    assert found["files"] == {"blueprint": str(out), "training": str(out.with_suffix(".training")), "plot": str(plot)}
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert [point["hands"] for point in found["curve"]][-1] == found["hands"]
    assert found["curve"][-1]["regret"] < found["curve"][0]["regret"]
    assert found["curve"][-1]["infosets"] == found["infosets_seen"] <= found["infosets"]
    assert 0 < found["quantisation"]["mean"] < 0.01
    assert found["bytes"] == out.stat().st_size
    made = Blueprint.load(out)
    assert made.abstraction.game.stacks == (20, 20)
    assert made.training["command"].startswith(
        "ludus train blueprint OUT --players 2 --stack 10 --form tree --cards aparicio"
    )
    assert Training.load(out.with_suffix(".training")).state.hands == found["hands"]

    told = json.loads(ludus("train", "show", out, "--json")[1])
    assert (told["kind"], told["hands"], told["stack"]) == ("blueprint", found["hands"], 10)
    code, text, _ = ludus("train", "show", out.with_suffix(".training"))
    assert code == 0
    assert re.search(rf"^hands +{found['hands']:,}", text, re.MULTILINE)


def test_the_command_that_is_told_makes_the_same(ludus, train, tmp_path):
    train(tmp_path / "one", "--hands", "20k", "--seed", 3, "--prune", 0.5, "--threshold", -50, "--algorithm", "cfr")
    made = Blueprint.load(tmp_path / "one")
    words = re.findall(r'"[^"]*"|\S+', made.training["command"])
    words = [word.strip('"') for word in words[1:] if word != "OUT"]
    assert ludus(*words[:2], tmp_path / "two", *words[2:])[0] == 0
    again = Blueprint.load(tmp_path / "two")
    assert np.array_equal(made.strategy, again.strategy)
    assert made.abstraction == again.abstraction


def test_sizes_are_told_and_nothing_is_done(ludus, tmp_path):
    code, text, _ = ludus("train", "blueprint", tmp_path / "x", *SMALL, "--dry-run")
    assert code == 0
    assert "10 betting sequences, 169/1,521/1,521/1,521 kinds of hands: 9,802 information sets" in text
    assert "memory 0.1 MB while training" in text
    words = ("--players", 6, "--form", "aparicio", "--baseline", 0.1, "--dry-run", "--json")
    sizes = json.loads(ludus("train", "blueprint", tmp_path / "x", *words)[1])
    assert sizes["bets"] == str(Menu.parse(BETS["aparicio"]))
    assert sizes["memory_bytes"] == 12 * sizes["slots"] == 12 * 6 * sizes["infosets"]
    assert not list(tmp_path.iterdir())


def test_more_hands_go_on_as_if_never_stopped(train, tmp_path):
    straight = train(tmp_path / "straight", "--hands", "40k", "--save-every", "5k")
    part = train(tmp_path / "parts", "--hands", "12k")
    whole = train(tmp_path / "parts", "--hands", "40k")
    assert 0 < part["hands"] < whole["hands"] == straight["hands"]
    one, two = (Training.load(tmp_path / f"{name}.training") for name in ("straight", "parts"))
    assert one.walk.regret.tobytes() == two.walk.regret.tobytes()
    assert np.array_equal(Blueprint.load(tmp_path / "straight").strategy, Blueprint.load(tmp_path / "parts").strategy)
    again = train(tmp_path / "parts", "--hands", "12k")  # fewer than there are: written at once
    assert again["hands"] == whole["hands"]


def test_an_interrupt_saves_and_the_same_command_goes_on(ludus, train, impatient, monkeypatch, tmp_path):
    straight = train(tmp_path / "straight", "--hands", "30k")
    with monkeypatch.context():
        impatient(3)
        code, text, err = ludus("train", "blueprint", tmp_path / "cut", *SMALL, "--hands", "30k", "--json")
    monkeypatch.undo()
    assert code == 130
    assert (json.loads(text)["finished"], json.loads(text)["blocks"]) == (False, 3)
    assert "cut.training; the same command goes on from there" in err
    assert not (tmp_path / "cut").exists()
    train(tmp_path / "cut", "--hands", "30k")
    assert np.array_equal(Blueprint.load(tmp_path / "straight").strategy, Blueprint.load(tmp_path / "cut").strategy)
    assert straight["finished"]


def test_a_training_can_be_deleted(train, tmp_path):
    found = train(tmp_path / "x.safetensors", "--hands", "5k", "--delete-training")
    assert list(found["files"]) == ["blueprint"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.safetensors"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", 2), "seed is 1 there and 2 here"),
        (("--stack", 12), "stack is 10.0 there and 12.0 here"),
        (("--bets", "small"), "bets is a / - there and 75%; 100%"),
        (("--sampling", "outcome"), "sampling is external there and outcome here"),
        (("--block", "3k"), "block is 2000 there and 3000 here"),
        (("--players", 3, "--form", "tree"), "players is 2 there and 3 here"),
    ],
)
def test_another_training_is_not_gone_on_with(ludus, train, tmp_path, words, message):
    out = tmp_path / "x"
    train(out, "--hands", "5k")
    before = out.with_suffix(".training").read_bytes()
    code, _, err = ludus("train", "blueprint", out, *SMALL, "--hands", "90k", *words)
    assert code == 2
    assert message in err
    assert out.with_suffix(".training").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--hands", "many"), "--hands is a whole number from 1 to 1e15, such as 2000000, 1e9 or 50M, got 'many'"),
        (("--hands", "0"), "--hands is"), (("--hands", "1.5"), "--hands is"), (("--hands", "nan"), "--hands is"),
        (("--hands", "1e99"), "--hands is"), (("--hands", "1e999999999k"), "--hands is"),
        (("--hands", ""), "--hands is"),
        (("--save-every", "k"), "--save-every is"), (("--stack", "inf"), "half big blinds"),
        (("--stack", 10.3), "half big blinds"), (("--stack", "nan"), "--stack"),
        (("--form", "magic"), "one of tree, bounded, leads, seats, aparicio"),
        (("--cards", "no-such-file"), "there are no buckets 'no-such-file'"), (("--bets", "magic"), "is not a bet"),
        (("--sampling", "magic"), "sampling is one of outcome, external"), (("--epsilon", 0), "exploration"),
        (("--players", 11), "players"), (("--plot", "x.txt"), "a plot is a file ending in"),
    ],
)  # fmt: skip
def test_bad_input_is_explained_before_anything_runs(ludus, tmp_path, words, message):
    code, out, err = ludus("train", "blueprint", tmp_path / "x", *SMALL, *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not list(tmp_path.iterdir())


def test_files_that_get_in_each_others_way(ludus, tmp_path):
    code, _, err = ludus("train", "blueprint", tmp_path / "x.training", *SMALL)
    assert (code, "are different files" in err) == (2, True)
    (tmp_path / "x.training").write_bytes(b"no training")
    for words in (("blueprint", tmp_path / "x", *SMALL), ("show", tmp_path / "x.training")):
        code, _, err = ludus("train", *words)
        assert (code, "is not a file of Ludus" in err) == (2, True)
    assert ludus("train", "show", tmp_path / "nothing")[0] == 1


def test_what_the_machine_cannot_hold_is_refused(ludus, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sysconf", lambda name: 1)
    code, _, err = ludus("train", "blueprint", tmp_path / "x", *SMALL)
    assert (code, "this machine has 0.0 GB: list fewer sizes" in err) == (2, True)


# The models of Aparicio (2025)


def test_the_models_of_the_source(ludus, monkeypatch, impatient, tmp_path):
    monkeypatch.setattr(aparicio_models, "BLOCK", 10_000)
    monkeypatch.setattr(aparicio_models, "HEADS_UP_MODEL", 3)

    def models(folder, hands, *words, matches=20):
        code, text, err = ludus(
            "reproduce", "aparicio-models", "--hands", hands, "--players", "2-3", "--match-hands", matches, "--out",
            tmp_path / folder, "--json", *words,
        )  # fmt: skip
        return code, json.loads(text), err

    code, found, err = models("one", "20k", "--workers", 1)
    assert (code, err) == (0, "")
    assert [row["players"] for row in found["models"]] == [2, 3]
    assert [row["sizes"] for row in found["readings"]] == [3, 9, 11, 12]
    for row in found["models"] + found["readings"]:
        players, sizes = row["players"], row["sizes"]
        assert row["hands"] == 20_000
        assert 1000 < row["infosets"] < row["infosets_possible"] == most_infosets(players, sizes)
        assert (row["source_infosets"], row["source_save_ms"]) == TABLE[players]
        assert row["curve"][-1] == [20_000, row["infosets"]]
    for row in found["models"]:
        file = tmp_path / "one" / f"aparicio-{row['players']}p.safetensors"
        assert row["blueprint_bytes"] == file.stat().st_size
        assert Blueprint.load(file).training["hands"] == 20_000
        assert 0 <= row["style"]["pfr"] <= row["style"]["vpip"] <= 1
        assert row["style"]["aggression"] > 0
    assert (found["heads_up"]["model"], found["heads_up"]["opponent"], found["heads_up"]["hands"]) == (
        3,
        "blueprint",
        20,
    )

    impatient(3)  # of six models with two blocks each
    code, stopped, err = models("two", "20k", "--workers", 2)
    assert code == 130
    assert re.search(r"stopped after 0 hands a model; the same command goes on from there", err)
    assert 30_000 <= sum(row["hands"] for row in stopped["models"] + stopped["readings"]) <= 50_000
    assert stopped["heads_up"] is None
    monkeypatch.setattr("ludus.cli.views.progress.stages", stages)
    again = models("two", "20k", "--workers", 2)[1]
    for row, other in zip(found["models"] + found["readings"], again["models"] + again["readings"], strict=True):
        assert (row["infosets"], row["regret_mbb"], row.get("style")) == (
            other["infosets"], other["regret_mbb"], other.get("style")
        )  # fmt: skip

    timed = models("three", "1M", "--workers", 2, "--seconds", 0.1, matches=0)[1]
    assert timed["heads_up"] is None
    assert "style" not in timed["models"][0]
    assert len({row["hands"] for row in timed["models"] + timed["readings"]}) == 1
    assert timed["models"][0]["hands"] < 1_000_000


def test_fewer_sizes_cannot_have_as_many_information_sets_as_the_source_met():
    assert most_infosets(2, 9) == 96_844 > TABLE[2].infosets > most_infosets(2, 8)
    assert most_infosets(3, 10) > TABLE[3].infosets > most_infosets(3, 9) == 162_536
    for players, row in TABLE.items():
        assert row.infosets < most_infosets(players, 10)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_last_actions_that_can_be_faced_come_up(players):
    """What is met of each street with the source's three sizes, whatever the hand."""
    training = Training(make_abstraction(players, form="aparicio", bets=READINGS[3]), Method("outcome", 1, 400_000))
    training.run_block()
    rows = (training.walk.average.reshape(-1, 6) > 0).any(axis=1)
    starts = np.cumsum([0, *training.layout.by_street])
    kinds = training.abstraction.kinds
    faced = [
        rows[a:b].reshape(-1, kind).any(axis=1).sum() for a, b, kind in zip(starts, starts[1:], kinds, strict=False)
    ]
    assert faced[1] == faced[2] == faced[3]
    hands = KINDS_OF_HANDS
    assert faced[0] * hands[0] + faced[1] * sum(hands[1:]) == most_infosets(players, 3)


def test_hands_make_as_many_kinds_as_the_key_counts():
    """A hand of each class on all flops; on turns and rivers everything but less than a pair for a pair."""
    made = 0
    for kind in range(169):
        hand = COMBOS[np.flatnonzero(class_of_combo == kind)[0]]
        flops = np.array(list(combinations(np.setdiff1d(np.arange(52), hand).tolist(), 3)), np.uint8)
        cards = np.column_stack([np.tile(hand.astype(np.uint8), (len(flops), 1)), flops])
        made += len(np.unique(CATEGORY[evaluate(cards)]))
    assert (169, made, 169 * 9 - 13, 169 * 9 - 13) == KINDS_OF_HANDS


def test_the_readings_of_the_source_have_as_many_sizes_as_they_say():
    for count, bets in READINGS.items():
        (row,) = Menu.parse(bets).lists
        assert len(row.items) == count + 1
        assert {"33%", "75%", "200%", "a"} <= set(map(str, row.items))


@pytest.mark.parametrize("players", ["1", "11", "6-2", "x", "2-", "-"])
def test_bad_numbers_of_players_are_explained(ludus, tmp_path, players):
    code, _, err = ludus("reproduce", "aparicio-models", f"--players={players}", "--out", tmp_path)
    assert (code, "--players is a number from 2 to 10 or a range" in err) == (2, True)


# Speeds


def test_the_bench_has_its_keys(ludus):
    code, text, _ = ludus("bench", "blueprint", "--quick", "--json")
    assert code == 0
    found = json.loads(text)
    for key in ("outcome_sampling_hands_per_second_2p", "outcome_sampling_hands_per_second_6p",
                "external_sampling_hands_per_second_2p"):  # fmt: skip
        assert found[key] > 1000
        assert found[f"{key}_all_cores"] > 1000
    assert found["memory_bytes_6p"] == 8 * 6 * found["infosets_6p"] < 1e9
    assert found["external_sampling_cards"] == "aparicio"
    for peer in found["peers"].values():
        assert peer["ratio"] == pytest.approx(peer["ours"] / peer["per_second"])
