"""``ludus review``: files of every form, what is printed and written, and what cannot be reviewed."""

import json
from html.parser import HTMLParser

import pytest

from ludus.cli.studying import review
from ludus.teach.file_review import costliest
from paths import TESTS
from showdown_adviser import ShowdownAdviser

DATA = TESTS / "data"
HANDS = DATA / "review"


@pytest.fixture(autouse=True)
def adviser(monkeypatch):
    """Values that are known instead of the assistant's."""
    asked = []

    def made(seconds, seed):
        asked.append((seconds, seed))
        return ShowdownAdviser()

    monkeypatch.setattr(review, "adviser", made)
    return asked


def as_json(ludus, *words):
    code, out, err = ludus("review", *words, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("file", "hands", "players"),
    [
        ("review/heads_up.phhs", 12, {"tight", "loose"}),
        ("review/heads_up.log", 12, {"tight", "loose"}),
        ("review/six.phhs", 6, {"tight", "loose", *(f"heuristic-mc{n}" for n in ("", "#2", "#3", "#4"))}),
        ("review/pokerstars.txt", 1, {"ivo"}),
        ("histories/six.phh", 1, {'Ann "Ace"', "bob", "Çelik", "dan", "eve\\n", "fay"}),
    ],
)
def test_files_of_every_form(ludus, file, hands, players):
    found = as_json(ludus, DATA / file)
    assert (found["hands"], found["complete"], found["not_read"]) == (hands, True, [])
    assert {row["player"] for row in found["players"]} == players
    assert sum(row["decisions"] for row in found["players"]) == len(found["decisions"]) > 0
    for row in found["players"]:
        own = [decision for decision in found["decisions"] if decision["player"] == row["player"]]
        assert row["loss_bb"] == pytest.approx(sum(decision["loss_bb"] for decision in own))
        assert sum(row["grades"].values()) == len(own)
        assert row["loss_bb_per_100_ci95"] is None  # so few hands


def test_a_log_and_its_histories_are_the_same_hands(ludus):
    one, other = (as_json(ludus, HANDS / f"heads_up.{ending}") for ending in ("log", "phhs"))
    assert one["decisions"] == other["decisions"]


def test_a_decision_in_json(ludus):
    found = as_json(ludus, HANDS / "pokerstars.txt", "--player", "ivo")
    fold = found["decisions"][-1]
    assert (fold["hand"], fold["street"], fold["position"], fold["players"]) == (700000000001, "river", "BB", 3)
    assert (fold["cards"], fold["board"], fold["situation"]) == ("9c9d", "9h4s2dKc3s", "facing a bet")
    assert (fold["pot"], fold["tendency"], fold["grade"]) == ("raised pot", "folds too much", "blunder")
    assert (fold["action"], fold["name"], fold["pot_bb"], fold["to_call_bb"]) == (-1, "fold", 21.6, 9.6)
    choices = {choice["name"]: choice for choice in fold["choices"]}
    assert set(choices) == {"fold", "call 9.6 bb", "all-in 94.2 bb"}
    assert fold["loss_bb"] == choices["all-in 94.2 bb"]["value_bb"] == max(c["value_bb"] for c in choices.values())
    assert choices["call 9.6 bb"]["value_bb"] == pytest.approx(fold["equity"] * (21.6 + 9.6) - 9.6)
    assert fold["pot_odds"] == pytest.approx(9.6 / 31.2)
    assert found["costliest"][0] == {"hand": 700000000001, "step": fold["step"], "loss_bb": fold["loss_bb"]}
    leak = found["players"][0]["leaks"]["situation"][0]
    assert (leak["kind"], leak["decisions"], leak["errors"]) == ("river, facing a bet", 1, 1)


def test_the_terminal_has_a_line_a_decision_and_the_sums(ludus):
    code, out, err = ludus("review", HANDS / "pokerstars.txt")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    river = next(line for line in lines if line.startswith("  river") and "fold" in line)
    assert "9♣ 9♦  9♥ 4♠ 2♦ K♣ 3♠  fold               blunder" in river
    assert "all-in 94.2 bb was better: equity 96 %, a call needs 31 %" in river
    assert "ivo: one hand shows what was lost in it, not how somebody usually plays" in lines
    for title in ("Where ivo loses", "by street", "by situation", "by kind of error", "The costliest"):
        assert any(line.strip().startswith(title) for line in lines)
    assert any(
        "not reviewed: 2 players in hand 700000000001: the player's cards are not known" in line for line in lines
    )


def test_one_player_and_some_hands(ludus):
    found = as_json(ludus, HANDS / "heads_up.phhs", "--player", "tight", "--hands", "3-8", "--limit", "4")
    assert {decision["player"] for decision in found["decisions"]} == {"tight"}
    assert {decision["hand"] for decision in found["decisions"]} <= {2, 3, 4, 5}  # counted from 0 there
    assert (found["hands"], found["players"][0]["hands"]) == (4, 4)
    assert {decision["hand"] for decision in as_json(ludus, HANDS / "heads_up.phhs", "--hands", "7")["decisions"]} == {
        6
    }
    assert as_json(ludus, HANDS / "heads_up.phhs", "--hands", "11-")["hands"] == 2


def test_time_and_seed_reach_the_adviser(ludus, adviser):
    found = as_json(ludus, HANDS / "hostile.phh", "--time", "0.25", "--seed", "9")
    assert (adviser, found["seconds_per_decision"], found["seed"]) == ([(0.25, 9)], 0.25, 9)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-file"], "there is no file"),
        ([HANDS / "heads_up.phhs", "--player", "nobody"], "'nobody' does not play in these hands"),
        ([HANDS / "heads_up.phhs", "--player", "nobody"], "there are tight, loose"),
        ([HANDS / "heads_up.phhs", "--hands", "5-2"], "--hands are places"),
        ([HANDS / "heads_up.phhs", "--hands", "x"], "--hands are places"),
        ([HANDS / "heads_up.phhs", "--hands", "0"], "--hands are places"),
        ([HANDS / "heads_up.phhs", "--hands", "99-"], "has no such hands"),
        ([HANDS / "heads_up.phhs", "--time", "0"], "--time is more than 0"),
        ([HANDS / "heads_up.phhs", "--time", "nan"], "--time is more than 0"),
        ([HANDS / "heads_up.phhs", "--html", HANDS], "is a folder"),
        ([HANDS], "name one file"),
        ([DATA / "golden_spots.json"], "no file of hands"),
        ([HANDS / "leduc.log"], "no decision of"),
    ],
)
def test_bad_input_is_a_sentence(ludus, words, told):
    code, _, err = ludus("review", *words)
    assert code == (1 if words[0] == "no-such-file" else 2)
    assert told in " ".join(err.split())
    assert len(err.splitlines()) == 1


def test_other_games_are_counted_and_named(ludus):
    code, out, _ = ludus("review", HANDS / "leduc.log")
    assert code == 2
    assert "not reviewed: 2 players in 3 hands (0, 1, 2): leduc is not hold'em" in out


def test_many_reasons_are_not_all_told(ludus, monkeypatch):
    class Refusing(ShowdownAdviser):
        def advise(self, observation, also=()):
            self.seen.append(observation)
            if len(self.seen) > 1:
                raise ValueError(f"reason {len(self.seen)}")
            return ShowdownAdviser().advise(observation, also)

    monkeypatch.setattr(review, "adviser", lambda seconds, seed: Refusing())
    code, out, _ = ludus("review", HANDS / "heads_up.phhs")
    lines = [line for line in out.splitlines() if line.startswith("not reviewed:")]
    assert code == 0
    assert lines[0] == "not reviewed: tight in hand 0: reason 2"
    assert len(lines) == 11
    assert lines[-1] == "not reviewed: 38 more for 38 other reasons"  # 49 decisions in all


def test_hands_that_cannot_be_read_are_named(ludus, tmp_path):
    text = (HANDS / "heads_up.phhs").read_text()
    broken = text.replace('"p2 cc", "p1 cc"', '"p2 cc", "p2 cc"', 1)
    assert broken != text
    (tmp_path / "broken.phhs").write_text(broken)
    found = as_json(ludus, tmp_path / "broken.phhs")
    assert (found["hands"], len(found["not_read"])) == (11, 1)
    code, out, _ = ludus("review", tmp_path / "broken.phhs")
    assert code == 0
    assert "not read: 1 hand:" in out


def test_a_review_that_is_stopped_shows_what_was_done(ludus, monkeypatch, tmp_path):
    class Tired(ShowdownAdviser):
        def advise(self, observation, also=()):
            if len(self.seen) == 20:
                raise KeyboardInterrupt
            return super().advise(observation, also)

    monkeypatch.setattr(review, "adviser", lambda seconds, seed: Tired())
    code, out, err = ludus("review", HANDS / "heads_up.phhs", "--json", "--html", tmp_path / "out.html")
    found = json.loads(out)
    assert (code, found["complete"]) == (130, False)
    assert 0 < len(found["decisions"]) < 20
    assert f"stopped early: {found['hands']} of 12 hands" in err
    assert "stopped early" in (tmp_path / "out.html").read_text()


def test_the_same_file_gives_the_same_report(ludus, tmp_path):
    for name in ("one.html", "two.html"):
        ludus("review", HANDS / "heads_up.phhs", "--html", tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert ludus("review", HANDS / "six.phhs") == ludus("review", HANDS / "six.phhs")


class Page(HTMLParser):
    """The tags of a page, whether they are closed in order, and its text."""

    VOID = ("meta", "img", "br", "link", "input")

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


def test_names_in_a_file_are_only_text_on_the_page(ludus, tmp_path):
    code, out, _ = ludus("review", HANDS / "hostile.phh", "--html", tmp_path / "out.html")
    page = Page((tmp_path / "out.html").read_text())
    assert code == 0
    assert page.open == []
    assert not {"script", "img", "link", "iframe", "svg"} & set(page.tags)
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert all(value.startswith("#hand") for name, value in page.attributes if name in ("href", "src"))
    assert "<script>alert(1)</script>" in page.text
    assert "[bold]\"'&<img src=x onerror=alert(2)>?gpj" in page.text  # the turned direction of writing is gone
    assert "\u202e" not in out
    for name in ("<script>alert(1)", "[bold]\"'&<img sr"):  # no markup of the terminal's in the tables either
        assert any(line.startswith(f" {name} ") for line in out.splitlines())


def test_the_page_has_every_decision(ludus, tmp_path):
    found = as_json(ludus, HANDS / "six.phhs", "--html", tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text()
    page = Page(text)
    assert page.open == []
    hands = {decision["hand"] for decision in found["decisions"]}
    losing = sum(row["loss_bb"] > 0 for row in found["players"])  # who has leaks to unfold
    assert page.tags.count("details") == len(found["decisions"]) + len(hands) + losing
    assert page.tags.count("section") == len(found["players"])
    assert "http" not in text.replace("http-equiv", "")
    for grade, count in found["players"][0]["grades"].items():
        assert f"{grade} {count} (" in page.text
    anchors = {value for name, value in page.attributes if name == "id"}
    links = [value[1:] for name, value in page.attributes if name == "href"]
    assert len(links) == len(found["costliest"]) > 0
    assert set(links) <= anchors


def test_the_costliest_are_of_all_players(ludus, monkeypatch):
    reports = []
    monkeypatch.setattr("ludus.cli.views.review.show", reports.append)
    ludus("review", HANDS / "six.phhs")
    losses = sorted((decision.loss for decision in reports[0].decisions), reverse=True)
    assert [decision.loss for decision in costliest(reports[0])] == losses[:10]


def test_a_few_decisions_get_more_time_than_many(ludus, adviser, monkeypatch):
    assert as_json(ludus, HANDS / "pokerstars.txt")["seconds_per_decision"] == 10
    monkeypatch.setattr("ludus.teach.file_review.ALL_SECONDS", 98.0)
    assert as_json(ludus, HANDS / "heads_up.phhs")["seconds_per_decision"] == 2  # 49 decisions
    monkeypatch.setattr("ludus.teach.file_review.ALL_SECONDS", 20.0)
    found = as_json(ludus, HANDS / "heads_up.phhs")
    assert found["seconds_per_decision"] == 1
    assert [seconds for seconds, _ in adviser] == [10, 2, 1]
    code, out, _ = ludus("review", HANDS / "heads_up.phhs", "--time", "3")
    assert code == 0
    assert "Thought 3 s a decision at most: more about one hand with --hands and --time." in out


def test_every_decision_says_what_it_comes_from(ludus):
    out = ludus("review", HANDS / "heads_up.phhs")[1]
    assert out.count("(showdown, values to 0.01 % of the pot)") == 49
    found = as_json(ludus, HANDS / "heads_up.phhs")
    assert {(row["source"], row["note"], row["accuracy"]) for row in found["decisions"]} == {("showdown", "", 0.0)}
