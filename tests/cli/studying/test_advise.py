"""``ludus advise``: every way to tell a situation, what is printed, and what is refused."""

import json

import pytest

from ludus.agents import LooseAgent
from ludus.games import holdem
from ludus.games.record import replay
from ludus.protocols.histories import PlayedHand, write_phh, write_phhs
from ludus.teach import advisor
from ludus.teach.advisor import Advisor
from reference_playout import PlayOut

TEXT = "3 players, 100bb; hero BB AhKh; BTN r3bb, SB f"


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Advice by a simple player, without solving: what it says matters here, not how good it is."""

    def quick(game, blueprint=None, seconds=1.0, seed=1):
        if blueprint == "nowhere":
            raise ValueError("there is no blueprint 'nowhere'")
        return Advisor(LooseAgent(), PlayOut(LooseAgent(), 4), seconds, solve=False)

    monkeypatch.setattr(advisor, "default_advisor", quick)


def test_the_panel_says_everything(ludus, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = ludus("advise", "3 players, 100bb; hero BB QhJh; BTN r3bb, SB c, c; flop Ts9d4c: x, x, b75%, c")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    for part in (
        "3 players, you are BB with Q♥ J♥", "6.75 bb to call", "pre-flop: BTN raise to 3 bb, SB call 2.5 bb",
        "flop T♠ 9♦ 4♣: SB check, BB check, BTN bet 6.75 bb", "call 6.75 bb", "EV, bb", "equity",
        "against all 2 opponents, pot odds 23 %",
        "minimum defence 57 %", "outs:", "SB ", "BTN ", "% of hands, you have", "at pot odds of 23 %", "blueprint, ",
    ):  # fmt: skip
        assert part in out, part


def test_a_wide_terminal_gets_no_endless_lines(ludus, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert {len(line) for line in ludus("advise", TEXT)[1].splitlines()} == {100}


def test_json_has_the_same_in_chips(ludus):
    code, out, _ = ludus("advise", TEXT, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["place"], found["cards"], found["pot"], found["to_call"]) == ("BB", "AhKh", 450, 200)
    fold = {"action": -1, "name": "fold", "chance": 0.0, "value": 0.0, "error": 0.0, "best": False}
    assert found["choices"][0] == fold
    assert found["choices"][1]["name"] == "call 200"
    assert sum(choice["chance"] for choice in found["choices"]) == pytest.approx(1)
    assert found["pot_odds"] == pytest.approx(200 / 650)
    assert [each["place"] for each in found["opponents"]] == ["BTN"]
    assert found["source"] == "blueprint"


def test_text_json_options_and_standard_input_tell_the_same(ludus):
    told = {"players": 3, "stack": "100bb", "cards": "AhKh", "actions": "BTN r3bb, SB f"}
    ways = (
        (TEXT,), (json.dumps(told),), ("-",),
        ("--seats", 3, "--stack", "100bb", "--blinds", "50/100", "--cards", "AhKh", "--actions", "BTN r3bb, SB f"),
    )  # fmt: skip
    found = [json.loads(ludus("advise", *way, "--json", stdin=TEXT)[1]) for way in ways]
    for each in found:
        assert {**each, "seconds": 0} == {**found[0], "seconds": 0}


def test_ranges_as_charts(ludus):
    code, out, _ = ludus("advise", TEXT, "--range-grid")
    chart = out[out.index("range of BTN") :].splitlines()
    assert code == 0
    assert chart[1].split() == list("AKQJT98765432")
    assert [row[0] for row in chart[2:15]] == list("AKQJT98765432")
    assert chart[2].split()[1] == "100"  # aces
    assert max(map(len, chart)) < 80


@pytest.fixture
def hands(tmp_path):
    """Two hands of ann and bob in a file; of the first all cards are known."""
    game = holdem(2, 200, (1, 2))
    first = replay(game, "r6c/cr12f", [*range(0, 52, 3), *(card for card in range(52) if card % 3)])
    second = replay(game, "cc/cr4c/cc/cc", range(52))
    played = [PlayedHand(state, ("ann", "bob"), number) for number, state in enumerate((first, second), 1)]
    path = tmp_path / "hands.phhs"
    path.write_text(write_phhs(played))
    hidden = tmp_path / "one.phh"
    hidden.write_text(write_phh(PlayedHand(first.seen_by(0), ("ann", "bob"), 1)))
    return path, hidden


def test_a_decision_of_a_hand_that_was_played(ludus, hands):
    path, hidden = hands
    last = json.loads(ludus("advise", "--hand", path, "--player", "ann", "--json")[1])
    assert (last["place"], last["pot"], last["to_call"]) == ("BB", 18, 6)
    opening = json.loads(ludus("advise", "--hand", path, "--player", "BTN", "--decision", 1, "--json")[1])
    assert (opening["place"], opening["pot"], opening["board"]) == ("BTN/SB", 3, "")
    river = json.loads(ludus("advise", "--hand", path, "--number", 2, "--player", "bob", "--json")[1])
    assert len(river["board"]) == 10
    assert json.loads(ludus("advise", "--hand", hidden, "--json")[1])["place"] == "BB"  # whose cards are known


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "tell the situation in one way"),
        ((TEXT, "--cards", "AhKh"), "tell the situation in one way"),
        (("6 players; hero CO AhKh; CO r3bb",), "it is the turn of UTG, not of CO"),
        (("6 players; hero CO AhAh; folds to CO",), "repeats Ah"),
        (("--cards", "AhKh", "--board", "AhTd9d"), "Ah is both in the hand and in the board"),
        (("--cards", "AhKh", "--seats", 11), "2 to 10 players"),
        (("--cards", "AhKh", "--actions", "r500bb"), "more than the 10000"),
        ((TEXT, "--time", 0), "more than 0 and at most 3600 seconds"),
        ((TEXT, "--time", "inf"), "more than 0 and at most 3600 seconds"),
        ((TEXT, "--blueprint", "nowhere"), "there is no blueprint"),
        ((TEXT, "--player", "ann"), "name one with --hand"),
        (("{]",), "no JSON"),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_exit_code_2(ludus, words, says):
    code, out, err = ludus("advise", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--number", 3, "--player", "ann"), "has 2 hands, there is no number 3"),
        (("--player", "carl"), "is no position at a table of 2"),
        ((), "the cards of ann, bob are known: say whose decision it is with --player"),
        (("--player", "ann", "--decision", 4), "ann makes 3 decisions in this hand, there is no 4"),
    ],
)
def test_what_a_file_does_not_have(ludus, hands, words, says):
    code, _, err = ludus("advise", "--hand", hands[0], *words)
    assert code == 2
    assert says in err


def test_cards_that_nobody_saw_and_files_that_are_not_there(ludus, hands, tmp_path):
    code, _, err = ludus("advise", "--hand", hands[1], "--player", "bob")
    assert (code, "the cards of bob are not known" in err) == (2, True)
    assert ludus("advise", "--hand", tmp_path / "none.phh")[0] == 1
    (tmp_path / "junk.phh").write_text("junk")
    assert ludus("advise", "--hand", tmp_path / "junk.phh")[0] == 2
