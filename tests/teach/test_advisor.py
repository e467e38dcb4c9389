"""The assistant: ranges, odds and outs that are known, spots with known solutions, and what it says about them."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from ludus.agents import CallAgent, LooseAgent, TightAgent, spot_solver
from ludus.agents.blueprint import BlueprintAgent
from ludus.agents.evaluation import Estimate
from ludus.agents.rollouts import Rollouts
from ludus.cards.card import format_cards, parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.ranges import COMBOS, blocked, combo_index, parse_range
from ludus.games import CALL, FOLD, holdem, kuhn, record
from ludus.games.menu import Menu
from ludus.solvers.beliefs import UNAWARE, Beliefs, RangeStrategy, bayes, chances_of
from ludus.solvers.blueprint.presets import BETS
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.spot import layout
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.teach.advice import Advice, Choice, Opponent
from ludus.teach.advisor import SOLVING, Advisor, AnyTableAdvisor, default_advisor
from ludus.teach.explain import class_shares, explain, facts, main_part, range_text, range_words
from ludus.teach.odds import equity_against, minimum_defence, outs, pot_odds
from ludus.teach.situation import parse_situation
from ludus.teach.spots import advice as spot_advice
from ludus.teach.spots.advice import SpotAdviser, SpotCase
from ludus.trees.blueprint import Abstraction
from ludus.trees.spot import Spot
from reference_playout import PlayOut, _joint_hands

EVERY = np.ones(len(COMBOS))
SECONDS = 0.2223  # 200 iterations of a river
ACES, KINGS = parse_range("AA") > 0, parse_range("KK") > 0


def combo(text):
    return combo_index(*parse_cards(text))


@dataclass
class AcesRaise:
    """Aces raise to 300 or to 900, half and half; kings call one time in five; everything else folds."""

    asked: int = 0

    def range_strategy(self, public):
        self.asked += 1
        chances = np.zeros((len(COMBOS), 4))
        chances[:, 0] = 1.0
        chances[ACES], chances[KINGS] = (0, 0, 0.5, 0.5), (0.8, 0.2, 0, 0)
        return RangeStrategy((FOLD, CALL, 300, 900), chances)


# Ranges


def test_an_action_multiplies_a_range_by_its_chance():
    raised, called = (parse_situation(f"3 players; hero SB 2c2d; BTN {act}") for act in ("r3bb", "c"))
    raiser, caller = (Beliefs(AcesRaise()).ranges(state)[2] for state in (raised, called))
    assert raiser[ACES].tolist() == [1.0] * 6
    assert caller[KINGS].tolist() == [1.0] * 6
    often = 0.2 * 6 / 1326  # of the whole range calls
    unaware = UNAWARE * often / ((1 - UNAWARE) * 0.2 + UNAWARE * often)
    assert caller[~KINGS] == pytest.approx(unaware)
    assert all((held == 1).all() for held in Beliefs(AcesRaise()).ranges(called)[:2])


def test_a_raise_between_two_sizes_is_both():
    played, public = AcesRaise().range_strategy(None), parse_situation("3 players; hero BTN 2c2d")
    low, high, size = 200 / 250, 800 / 250, 400 / 250  # over a pot of 250 after calling
    first = (high - size) * (1 + low) / ((high - low) * (1 + size))
    played.chances[ACES] = (0, 0, 0.8, 0.2)
    found = chances_of(played, public, 500, parse_range("TT+"))
    assert found[ACES] == pytest.approx(first * 0.8 + (1 - first) * 0.2)
    assert found[~ACES].max() == 0
    rare = chances_of(played, public, 900, EVERY)
    assert rare[ACES] == pytest.approx(1.0)  # next to nobody raises so much: a raise of any size


def test_what_nobody_does_changes_nothing():
    own = parse_range("QQ+")
    assert bayes(own, np.zeros(1326), UNAWARE) is own
    calls = RangeStrategy((CALL,), np.ones((1326, 1)))
    assert not chances_of(calls, parse_situation("hu; hero 2c2d"), 500, EVERY).any()


def test_opponents_hold_no_card_that_is_seen():
    state = parse_situation("3 players; hero BB AhAd; BTN r3bb SB f")
    seen = Beliefs(AcesRaise()).opponents(state)
    assert seen[0] is None
    assert seen[1] is None
    assert np.flatnonzero(seen[2] == 1).tolist() == [combo("AsAc")]
    flop = parse_situation("3 players; hero BB 2h2d; BTN r3bb SB f BB c; AcKc9s")
    button = Beliefs(AcesRaise()).opponents(flop)[2]
    assert np.flatnonzero(button == 1).tolist() == [combo("AdAh"), combo("AsAd"), combo("AsAh")]
    assert not button[np.isin(COMBOS, [*parse_cards("2h2dAcKc9s")]).any(axis=1)].any()


def test_going_on_in_a_hand_asks_for_one_more_decision():
    strategist = AcesRaise()
    tracker = Beliefs(strategist)
    tracker.ranges(parse_situation("6 players; hero BB 2h2d; UTG r3bb f f f f"))
    assert strategist.asked == 5
    tracker.ranges(parse_situation("6 players; hero SB 2h2d; UTG r3bb f f f"))
    assert strategist.asked == 5
    tracker.ranges(parse_situation("6 players; hero BB 2h2d; UTG r3bb f f f f c; Td9d6h"))
    assert strategist.asked == 6


# Odds


@pytest.mark.parametrize(
    ("text", "odds"),
    [
        ("hu; hero BTN 2c2d", 50 / 200),
        ("hu; hero BB 2c2d; r3bb", 200 / 600),
        ("hu; hero BB 2c2d; r3bb c; Td9d6h", 0.0),
        ("3 players, BB 2bb; hero BB 2c2d; BTN r5bb f", 100 / (100 + 100 + 50 + 200)),  # of the raise 2bb can be won
        ("3 players, BB 3bb; bb ante 1bb; hero BB 2c2d; BTN r5bb f", 100 / (100 + 100 + 100 + 50 + 200)),
    ],
)
def test_pot_odds(text, odds):
    assert pot_odds(parse_situation(text)) == pytest.approx(odds)


@pytest.mark.parametrize(
    ("text", "defence"),
    [
        ("hu; hero BTN 2c2d", None),
        ("hu; hero BB 2c2d; c", None),
        ("hu; hero BTN 2c2d; c x; Td9d6h b1bb", 2 / 3),
        ("hu; hero BTN 2c2d; c x; Td9d6h b2bb", 1 / 2),
        ("hu; hero BB 2c2d; c x; Td9d6h b2bb r6bb", 4 / 10),  # 6 risked for a pot of 4
        ("hu; hero BB 2c2d; r2.5bb", 1.5 / 3.5),
        ("hu, BB 10bb; hero BB 2c2d; r2bb c; Td9d6h x b20bb", 4 / 12),  # of 20 only 8 can be called
    ],
)  # fmt: skip
def test_minimum_defence(text, defence):
    assert minimum_defence(parse_situation(text)) == (defence if defence is None else pytest.approx(defence))


def test_outs_are_the_cards_that_put_a_hand_ahead():
    game, hand, board = holdem(), parse_cards("AhKh"), parse_cards("9c7h2h")
    found = outs(game, hand, [parse_range("QsQd")], board)
    assert format_cards(found) == "AsAdAcKsKdKcQhJhTh9h8h6h5h4h3h"
    against_a_set = outs(game, hand, [parse_range("2c2d")], board)  # a flush, unless the board pairs
    assert format_cards(against_a_set) == "QhJhTh8h6h5h4h3h"
    assert outs(game, hand, [parse_range("QsJs")], board) == ()  # ahead
    assert outs(game, hand, [parse_range("QQ")], ()) == ()
    assert outs(game, hand, [parse_range("QQ")], (*board, *parse_cards("3c4c"))) == ()
    two = outs(game, hand, [parse_range("QsQd"), parse_range("2c2d")], board)
    assert two == against_a_set


def test_equity_is_exact_against_one_and_near_against_several():
    hand, board = (combo("AhKh"), parse_cards("AhKh")), parse_cards("Kd7c2s")
    exact = equity([as_range("AhKh"), parse_range("QQ+")], board, exact=True).equity[0]
    assert equity_against(hand[1], [parse_range("QQ+")], board) == exact
    three = equity([as_range("AhKh"), parse_range("QQ"), parse_range("JTs")], board, exact=True).equity[0]
    assert equity_against(hand[1], [parse_range("QQ"), parse_range("JTs")], board) == pytest.approx(three, abs=0.008)


# Playing on


def test_checking_down_is_worth_the_equity():
    state = parse_situation("hu; hero BB AhKh; r3bb c; Kd7c2s; x b6bb")
    ranges = [None, parse_range("QQ")]
    found = PlayOut(CallAgent(), hands=400, seed=3).values(state, parse_cards("AhKh"), ranges, (FOLD, CALL))
    won = equity_against(parse_cards("AhKh"), [ranges[1]], state.board) * (state.pot + 600) - 600
    assert found[FOLD] == Estimate(0.0)
    assert abs(found[CALL].mean - won) < 4 * found[CALL].error
    assert 0 < found[CALL].error < 60


def test_river_values_are_the_chips_that_change_hands():
    state = parse_situation("hu; hero BTN AhKh; r3bb c; Kd7c2s; x x; 3c x x; 4d b6bb")
    play, hand = PlayOut(TightAgent(), hands=10), parse_cards("AhKh")
    values = play.values(state, hand, [parse_range("QsQd"), None], (FOLD, CALL, 1800))
    assert values[CALL] == Estimate(1200.0, 0.0)
    assert values[1800].mean in (1200.0, 2400.0)
    assert play.values(state, hand, [parse_range("7s7d"), None], (CALL,))[CALL] == Estimate(-600.0, 0.0)


def test_hands_are_drawn_together_as_often_as_they_go_together():
    """Of aces and of any ace with a king: all pairs of hands that share no card, equally often."""
    one, two = parse_range("AhAd, AhAc"), parse_range("AhKd, AcKd, AdKd, AsKd")
    rows = _joint_hands([one, two], parse_cards("2c2d"), 30_000, np.random.default_rng(1))
    pairs = {(a, b) for a in np.flatnonzero(one) for b in np.flatnonzero(two) if not set(COMBOS[a]) & set(COMBOS[b])}
    counts = [int(((rows == pair).all(axis=1)).sum()) for pair in sorted(pairs)]
    assert sum(counts) == len(rows)
    assert len(pairs) == 4
    assert counts == pytest.approx([7500] * 4, rel=0.05)
    with pytest.raises(ValueError, match="hardly any hands go together"):
        _joint_hands([parse_range("AhAd"), parse_range("AhAc")], parse_cards("2c2d"), 5, np.random.default_rng(1))
    with pytest.raises(ValueError, match="no hand left"):
        _joint_hands([parse_range("2c2d")], parse_cards("2c2d"), 5, np.random.default_rng(1))


def lively(players):
    """A blueprint in which what one does depends on everything."""
    form = Abstraction(holdem(players, 2000, (10, 20), bets=Menu.parse(BETS["aparicio"])), "aparicio", "aparicio")
    strategy = np.random.default_rng(5).integers(1, 256, form.layout.slots, dtype=np.uint8)
    return Blueprint(form, {}, strategy)


@pytest.mark.parametrize("players", [2, 3])
def test_playing_on_by_python_and_by_kernels_is_worth_the_same(players):
    blueprint = lively(players)
    state = parse_situation(f"{players} players, 20bb, blinds 10/20; AhKh; BTN r3bb" + " SB c" * (players == 3))
    ranges = Beliefs(LooseAgent()).opponents(state)
    hand, actions = tuple(sorted(parse_cards("AhKh"))), (FOLD, CALL, 200)
    slow = PlayOut(BlueprintAgent(blueprint), hands=300, seed=2).values(state.seen_by(-1), hand, ranges, actions)
    quick = Rollouts(blueprint, hands=20_000).values(state.seen_by(-1), hand, ranges, actions)
    for action in actions:
        assert abs(slow[action].mean - quick[action].mean) <= 4 * np.hypot(slow[action].error, quick[action].error)


# Spots that are solved


@dataclass(frozen=True, eq=False)
class Known(Beliefs):
    """With the same ranges everywhere."""

    held: tuple = ()

    def ranges(self, public, decisions=None):
        return tuple(blocked(own, public.board) for own in self.held)


STRONG_OR_NOTHING = parse_range("AhAd, AhAc, AdAc, JdTd, JcTc, JhTh, JdTc, JcTh, JhTd")
BETWEEN = parse_range("KhQh, KdQd, KcQc, KhQd, KdQc")


def known(*held):
    return SpotAdviser(Known(CallAgent(), held=held))


def river(hand, done="", players="heads-up, 6bb"):
    return parse_situation(f"{players}, blinds 1/2; hero {hand}; BTN c, BB x; As8s7d x x 5c x x 2h {done}")


@pytest.mark.slow
def test_strong_hands_and_bluffs_against_what_lies_between():
    """All-in for the pot: bluffs are worth nothing, strong hands the pot and half the bets, and calls nothing."""
    adviser = known(STRONG_OR_NOTHING, BETWEEN)
    pot, bet = 4, 10
    strong, bluff = (adviser.answer(river(hand), 10.0) for hand in ("BB AhAd", "BB JdTd"))
    assert strong.values[bet].mean == pytest.approx(pot + bet * pot / (pot + bet), rel=0.03)
    assert strong.chances[bet] == pytest.approx(1, abs=0.02)
    assert bluff.values[bet].mean == pytest.approx(0, abs=0.15)
    assert bluff.values[CALL].mean == pytest.approx(0, abs=0.05)
    call = adviser.answer(river("BTN KhQh", "a"), 10.0)
    assert call.values[CALL].mean == pytest.approx(0, abs=0.3)
    assert call.values[FOLD] == Estimate(0.0)
    share = call.opponent[combo("JcTc")] / call.opponent[combo("AdAc")]
    bluffs, values = 6 * share, 3
    assert bluffs / values == pytest.approx(bet / (pot + bet), rel=0.25)
    assert not call.opponent[np.isin(COMBOS, parse_cards("KhQhAs8s7d5c2h")).any(axis=1)].any()


def test_the_answer_is_that_of_the_solution():
    held = parse_range("22+, A2s+, KTs+, QJs, ATo+, KQo"), parse_range("55+, A8s+, K9s+, QTs+, JTs, AJo+")
    state = river("BB AdKd", "x b3", "heads-up, 50bb")
    found, case = known(*held).answer(state, SECONDS), SpotCase.of(state, [])
    ranges = case.ranges(Known(CallAgent(), held=held), state)
    view = Solution.of(solve_spot(Spot(case.subgame, np.stack(ranges)), iterations=200)).at("X-B3")
    mine = view.combos[0].tolist().index(combo("AdKd"))
    expected = dict(zip((action.number for action in view.actions), view.action_ev[:, mine].tolist(), strict=True))
    assert {action: value.mean for action, value in found.values.items()} == pytest.approx(expected, abs=1e-3)
    best = max(expected.values())
    error = max(found.values[CALL].error, 0.002 * state.pot)
    kept = [value > best - error for value in expected.values()]
    mixed = view.strategy[:, mine] * kept
    assert [*found.chances.values()] == pytest.approx(mixed / mixed.sum(), abs=1e-3)
    assert found.percent < 1


def test_two_who_are_left_are_a_spot_of_two():
    """The same ranges, pot and stacks, with and without players who have folded."""
    held = parse_range("22+, A2s+, KTs+, QJs"), parse_range("55+, A8s+, K9s+, QTs+, JTs")
    later = "As8s7d x x 5c x x 2h x b6"
    two = parse_situation(f"hu, 200, blinds 2/4; hero BB AdKd; BTN r10 c; {later}")
    four = parse_situation(f"4 players, 199, SB 4; blinds 2/4; hero BB AdKd; UTG r9 f f c; {later}")
    assert (two.pot, four.pot, two.stacks) == (26, 26, (190, 184))
    subgames = [SpotCase.of(state, []).subgame for state in (two, four)]
    assert [(subgame.pot, subgame.stack) for subgame in subgames] == [(20, 190)] * 2
    assert subgames[0].menu == subgames[1].menu
    one, other = known(*held).answer(two, SECONDS), known(EVERY, *held, EVERY).answer(four, SECONDS)
    assert one.chances == pytest.approx(other.chances, abs=1e-6)
    assert {a: v.mean for a, v in one.values.items()} == pytest.approx({a: v.mean for a, v in other.values.items()})


def test_what_a_solution_hardly_does_is_solved_from_the_ranges_at_the_point(monkeypatch):
    held = parse_range("22+, A2s+, KTs+"), parse_range("55+, A8s+, K9s+")
    state = river("BTN AdKd", "b3", "heads-up, 50bb")
    usual = known(*held).answer(state, SECONDS)
    monkeypatch.setattr(spot_advice, "RARE", 2.0)
    locked = known(*held).answer(state, SECONDS)
    expected = blocked(held[0], parse_cards("AdKdAs8s7d5c2h"))
    np.testing.assert_allclose(locked.opponent, expected, atol=1e-6)
    assert np.abs(usual.opponent - expected).max() > 0.1
    share = equity_against(parse_cards("AdKd"), [expected], state.board)
    assert locked.values[CALL].mean == pytest.approx(share * (state.pot + 3) - 3, abs=1e-3)


def test_a_raise_that_is_asked_for_is_answered():
    held = parse_range("22+, A2s+, KTs+"), parse_range("55+, A8s+, K9s+")
    state, adviser = river("BB AdKd", "", "heads-up, 50bb"), known(*held)
    assert 17 not in adviser.answer(state, SECONDS).values
    found = adviser.answer(state, SECONDS, also=[17])
    assert found.values[17].mean < found.values[3].mean
    assert adviser.answer(state, SECONDS, also=[17, 23]) is None
    whole = adviser.answer(river("BB AdKd", "", "heads-up, BB 50bb, BTN 20bb"), SECONDS, also=[98])
    assert whole.values[98] == whole.values[38]


def test_solutions_are_remembered(monkeypatch):
    held = parse_range("22+, A2s+, KTs+"), parse_range("55+, A8s+, K9s+")
    adviser = known(*held)
    adviser.answer(river("BB AdKd", "", "heads-up, 50bb"), SECONDS)
    monkeypatch.setattr(spot_advice, "_solved", None)
    assert adviser.answer(river("BB AdKd", "", "heads-up, 50bb"), SECONDS)
    assert adviser.answer(river("BB AdKd", "x b75%", "heads-up, 50bb"), SECONDS)


# The whole


def loose(hands=20, **more):
    return Advisor(LooseAgent(), PlayOut(LooseAgent(), hands), **more)


def test_before_the_river_of_two_the_blueprint_answers():
    state = parse_situation("3 players; hero BB AhKh; BTN r3bb SB f")
    advice = loose().advise(state)
    played = LooseAgent().range_strategy(state)
    row = dict(zip(played.actions, played.chances[combo("AhKh")], strict=True))
    assert advice.source == "blueprint"
    mixed = {choice.action: choice.chance for choice in advice.choices}
    assert mixed == {FOLD: 0.0, CALL: 0.0} | row
    assert [*mixed] == sorted(mixed)
    assert [choice.name for choice in advice.choices][:2] == ["fold", "call 200"]
    [button] = advice.opponents
    assert (button.place, advice.equity) == ("BTN", button.equity)
    assert advice.equity == pytest.approx(equity_against(parse_cards("AhKh"), [button.range], ()), abs=0.003)
    assert (advice.pot_odds, advice.defence) == (pot_odds(state), minimum_defence(state))
    assert advice.best.value.mean == max(choice.value.mean for choice in advice.choices if choice.chance)
    assert advice.worth == pytest.approx(sum(choice.chance * choice.value.mean for choice in advice.choices))


def test_rivers_of_two_are_solved_unless_told_otherwise():
    text = "3 players, 20bb; hero BB AhKh; BTN r3bb SB f c; As8s7d x x 5c x x 2h"
    advice = loose(seconds=SECONDS / SOLVING).advise(parse_situation(text))
    assert advice.source == "solved"
    assert "200 iterations" in advice.note
    assert sum(choice.chance for choice in advice.choices) == pytest.approx(1)
    assert loose(solve=False).advise(parse_situation(text)).source == "blueprint"
    three = parse_situation("3 players, 20bb; hero SB AhKh; BTN r3bb c c; As8s7d x x x 5c x x x 2h")
    found = loose().advise(three)
    assert (found.source, found.note, len(found.opponents)) == ("blueprint", "", 2)


@pytest.mark.parametrize("text", ["turn 5c: x, b75%", "turn 5c"])
def test_a_turn_builds_its_tree_once_and_replays_the_hand_once(monkeypatch, text):
    trees, replays = [], []
    build, retrace = layout.build_betting_tree, record.retrace

    def built(spot, *rest, **more):
        trees.append(more.get("streets"))
        return build(spot, *rest, **more)

    def replayed(state, deck=None):
        replays.append(state)
        return retrace(state, deck)

    for module in (layout, spot_solver):
        monkeypatch.setattr(module, "build_betting_tree", built)
    monkeypatch.setattr(record, "retrace", replayed)
    advice = loose().advise(parse_situation(f"hu, 20bb; hero BB AdKd; r2bb, c; As8s7d x x; {text}"))
    assert advice.source == "solved"
    assert trees.count(None) == 1  # of both streets; others are of the turn alone, where sizes are looked for
    assert len(replays) == 1


def test_what_is_not_solved_is_said(monkeypatch):
    monkeypatch.setattr(spot_advice, "MOST_BYTES", 10)
    advice = loose(seconds=0.01).advise(river("BB AdKd", "", "heads-up, 50bb"))
    said = "the river was not solved: its betting is too large, or cannot be followed"
    assert (advice.source, advice.note) == ("blueprint", said)


@pytest.mark.parametrize("text", ["turn 5c: x, b75%", "turn 5c: x, x; river 2h"])
def test_a_clock_that_has_run_out_costs_accuracy_and_not_the_answer(monkeypatch, text):
    monkeypatch.setattr(spot_advice, "PATIENCE", 0.0)
    advice = loose().advise(parse_situation(f"hu, 20bb; hero BB AdKd; r2bb, c; As8s7d x x; {text}"))
    assert advice.source == "solved"
    assert int(advice.note.split()[0]) >= spot_advice.LEAST_ITERATIONS
    [error] = {choice.value.error for choice in advice.choices if choice.action != FOLD}
    percent = float(advice.note.split("exploitable for ")[1].split(" %")[0])
    assert error > 0.9 * percent / 100 * 400  # of the pot that the street began with


def test_a_street_is_solved_from_where_the_third_player_folds():
    text = "3 players, 20bb; hero BB AdKd; BTN r2bb c c; As8s7d x x x; 5c: SB x, BB x, BTN b4bb, SB f"
    state = parse_situation(text)
    case = SpotCase.of(state, [])
    assert (case.subgame.pot, case.subgame.bets, case.subgame.raises, case.subgame.player) == (600, (0, 400), 1, 0)
    assert case.subgame.stacks == (1800, 1400)
    assert case.lines == ("",)
    advice = loose().advise(state)
    assert advice.source == "solved"
    assert [choice.action for choice in advice.choices][:2] == [FOLD, CALL]
    raised = parse_situation(f"{text}, BB r10bb".replace("hero BB AdKd", "hero BTN KsQs"))
    further = SpotCase.of(raised, [])
    assert (further.subgame.bets, len(further.lines), len(further.locks)) == ((0, 400), 2, 1)
    assert loose().advise(raised).source == "solved"


def test_a_subgame_half_way_is_the_street_with_what_was_done_locked():
    state = parse_situation("hu, 20bb; hero BB AdKd; r2bb, c; As8s7d x x; 5c x x; 2h: x, b4bb")
    whole = SpotCase.of(state, [])
    subgame = spot_solver.subgame_of(state.seen_by(-1), [])[0]
    assert (subgame.bets, subgame.raises, subgame.player) == ((0, 400), 1, 0)
    ranges = np.stack([blocked(parse_range(text), state.board) for text in ("22+, A2s+, KTs+", "55+, A8o+, T9s")])
    run = [solve_spot(spot, target=0.05) for spot in (Spot(whole.subgame, ranges, whole.locks), Spot(subgame, ranges))]
    one, two = Solution.of(run[0]).at(whole.lines[-1]), Solution.of(run[1]).at("")
    assert one.mean_ev == pytest.approx(two.mean_ev, abs=2.0)
    assert (one.pot, one.to_call, one.stack) == (two.pot, two.to_call, two.stack)
    call = [view.action_ev[[action.kind.name for action in view.actions].index("CALL")] for view in (one, two)]
    np.testing.assert_allclose(call[0], call[1], atol=1e-3)  # on a river a call ends it


@pytest.mark.parametrize("players", [2, 5, 10])
def test_any_number_of_players(players):
    text = f"{players} players, 30bb; AhKh; " + "c " * (players - 1)
    advice = loose(4).advise(parse_situation(text))
    assert len(advice.opponents) == players - 1
    assert 1 / players < advice.equity < min(each.equity for each in advice.opponents) + 0.01
    assert sum(choice.chance for choice in advice.choices) == pytest.approx(1)
    assert {choice.action for choice in advice.choices} >= {CALL}
    assert FOLD not in {choice.action for choice in advice.choices}  # the big blind checks


def test_a_raise_is_valued_where_the_blueprint_never_raises():
    state = parse_situation("3 players; hero SB AhKh; BTN r3bb SB c BB c; Td9d6h")
    advice = Advisor(CallAgent(), PlayOut(CallAgent(), 4)).advise(state)
    assert [(choice.action, choice.chance) for choice in advice.choices] == [(CALL, 1.0), (675, 0.0)]


def test_actions_that_are_asked_for_are_among_the_choices():
    state = parse_situation("3 players; hero BB AhKh; BTN r3bb SB f")
    advice = loose().advise(state, also=(777, 778, 1, FOLD))
    assert {777, 778} <= {choice.action for choice in advice.choices}
    assert 1 not in {choice.action for choice in advice.choices}


def test_the_same_decision_gets_the_same_advice(monkeypatch):
    monkeypatch.setattr(spot_advice, "PATIENCE", 1000.0)
    state = parse_situation("3 players; hero BB AhKh; BTN r3bb SB f c; Td9d6h")
    one, two = facts(loose().advise(state)), facts(loose().advise(state))
    assert {**one, "seconds": 0} == {**two, "seconds": 0}
    assert json.loads(json.dumps(one)) == one
    assert parse_range(one["opponents"][0]["range"]).max() <= 1


def test_no_advice_where_there_is_nothing_to_decide():
    state = parse_situation("3 players; hero BB AhKh; BTN r3bb SB f")
    for wrong, says in (
        (state.seen_by(-1), "cards of the player to act"),
        (state.apply(FOLD), "nobody is to act"),
        (kuhn().start().deal(kuhn().deck), "hold'em only"),
    ):
        with pytest.raises(ValueError, match=says):
            loose().advise(wrong)
    with pytest.raises(ValueError, match="at most 3600 seconds"):
        loose(seconds=0)


def test_the_usual_advisor_plays_a_blueprint_by_name(tmp_path):
    lively(3).save(tmp_path / "three.safetensors")
    state = parse_situation("3 players, 20bb, blinds 10/20; hero BB AhKh; BTN r5bb SB f")
    advice = default_advisor(state.game, f"{tmp_path / 'three.safetensors'}", seconds=2).advise(state)
    assert advice.source == "searched"
    assert {choice.action for choice in advice.choices} >= {FOLD, CALL, *BlueprintAgent(lively(3)).strategy(state)}
    for choice in advice.choices:
        assert choice.chance == 0 or choice.behind.mean <= choice.behind.error  # what loses is left out
    assert sum(choice.chance for choice in advice.choices) == pytest.approx(1)
    assert "3 players" in advice.note
    assert "walks" in advice.note
    with pytest.raises(ValueError, match="there is no blueprint"):
        default_advisor(state.game, "nowhere")
    anywhere = AnyTableAdvisor(f"{tmp_path / 'three.safetensors'}", seconds=2)
    assert facts(anywhere.advise(state)) == facts(advice) | {"seconds": pytest.approx(0, abs=99)}
    shorter = parse_situation("3 players, 13bb, blinds 10/20; hero BB AhKh; BTN r3bb SB f")
    assert anywhere.advise(shorter, also=(200,)).choices[-1].action >= 200
    assert len(anywhere._advisors) == 1


# Words


def advised(text, *choices, equities=(0.4,), share=0.2, source="blueprint", cards=()):
    state = parse_situation(text)
    seats = [seat for seat in state.live_seats() if seat != state.player]
    rows = [
        Choice(action, state.action_name(action), chance, Estimate(value, 1.0)) for action, chance, value in choices
    ]
    shares = [
        1.0 if seat == 1 and len(seats) > 1 and state.player == 0 else share for seat in seats
    ]  # the big blind has yet to act
    places = [Opponent(seat, f"seat {seat}", EVERY, *each) for seat, *each in zip(seats, shares, equities, strict=True)]
    return Advice(
        state, source, tuple(rows), equities[0], pot_odds(state), minimum_defence(state), cards, tuple(places), "", 0.0
    )  # fmt: skip


FACING = "hu; hero BB AhKh; r3bb"


@pytest.mark.parametrize(
    ("advice", "sentence"),
    [
        (
            advised(FACING, (FOLD, 0, 0), (CALL, 0.9, 120), (900, 0.1, 90)),
            "You need 33 % to call and have 40 % against the 20 % of hands that seat 1 is likely to hold; calling is "
            "best, raising to 9 bb costs 0.30 bb.",
        ),
        (
            advised(FACING, (FOLD, 1, 0), (CALL, 0, -130), equities=(0.2,)),
            "You need 33 % to call and have only 20 % against the 20 % of hands that seat 1 is likely to hold; folding "
            "is best, calling costs 1.3 bb.",
        ),
        (
            advised("hu; hero BTN AhKh; c x; Td9d6h x", (CALL, 0.6, 50), (100, 0.4, 52), share=1.0, cards=(1, 2)),
            "You have 40 % against any hand that seat 0 may hold; checking (60 %) and betting 1 bb (40 %) are worth "
            "about the same, so mix them. 2 cards put you ahead on the turn.",
        ),
        (
            advised("3 players; hero BTN AhKh", (FOLD, 0.9, 0), (CALL, 0.1, 90), (10_000, 0, 10), equities=(0.4, 0.5)),
            "You have 40 % against 2 opponents at once; folding is played 90 % of the time, though calling is worth "
            "0.90 bb more.",
        ),
        (
            advised("3 players; hero SB AhKh; BTN r3bb", (FOLD, 0.1, 0), (CALL, 0.9, 90), equities=(0.3, 0.5)),
            "You have 50 % against the 20 % of hands that seat 2 is likely to hold, 1 more to act, at pot odds of "
            "36 %; calling is best, folding costs 0.90 bb.",
        ),
        (
            advised("hu; hero BTN AhKh", (10_000, 1.0, 210), (CALL, 0, 205), (FOLD, 0, 0)),
            "You have 40 % against the 20 % of hands that seat 0 is likely to hold; going all-in for 100 bb is the "
            "usual play, calling is worth about the same.",
        ),
    ],
)  # fmt: skip
def test_the_explanation_is_made_of_the_numbers(advice, sentence):
    assert explain(advice) == sentence


def test_ranges_in_few_words():
    open_range = parse_range("22+, A2s+, KTs+, AJo+, 72o:0.05, 32o:0.05")
    assert range_words(open_range) == "22+, AJ+, A2s+, KTs+"
    assert range_words(open_range, 12) == "22+, ..."
    seen = parse_cards("AhKh")
    assert range_words(blocked(EVERY, seen), 60, seen) == "any two cards"
    assert class_shares(blocked(EVERY, seen), seen).min() == 1.0
    assert range_text(parse_range("AA, KK:0.333")) == "AA, KK:33%"
    mixed = parse_range("AA, KK:0.4, QQ:0.4, 22:0.1")
    assert range_words(mixed) == "QQ+"
    assert set(main_part(mixed)) == {0.0, 1.0}


def test_openings_of_six_come_from_the_charts():
    state = parse_situation("6 players, 100bb; hero UTG AhAd")
    advice = default_advisor(state.game, seconds=0.1).advise(state)
    assert advice.source == "chart"
    assert advice.note
