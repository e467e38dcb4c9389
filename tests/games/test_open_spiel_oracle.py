"""OpenSpiel as the oracle: both trees walked in lockstep, every state compared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerGame, PokerState, kuhn, leduc, make

pyspiel = pytest.importorskip("pyspiel")


def kuhn_action(state: PokerState, action: int) -> int:
    """OpenSpiel has two actions: pass (check or fold) is 0, bet (bet or call) is 1."""
    facing_bet = FOLD in state.legal_actions()
    return int(action == CALL) if facing_bet else int(action > 0)


def leduc_action(state: PokerState, action: int) -> int:
    """OpenSpiel: fold 0, check or call 1, raise 2."""
    return 0 if action == FOLD else 1 if action == CALL else 2


def compare_trees(game: PokerGame, oracle_name: str, action_of: Callable[[PokerState, int], int]) -> dict[str, int]:
    """Compare every state; return how many of each kind there were."""
    oracle = pyspiel.load_game(oracle_name)
    assert oracle.num_players() == game.players
    ours_to_theirs: dict[tuple[int, str], str] = {}
    theirs_to_ours: dict[str, tuple[int, str]] = {}
    seen = {"chance": 0, "decision": 0, "terminal": 0}
    stack = [(game.start(), oracle.new_initial_state())]
    while stack:
        ours, theirs = stack.pop()
        assert (ours.player == TERMINAL) == theirs.is_terminal()
        if ours.player == TERMINAL:
            seen["terminal"] += 1
            assert ours.returns() == pytest.approx(tuple(theirs.returns()))
            continue
        legal = list(ours.legal_actions())
        assert (ours.player == CHANCE) == theirs.is_chance_node()
        if ours.player == CHANCE:
            seen["chance"] += 1
            mapped = [game.deck.index(card) for card in legal]
            assert dict(theirs.chance_outcomes()) == pytest.approx(
                {game.deck.index(card): probability for card, probability in ours.chance_outcomes()}
            )
        else:
            seen["decision"] += 1
            assert ours.player == theirs.current_player()
            mapped = [action_of(ours, action) for action in legal]
            mine = (ours.player, ours.information_state(ours.player))
            text = theirs.information_state_string()
            assert ours_to_theirs.setdefault(mine, text) == text  # the same things are told apart
            assert theirs_to_ours.setdefault(text, mine) == mine
        assert sorted(mapped) == sorted(theirs.legal_actions())
        stack.extend((ours.apply(a), theirs.child(b)) for a, b in zip(legal, mapped, strict=True))
    return seen | {"information sets": len(ours_to_theirs)}


@pytest.mark.parametrize(("players", "information_sets", "terminal"), [(2, 12, 30), (3, 48, 312), (4, 160, 3960)])
def test_kuhn_is_openspiels(players, information_sets, terminal):
    seen = compare_trees(kuhn(players=players), f"kuhn_poker(players={players})", kuhn_action)
    assert (seen["information sets"], seen["terminal"]) == (information_sets, terminal)


def test_leduc_is_openspiels():
    seen = compare_trees(leduc(show_suits=True), "leduc_poker", leduc_action)
    assert seen == {"chance": 157, "decision": 3780, "terminal": 5520, "information sets": 936}


@pytest.mark.parametrize(("name", "oracle"), [("rps", "matrix_rps"), ("matching-pennies", "matrix_mp")])
def test_matrix_games_are_openspiels(name, oracle):
    ours, theirs = make(name), pyspiel.load_matrix_game(oracle)
    for row in range(theirs.num_rows()):
        for column in range(theirs.num_cols()):
            payoffs = (theirs.row_utility(row, column), theirs.col_utility(row, column))
            assert ours.start().apply(row).apply(column).returns() == payoffs
