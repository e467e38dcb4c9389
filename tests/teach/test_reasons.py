"""Explanations as data: said by the texts of the page, they are the sentences of the terminal."""

import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.agents.evaluation import Estimate
from ludus.cards.ranges import COMBOS
from ludus.games.moves import CALL, FOLD
from ludus.teach.advice import Advice, Choice, Opponent
from ludus.teach.explain import explain
from ludus.teach.odds import minimum_defence, pot_odds
from ludus.teach.reasons import ENGLISH, reasons
from ludus.teach.situation import parse_situation

PAGE = files("ludus.server") / "page"
TEXTS = json.loads((PAGE / "locales" / "en" / "advice.json").read_text())
SITUATIONS = [
    "hu; hero BB AhKh; r3bb", "hu; hero BTN AhKh", "3 players; hero BTN AhKh", "3 players; hero SB AhKh; BTN r3bb",
    "hu; hero BTN AhKh; c x; Td9d6h x", "hu; hero BB AhKh; c x; Td9d6h", "hu; hero BB AhKh; c x; Td9d6h x x; 2c x b1bb",
    "6 players; hero CO AhKh; folds to CO, r2.5bb, BTN r8bb, f, f", "hu, 4bb; hero BTN AhKh",
]  # fmt: skip


@st.composite
def advices(draw):
    state = parse_situation(draw(st.sampled_from(SITUATIONS)))
    moves = state.legal_actions()
    possible = [*([FOLD] if moves.fold else []), CALL, moves.raises[0], moves.raises[len(moves.raises) // 2]]
    actions = draw(st.lists(st.sampled_from([*possible, moves.raises[-1]]), min_size=1, unique=True))
    share, value = st.floats(0, 1), st.floats(-3000, 3000)
    choices = tuple(
        Choice(action, state.action_name(action), draw(share), Estimate(draw(value), draw(st.floats(0, 50))))
        for action in sorted(actions)
    )
    opponents = tuple(
        Opponent(seat, f"seat {seat}", COMBOS[:, 0], draw(st.sampled_from([0.04, 0.3, 0.96, 1.0])), draw(share))
        for seat in state.live_seats()
        if seat != state.player
    )
    outs = tuple(range(draw(st.integers(0, 3)))) if 0 < state.street < 3 else ()
    return Advice(
        state, draw(st.sampled_from(["blueprint", "solved", "told"])), choices, draw(share), pot_odds(state),
        minimum_defence(state), outs, opponents, "", 0.0,
    )  # fmt: skip


def rendered(reason):
    """The page's way to say a reason, written once more."""
    key, values = reason["key"], reason["values"]
    if "count" in values:
        key = f"{key}.{'one' if values['count'] == 1 else 'other'}"
    text = TEXTS[key]
    assert set(re.findall(r"\{(\w+)\}", text)) == set(values)
    for name, value in values.items():
        if isinstance(value, dict):
            shown = rendered(value)
        elif name in ("equity", "odds", "share"):
            shown = f"{round(100 * value)} %"
        elif name in ("loss", "gain"):
            shown = f"{value:.{0 if value >= 9.95 else 1 if value >= 0.95 else 2}f}"
        else:
            shown = f"{value:g}" if isinstance(value, float) else f"{value}"
        text = text.replace(f"{{{name}}}", shown)
    return text


@given(advices())
def test_the_page_says_what_the_terminal_says(advice):
    found = reasons(advice)
    assert " ".join(map(rendered, found)) == explain(advice)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_texts_of_the_page_are_those_of_the_terminal():
    assert {key: text for key, text in TEXTS.items() if key in ENGLISH} == dict(ENGLISH)


SCRIPT = """
globalThis.localStorage = { getItem: () => null, setItem() {} };
globalThis.document = { documentElement: {} };
if (!globalThis.navigator) globalThis.navigator = { languages: ["en"] };
const texts = JSON.parse(process.argv[2]);
globalThis.fetch = async () => ({ ok: true, json: async () => texts });
const { choose } = await import(process.argv[3] + "/i18n.js");
await choose("en");
const { sentence } = await import(process.argv[3] + "/components/reasons.js");
console.log(JSON.stringify(JSON.parse(process.argv[4]).map(sentence)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_script_of_the_page_says_the_same(tmp_path):
    found, sentences = [], []

    @given(advices())
    def collect(advice):
        found.append(reasons(advice))
        sentences.append(explain(advice))

    collect()
    (tmp_path / "say.mjs").write_text(SCRIPT)
    (tmp_path / "page" / "components").mkdir(parents=True)
    (tmp_path / "page" / "package.json").write_text('{"type": "module"}')
    for name in ("i18n.js", "components/reasons.js"):
        (tmp_path / "page" / name).write_text((PAGE / "js" / name).read_text())
    words = ["node", tmp_path / "say.mjs", json.dumps(TEXTS), f"{tmp_path}/page", json.dumps(found)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout)
    assert [_plain(text) for text in said] == [_plain(text) for text in sentences]
    assert len(said) > 50


def _plain(text):
    """Without what English of the page and of the terminal write differently: '24%', '1,000'; halves may round off."""
    return re.sub(r"(?<=[0-9])[.,](?=[0-9])|[0-9]", "", text.replace(" %", "%"))
