"""Levels of difficulty: what softening does to every row, and that it costs strength."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.agents import BlueprintAgent, make
from ludus.agents.blueprint import load_blueprint, shipped_blueprints
from ludus.agents.levels import LEVELS, STRONGEST, Level, at_level, decisions, softened, strengths
from ludus.cards.ranges import CLASSES
from ludus.games import CALL, FOLD, TERMINAL, holdem
from ludus.games.record import dealt
from ludus.solvers.blueprint.duel import duel
from small_blueprints import abstraction, blueprint


def rows_of(made, street):
    """All rows of a street: [kinds, slots] of each decision, and how many of its actions are no raises."""
    for start, width, passive in zip(*decisions(made.abstraction)[street], strict=True):
        kinds = made.abstraction.kinds[street]
        yield made.strategy[start : start + kinds * width].reshape(kinds, width).astype(float), passive


def reference(rows, passive, order, groups, temperature):
    """The definition, slowly."""
    total = rows.sum(axis=1, keepdims=True)
    chances = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
    if groups:
        merged = chances.copy()
        for group in range(groups):
            members = [kind for place, kind in enumerate(order) if place * groups // len(order) == group]
            known = [kind for kind in members if total[kind] > 0]
            if known:
                merged[members] = chances[known].mean(axis=0)
        chances = merged
    chances[:, :passive] **= 1 / temperature
    total = chances.sum(axis=1, keepdims=True)
    return np.divide(chances, total, out=np.zeros_like(chances), where=total > 0)


@pytest.mark.parametrize(("form", "players"), [("tree", 2), ("bounded", 6), ("aparicio", 2)])
@pytest.mark.parametrize("level", [Level(1.0, (0, 0, 0, 0)), Level(2.5, (0, 7, 0, 3)), Level(1.0, (5, 0, 1, 0))])
def test_rows_are_softened_as_defined(form, players, level):
    made = blueprint(form, players)
    soft = softened(made, level)
    rng = np.random.default_rng(1)
    for street in range(4):
        order = strengths(made.abstraction, street).tolist()
        pairs = list(zip(rows_of(made, street), rows_of(soft, street), strict=True))
        for at in rng.permutation(len(pairs))[:4]:
            (before, passive), (after, _) = pairs[at]
            expected = reference(before, passive, order, level.groups[street], level.temperature)
            known = expected.sum(axis=1) > 0
            assert (after[~known] == 0).all()
            total = after[known].sum(axis=1, keepdims=True)
            np.testing.assert_allclose(after[known] / total, expected[known], atol=0.011)


def test_decisions_of_a_tree_know_their_raises():
    """Against the readable rules: fold where there is something to call, then check or call."""
    made = abstraction("tree")
    tree = made.layout.tree
    starts = {int(tree.offset[node]): node for node in range(tree.nodes)}
    passive = np.zeros(tree.nodes, int)
    for street in range(4):
        for start, width, count in zip(*decisions(made)[street], strict=True):
            passive[starts[int(start)]] = count
            assert width == np.diff(tree.first)[starts[int(start)]]
    todo = [(0, dealt(made.game.start(), made.game.deck))]
    visited = 0
    while todo:
        node, state = todo.pop()
        actions = list(state.legal_actions())
        assert passive[node] == sum(action in (FOLD, CALL) for action in actions)
        visited += 1
        for at, action in enumerate(actions):
            after = dealt(state.apply(action), made.game.deck)
            if after.player != TERMINAL:
                todo.append((int(tree.child[tree.first[node] + at]), after))
    assert visited == tree.nodes


def test_kinds_are_ordered_by_strength():
    made = abstraction("aparicio", 2)
    before = strengths(made, 0)
    assert (CLASSES[before[-1]], CLASSES[before[0]]) == ("AA", "32o")
    after = strengths(made, 3)
    assert sorted(after.tolist()) == list(range(1521))
    assert (np.diff(after % 9) >= 0).all()
    assert strengths(abstraction("bounded", 2, "200"), 2).tolist() == list(range(200))


@given(st.floats(1, 20), st.integers(0, 9))
def test_a_temperature_makes_raises_rarer(temperature, seed):
    made = blueprint("aparicio")
    soft = softened(made, Level(temperature, (0, 0, 0, 0)))
    for (before, _), (after, _) in zip(rows_of(made, 1), rows_of(soft, 1), strict=True):
        known = before.sum(axis=1) > 0
        raised = before[known, 2:].sum(axis=1) / before[known].sum(axis=1)
        still = after[known, 2:].sum(axis=1) / after[known].sum(axis=1)
        assert (still <= raised + 0.01).all()
        assert (after[before == 0] == 0).all()


def test_the_strongest_level_is_the_blueprint():
    made = blueprint("tree")
    assert at_level(made, STRONGEST) is made
    assert sorted(LEVELS) == [1, 2, 3, 4, 5]
    for below, above in zip((1, 2, 3, 4), (2, 3, 4, 5), strict=True):
        assert LEVELS[below].temperature > LEVELS[above].temperature
        for coarse, fine in zip(LEVELS[below].groups, LEVELS[above].groups, strict=True):
            assert coarse <= fine or fine == 0


def test_a_level_plays_everywhere_the_blueprint_does():
    for game in (holdem(stack=50), holdem(6, 50), holdem(9, 400)):
        for level in (1, 4):
            agent = BlueprintAgent(blueprint("bounded", 6), level)
            state = game.start().deal(range(52))
            row = agent.strategy(state.seen_by(state.player))
            assert sum(row.values()) == pytest.approx(1)
            assert set(row) <= set(state.legal_actions())


@pytest.mark.parametrize("level", [0, 6, -1])
def test_there_are_five_levels(level):
    with pytest.raises(ValueError, match="levels are 1 to 5"):
        make(f"blueprint:level={level}")
    with pytest.raises(ValueError, match="levels are 1 to 5"):
        at_level(blueprint("tree"), level)


@pytest.mark.parametrize("bad", [(0.5, (0, 0, 0, 0)), (float("nan"), (0, 0, 0, 0)), (2.0, (0, -1, 0, 0))])
def test_levels_are_checked(bad):
    with pytest.raises(ValueError, match="a level has"):
        Level(*bad)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_blueprints())
def test_adjacent_levels_of_shipped_blueprints_differ_clearly(name):
    """95 % intervals clear of zero; the tables of the buckets are built the first time."""
    made = load_blueprint(name)
    deals = 400_000 if made.abstraction.game.players == 2 else 100_000
    for level in (1, 2, 3, 4):
        result = duel(at_level(made, level + 1), at_level(made, level), deals, seed=level, threads=2)
        assert result.mean > 1.96 * result.error, (level, result)
