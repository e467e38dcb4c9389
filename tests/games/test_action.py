"""Actions: their numbers, texts and words, and that nobody reads words back."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.games import holdem
from ludus.games.action import Action, Kind, Phrase
from ludus.trees.lines import dealt_cards, line_words, same_word

ACTIONS = st.sampled_from([Action(kind) for kind in Kind if kind != Kind.RAISE]) | st.integers(1, 10**9).map(
    lambda amount: Action(Kind.RAISE, amount)
)


@given(ACTIONS)
def test_texts_and_numbers_are_read_back(action):
    assert Action.parse(str(action)) == action
    assert Action.parse(str(action).lower()) == action
    assert Action.of(action.number, to_call=int(action.kind == Kind.CALL)) == action


def test_the_text_and_the_number_of_every_kind():
    found = [(str(action), action.number) for action in (Action(Kind.FOLD), Action(Kind.CHECK), Action(Kind.CALL))]
    assert found == [("F", -1), ("X", 0), ("C", 0)]
    assert (str(Action(Kind.RAISE, 50)), Action(Kind.RAISE, 50).number) == ("B50", 50)
    assert Action.parse("R50") == Action.parse(" b50 ") == Action(Kind.RAISE, 50)


@pytest.mark.parametrize("text", ["", "B", "B0", "B-5", "B5.5", "50", "raise to 50", "CC", "D", "B٣", "B" + "9" * 20])
def test_what_is_no_action_is_an_error(text):
    with pytest.raises(ValueError, match="not an action"):
        Action.parse(text)


def test_an_action_made_by_hand_is_checked():
    for kind, amount in ((Kind.RAISE, 0), (Kind.RAISE, -3), (Kind.CALL, 50), (4, 50)):
        with pytest.raises(ValueError, match="a raise has an amount above 0"):
            Action(kind, amount)
    with pytest.raises(ValueError, match="-2 is not an action"):
        Action.of(-2, 0)


def test_words():
    bet = Action(Kind.RAISE, 150)
    assert bet.phrase() == Phrase("bet", 150)
    assert bet.phrase(top=100) == Phrase("bet", 50)  # on top of antes that count as bets
    assert str(bet.phrase(raised=True)) == "raise to 150"
    assert str(bet.phrase(raised=True, all_in=150)) == "all-in 150"
    assert str(Action(Kind.CALL).phrase(to_call=50)) == "call 50"
    assert [str(Action(kind).phrase()) for kind in (Kind.FOLD, Kind.CHECK)] == ["fold", "check"]


def test_a_state_says_its_actions():
    state = holdem(stack=200).start().deal(range(52))
    assert [str(state.action(number)) for number in (-1, 0, 6)] == ["F", "C", "B6"]
    assert [str(state.phrase(number)) for number in (-1, 0, 6, 200)] == ["fold", "call 1", "raise to 6", "all-in 200"]
    flop = state.apply(0).apply(0).deal(range(52))
    assert [flop.action_name(number) for number in (0, 6)] == ["check", "bet 6"]
    assert flop.apply(6).action_name(20) == "raise to 20"


def test_the_words_of_lines():
    assert line_words("") == line_words(" - ") == []
    assert line_words("/X/b50/C/10d/") == ["X", "b50", "C", "10d"]
    assert same_word("R50", "B50")
    assert same_word("2C", "2c")
    assert same_word("d", "2c")
    assert not same_word("2d", "2c")
    assert not same_word("B50", "2c")
    assert not same_word("", "D")
    assert dealt_cards("X-X-2c-X-X-D") == (0, None)


# No words are read back

ROOT = Path(ludus.__file__).parent
SOURCES = [
    path for path in sorted(ROOT.rglob("*.py")) if path not in (ROOT / "compiled.py", ROOT / "cards/evaluator.py")
]
PATTERNS = {
    "a verb cut off a name": r"names?(\[[^]]*\])?\.split\(\)\[|action_name\(.*\)\.(split|partition|startswith)",
    "numbers put into words again": r"\.sub\(.*action_name\(",
    "a kind read out of a label": r"(label|word|action|name|key)s?(\[[^]]*\])?\.startswith\(\"[A-Z]\"\)",
    "an amount cut off a label": r"(label|action|name|key)s?\[1:\]",
    "a letter looked at": r"(label|action|name|key)\[(0|:1)\] ?(==|in) ?\"",
    "labels in a tree": r"tree\.labels",
}
ALLOWED = {"an amount cut off a label": ("protocols/slumbot", "solvers/kuhn.py")}  # languages of others


@pytest.mark.parametrize("pattern", PATTERNS)
def test_nothing_is_read_back_out_of_words(pattern):
    found = [
        f"{source}:{number}"
        for source in SOURCES
        if not any(allowed in source.as_posix() for allowed in ALLOWED.get(pattern, ()))
        for number, line in enumerate(source.read_text().splitlines(), 1)
        if re.search(PATTERNS[pattern], line)
    ]
    assert not found


def test_pages_read_no_names_either():
    """Except for reviews: those that databases have kept say an action by its name alone."""
    scripts = [path for path in ROOT.glob("server/page/js/**/*.js") if path.name != "advice.js"]
    assert len(scripts) > 20
    reading = re.compile(r"\bname\.(split|match)\(|NAME\.exec|\(check\|fold\|call")
    assert not [path for path in scripts if reading.search(path.read_text())]
