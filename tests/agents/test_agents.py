"""The contract of every agent, and what is known of each."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import agents, games, solvers
from ludus.agents import (
    AGENTS,
    CallAgent,
    HeuristicAgent,
    LooseAgent,
    RandomAgent,
    SpotSolverAgent,
    StrategyAgent,
    TightAgent,
    draw,
)
from ludus.agents.base import Strategist
from ludus.agents.registry import describe, register
from ludus.agents.strength import hand_place, shares_beaten
from ludus.cards.card import deck_of, parse_cards
from ludus.cards.ranges import CLASSES, class_of_combo
from ludus.cards.strength import PREFLOP_ORDER, all_hands_strength, all_percentiles
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerGame, holdem
from ludus.games.acpc import read_game
from ludus.games.definition import define
from ludus.games.record import betting_text, hole_hands, replay
from ludus.games.showdown import strength
from ludus.solvers.beliefs import RangeStrategist
from ludus.solvers.measure import expected_values
from ludus.solvers.strategy import Strategy
from ludus.trees.flat import flatten

TABLES = {
    "holdem": holdem(),
    "holdem-5": holdem(players=5, stack=(10, 50, 200, 3, 90)),
    "limit": holdem(players=3, betting="limit"),
    "acpc": replace(read_game("holdem.nolimit.2p.reverse_blinds.game"), stacks=(1500, 1500)),
    "uneven": holdem(stack=(30, 77), ante=1, dialect="acpc"),
    "kuhn": games.kuhn(),
    "kuhn3": games.kuhn(players=3),
    "leduc": games.leduc(),
    "leduc-nl": games.leduc_nl(),
    "leduc-any": games.leduc_nl(bets="any"),
    "royal": replace(holdem(), name="royal", deck=deck_of(5, 4), board_cards=(0, 2, 1)),
}
HEADS_UP = ("holdem", "acpc", "uneven")
SOLVED = {
    "kuhn": "kuhn", "kuhn3": "kuhn3", "leduc": "leduc", "leduc-nl": "leduc-nl", "leduc-any": "leduc-nl",
}  # fmt: skip


@pytest.fixture(scope="module")
def solved():
    """Strategies, far from equilibrium on purpose: they mix."""
    return {name: solvers.solve(TABLES[name], iterations=5).strategy for name in set(SOLVED.values())}


NAMES = ("random", "call", "always-raise", "tight", "loose", "heuristic-mc", "strategy", "spot-solver")
HOLDEM = ("holdem", "holdem-5", "limit", "acpc", "uneven")
ONLY = {"strategy": SOLVED, "spot-solver": HEADS_UP, "expert": HOLDEM}
PAIRS = [  # every agent at every table it can play at
    (name, table) for name, table in itertools.product((*NAMES, "expert"), TABLES) if table in ONLY.get(name, TABLES)
]


def seated(name, table, solved):
    if name == "strategy":
        return StrategyAgent(solved[SOLVED[table]])
    return SpotSolverAgent(iterations=5) if name == "spot-solver" else agents.make(name)


def play(game: PokerGame, players: list, hands: int, seed: int) -> np.ndarray:
    """Chips won by each player in hands whose seats rotate: [hands, players]."""
    rng, results = np.random.default_rng(seed), []
    for hand in range(hands):
        deck, state, n = rng.permutation(game.deck).tolist(), game.start(), game.players
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            action = players[(state.player + hand) % n].act(state.seen_by(state.player), rng)
            assert action in state.legal_actions()
            state = state.apply(action)
        won = state.returns()
        results.append([won[(player - hand) % n] for player in range(n)])
    return np.array(results)


def decisions(game: PokerGame, hands: int, seed: int):
    """States met when random players meet."""
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        deck, state = rng.permutation(game.deck).tolist(), game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            yield state
            state = state.apply(RandomAgent().act(state, rng))


@pytest.mark.parametrize(("name", "table"), PAIRS)
def test_agents_play_legally_and_the_same_for_a_seed(name, table, solved):
    game, hands = TABLES[table], 6 if name == "spot-solver" else 40
    players = [seated(name, table, solved), *[RandomAgent()] * (game.players - 1)]
    first = play(game, players, hands, seed=5)
    np.testing.assert_array_equal(first, play(game, players, hands, seed=5))
    assert first.sum() == pytest.approx(0)


@pytest.mark.parametrize(("name", "table"), PAIRS)
def test_what_an_agent_says_of_its_strategy_is_what_it_plays(name, table, solved):
    """Probabilities of legal actions, one number a decision, and the row of the own hand in that of all hands."""
    agent, game = seated(name, table, solved), TABLES[table]
    if name == "heuristic-mc":
        assert not isinstance(agent, Strategist)
        return
    assert isinstance(agent, Strategist)
    assert isinstance(agent, RangeStrategist)
    for at, state in enumerate(decisions(game, 4 if name == "spot-solver" else 15, seed=6)):
        seen, legal = state.seen_by(state.player), state.legal_actions()
        mixed = agent.strategy(seen)
        assert sum(mixed.values()) == pytest.approx(1)
        assert list(mixed) == sorted(mixed)
        assert all(action in legal and chance > 0 for action, chance in mixed.items())
        rng, again = np.random.default_rng(at), np.random.default_rng(at)
        assert agent.act(seen, rng) == draw(mixed, again.random())
        assert rng.random() == again.random()
        whole = agent.range_strategy(state.seen_by(-1))
        assert list(whole.actions) == sorted(set(whole.actions))
        assert whole.chances.shape == (len(hole_hands(game)), len(whole.actions))
        possible = [not set(hand) & set(state.board) for hand in hole_hands(game)]
        np.testing.assert_allclose(whole.chances[possible].sum(axis=1), 1)
        assert whole.chances.min() >= 0
        row = whole.chances[hole_hands(game).index(tuple(sorted(state.hole(state.player))))]
        assert {action: chance for action, chance in zip(whole.actions, row, strict=True) if chance} == dict(mixed)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=6), st.floats(0, 1, exclude_max=True))
def test_draw_inverts_the_cumulative_sum(weights, u):
    mixed = {action: weight / sum(weights) for action, weight in enumerate(weights, -1)}
    sums = np.cumsum(list(mixed.values()))
    assert draw(mixed, u) == min(int(np.searchsorted(sums, u, side="right")), len(weights) - 1) - 1


def test_draw_never_takes_what_is_not_played():
    assert draw({FOLD: 0.0, CALL: 0.5, 6: 0.5 - 1e-12, 9: 0.0}, 1 - 1e-13) == 6
    assert draw({FOLD: 0.0, CALL: 1.0}, 0.0) == CALL


def test_agents_draw_as_often_as_they_say(solved):
    state = next(decisions(TABLES["leduc-nl"], 1, seed=2)).seen_by(0)
    rng, agent = np.random.default_rng(0), StrategyAgent(solved["leduc-nl"])
    actions = [agent.act(state, rng) for _ in range(20000)]
    for action, chance in agent.strategy(state).items():
        assert actions.count(action) / 20000 == pytest.approx(chance, abs=0.012)


# The simple ones


def test_random_calls_three_times_in_five():
    state = holdem().start().deal(range(52))
    rng = np.random.default_rng(0)
    actions = [RandomAgent().act(state, rng) for _ in range(20000)]
    shares = [actions.count(CALL) / 20000, actions.count(FOLD) / 20000]
    assert shares == pytest.approx([0.6, 0.2], abs=0.012)
    assert {action for action in actions if action > 0} == set(range(4, 201))
    checked = state.apply(CALL)  # nothing to fold to: raises take all of the rest
    actions = [RandomAgent().act(checked, rng) for _ in range(20000)]
    assert actions.count(CALL) / 20000 == pytest.approx(0.6, abs=0.012)
    assert FOLD not in actions


def test_random_lists_its_raises_within_reason():
    game = holdem(stack=2**31 - 1)
    state = game.start().deal(range(52))
    assert RandomAgent().act(state, np.random.default_rng(1)) in state.legal_actions()
    with pytest.raises(ValueError, match="too long to list"):
        RandomAgent().strategy(state)


def test_call_always_calls():
    rng = np.random.default_rng(0)
    assert CallAgent().act(holdem().start().deal(range(52)), rng) == CALL


def test_always_raise_raises_the_pot_until_it_cannot():
    agent, rng = agents.make("always-raise"), np.random.default_rng(0)
    state, raises = holdem(stack=100).start().deal(range(52)), []
    while state.player != TERMINAL and state.player != CHANCE:
        raises.append(agent.act(state, rng))
        state = state.apply(raises[-1])
    assert raises == [6, 18, 54, 100, CALL]


@pytest.mark.parametrize(("cards", "expected"), [("AhAd2c7s", "raise"), ("7s2cAhAd", "fold")])
def test_heuristic_raises_the_pot_when_ahead_and_folds_when_the_price_is_too_high(cards, expected):
    game = holdem()
    deck = games.poker.CARDS
    state = game.start()
    for at in range(0, 8, 2):
        state = state.apply(deck.index(cards[at : at + 2]))
    state = state.apply(200).seen_by(0) if expected == "fold" else state.apply(6).seen_by(0)
    action = HeuristicAgent().act(state, np.random.default_rng(1))
    assert action == (FOLD if expected == "fold" else 18)


@pytest.mark.parametrize(("share", "action"), [(0.24, FOLD), (0.26, CALL)])
def test_heuristic_calls_when_the_price_is_right(share, action, monkeypatch):
    """Facing a raise to 4, which costs 2 to win 6: a quarter of the pot is the price."""
    state = holdem(stack=4).start().deal(range(52)).apply(4).seen_by(0)
    monkeypatch.setattr(HeuristicAgent, "winning_share", lambda *_: share)
    assert HeuristicAgent().act(state, np.random.default_rng(0)) == action


def test_heuristic_knows_its_chances():
    game = holdem()
    state = game.start().deal([50, 46, 43, 41, *range(4)]).apply(CALL).seen_by(0)  # AhKh in the big blind
    share = HeuristicAgent(20000).winning_share(state, 1, np.random.default_rng(3))
    assert share == pytest.approx(0.6704, abs=0.012)


def test_heuristic_beats_random():
    won = play(holdem(), [HeuristicAgent(100), RandomAgent()], 400, seed=9)[:, 0]
    assert won.mean() > 3 * won.std() / np.sqrt(len(won))


# Styles


def test_the_order_before_the_flop_is_that_of_equities():
    equity = np.empty(len(CLASSES))
    equity[class_of_combo] = all_hands_strength(())[:, 1]
    assert PREFLOP_ORDER.split() == [CLASSES[at] for at in np.argsort(-equity)]
    shares = shares_beaten(holdem(), ())
    assert shares.mean() == pytest.approx(0.5)
    aces, trash = (hand_place(holdem(), parse_cards(hand)) for hand in ("AhAd", "3d2c"))
    assert shares[aces] == pytest.approx((1320 + 2.5) / 1325)
    assert shares[trash] == pytest.approx(5.5 / 1325)


@pytest.mark.parametrize("board", ["Ks Th 6h", "Ks Th 6h 4c", "Ks Th 6h 4c 2s", "As Ks Qs Js Ts"])
def test_on_a_board_hands_rank_by_what_they_beat(board):
    cards = parse_cards(board)
    np.testing.assert_allclose(shares_beaten(holdem(), cards), np.nan_to_num(all_percentiles(cards)))


@pytest.mark.parametrize("board", [(), (0,)])
def test_in_small_games_every_board_to_come_counts(board):
    """One card each and one on the board from a deck of eight: against the mean over all cards dealt."""
    game = replace(games.leduc(deck="TTJJQQKK"), name="wide")
    board = tuple(game.deck[at] for at in board)
    winning = {}
    for own in set(game.deck) - set(board):
        results = []
        for other in set(game.deck) - {own, *board}:
            for full in [board] if board else [(card,) for card in set(game.deck) - {own, other}]:
                mine, his = strength((own, *full)), strength((other, *full))
                results.append((mine > his) + (mine == his) / 2)
        winning[own] = round(np.mean(results), 9)
    for own, share in winning.items():
        others = [value for card, value in winning.items() if card != own]
        expected = np.mean([(share > other) + (share == other) / 2 for other in others])
        assert shares_beaten(game, board)[hand_place(game, (own,))] == pytest.approx(expected)


def facing_a_raise(cards, raise_to=6, game=None):
    """The big blind with a hand, after the button has raised."""
    hand = list(parse_cards(cards))
    deck = hand + [card for card in range(52) if card not in hand]
    return (game or holdem()).start().deal(deck).apply(raise_to).seen_by(0)


def test_tight_waits_and_loose_calls():
    for cards in ("7h2c", "Th6c", "9h8h"):
        assert TightAgent().strategy(facing_a_raise(cards)) == {FOLD: 1.0}
    for cards in ("Th6c", "9h8h", "8h5c"):
        assert LooseAgent().strategy(facing_a_raise(cards)) == {CALL: 1.0}
    assert TightAgent().strategy(facing_a_raise("AhAd")) == {18: 1.0}
    assert TightAgent().strategy(facing_a_raise("AhTd")) == {CALL: 1.0}
    reraised = facing_a_raise("AhTd").apply(18).apply(54).seen_by(0)
    assert TightAgent().strategy(reraised) == {FOLD: 1.0}  # each raise halves what it plays
    opening = holdem().start().deal([*range(52)][::-1])
    assert LooseAgent(raises=0, bluffs=0.25).strategy(opening) == {CALL: 0.75, 6: 0.25}


def test_styles_play_the_shares_of_hands_they_are_given():
    public = facing_a_raise("7h2c").seen_by(-1)
    for play_share, raises in ((0.5, 0.2), (1.0, 0.0), (0.0, 0.0)):
        mixed = TightAgent(play_share, raises, caution=1.0).range_strategy(public)
        folds, calls, raising = mixed.chances.mean(axis=0)
        assert 1 - folds == pytest.approx(play_share, abs=0.01)
        assert raising == pytest.approx(raises, abs=0.01)
        assert calls == pytest.approx(play_share - raises, abs=0.02)


def test_more_opponents_ask_for_better_hands():
    pays = []
    for players in (2, 3, 6):
        public = holdem(players).start().deal(range(52)).seen_by(-1)
        pays.append(1 - TightAgent().range_strategy(public).chances[:, 0].mean())
    assert pays == sorted(pays, reverse=True)
    assert pays[2] == pytest.approx(1 - 0.75 ** (1 / 5), abs=0.01)


def test_tight_beats_who_never_folds():
    won = play(holdem(), [TightAgent(), CallAgent()], 1500, seed=1)[:, 0]
    assert won.mean() > 3 * won.std() / np.sqrt(len(won))


# Strategy tables


def value_by_enumeration(state, players):
    """What every seat wins on average, over all deals and all that the agents may do."""
    if state.player == TERMINAL:
        return np.array(state.returns())
    if state.player == CHANCE:
        mixed = dict(state.chance_outcomes())
    else:
        mixed = players[state.player].strategy(state.seen_by(state.player))
    return sum(chance * value_by_enumeration(state.apply(action), players) for action, chance in mixed.items())


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-nl"])
def test_two_tables_win_what_the_solver_says(name, solved):
    game = TABLES[name]
    one, two = solved[name], solvers.solve(game, algorithm="external", iterations=300, seed=3).strategy
    exact = expected_values(one, two)
    found = value_by_enumeration(game.start(), [StrategyAgent(one), StrategyAgent(two)])
    np.testing.assert_allclose(found, exact, atol=1e-9)


def test_a_strategy_knows_a_table_by_its_rules_however_often_they_are_made(solved):
    agent = StrategyAgent(solved["leduc"])
    for state in (replace(TABLES["leduc"]).start().deal(TABLES["leduc"].deck) for _ in range(3)):
        agent.strategy(state.seen_by(state.player))
    assert list(agent._tables) == [TABLES["leduc"]]


def test_a_table_is_played_as_it_is_written(solved):
    agent, table = StrategyAgent(solved["leduc"]), solved["leduc"]
    for state in decisions(TABLES["leduc"], 30, seed=1):
        written = table.at(state.player, state.information_state(state.player))
        assert agent.strategy(state.seen_by(state.player)) == {a: p for a, p in written.items() if p}


def test_sets_that_the_table_does_not_know_are_played_uniformly(solved):
    known = solved["leduc"]
    first = Strategy(
        known.definition, known.players[:1], known.names[:1], known.offsets[:2], known.actions[: known.offsets[1]],
        known.labels[: known.offsets[1]], known.probabilities[: known.offsets[1]],
    )  # fmt: skip
    agent = StrategyAgent(first)
    for state in decisions(TABLES["leduc"], 20, seed=1):
        if state.information_state(state.player) != known.names[0]:
            legal = state.legal_actions()
            assert agent.strategy(state.seen_by(state.player)) == dict.fromkeys(legal, 1 / len(legal))


def test_files_purification_and_other_games(tmp_path, solved):
    path = tmp_path / "leduc,x=1.safetensors"
    solved["leduc"].save(path)
    with pytest.raises(ValueError, match="no parameter 'x'"):
        agents.make(f"strategy:{path},x=1")
    path = tmp_path / "leduc.safetensors"
    solved["leduc"].save(path)
    state = next(decisions(TABLES["leduc"], 1, seed=1)).seen_by(0)
    assert agents.make(f"strategy:{path}").strategy(state) == StrategyAgent(solved["leduc"]).strategy(state)
    pure = agents.make(f"strategy:{path},purify=1,seed=4")
    assert pure.seed == 4
    np.testing.assert_array_equal(pure.table.probabilities, solved["leduc"].purified(1).probabilities)
    for game, rule in (
        (games.leduc(deck="QQKKAA"), "deck is"),
        (games.leduc_nl(), "stacks is"),
        (games.kuhn(), "deck is"),
        (games.leduc(players=3), "players is 2 there and 3 here"),
    ):
        with pytest.raises(ValueError, match=f"another game: .*{rule}"):
            pure.act(game.start().deal(game.deck), np.random.default_rng(0))
    with pytest.raises(FileNotFoundError):
        agents.make("strategy:nowhere.safetensors")
    with pytest.raises(ValueError, match="own cards are hidden"):
        pure.strategy(state.seen_by(-1))


def test_a_table_knows_its_game_by_any_name_and_with_suits(solved):
    """No-limit Leduc as an ACPC file defines it: information states name suits, and any bet is legal."""
    agent, game = StrategyAgent(solved["leduc-nl"]), read_game("leduc.nolimit.2p.game")
    assert game.show_suits
    for state in decisions(TABLES["leduc-nl"], 20, seed=2):
        deck = [*state.cards, *(card for card in game.deck if card not in state.cards)]
        same = replay(game, betting_text(state), deck)
        assert agent.strategy(same.seen_by(same.player)) == agent.strategy(state.seen_by(state.player))


def test_matrix_strategies_are_refused():
    with pytest.raises(ValueError, match="plays poker"):
        StrategyAgent(solvers.solve(games.rock_paper_scissors(), iterations=5).strategy)


def half_and_pot():
    """Bets of half the pot and of the pot: who faces the small one calls and checks on, who faces the other raises."""
    flat = flatten(games.leduc_nl(bets="0.5,pot,allin"))
    sets = flat.sets
    chances = np.zeros(len(sets.actions))
    for at, name in enumerate(sets.names):
        here = slice(sets.offsets[at], sets.offsets[at + 1])
        actions, betting = sets.actions[here].tolist(), name.rpartition(":")[2]
        wanted = max(actions) if betting.startswith("r300") else CALL
        chances[sets.offsets[at] + actions.index(wanted)] = 1.0
    return Strategy(define(flat.game), sets.players, sets.names, sets.offsets, sets.actions, sets.labels, chances)


def test_a_bet_between_is_taken_for_the_same_size_throughout_the_hand():
    """0.75 pots lie between: 3/7 of the seeds take it for the half, and stay with it."""
    game, table = games.leduc_nl(bets="any"), half_and_pot()
    state = game.start().deal(game.deck).apply(250)
    later = state.apply(CALL).deal(game.deck).apply(CALL)
    calls = 0
    for seed in range(400):
        agent = StrategyAgent(table, seed)
        first, second = agent.strategy(state.seen_by(1)), agent.strategy(later.seen_by(1))
        assert first in ({CALL: 1.0}, {1200: 1.0})
        assert second == (first if first == {CALL: 1.0} else {1200 - 250: 1.0})
        calls += first == {CALL: 1.0}
    assert calls / 400 == pytest.approx(3 / 7, abs=0.08)
    hands = StrategyAgent(table).range_strategy(state.seen_by(-1))
    assert hands.chances.sum(axis=0).min() > 0  # and hands take it differently with one seed


# Names


def test_agents_are_made_from_a_name_and_parameters():
    assert agents.make("heuristic-mc:simulations=7") == HeuristicAgent(7)
    assert agents.make("tight:play=0.5, raises=0.25") == TightAgent(0.5, 0.25)
    solver = agents.make("spot-solver:streets=turn,river,iterations=3")
    assert (solver.streets, solver.iterations, solver.seconds) == ("turn,river", 3, None)
    assert agents.make("spot-solver:seconds=0.5").seconds == 0.5


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("shark", "no player 'shark' here; there are random, call, always-raise"),
        ("", "no player '' here; there are"),
        ("call:x=1", "call has no parameter 'x'; it has none"),
        ("call:", "call has no parameter ''"),
        ("heuristic-mc:simulation=5", "has no parameter 'simulation'; it has simulations"),
        ("heuristic-mc:5", "has no parameter '5'; it has simulations"),
        ("heuristic-mc:simulations=many", "simulations of heuristic-mc is a whole number, got 'many'"),
        ("heuristic-mc:simulations=1,simulations=2", "simulations twice"),
        ("heuristic-mc:simulations=0", "at least 1"),
        ("tight:play=nan", "play of tight is a number"),
        ("tight:play=2", "play is a share from 0 to 1, got 2"),
        ("strategy", "strategy needs a file: write strategy:FILE"),
        ("strategy:", "file of strategy is empty"),
        ("spot-solver:streets=flop", "streets are 'river' or 'turn,river'"),
        ("spot-solver:iterations=0", "iterations are 1 to"),
        ("spot-solver:seconds=-1", "seconds are above 0"),
    ],
)
def test_what_is_not_there_is_named(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.make(spec)


def test_a_time_for_decisions_is_for_those_who_think():
    specs = ["resolver:equity,bets=pot,allin", "human", "exec:./bot,x", "spot-solver", "resolver:seconds=2"]
    timed = agents.with_time(specs, 0.25)
    assert timed == [
        "resolver:equity,bets=pot,allin,seconds=0.25", "human", "exec:./bot,x", "spot-solver:seconds=0.25",
        "resolver:seconds=2",
    ]  # fmt: skip
    assert agents.make(timed[3]).seconds == 0.25
    assert agents.with_time(["call"], None) == ["call"]
    for unfit in (["call", "blueprint"], ["resolver:seconds=2"], ["shark"]):
        with pytest.raises(ValueError, match="for spot-solver and resolver"):
            agents.with_time(unfit, 1)
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds above 0"):
            agents.with_time(["resolver"], seconds)


def test_other_packages_add_kinds(monkeypatch):
    monkeypatch.setattr(agents.registry, "AGENTS", dict(AGENTS))

    def program(command: str, patience: int = 3) -> CallAgent:
        made.append((command, patience))
        return CallAgent()

    made: list = []
    register("program", program, "another one", main="command", verbatim=True)
    register("program", program, "another one", main="command", verbatim=True)  # twice the same is once
    agents.make("program:./bot --seed=1,2 'a b'")
    assert made == [("./bot --seed=1,2 'a b'", 3)]
    assert describe()["program"] == "another one (COMMAND, patience=3)"
    with pytest.raises(ValueError, match="program needs a command: write program:COMMAND"):
        agents.make("program")
    with pytest.raises(ValueError, match="is an agent 'call' already"):
        register("call", program, "another one")
    with pytest.raises(ValueError, match="small letters"):
        register("Call me", program, "another one")
    with pytest.raises(ValueError, match="no parameter 'x'"):
        register("other", program, "another one", main="x")


def test_every_agent_is_described():
    assert list(AGENTS)[: len(NAMES)] == list(NAMES)
    assert describe().keys() == AGENTS.keys()
    assert describe()["heuristic-mc"].endswith("(simulations=200, size=1.0, ahead=0.5, least=0.0)")
    assert describe()["call"] == "always checks or calls"
    assert "FILE, purify=0.0, seed=0" in describe()["strategy"]
