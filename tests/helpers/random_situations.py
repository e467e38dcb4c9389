"""Random decisions of hold'em: any number of players, any street, odd stacks, random legal play."""

import numpy as np

from ludus.agents.blueprint import BlueprintAgent
from ludus.games import holdem
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt
from ludus.search.preflop_solution import SEATS, SolvedOpening
from ludus.trees.translation import poker_moves, raise_by

RAISES = (0.33, 0.5, 0.75, 1.0, 2.0, 1000.0)  # of the pot; the last is all-in


def random_situation(seed: int) -> PokerState:
    """A decision as the player to act sees it; seeds in a row go through all streets and numbers of players."""
    street, players = seed % 4, 2 + seed // 4 % 9
    rng = np.random.default_rng(seed)
    while True:
        found = [state for state in _played(_table(players, rng), rng) if state.street == street]
        if found:
            return found[rng.integers(len(found))]


def random_opening(seed: int) -> PokerState:
    """A decision of the solved charts, as the player to act sees it: 3 to 9 players, stacks that are not all alike."""
    rng, players = np.random.default_rng([seed, 1]), 3 + seed % 7
    opening = SolvedOpening(BlueprintAgent())
    while True:
        depth = np.exp(rng.uniform(np.log(16), np.log(260)))
        stacks = (100 * depth * np.exp(rng.uniform(-0.3, 0.3, players))).astype(int).tolist()
        game = holdem(players, stacks, (50, 100))
        state, found = dealt(game.start(), rng.permutation(52).tolist()), list[PokerState]()
        for _ in range(max(players - SEATS, 0)):
            state = state.apply(FOLD)
        while state.player >= 0 and (solved := opening.solution(state.seen_by(-1))) is not None:
            found.append(state.seen_by(state.player))
            state = state.apply(int(rng.choice(solved.range_strategy(state.seen_by(-1)).actions)))
        if found:
            return found[rng.integers(len(found))]


def _table(players: int, rng: np.random.Generator) -> PokerGame:
    """Blinds 50 and 100, sometimes an ante; stacks alike, or each of their own from half a big blind to 300."""
    stacks = np.exp(rng.uniform(np.log(50), np.log(30_000), players)).astype(int).tolist()
    if rng.random() < 0.3:
        stacks = [max(stacks[0], 200)] * players
    return holdem(players, stacks, (50, 100), ante=int(rng.choice([0, 0, 0, 13])))


def _played(game: PokerGame, rng: np.random.Generator) -> list[PokerState]:
    """The decisions of a hand in which everybody acts at random, so that few or many see the flop."""
    deck, folds = rng.permutation(52).tolist(), float(rng.choice([0.2, 0.6]))
    state, found = dealt(game.start(), deck), list[PokerState]()
    while state.player != TERMINAL:
        found.append(state.seen_by(state.player))
        moves, drawn = poker_moves(state), rng.random()
        if moves.fold and drawn < folds:
            action = FOLD
        elif moves.raises and drawn > 0.8:
            action = raise_by(state, float(rng.choice(RAISES)))
        else:
            action = CALL
        state = dealt(state.apply(action), deck)
    return found
