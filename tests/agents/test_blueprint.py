"""Blueprints as players: at their own tables they play their tables, at others by translation, and always legally."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import BlueprintAgent, make
from ludus.agents import blueprint as module
from ludus.agents.base import Strategist
from ludus.agents.blueprint import load_blueprint, shipped_blueprints
from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS, combo_index
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem, leduc
from ludus.games.acpc import read_game
from ludus.games.compiled.engine import rules_of
from ludus.games.menu import Menu
from ludus.solvers.beliefs import Beliefs, RangeStrategist
from ludus.trees.translation import pot_fraction, pseudo_harmonic
from small_blueprints import abstraction, blueprint, unknown


def decisions(game, hands, seed):
    """Every decision of random hands, in which any legal action is taken."""
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        deck, state = rng.permutation(52).tolist(), game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            yield state
            moves = state.legal_actions()
            kinds = [[CALL], [CALL], [FOLD] * moves.fold, list(moves.raises[:60]) + list(moves.raises[-1:])]
            kinds = [kind for kind in kinds if kind]
            kind = kinds[rng.integers(len(kinds))]
            state = state.apply(int(kind[rng.integers(len(kind))]))


def flat(line):
    return [action for street in line for action in street]


def as_row(played, hand):
    row = played.chances[combo_index(*hand)].tolist()
    return {action: chance for action, chance in zip(played.actions, row, strict=True) if chance > 0}


@pytest.mark.parametrize(("form", "players"), [("tree", 2), ("bounded", 2), ("bounded", 6), ("aparicio", 3)])
def test_at_its_own_table_it_plays_the_rows_of_the_blueprint(form, players):
    made = blueprint(form, players)
    agent, game = BlueprintAgent(made), abstraction(form, players).game
    rules = rules_of(abstraction(form, players).table)
    met = 0
    for state in decisions(game, 25, seed=1):
        found = made.find(rules, flat(state.line))
        hand = state.hole(state.player)
        kind = made.kinds(state.board)[combo_index(*hand)]
        places = found.start + kind * found.stride + np.array(found.slots)
        row = made.strategy[places].astype(float)
        if row.sum():
            expected = {a: c for a, c in zip(found.actions, (row / row.sum()).tolist(), strict=True) if c > 0}
            assert agent.strategy(state.seen_by(state.player)) == pytest.approx(expected)
            met += 1
    assert met > 40


TABLES = [
    ("tree", 2, holdem(stack=50)),
    ("tree", 2, holdem(stack=200, blinds=(2, 5), ante=1)),
    ("tree", 2, holdem(stack=(900, 300), blinds=(50, 100))),
    ("tree", 2, read_game("holdem.nolimit.2p.reverse_blinds.game")),
    ("tree", 2, holdem(stack=50, bets=Menu.pots(0.4, 1.3, all_in=False))),
    ("bounded", 6, holdem(stack=50)),
    ("bounded", 6, holdem(9, (20, 50, 3, 100, 400, 50, 50, 1, 70), straddle=4)),
    ("bounded", 6, holdem(6, 50, dialect="acpc")),
    ("bounded", 2, holdem(4, 300)),
    ("aparicio", 3, holdem(3, 100, ante=(0, 2, 0))),
    ("aparicio", 3, holdem(10, 50, bets=Menu.pots(0.5))),
]


@pytest.mark.parametrize(("form", "players", "game"), TABLES, ids=lambda value: str(getattr(value, "stacks", value)))
def test_everywhere_strategies_are_legal_and_those_of_a_hand_and_of_the_range_agree(form, players, game):
    agent = BlueprintAgent(blueprint(form, players))
    assert isinstance(agent, Strategist)
    assert isinstance(agent, RangeStrategist)
    agent.check(game)
    for state in decisions(game, 12, seed=2):
        played, row = agent.range_strategy(state.seen_by(-1)), agent.strategy(state.seen_by(state.player))
        assert list(row) == sorted(row)
        assert row == pytest.approx(as_row(played, state.hole(state.player)))
        assert set(played.actions) <= set(state.legal_actions())
        np.testing.assert_allclose(played.chances.sum(axis=1), 1)
        blocked = np.isin(COMBOS, state.board).any(axis=1)
        assert (played.chances[blocked, played.actions.index(CALL)] == 1).all() if blocked.any() else True
        assert agent.act(state.seen_by(state.player), np.random.default_rng(1)) in row


def test_chips_are_only_a_scale():
    """The same table in other chips: the same mix, raises multiplied."""
    agent = BlueprintAgent(blueprint("tree"))
    small, large = holdem(stack=50), holdem(stack=50 * 70, blinds=(70, 140))
    for state in decisions(abstraction("tree").game, 20, seed=3):
        other = large.start().deal(state.cards)
        for street in state.line:
            for action in street:
                other = other.apply(action * 70 if action > 0 else action)
            if other.player == CHANCE and len(other.cards) < len(state.cards):
                other = other.deal(state.cards)
        mine = small.start().deal(state.cards)
        for street in state.line:
            for action in street:
                mine = mine.apply(action)
            if mine.player == CHANCE and len(mine.cards) < len(state.cards):
                mine = mine.deal(state.cards)
        one, two = (agent.range_strategy(each.seen_by(-1)) for each in (mine, other))
        assert tuple(action * 70 if action > 0 else action for action in one.actions) == two.actions
        np.testing.assert_array_equal(one.chances, two.chances)


def test_with_deeper_stacks_all_in_is_a_bet_and_with_shorter_ones_all_in():
    """All-in for 24 big blinds more over 1.5 in the tree; at four times the stack that is not the whole of it."""
    agent = BlueprintAgent(blueprint("tree"))
    for stack, largest in ((50, 50), (200, 50), (20, 20), (60, 60)):
        state = holdem(stack=stack).start().deal(range(4))
        assert max(agent.range_strategy(state.seen_by(-1)).actions) == largest
    assert "by translation with 100 big blinds" in agent.describe(holdem(stack=200))
    assert "translation" not in agent.describe(holdem(stack=50))
    assert "translation" not in agent.describe(holdem(stack=5000, blinds=(100, 200)))
    assert "5 to 45 big blinds" in agent.describe(holdem(stack=(90, 10)))
    assert "other blinds or antes" in agent.describe(holdem(stack=50, ante=1))
    assert "with 4 players" in BlueprintAgent(blueprint("bounded", 6)).describe(holdem(4, 50))


def test_unknown_bets_are_translated_by_the_hand_and_the_seed():
    """A bet between two sizes is one of them for some hands and the other for the rest, always the same one."""
    made = blueprint("tree")
    line = holdem(stack=50).start().deal(range(4)).apply(6)  # 75 % is 5, all-in 50
    played = [BlueprintAgent(made, seed=seed).range_strategy(line.seen_by(-1)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(played[0].chances, played[1].chances)
    assert (played[0].chances != played[2].chances).any()
    at = BlueprintAgent(made)._at(line.game)
    parts = list(BlueprintAgent(made)._parts(at, line))
    assert sorted(np.concatenate([hands for _, hands in parts]).tolist()) == list(range(1326))
    assert min(len(hands) for _, hands in parts) > 10


@pytest.mark.parametrize("form", ["bounded", "aparicio"])
def test_a_bounded_blueprint_keeps_positions_from_the_button(form):
    """At a table of nine the early positions play as UTG of six, the others as they do there."""
    agent = BlueprintAgent(blueprint(form, 6, known=1.0))
    six, nine = holdem(6, 50), holdem(9, 50)
    state = nine.start().deal(range(18))
    first = six.start().deal(range(12))
    for seat in range(2, 9):
        one, two = agent.range_strategy(state.seen_by(-1)), agent.range_strategy(first.seen_by(-1))
        assert one.actions == two.actions
        np.testing.assert_array_equal(one.chances, two.chances)
        state = state.apply(FOLD)
        if seat >= 5:
            first = first.apply(FOLD)


# Where nothing is known


def test_an_empty_blueprint_never_raises_and_defends_as_often_as_the_odds_ask():
    heads_up = BlueprintAgent(unknown())
    state = holdem().start().deal(range(4)).seen_by(-1)
    played = heads_up.range_strategy(state)
    assert played.actions == (FOLD, CALL)
    assert played.chances[:, 1].mean() == pytest.approx(2 / 3, abs=0.01)  # 1 to call, the pot is 3
    aces, worst = combo_index(*parse_cards("AhAs")), combo_index(*parse_cards("3h2s"))
    assert played.chances[aces, 1] == 1
    assert played.chances[worst, 0] == 1
    three = BlueprintAgent(unknown(players=3))
    first = three.range_strategy(holdem(3).start().deal(range(6)).seen_by(-1))
    assert first.chances[:, 0].mean() == pytest.approx((2 / 3) ** 0.5, abs=0.01)  # two face the blinds together


def test_where_checking_is_free_an_empty_blueprint_checks():
    agent = BlueprintAgent(unknown())
    state = holdem().start().deal(range(52)).apply(CALL)
    assert agent.strategy(state.seen_by(0)) == {CALL: 1.0}
    assert agent.range_strategy(state.seen_by(-1)).actions == (CALL,)


def test_what_it_defends_with_is_the_upper_part_of_its_own_range():
    """On the river against a bet of the pot: half of the hands it comes with, the best ones."""
    agent, state = BlueprintAgent(unknown()), holdem().start()
    deck = [*parse_cards("2c2d3c3d"), *parse_cards("AhKs9d5c4h")]
    for action in (CALL, CALL, CALL, CALL, CALL, CALL, 4):
        while state.player == CHANCE:
            state = state.deal(deck)
        state = state.apply(action)
    played, own = agent.range_strategy(state.seen_by(-1)), Beliefs(agent).range_of(state.seen_by(-1), state.player)
    assert (played.chances[:, 1] * own).sum() / own.sum() == pytest.approx(0.5, abs=0.03)
    assert played.chances[combo_index(*parse_cards("AdAc")), 1] == 1
    assert played.chances[combo_index(*parse_cards("7d2h")), 1] == 0


def test_a_raise_of_another_size_counts_as_its_neighbours_for_the_own_range():
    agent, start = BlueprintAgent(blueprint("tree", known=1.0)), holdem(stack=50).start().deal(range(4))
    played = agent.range_strategy(start.seen_by(-1))
    small, large = (action for action in played.actions if action > CALL)
    smaller, larger = (played.chances[:, played.actions.index(action)] for action in (small, large))
    middle = pseudo_harmonic(*(pot_fraction(start, action) for action in (small, large, small + 3)))
    between = middle * smaller + (1 - middle) * larger
    for raise_to, chances in ((small - 1, smaller), (small, smaller), (small + 3, between), (large, larger)):
        again = start.apply(raise_to).apply(50 if raise_to < 50 else CALL).seen_by(-1)
        weights = 0.95 * chances + 0.05 * chances.mean()
        own = Beliefs(agent).range_of(again, start.player)
        np.testing.assert_allclose(own, weights / weights.max(), rtol=1e-6)


def test_rows_that_training_never_met_are_not_played_at_random():
    made = blueprint("bounded", 6)
    agent = BlueprintAgent(made)
    rules = rules_of(abstraction("bounded", 6).table)
    seen = 0
    for state in decisions(holdem(6, 50), 30, seed=9):
        found, kind = (
            made.find(rules, flat(state.line)),
            made.kinds(state.board)[combo_index(*state.hole(state.player))],
        )
        if not made.strategy[found.start + kind * found.stride + np.array(found.slots)].any():
            assert max(agent.strategy(state.seen_by(state.player))) <= CALL
            seen += 1
    assert seen > 3


# Making and loading


def test_purification_leaves_likely_actions_alone():
    made = blueprint("bounded", 6, known=1.0)
    plain, pure, one = BlueprintAgent(made), BlueprintAgent(made, purify=0.3), BlueprintAgent(made, purify=1.0)
    changed = 0
    for state in decisions(holdem(6, 50), 10, seed=4):
        row = plain.strategy(state.seen_by(state.player))
        kept = {action: chance for action, chance in row.items() if chance >= min(0.3, max(row.values()))}
        expected = {action: chance / sum(kept.values()) for action, chance in kept.items()}
        assert pure.strategy(state.seen_by(state.player)) == pytest.approx(expected)
        assert as_row(pure.range_strategy(state.seen_by(-1)), state.hole(state.player)) == pytest.approx(expected)
        changed += expected.keys() != row.keys()
        assert set(one.strategy(state.seen_by(state.player)).values()) <= {1.0, 0.5}
    assert changed
    with pytest.raises(ValueError, match="between 0 and 1"):
        BlueprintAgent(made, purify=2.0)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder of blueprints in the place of those that come with the package."""
    blueprint("tree").save(tmp_path / "heads-up.safetensors")
    blueprint("bounded", 6).save(tmp_path / "six-player.safetensors")
    monkeypatch.setattr(module, "SHIPPED", tmp_path)
    return tmp_path


def test_blueprints_are_found_by_name_file_and_table(shipped):
    assert shipped_blueprints() == ["heads-up", "six-player"]
    assert load_blueprint("six-player").abstraction.form == "bounded"
    assert load_blueprint(shipped / "heads-up.safetensors").abstraction.form == "tree"
    assert [load_blueprint("auto", holdem(n)).abstraction.form for n in (2, 3, 6, 10)] == ["tree", *["bounded"] * 3]
    with pytest.raises(ValueError, match="'deep': name a file or one of heads-up, six-player"):
        load_blueprint("deep")
    with pytest.raises(ValueError, match="depends on the table"):
        load_blueprint()
    (shipped / "bad.safetensors").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="not a file of Ludus"):
        load_blueprint("bad")
    (shipped / "heads-up.safetensors").unlink()
    assert load_blueprint("auto", holdem()).abstraction.form == "bounded"
    (shipped / "six-player.safetensors").unlink()
    with pytest.raises(ValueError, match="no blueprint for 2 players comes with this package"):
        load_blueprint("auto", holdem())


def test_one_agent_sits_at_tables_of_all_sizes(shipped):
    agent = make("blueprint", holdem())
    for game in (holdem(stack=50), holdem(6, 50), holdem(stack=50), holdem(3, 80)):
        state = game.start().deal(range(52))
        assert sum(agent.strategy(state.seen_by(state.player)).values()) == pytest.approx(1)
    assert agent.blueprint_for(holdem()).abstraction.form == "tree"
    assert agent.blueprint_for(holdem(7)).abstraction.form == "bounded"
    named = make("blueprint:six-player,level=2,purify=0.1,seed=4", holdem())
    assert (named.blueprint.abstraction.form, named.level, named.purify, named.seed) == ("bounded", 2, 0.1, 4)
    assert "level 2 of 5" in named.describe(holdem())


def test_a_table_is_known_by_its_rules_however_often_they_are_made(shipped):
    agent = make("blueprint", holdem())
    for _ in range(3):
        state = holdem(stack=50).start().deal(range(52))
        agent.strategy(state.seen_by(state.player))
    assert len(agent._tables) == 1
    agent.strategy(holdem(stack=60).start().deal(range(52)).seen_by(1))
    assert list(agent._tables) == [holdem(stack=50), holdem(stack=60)]


@pytest.mark.parametrize(
    ("form", "players", "game", "message"),
    [
        ("tree", 2, holdem(3, 50), "for 2 players, the table has 3"),
        ("bounded", 6, holdem(betting="limit"), "no-limit"),
        ("bounded", 6, holdem(betting="pot-limit"), "no-limit"),
        ("bounded", 6, leduc(), "no-limit"),
        ("tree", 2, replace(holdem(), blinds=(1, 2)), "seat 0 opens"),
        ("tree", 2, replace(holdem(dialect="acpc"), first_seats=(1, 1, 1, 1)), "seat 0 opens"),
        ("aparicio", 3, replace(holdem(3, dialect="acpc"), first_seats=(2, 1, 1, 1)), "seat 0 opens"),
    ],
)
def test_games_that_it_cannot_play_are_refused(form, players, game, message):
    with pytest.raises(ValueError, match=message):
        BlueprintAgent(blueprint(form, players)).check(game)


def test_the_own_cards_must_be_seen():
    state = holdem(stack=50).start().deal(range(4))
    with pytest.raises(ValueError, match="own cards are hidden"):
        BlueprintAgent(blueprint("tree")).strategy(state.seen_by(0))


def test_buckets_serve_as_kinds():
    """A blueprint over buckets: hands of one bucket play alike, and the row is that of the bucket."""
    made = blueprint("bounded", 2, "200")
    agent, state = BlueprintAgent(made), holdem(stack=50).start()
    deck = [*parse_cards("2c2d3c3d"), *parse_cards("AhKs9d5c4h")]
    while len(state.board) < 4:
        state = state.deal(deck) if state.player == CHANCE else state.apply(CALL)
    buckets, played = made.abstraction.buckets.of_board(state.board), agent.range_strategy(state.seen_by(-1))
    live = ~np.isin(COMBOS, state.board).any(axis=1)
    found = made.find(rules_of(made.abstraction.table), flat(state.line))
    for bucket in np.unique(buckets[live])[:50]:
        rows = played.chances[live & (buckets == bucket)]
        raw = made.strategy[found.start + int(bucket) * found.stride + np.array(found.slots)].astype(float)
        if raw.sum():
            known = dict(zip(found.actions, raw / raw.sum(), strict=True))
            np.testing.assert_allclose(rows, [[known.get(action, 0.0) for action in played.actions]] * len(rows))


def test_schedules_are_in_the_files(tmp_path):
    blueprint("tree").save(tmp_path / "a.safetensors")
    assert isinstance(load_blueprint(tmp_path / "a.safetensors").abstraction.game.bets, Menu)
