"""The expert by rules of Pricope (2020)."""

import numpy as np
import pytest

from ludus import agents, games
from ludus.agents import HeuristicAgent
from ludus.agents.expert.agent import ExpertAgent, all_strengths, effective_strength
from ludus.agents.expert.rules import strength, winning_share
from ludus.cards.card import parse_cards
from ludus.cards.random import streams
from ludus.cards.ranges import COMBOS
from ludus.cards.strength import expected_strength, hand_strength, potential
from ludus.games import CALL, FOLD, holdem
from ludus.games.base import CHANCE


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_strength_is_that_of_the_slow_reference(cards):
    rng = np.random.default_rng(cards)
    for _ in range(3):
        dealt = rng.permutation(52)[: 2 + cards].tolist()
        hand, board = dealt[:2], dealt[2:]
        rate, better = strength(*hand, np.array(board, np.uint8))
        assert rate == pytest.approx(hand_strength(hand, board))
        assert better == pytest.approx(potential(hand, board, min(1, 5 - cards)).positive)
        assert effective_strength(tuple(hand), tuple(board)) == pytest.approx(rate + (1 - rate) * better)


def test_hands_before_the_flop_are_in_the_order_of_a_table():
    best, worst = (effective_strength(parse_cards(hand), ()) for hand in ("AsAh", "3c2d"))
    assert best == pytest.approx(1, abs=0.01)
    assert worst == pytest.approx(0, abs=0.01)
    assert effective_strength(parse_cards("AsKs"), ()) > effective_strength(parse_cards("AsKh"), ())


def test_the_strengths_of_all_hands_are_those_of_each():
    board = parse_cards("3h4cJh")
    found = all_strengths(board)
    for place in (0, 700, 1325):
        hand = tuple(COMBOS[place].tolist())
        assert found[place] == (0 if set(hand) & set(board) else effective_strength(hand, board))


@pytest.mark.parametrize("board", ["", "3h4cJh", "3h4cJh2d", "3h4cJh2d2s"])
def test_simulated_shares_are_near_the_exact_ones(board):
    hand, cards = parse_cards("AdQc"), parse_cards(board)
    ((s0, s1),) = streams(7, 1)
    found, *_ = winning_share(*hand, np.array(cards, np.uint8), 1, 100_000, s0, s1)
    assert found == pytest.approx(expected_strength(hand, cards)[0], abs=0.006)


def test_shares_against_several_are_those_of_the_slow_simulation():
    """Two opponents on a flop, beside all of HeuristicMC's NumPy; ties share the pot."""
    hand, flop = parse_cards("AdQc"), parse_cards("3h4cJh")
    ((s0, s1),) = streams(7, 1)
    found, *_ = winning_share(*hand, np.array(flop, np.uint8), 2, 100_000, s0, s1)
    deck = [*hand, *(card for card in range(52) if card not in (*hand, *flop))][:6] + list(flop)
    state = holdem(3).start().deal(deck)
    while len(state.board) < 3:
        state = state.deal(deck) if state.player == CHANCE else state.apply(CALL)
    slow = HeuristicAgent(50_000).winning_share(state.seen_by(0), 2, np.random.default_rng(3))
    assert state.hole(0) == hand
    assert found == pytest.approx(slow, abs=0.01)
    royal = np.array(parse_cards("TsJsQsKsAs"), np.uint8)
    assert winning_share(0, 1, royal, 3, 100, s0, s1)[0] == pytest.approx(1 / 4)


@pytest.mark.parametrize(
    ("hole", "betting", "action"),
    [
        ("AsAh", "", 30),  # the pot
        ("Ks9h", "", 20),  # good: the least raise
        ("8s7h", "", CALL),  # the price is right
        ("3s2h", "", FOLD),
        ("3s2h", "c", CALL),  # nothing to fold to
        ("AsAh", "r100", CALL),  # nothing to raise with
        ("QsTh", "r60", 100),
    ],
)
def test_what_it_does_before_the_flop(hole, betting, action):
    game = holdem(stack=100, blinds=(5, 10))
    own, other = parse_cards(hole), parse_cards("4c4d")
    seat = 1 - len(betting[:1])  # the button acts first
    deck = [*(own, other)[seat], *(other, own)[seat]]
    state = game.start().deal(deck)
    for move in [betting] if betting else []:
        state = state.apply(CALL if move == "c" else int(move[1:]))
    assert ExpertAgent(size=1.0, strong=0.8, good=0.65).choice(state.seen_by(state.player)) == action


def test_it_wins_from_those_who_do_not_look_at_their_cards():
    from ludus.arena.match import play_match
    from ludus.arena.plan import MatchPlan
    from ludus.arena.statistics import Statistics

    for other in ("random", "call"):
        plan = MatchPlan(holdem(stack=100, blinds=(5, 10)), ("expert", other), 150, seed=1, freezeout=True)
        found = Statistics((play_match(plan).log,))
        assert (found.per_unit(found.won[0]) > 0).mean() > 0.55


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expert:strong=2", "strong is a strength from 0 to 1, got 2"),
        ("expert:good=-1", "good is a strength from 0 to 1"),
        ("expert:size=-1", "a raise is from 0 to 1000 pots"),
        ("heuristic-mc:ahead=2", "ahead is a share from 0 to 1, got 2"),
        ("heuristic-mc:size=2000", "a raise is from 0 to 1000 pots"),
    ],
)
def test_bad_settings_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.make(spec)


def test_it_plays_holdem_only():
    with pytest.raises(ValueError, match="plays hold'em, not leduc"):
        agents.make("expert", games.leduc())


# With a model


def match_with(spec: str, hands: int, other: str = "loose", **more) -> list:
    from ludus.arena.match import play_match
    from ludus.arena.plan import MatchPlan

    plan = MatchPlan(holdem(stack=100, blinds=(5, 10)), (spec, other), hands, seed=3)
    return play_match(plan, **more).log.hands


def test_it_remembers_between_matches_what_it_is_told_to_keep(tmp_path):
    from ludus.agents.expert.model import ActionModel

    path = tmp_path / "memory.safetensors"
    spec = f"expert:model,bayes=20,network=0,memory={path}"
    assert not any(hand.forfeits for hand in match_with(spec, 40))
    first = ActionModel.load(path)
    assert first.count >= 40
    assert first.ready
    match_with(spec, 40)
    assert ActionModel.load(path).count > first.count
    assert agents.make(spec).model.count == ActionModel.load(path).count
    assert agents.make("expert:model").model.count == 0


def test_a_match_with_a_model_is_the_same_for_a_seed_and_after_an_interruption(tmp_path):
    from ludus.parallel import Processes

    spec = "expert:model,bayes=20,network=0"
    whole = match_with(spec, 60)
    assert match_with(spec, 60, engine=Processes(2)) == whole
    match_with(spec, 25, out=tmp_path)
    assert match_with(spec, 60, out=tmp_path) == whole


def test_with_more_players_it_exploits_the_last_one():
    from ludus.arena.match import play_match
    from ludus.arena.plan import MatchPlan

    agent = agents.make("expert:model,bayes=20,network=0")
    plan = MatchPlan(holdem(players=3), ("expert", "random", "call"), 40, seed=2)
    others = [agents.make("random"), agents.make("call")]
    log = play_match(plan, agents=[agent, *others]).log
    assert not any(hand.forfeits for hand in log.hands)
    assert agent.model.ready


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expert:clever", "the expert is plain or has a model, got 'clever'"),
        ("expert:model,bayes=100,network=150", "at least twice as many"),
        ("expert:model,bluffs=2", "bluffs is a probability from 0 to 1, got 2"),
    ],
)
def test_bad_settings_of_a_model_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.make(spec)


def test_a_memory_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ValueError, match="cannot write"):
        agents.make(f"expert:model,memory={tmp_path}")
