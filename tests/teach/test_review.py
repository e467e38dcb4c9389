"""Grading of finished hands, by an adviser whose values can be worked out by hand."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.agents.evaluation import Estimate
from ludus.cards.card import parse_cards
from ludus.games import CHANCE, TERMINAL, holdem, leduc
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import replay, retrace
from ludus.teach.advice import Advice, Choice
from ludus.teach.grading import ERRORS, GRADES, STANDARD, GradingRule, graded, in_blinds
from ludus.teach.review import GROUPS, leaks, observations, pot_kind, review_hand, situation, summarize, tendency
from showdown_adviser import ShowdownAdviser

seeds = st.integers(0, 2**32 - 1)


def hand_of(betting: str, cards: str, game: PokerGame | None = None) -> PokerState:
    """A finished hand; the cards in the order of dealing."""
    return replay(game or holdem(), betting, parse_cards(cards))


def random_hand(seed: int, players: int) -> PokerState:
    rng = random.Random(seed)
    game = holdem(players, tuple(rng.randint(5, 200) for _ in range(players)), ante=rng.choice([0, 1]))
    deck, state = rng.sample(game.deck, 52), game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
        else:
            moves = state.legal_actions()
            choices = [
                CALL,
                CALL,
                *([FOLD] if moves.fold else []),
                *rng.sample(moves.raises, min(1, len(moves.raises))),
            ]
            state = state.apply(rng.choice(choices))
    return state


def advice_of(values: dict[int, tuple[float, float]], chances: dict[int, float], state: PokerState) -> Advice:
    choices = tuple(
        Choice(action, state.action_name(action), chances.get(action, 0.0), Estimate(*value))
        for action, value in sorted(values.items())
    )
    return Advice(state, "test", choices, 0.5, 0.0, None, (), (), "", 0.0)


# Known values

ROYAL = "7c2d" + "AsKs" + "QsJsTs" + "3d" + "4h"  # the button has the nuts


def test_folding_the_nuts_costs_what_they_would_win():
    final = hand_of("r6c/cc/cc/r18f", ROYAL)  # on the river the big blind bets 12 into a pot of 12
    *before, last = review_hand(final, ("ann", "bob"), ShowdownAdviser(), seats=[1]).decisions
    assert [decision.street for decision in before] == ["pre-flop", "flop", "turn"]
    assert last.best.action == 194  # all-in, called by anything: the pot of 24 and the 182 behind the bet
    assert last.difference == last.loss == pytest.approx((24 + 182) / 2)
    assert (last.grade, last.player, last.place, last.chance) == ("blunder", "bob", "BTN/SB", 0.0)
    assert [choice.value.mean for choice in last.choices] == pytest.approx([0, 24, 24 + 182])


def test_a_hopeless_call_costs_the_call():
    final = hand_of("r6c/cc/cc/cr18c", ROYAL)
    last = review_hand(final, ("ann", "bob"), ShowdownAdviser(), seats=[0]).decisions[-1]
    equity_of_it = ShowdownAdviser.equity(last.state)
    assert 0 < equity_of_it < 0.25  # it plays seven-high against any cards
    assert last.loss == pytest.approx((12 - equity_of_it * 36) / 2)
    assert (last.best.action, tendency(last), last.name()) == (FOLD, "calls too much", "call 6 bb")


def test_another_size_than_the_advised_ones_is_valued_too():
    final = hand_of("r6c/cc/cc/cr18f", ROYAL)
    last = review_hand(final, ("ann", "bob"), ShowdownAdviser(), seats=[1]).decisions[-1]
    assert [choice.action for choice in last.choices] == [CALL, 12, 194]
    assert last.loss == pytest.approx((194 - 12) / 2)
    assert (last.grade, tendency(last)) == ("blunder", "bets the wrong size")


def test_a_fold_where_checking_was_free_is_worth_nothing():
    final = replay(holdem(), "r6c/f", parse_cards("AcAd" + "KsQs" + "AhAs2c"), forfeits=True)
    first, fold = review_hand(final, ("ann", "bob"), ShowdownAdviser(), seats=[0]).decisions
    assert first.action == CALL
    assert (fold.grade, fold.name(), fold.best.action) == ("blunder", "fold", 194)
    assert fold.loss == pytest.approx((fold.equity * (12 + 2 * 194) - 194) / 2)


def test_the_best_choice_is_best():
    final = hand_of("r200c///", ROYAL)
    for decision in review_hand(final, ("ann", "bob"), ShowdownAdviser()).decisions:
        assert decision.grade == ("best" if decision.player == "bob" else "blunder")
        assert (decision.loss == 0) == (decision.player == "bob")


# The rule


@pytest.mark.parametrize(
    ("loss", "pot", "grade"),
    [
        (0.049, 1.5, "fine"),
        (0.05, 1.5, "inaccuracy"),
        (0.25, 1.5, "mistake"),
        (1.0, 1.5, "blunder"),
        (1.0, 10, "mistake"),
        (1.5, 10, "blunder"),
        (0.99, 100, "fine"),
        (1.0, 100, "inaccuracy"),
        (5.0, 100, "mistake"),
        (15.0, 100, "blunder"),
    ],
)
def test_the_limits_are_the_larger_of_blinds_and_a_share_of_the_pot(loss, pot, grade):
    assert STANDARD.grade(loss, pot) == grade


def test_the_rule_in_words_has_its_numbers():
    words = STANDARD.in_words()
    for number in ("2 standard errors", "10 %", "0.05 bb and 1 %", "0.25 bb and 5 %", "1 bb and 15 %"):
        assert number in words


@pytest.mark.parametrize(
    "wrong",
    [
        {"certain": -1.0},
        {"often": 0.0},
        {"limits": ((1.0, 0.1), (0.5, 0.2), (2.0, 0.3))},
        {"limits": ((0.1, 0.1), (0.5, 0.2))},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=r"rule needs|limits for"):
        GradingRule(**wrong)


FIRST = holdem().start().deal(range(52))


def judged(values, chances, action=FOLD, state=FIRST):
    return graded(1, 0, "ann", state, action, advice_of(values, chances, state))


def test_a_difference_within_the_noise_is_no_mistake():
    close = {FOLD: (0.0, 0.0), CALL: (1.9, 1.0)}  # 1.9 standard errors
    clear = {FOLD: (0.0, 0.0), CALL: (2.1, 1.0)}
    assert (judged(close, {CALL: 1.0}).grade, judged(close, {CALL: 1.0}).loss) == ("fine", 0.0)
    assert (judged(clear, {CALL: 1.0}).grade, judged(clear, {CALL: 1.0}).loss) == ("blunder", 1.05)
    assert judged(close, {CALL: 0.4, FOLD: 0.6}).grade == "best"  # it is what is played most
    both = {CALL: (0.0, 0.8), 6: (1.9, 0.8)}  # the errors of both: 1.13 together
    assert (judged(both, {6: 1.0}, CALL).loss, judged(both, {6: 1.0}, CALL).error) == (0.0, pytest.approx(0.5657, 1e-3))


def test_what_the_mix_plays_is_never_worse_than_fine():
    values = {FOLD: (0.0, 0.0), CALL: (50.0, 0.0)}
    assert judged(values, {FOLD: 0.09, CALL: 0.91}).grade == "blunder"
    assert (judged(values, {FOLD: 0.1, CALL: 0.9}).grade, judged(values, {FOLD: 0.1, CALL: 0.9}).loss) == ("fine", 0.0)
    assert judged(values, {FOLD: 1.0}).grade == "best"  # what the mix never plays is nothing to be measured by
    assert judged(values, {FOLD: 1.0}).best.action == FOLD


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(0, 5)), min_size=2, max_size=5),
    st.integers(0, 4),
    st.floats(0, 1),
    st.integers(1, 50),
)
def test_grades_follow_the_rule(estimates, at, chance, scale):
    actions = [FOLD, CALL, 4, 6, 200][: len(estimates)]
    action = actions[at % len(actions)]
    chances = {action: chance}
    found = judged(dict(zip(actions, estimates, strict=True)), chances, action)
    assert 0 <= found.loss <= found.difference
    assert (found.grade in ERRORS) <= (found.loss > 0)
    assert found.loss == 0 or found.difference > 2 * found.error
    assert chance < 0.1 or found.loss == 0
    # ten times the chips and the blinds: the same grade and the same loss
    large = holdem(stack=200 * scale, blinds=(scale, 2 * scale)).start().deal(range(52))
    values = {
        action * scale if action > 0 else action: (mean * scale, error * scale)
        for action, (mean, error) in zip(actions, estimates, strict=True)
    }
    again = judged(values, {action * scale if action > 0 else action: chance}, max(action * scale, action), large)
    assert again.loss == pytest.approx(found.loss) or abs(found.difference - 2 * found.error) < 1e-9


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="no number"):
        judged({FOLD: (0.0, 0.0), CALL: (float("nan"), 0.0)}, {})
    with pytest.raises(ValueError, match="raise to 7"):
        judged({FOLD: (0.0, 0.0), CALL: (1.0, 0.0)}, {}, 7)


# Every decision, with what the player knew


@settings(max_examples=25)
@given(seeds, st.integers(2, 10))
def test_every_decision_of_every_seat_is_seen_as_it_was(seed, players):
    final = random_hand(seed, players)
    found = sorted((found for seat in range(players) for found in observations(final, seat)), key=lambda row: row[0])
    moves = list(retrace(final))
    assert [step for step, _, _ in found] == list(range(len(moves)))
    for (_, seen, action), (state, taken) in zip(found, moves, strict=True):
        own = state.seen_by(state.player)
        assert action == taken
        assert (seen.cards, seen.line, seen.stacks, seen.bets) == (own.cards, own.line, own.stacks, own.bets)


class Flat:
    """All actions are worth the same; keeps what it was shown."""

    def __init__(self):
        self.seen = []

    def advise(self, observation, also=()):
        self.seen.append(observation)
        assert all(action in observation.legal_actions() for action in also)
        return advice_of({CALL: (0.0, 0.0), **dict.fromkeys(also, (0.0, 0.0))}, {CALL: 1.0}, observation)


@settings(max_examples=15)
@given(seeds, st.integers(2, 10))
def test_the_adviser_sees_no_cards_of_others_and_none_to_come(seed, players):
    final, adviser = random_hand(seed, players), Flat()
    review = review_hand(final, [f"p{seat}" for seat in range(players)], adviser)
    assert len(adviser.seen) == len(review.decisions) == sum(map(len, final.line))
    for state in adviser.seen:
        hidden = [HIDDEN in state.hole(seat) for seat in range(players)]
        assert hidden == [seat != state.player for seat in range(players)]
        assert state.board == final.board[: len(state.board)]
        assert len(state.board) == (0, 3, 4, 5)[state.street]
    assert {decision.grade for decision in review.decisions} <= {"best"}


def test_what_others_hold_changes_nothing():
    names, betting = ("ann", "bob"), "r6c/cr10c/cc/r20c"
    one, other = (
        review_hand(hand_of(betting, held + "AhKh" + "Kd7c2s3h9d"), names, ShowdownAdviser(), [1])
        for held in ("QsQd", "7h7d")
    )
    assert [d.difference for d in one.decisions] == [d.difference for d in other.decisions]
    assert len(one.decisions) == 4


# What cannot be reviewed


def test_hidden_cards_and_other_games_are_missing():
    final = hand_of("r6c/cc/cc/cc", ROYAL)
    hidden = final.seen_by(1)
    review = review_hand(hidden, ("ann", "bob"), ShowdownAdviser(), number="17")
    assert (review.seats, {decision.player for decision in review.decisions}) == ((1,), {"bob"})
    assert [(entry.hand, entry.player, entry.why) for entry in review.missing] == [
        ("17", "ann", "the player's cards are not known")
    ]
    small = replay(leduc(), "cc/cc", leduc().deck)
    assert [entry.why for entry in review_hand(small, "ab", Flat()).missing] == ["leduc is not hold'em"] * 2


def test_what_the_adviser_refuses_is_missing_and_the_rest_is_graded():
    class NoRivers(Flat):
        def advise(self, observation, also=()):
            if observation.street == 3:
                raise ValueError("rivers are too hard")
            return super().advise(observation, also)

    review = review_hand(hand_of("r6c/cc/cc/cc", ROYAL), ("ann", "bob"), NoRivers())
    assert len(review.decisions) == 6
    assert [entry.why for entry in review.missing] == ["rivers are too hard"] * 2
    assert [summary.missing for summary in summarize([review])] == [1, 1]


def test_a_hand_that_is_not_over_is_refused():
    with pytest.raises(ValueError, match="over"):
        review_hand(FIRST, ("ann", "bob"), Flat())


# Kinds of decisions


def kinds_of(betting, players):
    moves = retrace(replay(holdem(players), betting, range(52)))
    return [(situation(state), pot_kind(state)) for state, _ in moves]


def test_situations_before_the_flop():
    found = kinds_of("cr6r18r60ff", 3)
    assert [kind for kind, _ in found] == [
        "first in",
        "after a limp",
        "facing a raise",
        "facing a 3-bet",
        "facing a 4-bet or more",
        "facing a 4-bet or more",
    ]
    assert {pot for _, pot in found} == {None}
    assert [kind for kind, _ in kinds_of("ffr6f", 4)] == ["first in"] * 3 + ["facing a raise"]


def test_situations_after_the_flop():
    assert kinds_of("r6fc/cr10r30c/cc/r70f", 3)[3:] == [
        (kind, "raised pot")
        for kind in (
            "first to act", "checked to", "facing a bet", "facing a raise",
            "first to act", "checked to", "first to act", "facing a bet",
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("betting", "kind"),
    [("cc/r4f", "limped pot"), ("r6c/r12f", "raised pot"), ("r6r18c/r30f", "3-bet pot"),
     ("r6r18r50c/r70f", "4-bet pot or more"), ("r6r18r50r100c/r120f", "4-bet pot or more")],
)  # fmt: skip
def test_pots_are_named_by_the_raises_before_the_flop(betting, kind):
    assert [pot for _, pot in kinds_of(betting, 2) if pot] == [kind] * 2


@pytest.mark.parametrize(
    ("action", "better", "expected"),
    [
        (FOLD, CALL, "folds too much"),
        (FOLD, 6, "folds too much"),
        (CALL, FOLD, "calls too much"),
        (CALL, 6, "too passive"),
        (6, CALL, "too aggressive"),
        (6, FOLD, "too aggressive"),
        (6, 8, "bets the wrong size"),
        (6, 6, None),
    ],
)
def test_tendencies(action, better, expected):
    values = {choice: (10.0 * (choice == better), 0.0) for choice in (FOLD, CALL, 6, 8)}
    assert tendency(judged(values, {better: 1.0}, action)) == expected


def test_names_are_in_big_blinds():
    state = holdem(stack=2500, blinds=(10, 25)).start().deal(range(52))
    assert [in_blinds(state, action) for action in (FOLD, CALL, 65, 2500)] == [
        "fold", "call 0.6 bb", "raise to 2.6 bb", "all-in 100 bb",
    ]  # fmt: skip


# Sums


@pytest.fixture(scope="module")
def reviewed():
    names = [f"p{seat}" for seat in range(10)]
    games = ((seed, 2 + seed % 5) for seed in range(8))
    return [
        review_hand(random_hand(seed, players), names[:players], ShowdownAdviser(), number=seed)
        for seed, players in games
    ]


def test_sums_add_up(reviewed):
    summaries = summarize(reviewed)
    decisions = [decision for hand in reviewed for decision in hand.decisions]
    assert sum(summary.loss for summary in summaries) == pytest.approx(sum(decision.loss for decision in decisions))
    assert sum(summary.loss for summary in summaries) > 0
    for summary in summaries:
        assert summary.hands == sum(summary.player in hand.names for hand in reviewed)
        assert sum(summary.grades().values()) == len(summary.decisions)
        assert tuple(summary.grades()) == GRADES
        assert summary.per_100 == pytest.approx(100 * summary.loss / summary.hands)
        for group in GROUPS:
            found = leaks(summary.decisions, group)
            assert [leak.loss for leak in found] == sorted((leak.loss for leak in found), reverse=True)
            if group in ("street", "position", "situation", "opponents"):
                assert sum(leak.loss for leak in found) == pytest.approx(summary.loss)
                assert sum(leak.decisions for leak in found) == len(summary.decisions)
        errors = sum(count for grade, count in summary.grades().items() if grade in ERRORS)
        assert sum(leak.errors for leak in leaks(summary.decisions, "tendency")) == errors


def test_the_costliest_are_the_worst_of_all(reviewed):
    summary = max(summarize(reviewed), key=lambda summary: len(summary.decisions))
    losses = sorted((decision.loss for decision in summary.decisions), reverse=True)
    assert [decision.loss for decision in summary.costliest(3)] == losses[:3]
    assert all(decision.loss for decision in summary.costliest(10**6))


def test_hands_without_a_decision_count():
    walk = hand_of("f", "7c2d" + "AsKs")  # the big blind never acts
    summaries = summarize([review_hand(walk, ("ann", "bob"), ShowdownAdviser(), number=n) for n in range(3)])
    assert [(summary.player, summary.hands, len(summary.decisions)) for summary in summaries] == [
        ("ann", 3, 0), ("bob", 3, 3),
    ]  # fmt: skip
    assert summaries[0].per_100 == 0 < summaries[1].per_100


def test_errors_of_estimates_are_summed_as_independent():
    adviser = ShowdownAdviser(error=2.0, mix={CALL: 1.0})  # checks are never wrong
    final = hand_of("r6c/cc/cc/r18f", ROYAL)
    (summary,) = summarize([review_hand(final, ("ann", "bob"), adviser, [1], number) for number in range(4)])
    counted = [decision for decision in summary.decisions if decision.loss]
    assert 4 <= len(counted) <= 8 < len(summary.decisions) == 16
    assert summary.error == pytest.approx((len(counted) * 2) ** 0.5)  # each sqrt(2^2 + 2^2) chips of 2 to the blind


def test_the_same_hand_gives_the_same_review(reviewed):
    names = [f"p{seat}" for seat in range(10)]
    again = review_hand(random_hand(4, 6), names[:6], ShowdownAdviser(), number=4)
    assert [(d.step, d.grade, d.loss) for d in again.decisions] == [
        (d.step, d.grade, d.loss) for d in reviewed[4].decisions
    ]


def test_a_comparison_with_the_same_cards_decides_what_is_clear():
    state = holdem().start().deal(range(52)).seen_by(1)
    apart = advice_of({FOLD: (0.0, 0.0), CALL: (2.0, 1.5)}, {CALL: 1.0}, state)
    assert graded(1, 0, "ann", state, FOLD, apart).loss == 0  # within two errors of the values
    fold, call = apart.choices
    paired = replace(apart, choices=(replace(fold, behind=Estimate(2.0, 0.1)), call))
    assert graded(1, 0, "ann", state, FOLD, paired).loss == 1.0
