"""Sentences about decisions: true of the figures that they are made of, and said by the page as by the terminal."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.agents.evaluation import Estimate
from ludus.cards.ranges import COMBOS
from ludus.games.moves import CALL, FOLD
from ludus.teach.advice import Advice, Choice, Opponent
from ludus.teach.explain import explain
from ludus.teach.figures import Figures, odds_in_words
from ludus.teach.odds import minimum_defence, pot_odds
from ludus.teach.reasons import ANY_HAND, CLOSE, CLOSE_POT, ENGLISH, MOSTLY, reasons
from ludus.teach.situation import parse_situation

PAGE = files("ludus.server") / "page"
LANGUAGES = ("en", "pt", "es", "fr", "uk")
TEXTS = {code: json.loads((PAGE / "locales" / code / "advice.json").read_text("utf-8")) for code in LANGUAGES}
SITUATIONS = [
    "hu; hero BB AhKh; r3bb", "hu; hero BTN AhKh", "3 players; hero BTN AhKh", "3 players; hero SB AhKh; BTN r3bb",
    "hu; hero BTN AhKh; c x; Td9d6h x", "hu; hero BB AhKh; c x; Td9d6h", "hu; hero BB AhKh; c x; Td9d6h x x; 2c x b1bb",
    "6 players; hero CO AhKh; folds to CO, r2.5bb, BTN r8bb, f, f", "hu, 4bb; hero BTN AhKh",
    "3 players; hero BB AhKh; BTN r3bb, SB c, c; Td9d6h: x, x, b75%, c", "6 players; hero UTG AhKh",
]  # fmt: skip
PLACES = ("SB", "BB", "UTG", "HJ", "CO", "BTN")


def advice_of(text, rows, equity=0.4, opponents=(), source="solved", outs=()):
    """Advice with these choices: action, chance, value and error."""
    state = parse_situation(text)
    seats = [seat for seat in state.live_seats() if seat != state.player]
    known = opponents or [(0.2, equity)] * len(seats)
    return Advice(
        state, source,
        tuple(Choice(action, state.action_name(action), chance, Estimate(*value)) for action, chance, *value in rows),
        equity, pot_odds(state), minimum_defence(state), outs,
        tuple(Opponent(seat, PLACES[seat], COMBOS[:, 0], *each) for seat, each in zip(seats, known, strict=True)),
        "", 0.0,
    )  # fmt: skip


@st.composite
def advices(draw):
    text = draw(st.sampled_from(SITUATIONS))
    state = parse_situation(text)
    moves = state.legal_actions()
    possible = [*([FOLD] if moves.fold else []), CALL, moves.raises[0], moves.raises[len(moves.raises) // 2]]
    actions = sorted(draw(st.lists(st.sampled_from([*possible, moves.raises[-1]]), min_size=1, unique=True)))
    share, value = st.floats(0, 1), st.floats(-3000, 3000) | st.floats(-40, 40)
    weights = draw(st.lists(st.integers(0, 5), min_size=len(actions), max_size=len(actions)).filter(any))
    rows = [
        (action, weight / sum(weights), draw(value), draw(st.floats(0, 50)))
        for action, weight in zip(actions, weights, strict=True)
    ]
    others = len(state.live_seats()) - 1
    opponents = [(draw(st.sampled_from([0.04, 0.3, 0.96, 1.0])), draw(share)) for _ in range(others)]
    outs = tuple(range(draw(st.integers(0, 3)))) if 0 < state.street < 3 else ()
    return advice_of(text, rows, draw(share), opponents, draw(st.sampled_from(["blueprint", "solved", "told"])), outs)


# What is said is true


def parts(found):
    """The standing, the verdict and the rest of the sentences."""
    first, *rest = found
    assert first["key"] == "advice.sentence"
    return first["values"]["standing"], first["values"]["verdict"], rest


def check_standing(reason, figures):
    _, standing, whom, *_ = reason["key"].split(".")
    values, others = reason["values"], figures.opponents
    if whom in ("any", "likely"):
        [one] = others
        assert (values["place"], values["equity"]) == (one.place, figures.equity)
        assert (one.share > ANY_HAND) == (whom == "any")
        assert values.get("share", one.share) == one.share
    elif whom == "waiting":
        one = next(each for each in others if each.place == values["place"])
        assert (values["share"], values["equity"], values["count"]) == (one.share, one.equity, len(others) - 1)
    else:
        assert (whom, values["equity"], values["count"]) == ("many", figures.equity, len(others))
    assert ("odds" in values) == (standing != "have")
    if standing in ("need", "short"):  # only where one equity can decide
        assert values["odds"] == figures.needed
        assert len(others) == 1
    if standing == "short":
        assert values["equity"] < values["odds"]
    if standing == "priced":
        assert (values["odds"], figures.needed) == (figures.pot_odds, None)


def named(reason, figures):
    """The choice that a text such as 'raising to 9 bb' is about."""
    verb, amount = reason["key"].split(".")[-1], reason["values"].get("amount")
    [found] = [
        choice
        for choice in figures.choices
        if choice.verb == verb and (amount is None or round(choice.amount / figures.big_blind, 2) == amount)
    ]
    return found


def check_verdict(reason, figures):
    kind, values = reason["key"].split(".")[1], reason["values"]
    worth = {choice.action: choice.value.mean / figures.big_blind for choice in figures.choices}
    said = {name: named(value, figures) for name, value in values.items() if isinstance(value, dict)}
    most = max(choice.chance for choice in figures.choices)
    first = said["doing"]
    assert first.chance == most
    if kind == "only":
        assert len(worth) == 1
        return
    value, other = worth[first.action], worth[said["other"].action]
    assert (kind in ("mix", "uneven")) == (most < MOSTLY)
    if kind == "best":
        assert first.best
        assert value == max(worth.values())
        assert values["loss"] == pytest.approx(value - other)
        assert values["loss"] > 2 * max(first.value.error, said["other"].value.error) / figures.big_blind
    elif kind == "though":
        assert values["often"] == first.chance
        assert other == max(worth.values())
        assert values["gain"] == pytest.approx(other - value)
    elif kind in ("usual", "unsure"):
        assert other == max(each for action, each in worth.items() if action != first.action)
        assert values.get("loss", value - other) == pytest.approx(value - other)
        assert (value - other > max(CLOSE, CLOSE_POT * figures.pot / figures.big_blind)) == (kind == "unsure")
        errors = first.value.error, said["other"].value.error
        assert value - other <= 2 * hypot(*errors) / figures.big_blind or kind == "usual"
    else:
        chances = sorted((choice.chance for choice in figures.choices), reverse=True)
        assert [values["often"], values["other_often"]] == chances[:2]
        assert (values["often"], values["other_often"]) == (first.chance, said["other"].chance)
    if kind == "uneven":
        assert worth[said["better"].action] == max(worth.values())
        assert values["gain"] == pytest.approx(worth[said["better"].action] - worth[said["worse"].action])
        assert values["gain"] > 0


@settings(max_examples=500)
@given(advices())
def test_no_sentence_contradicts_its_figures(advice):
    figures = Figures.of(advice)
    found = reasons(figures)
    standing, verdict, rest = parts(found)
    check_standing(standing, figures)
    check_verdict(verdict, figures)
    assert [reason["values"]["count"] for reason in rest] == [len(figures.outs)] * bool(figures.outs)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@given(advices())
def test_figures_say_who_equity_is_against_and_price_only_bets(advice):
    figures, state = Figures.of(advice), advice.state
    words = odds_in_words(figures)
    raised = any(action > CALL for action in state.line[-1])
    assert (figures.pot_odds is not None) == (state.to_call() > 0 and (raised or len(advice.opponents) == 1))
    if len(advice.opponents) == 1:
        assert f"against {advice.opponents[0].place}" in words
        assert figures.needed == figures.pot_odds
    else:
        assert f"against all {len(advice.opponents)} opponents" in words
        assert "needs" not in words
        assert figures.needed is None
    assert sum(choice.best for choice in figures.choices) == 1
    assert figures.best.action == advice.best.action
    assert figures.accuracy * state.pot == pytest.approx(max(choice.value.error for choice in advice.choices))


FACING = "hu; hero BB AhKh; r3bb"


def test_no_action_of_a_third_is_called_best():
    rows = [(FOLD, 0.36, 0, 0), (CALL, 0.34, -1, 5), (900, 0.3, 2, 5)]
    text = explain(advice_of(FACING, rows))
    assert "folding (36 %) and calling (34 %) are worth about the same, so mix them" in text
    assert "best" not in text
    clear = [(FOLD, 0.36, 0, 0), (CALL, 0.34, -100, 5), (900, 0.3, 50, 5)]
    assert "though raising to 9 bb is worth 1.5 bb more than calling" in explain(advice_of(FACING, clear))


def test_a_call_that_is_advised_is_not_short_of_equity():
    rows = [(FOLD, 0, 0, 0), (CALL, 1.0, 80, 1)]
    assert "You need 33 % to call and have 20 %" in explain(advice_of(FACING, rows, 0.2))
    assert "have only 20 %" in explain(advice_of(FACING, [(FOLD, 1.0, 0, 0), (CALL, 0, -80, 1)], 0.2))


def test_figures_that_make_no_sense_are_refused():
    for rows, equity in (([], 0.5), ([(CALL, 1.5, 0, 0)], 0.5), ([(CALL, 1, 0, 0)], 1.2)):
        with pytest.raises(ValueError, match="a decision has choices"):
            Figures.of(advice_of(FACING, rows, equity))
    with pytest.raises(ValueError, match="no number"):
        Figures.of(advice_of(FACING, [(CALL, 1, float("nan"), 0)]))


# It is said alike in all languages


def rendered(reason):
    """The page's way to say a reason, written once more."""
    key, values = reason["key"], reason["values"]
    if "count" in values:
        key = f"{key}.{'one' if values['count'] == 1 and f'{key}.one' in TEXTS['en'] else 'other'}"
    text = TEXTS["en"][key]
    assert set(re.findall(r"\{(\w+)\}", text)) == set(values)
    for name, value in values.items():
        if isinstance(value, dict):
            shown = rendered(value)
        elif name in ("equity", "odds", "share", "often", "other_often"):
            shown = f"{round(100 * value)} %"
        elif name in ("loss", "gain"):
            shown = f"{value:.{0 if value >= 9.95 else 1 if value >= 0.95 else 2}f}"
        else:
            shown = f"{value:g}" if isinstance(value, float) else f"{value}"
        text = text.replace(f"{{{name}}}", shown)
    return text


@given(advices())
def test_the_page_says_what_the_terminal_says(advice):
    assert " ".join(map(rendered, reasons(Figures.of(advice)))) == explain(advice)


def test_the_texts_of_the_page_are_those_of_the_terminal():
    assert {key: text for key, text in TEXTS["en"].items() if key in ENGLISH} == dict(ENGLISH)


def numbers_of(reason):
    """The numbers that a text must show, each with what rounding may change, and whether it may be said in words."""
    for name, value in reason["values"].items():
        if isinstance(value, dict):
            yield from numbers_of(value)
        elif name in ("equity", "odds", "share", "often", "other_often"):
            yield 100 * value, 0.5, False
        elif name in ("loss", "gain"):
            yield value, 0.5 if value >= 9.95 else 0.05 if value >= 0.95 else 0.005, False
        elif name in ("amount", "count"):
            yield value, 0.005, name == "count" and value == 1


def check_numbers(text, reason):
    """Every number of the reason is in its text, and no other."""
    shown = [float(each.replace(",", ".")) for each in re.findall(r"[0-9]+(?:[.,][0-9]+)?", text)]
    for value, off, in_words in sorted(numbers_of(reason), key=lambda number: number[1]):
        near = [each for each in shown if abs(each - value) <= off + 1e-9]
        assert near or in_words, f"{value} is not in {text!r}"
        if near:
            shown.remove(min(near, key=lambda each: abs(each - value)))
    assert not shown, f"{shown} of {text!r} are no figures"


SCRIPT = """
import { readFileSync } from "node:fs";
globalThis.localStorage = { getItem: () => null, setItem() {} };
globalThis.document = { documentElement: {} };
if (!globalThis.navigator) globalThis.navigator = { languages: ["en"] };
const { texts, found } = JSON.parse(readFileSync(process.argv[2]));
globalThis.fetch = async (path) => ({ ok: true, json: async () => texts[path.match(/(\\w+)\\.json/)[1]] });
const { choose } = await import(process.argv[3] + "/i18n.js");
const { sentence } = await import(process.argv[3] + "/components/reasons.js");
const said = {};
for (const language of Object.keys(texts)) {
  await choose(language);
  said[language] = found.map((reasons) => reasons.map((reason) => sentence([reason])));
}
console.log(JSON.stringify(said));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_the_page_says_the_same_in_all_languages(tmp_path):
    found, sentences = [], []

    @given(advices())
    def collect(advice):
        found.append(reasons(Figures.of(advice)))
        sentences.append(explain(advice))

    collect()
    (tmp_path / "say.mjs").write_text(SCRIPT)
    (tmp_path / "asked.json").write_text(json.dumps({"texts": TEXTS, "found": found}))
    (tmp_path / "page" / "components").mkdir(parents=True)
    (tmp_path / "page" / "package.json").write_text('{"type": "module"}')
    for name in ("i18n.js", "components/reasons.js"):
        (tmp_path / "page" / name).write_text((PAGE / "js" / name).read_text())
    words = ["node", tmp_path / "say.mjs", tmp_path / "asked.json", f"{tmp_path}/page"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert answer.returncode == 0, answer.stderr
    assert "no text" not in answer.stderr
    said = json.loads(answer.stdout)
    assert [_plain(" ".join(texts)) for texts in said["en"]] == [_plain(text) for text in sentences]
    assert len(sentences) > 50
    for language in LANGUAGES:
        for texts, asked in zip(said[language], found, strict=True):
            for text, reason in zip(texts, asked, strict=True):
                assert "{" not in text
                check_numbers(text, reason)


def _plain(text):
    """Without what English of the page and of the terminal write differently: '24%', '1,000'; halves may round off."""
    return re.sub(r"(?<=[0-9])[.,](?=[0-9])|[0-9]", "", text.replace(" %", "%"))
