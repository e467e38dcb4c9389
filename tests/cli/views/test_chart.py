"""The 13 x 13 chart: what is drawn is what was given."""

import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PatchCollection
from rich.console import Console

from ludus.cards.ranges import CLASSES, class_index
from ludus.cli.views.chart import action_colours, chart_figure, print_chart
from ludus.experiments.plots import save_figure
from ludus.games.action import Kind
from ludus.teach.chart import Chart

SIZES = np.array([6 if len(name) == 2 else 4 if name[2] == "s" else 12 for name in CLASSES])
ACTIONS = ("fold", "call", "raise 6", "all-in")
FOLD, CHECK, CALL, RAISE = Kind
KINDS = {"fold": FOLD, "check": CHECK, "call": CALL}


def kinds(actions):
    return tuple(KINDS.get(action, RAISE) for action in actions)


def some_chart(seed=0, actions=ACTIONS, absent=0.3):
    random = np.random.default_rng(seed)
    weights = random.uniform(0, 1, 169) * (random.uniform(0, 1, 169) > absent)
    frequencies = random.dirichlet(np.full(len(actions), 0.4), 169)
    frequencies[weights == 0] = np.nan
    return Chart("a spot", actions, kinds(actions), frequencies, weights)


def printed(chart, **options):
    file = io.StringIO()
    print_chart(chart, Console(file=file, width=200, **options))
    return file.getvalue().splitlines()


def pure_chart(actions=("fold", "all-in"), played="all-in", classes=("AA", "AKs", "AKo"), weight=1.0):
    """The given classes take one action, the others fold."""
    frequencies = np.zeros((169, len(actions)))
    inside = [class_index(name) for name in classes]
    frequencies[:, 0] = 1
    frequencies[inside] = np.eye(len(actions))[actions.index(played)]
    return Chart("pure", actions, kinds(actions), frequencies, np.full(169, weight))


# Numbers


def test_totals_count_combinations():
    chart = pure_chart()
    assert chart.totals == pytest.approx([1 - 22 / 1326, 22 / 1326])
    assert chart.held == 1326
    flop = Chart("", ("check",), (CHECK,), np.ones((169, 1)), np.full(169, 0.5), combos=np.minimum(SIZES, 3))
    assert flop.held == 0.5 * np.minimum(SIZES, 3).sum()
    empty = Chart("", ("check", "bet 50%"), (CHECK, RAISE), np.full((169, 2), np.nan), np.zeros(169))
    assert np.isnan(empty.totals).all()
    assert "not in the range" in [text.get_text() for text in chart_figure(empty).axes[0].get_legend().get_texts()]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_totals_match_a_loop(seed):
    chart = some_chart(seed)
    sums, held = np.zeros(len(ACTIONS)), 0.0
    for at in range(169):
        if chart.weights[at] > 0:
            sums += SIZES[at] * chart.weights[at] * chart.frequencies[at]
            held += SIZES[at] * chart.weights[at]
    np.testing.assert_allclose(chart.totals, sums / held)
    assert chart.totals.sum() == pytest.approx(1)


def test_a_chart_owns_its_numbers():
    frequencies, weights = np.ones((169, 1)), np.ones(169)
    chart = Chart("", ("check",), (CHECK,), frequencies, weights)
    weights[:] = 0
    assert chart.held == 1326
    with pytest.raises(ValueError, match="read-only"):
        chart.weights[0] = 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"actions": ()}, "0 actions"),
        ({"actions": ("fold",)}, "1 actions needs"),
        ({"weights": np.ones(1326)}, "weights"),
        ({"weights": np.full(169, 2.0)}, "from 0 to 1"),
        ({"weights": np.full(169, np.nan)}, "from 0 to 1"),
        ({"combos": np.full(169, -1.0)}, "not negative"),
        ({"frequencies": np.ones((169, 2))}, "sum to 1"),
        ({"frequencies": np.full((169, 2), np.nan)}, "sum to 1"),
        ({"frequencies": np.tile([2.0, -1.0], (169, 1))}, "sum to 1"),
    ],
)
def test_bad_numbers_are_refused(changes, message):
    good = {"actions": ("fold", "call"), "kinds": (FOLD, CALL)}
    good |= {"frequencies": np.full((169, 2), 0.5), "weights": np.ones(169)}
    good |= changes | ({"kinds": (FOLD,) * len(changes["actions"])} if "actions" in changes else {})
    with pytest.raises(ValueError, match=message):
        Chart("", **good)


def test_colours_say_what_an_action_is():
    fold, check, *bets = action_colours([FOLD, CHECK, RAISE, RAISE, RAISE, RAISE])
    assert fold[2] == max(fold)
    assert check[1] == max(check)
    assert all(bet[0] == max(bet) for bet in bets)
    brightness = [sum(bet) for bet in bets]
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(brightness)) == 4
    assert action_colours([CALL]) == action_colours([CHECK])


# The figure


def areas(axes):
    """The drawn rectangles by colour: their total area, the background first."""
    found = {}
    for collection in axes.collections:
        assert isinstance(collection, PatchCollection)
        colour = tuple(np.round(collection.get_facecolor()[0][:3], 6))
        boxes = [path.get_extents() for path in collection.get_paths()]
        found[colour] = found.get(colour, 0) + sum(box.width * box.height for box in boxes)
    return found


def test_areas_are_frequencies_times_weights():
    chart = some_chart(1)
    axes = chart_figure(chart).axes[0]
    drawn = areas(axes)
    for action, colour in enumerate(action_colours(kinds(ACTIONS))):
        expected = np.nansum(chart.weights * chart.frequencies[:, action])
        assert drawn[tuple(np.round(colour, 6))] == pytest.approx(expected)
    assert [text.get_text() for text in axes.texts] == list(CLASSES)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[0] == f"all-in: {100 * chart.totals[3]:.1f} %"
    assert labels[-1] == "not in the range"


def test_a_hand_is_where_players_look_for_it():
    axes = chart_figure(pure_chart(classes=("AKs",))).axes[0]
    red = tuple(np.round(action_colours((FOLD, RAISE))[1], 6))
    (pushed,) = (each for each in axes.collections if tuple(np.round(each.get_facecolor()[0][:3], 6)) == red)
    box = pushed.get_paths()[0].get_extents()
    assert (box.x0, box.x1, box.y0, box.y1) == (1, 2, 0, 1)  # first row, second column
    assert axes.yaxis_inverted()
    quarter = chart_figure(pure_chart(weight=0.25)).axes[0].collections[-1].get_paths()[0].get_extents()
    assert (quarter.y0, quarter.y1) == (0.75, 1)  # filled from the bottom


@pytest.mark.parametrize(("count", "panels"), [(1, 1), (2, 2), (5, 6)])
def test_several_charts_share_a_figure(count, panels, tmp_path):
    figure = chart_figure([some_chart(seed) for seed in range(count)], "several")
    assert len(figure.axes) == panels
    assert sum(axes.get_title() == "a spot" for axes in figure.axes) == count
    if count == 1:
        save_figure(figure, tmp_path / "charts.svg")
        assert "<svg" in (tmp_path / "charts.svg").read_text()
    with pytest.raises(ValueError, match="no chart"):
        chart_figure([])


# The terminal


def test_letters_where_there_are_no_colours():
    lines = printed(pure_chart(), no_color=True)
    assert lines[0] == "pure"
    assert lines[1].split() == list("AKQJT98765432")
    assert lines[2].split() == ["A", "A", "A", *"FFFFFFFFFFF"]
    assert lines[3].split() == ["K", "A", *"FFFFFFFFFFFF"]
    assert lines[4].split() == ["Q", *"FFFFFFFFFFFFF"]
    assert "A all-in: 1.7 %   F fold: 98.3 %" in lines[15]
    assert lines[-1] == "1326 of 1326 combinations in the range"
    assert all(len(line) <= 80 for line in lines)


def test_letters_for_mixtures_and_parts():
    frequencies = np.tile([0.37, 0.63], (169, 1))
    weights = np.ones(169)
    weights[1], weights[2] = 0.5, 0.0
    frequencies[3] = 0.003, 0.997
    cells = printed(Chart("", ("fold", "raise 3"), (FOLD, RAISE), frequencies, weights), no_color=True)[2].split()
    assert cells[:5] == ["A", "r63", "r63*", ".", "R"]


def test_colours_are_mixed_in_the_terminal():
    half = Chart("", ("fold", "all-in"), (FOLD, RAISE), np.full((169, 2), 0.5), np.ones(169))
    lines = printed(half, force_terminal=True, color_system="truecolor")
    fold, push = action_colours((FOLD, RAISE))
    mixed = ";".join(str(round(255 * (a + b) / 2)) for a, b in zip(fold, push, strict=True))
    assert all(line.count(f"48;2;{mixed}m") >= 1 for line in lines[1:14])
    text = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert [name for line in text[1:14] for name in line.split()] == list(CLASSES)
    assert "all-in: 50.0 %" in text[14]
    assert "\x1b" not in "".join(printed(half))
