"""The contract of ``ludus.games.base``, checked over every registered game, variants of them, and whole small trees."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games import CHANCE, GAMES, TERMINAL, Game, PokerGame, State, holdem, kuhn, leduc, leduc_nl, make
from ludus.games.matrix import MatrixGame
from ludus.games.menu import Menu

MOST_STEPS = 2000

Path = tuple[tuple[str, int], ...]  # a player's own information states, each with his action

CHICKEN = MatrixGame(
    "chicken with a way out",
    ((0.0, -1.0, 0.5), (1.0, -10.0, 0.5)),
    ((0.0, 1.0, 0.25), (-1.0, -10.0, 0.25)),
    ("swerve", "straight"),
    ("swerve", "straight", "stay at home"),
)

VARIANTS: dict[str, Game] = {
    **{name: make(name) for name in GAMES},
    "chicken": CHICKEN,
    "kuhn4": kuhn(players=4),
    "leduc-3": leduc(players=3, deck="TTJJQQKK"),
    "leduc-suits": leduc(show_suits=True),
    "leduc-nl-all": leduc_nl("all"),
    "leduc-nl-any": leduc_nl("any"),
    "leduc-nl-half": leduc_nl("0.5,pot,allin"),
    "leduc-nl-two-pots": leduc_nl("pot,2,allin"),
    "antes": holdem(players=3, ante=1),
    "big-blind-ante": holdem(players=4, ante=(0, 2, 0, 0), stack=40),
    "straddle": holdem(players=4, straddle=4),
    "limit": holdem(betting="limit"),
    "limit-3": holdem(players=3, betting="limit", stack=30),
    "pot-limit": holdem(players=3, betting="pot-limit", stack=60),
    "acpc": holdem(dialect="acpc", stack=400),
    "acpc-3": holdem(players=3, dialect="acpc", stack=(37, 5, 90)),
    "short-stacks": holdem(players=6, stack=(1, 2, 3, 50, 17, 200), ante=1),
    "heads-up-unequal": holdem(stack=(7, 300)),
    "bet-set": holdem(players=3, bets=Menu.pots(0.5, 1.0)),
    "ten": holdem(players=10, stack=30),
}
WHOLE_TREES = {  # information sets of each player
    "rps": (1, 1),
    "rps-doubled": (1, 1),
    "matching-pennies": (1, 1),
    "prisoners-dilemma": (1, 1),
    "chicken": (1, 1),
    "kuhn": (6, 6),
    "kuhn3": (16, 16, 16),
    "kuhn4": (40, 40, 40, 40),
    "leduc": (144, 144),
    "leduc-suits": (468, 468),
    "leduc-nl": (180, 180),
    "leduc-nl-two-pots": (240, 240),
    "leduc-nl-half": (660, 660),
}
POKER = {name: game for name, game in VARIANTS.items() if isinstance(game, PokerGame)}


def each(games: dict[str, Game]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("game", games.values(), ids=games.keys())


seeds = given(seed=st.integers(0, 2**32 - 1))
seeded = settings(max_examples=10, deadline=None, derandomize=True)


def pick(state: State, rng: random.Random) -> int:
    """Random play that sees showdowns, small raises and all-ins alike."""
    legal = state.legal_actions()
    if state.player >= 0:
        kind = rng.random()
        if kind < 0.5:
            return rng.choice(legal[:2])
        if kind < 0.7:
            return legal[-1]
        if kind < 0.8:
            return rng.choice(legal[:4])
    return rng.choice(legal)


def play_out(game: Game, seed: int) -> tuple[list[State], list[int]]:
    """All states of one play-out and the actions between them."""
    rng, states, actions = random.Random(seed), [game.start()], []
    while states[-1].player != TERMINAL:
        actions.append(pick(states[-1], rng))
        states.append(states[-1].apply(actions[-1]))
        assert len(actions) < MOST_STEPS, "the game does not end"
    return states, actions


def look(game: Game, state: State) -> tuple[object, ...]:
    """Everything that the protocol lets one ask of a state."""
    return (
        state.player,
        tuple(state.legal_actions()),
        state.public_state(),
        tuple(state.information_state(player) for player in range(game.players)),
        tuple(state.chance_outcomes()) if state.player == CHANCE else (),
        state.returns() if state.player == TERMINAL else (),
        repr(state),
    )


# Along random play-outs


@each(VARIANTS)
@seeds
@seeded
def test_a_game_starts_goes_on_and_ends(game, seed):
    assert game.name
    assert game.players >= 2
    assert game.start().player != TERMINAL
    states, actions = play_out(game, seed)
    for state, action in zip(states, actions, strict=False):
        legal = state.legal_actions()
        assert state.player in range(CHANCE, game.players)
        assert len(legal) > 0
        assert len(set(legal)) == len(legal)
        assert action in legal
        assert all(state.action_name(legal[at]).strip() for at in {0, len(legal) // 2, len(legal) - 1})
    assert len(states[-1].legal_actions()) == 0
    returns = states[-1].returns()
    assert isinstance(returns, tuple)
    assert len(returns) == game.players
    if game.zero_sum:
        assert sum(returns) == pytest.approx(0, abs=1e-6)


@each(VARIANTS)
@seeds
@seeded
def test_applying_an_action_leaves_the_old_state_as_it_was(game, seed):
    states, actions = play_out(game, seed)
    first = [look(game, state) for state in states]
    for state, action, after in zip(states, actions, states[1:], strict=False):
        again = state.apply(action)
        assert again is not state
        assert look(game, again) == look(game, after)
        for other in list(state.legal_actions())[:3]:
            state.apply(other)
    assert [look(game, state) for state in states] == first


@each(VARIANTS)
@seeds
@seeded
def test_same_seed_same_play_out(game, seed):
    (states, actions), (again, same) = play_out(game, seed), play_out(game, seed)
    assert actions == same
    assert [look(game, state) for state in states] == [look(game, state) for state in again]


@each(VARIANTS)
@seeds
@seeded
def test_chance_outcomes_are_the_legal_actions_with_probabilities(game, seed):
    for state in play_out(game, seed)[0]:
        if state.player == CHANCE:
            outcomes = state.chance_outcomes()
            assert [outcome for outcome, _ in outcomes] == list(state.legal_actions())
            assert all(probability > 0 for _, probability in outcomes)
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)


@each(VARIANTS)
@seeds
@seeded
def test_illegal_actions_are_refused_with_a_reason(game, seed):
    states, actions = play_out(game, seed)
    for state in states:
        legal = state.legal_actions()
        tries = {
            -100,
            -3,
            -2,
            -1,
            0,
            1,
            2,
            51,
            52,
            53,
            10**6,
            2**40,
            *actions,
            *(max(legal, default=0) + n for n in (1, 9)),
        }
        for action in tries:
            if action not in legal:
                with pytest.raises(ValueError, match=r"\w+ \w+"):
                    state.apply(action)


# What players know


@each(POKER)
@seeds
@seeded
def test_information_does_not_depend_on_the_cards_of_others(game, seed):
    """Deal the other seats other cards and play on in the same way: the viewer notices nothing."""
    rng = random.Random(seed)
    states, actions = play_out(game, seed)
    viewer, count = rng.randrange(game.players), game.hole_cards
    dealt = states[-1].cards
    hidden = [at for at in range(game.players * count) if at // count != viewer]
    free = [card for card in game.deck if card not in dealt or dealt.index(card) in hidden]
    swapped = dict(zip(hidden, rng.sample(free, len(hidden)), strict=True))
    other = game.start()
    for state, action in zip(states, actions, strict=False):
        assert other.player == state.player
        assert other.information_state(viewer) == state.information_state(viewer)
        assert other.public_state() == state.public_state()
        if state.player != CHANCE:
            assert other.legal_actions() == state.legal_actions()
        other = other.apply(swapped.get(len(state.cards), action) if state.player == CHANCE else action)
    assert other.player == TERMINAL
    assert other.information_state(viewer) == states[-1].information_state(viewer)


@each({name: game for name, game in VARIANTS.items() if isinstance(game, MatrixGame)})
def test_the_second_player_of_a_matrix_game_does_not_see_the_first_choice(game):
    after = [game.start().apply(row) for row in game.start().legal_actions()]
    assert len({state.information_state(1) for state in after}) == 1
    assert len({state.public_state() for state in after}) == 1
    assert len({state.information_state(0) for state in after}) == len(after)
    ends = [state.apply(column) for state in after for column in state.legal_actions()]
    assert len({state.public_state() for state in ends}) == len(ends)


class Facts:
    """What information states have stood for so far; each must always stand for the same.

    A player to act knows the public state and his own actions, everybody at a poker table knows the public state at any
    time, and the public state tells whose turn it is.
    """

    def __init__(self, game: Game) -> None:
        self.seats = range(game.players) if isinstance(game, PokerGame) else ()
        self.known: dict[tuple[str, int, str], object] = {}

    def check(self, state: State) -> None:
        public = state.public_state()
        self._same(("turn", -1, public), state.player)
        for player in self.seats:
            self._same(("public", player, state.information_state(player)), public)
        if state.player >= 0:
            fact = (public, state.legal_actions())
            self._same(("to act", state.player, state.information_state(state.player)), fact)

    def _same(self, key: tuple[str, int, str], fact: object) -> None:
        assert self.known.setdefault(key, fact) == fact


@each(VARIANTS)
def test_a_player_knows_the_public_state_and_his_actions(game):
    facts = Facts(game)
    for seed in range(100):
        for state in play_out(game, seed)[0]:
            facts.check(state)


# Over whole trees


def tree(game: Game) -> Iterator[tuple[State, tuple[Path, ...]]]:
    """Every state, with the own information states and actions of each player on the way to it."""
    stack: list[tuple[State, tuple[Path, ...]]] = [(game.start(), ((),) * game.players)]
    while stack:
        state, paths = stack.pop()
        yield state, paths
        for action in state.legal_actions():
            after = list(paths)
            if state.player >= 0:
                after[state.player] += ((state.information_state(state.player), action),)
            stack.append((state.apply(action), tuple(after)))


@pytest.mark.parametrize(("name", "information_sets"), WHOLE_TREES.items(), ids=WHOLE_TREES.keys())
def test_whole_tree(name, information_sets):
    """Perfect recall, consistent public states and actions, the sum of the returns and the number of information sets.

    Perfect recall: an information state determines the player's own past information states and actions.
    """
    game = VARIANTS[name]
    facts = Facts(game)
    past: dict[tuple[int, str], Path] = {}
    sums = set()
    for state, paths in tree(game):
        facts.check(state)
        if state.player >= 0:
            key = (state.player, state.information_state(state.player))
            assert past.setdefault(key, paths[state.player]) == paths[state.player]
        elif state.player == TERMINAL:
            sums.add(round(sum(state.returns()), 9))
    assert game.zero_sum == (sums == {0.0})
    assert tuple(sum(player == owner for owner, _ in past) for player in range(game.players)) == information_sets


def betting_points(game: PokerGame) -> dict[tuple[int, int], set[str]]:
    """The betting so far at each decision of (player, street), under one deal; cards never change the betting."""
    points = defaultdict(set)
    stack = [game.start()]
    while stack:
        state = stack.pop()
        if state.player >= 0:
            points[state.player, state.street].add(state.betting())
        legal = state.legal_actions()
        stack.extend(state.apply(action) for action in (legal[:1] if state.player == CHANCE else legal))
    return points


@pytest.mark.parametrize(
    ("bets", "decisions", "information_sets"),
    [
        ("pot,allin", (6, 18), 180),
        ("pot,2,allin", (8, 24), 240),
        ("0.5,pot,allin", (16, 68), 660),
        ("all", (278, 4582), 42072),
    ],
)
def test_public_tree_of_no_limit_leduc(bets, decisions, information_sets):
    """A decision of round one is an information set for each of three ranks, of round two for each pair of ranks."""
    points = betting_points(leduc_nl(bets))
    for player in (0, 1):
        assert (len(points[player, 0]), len(points[player, 1])) == decisions
    assert 3 * decisions[0] + 9 * decisions[1] == information_sets
