"""Matrix games: both players choose at once. The second player simply does not see what the first one chose."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from ludus.games.base import TERMINAL

Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class MatrixGame:
    """Two players, a table of payoffs [rows, columns] for each; without a second table the game is zero-sum."""

    name: str
    row_payoffs: Table
    column_payoffs: Table
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]

    def __post_init__(self) -> None:
        for table in (self.row_payoffs, self.column_payoffs):
            if len(table) != len(self.row_names) or any(len(row) != len(self.column_names) for row in table):
                shape = f"{len(self.row_names)} rows and {len(self.column_names)} columns"
                raise ValueError(f"{self.name} needs payoff tables of {shape}")
            if not all(isfinite(payoff) and abs(payoff) <= 1e100 for row in table for payoff in row):
                raise ValueError(f"payoffs are finite numbers of at most 1e100, got {table}")
        if not (self.row_names and self.column_names):
            raise ValueError(f"{self.name} needs at least one row and one column")

    @property
    def players(self) -> int:
        """Always two."""
        return 2

    @property
    def zero_sum(self) -> bool:
        """Whether one player's gain is always the other's loss."""
        return self.column_payoffs == _negated(self.row_payoffs)

    def start(self) -> MatrixState:
        """Nobody has chosen yet."""
        return MatrixState(self)


@dataclass(frozen=True)
class MatrixState:
    """What has been chosen so far."""

    game: MatrixGame
    chosen: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        """The row player, the column player, the end."""
        return len(self.chosen) if len(self.chosen) < 2 else TERMINAL

    def legal_actions(self) -> tuple[int, ...]:
        """Every row or every column."""
        if self.player == TERMINAL:
            return ()
        return tuple(range(len((self.game.row_names, self.game.column_names)[self.player])))

    def apply(self, action: int) -> MatrixState:
        """The state after a choice."""
        if action not in self.legal_actions():
            raise ValueError(f"{action!r} is not one of the choices {self.legal_actions()}")
        return MatrixState(self.game, (*self.chosen, action))

    def chance_outcomes(self) -> tuple[tuple[int, float], ...]:
        """There is no chance in a matrix game."""
        raise AssertionError("a matrix game has no chance")

    def returns(self) -> tuple[float, ...]:
        """The payoffs of the chosen row and column."""
        assert self.player == TERMINAL, "the game is not over"
        row, column = self.chosen
        return self.game.row_payoffs[row][column], self.game.column_payoffs[row][column]

    def information_state(self, player: int) -> str:
        """Whose turn it is and the player's own choice, until the end."""
        if self.player == TERMINAL:
            return self.public_state()
        own = self.chosen[player : player + 1]
        return f"player {player}" + "".join(
            f": {(self.game.row_names, self.game.column_names)[player][a]}" for a in own
        )

    def public_state(self) -> str:
        """How many have chosen, and the choices at the end."""
        if self.player == TERMINAL:
            return f"{self.game.row_names[self.chosen[0]]}, {self.game.column_names[self.chosen[1]]}"
        return f"{len(self.chosen)} chosen"

    def action_name(self, action: int) -> str:
        """The name of a row or column."""
        return (self.game.row_names, self.game.column_names)[self.player][action]


def _negated(table: Table) -> Table:
    return tuple(tuple(-value for value in row) for row in table)


def zero_sum_matrix(name: str, payoffs: Table, names: tuple[str, ...]) -> MatrixGame:
    """A zero-sum game in which both have the same choices."""
    return MatrixGame(name, payoffs, _negated(payoffs), names, names)


def rock_paper_scissors(payoffs: Table | None = None) -> MatrixGame:
    """Rock-paper-scissors, zero-sum, with any payoff table for the row player.

    >>> rock_paper_scissors().start().apply(0).apply(2).returns()
    (1.0, -1.0)
    """
    standard = ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0))
    return zero_sum_matrix("rps", standard if payoffs is None else payoffs, ("rock", "paper", "scissors"))


def doubled_scissors() -> MatrixGame:
    """Rock-paper-scissors in which everything counts double when anyone plays scissors; equilibrium 40/40/20 %."""
    table = ((0.0, -1.0, 2.0), (1.0, 0.0, -2.0), (-2.0, 2.0, 0.0))
    return zero_sum_matrix("rps-doubled", table, ("rock", "paper", "scissors"))


def matching_pennies() -> MatrixGame:
    """The row player wins when the coins match."""
    return zero_sum_matrix("matching-pennies", ((1.0, -1.0), (-1.0, 1.0)), ("heads", "tails"))


def prisoners_dilemma(row: Table = ((-1.0, -3.0), (0.0, -2.0))) -> MatrixGame:
    """Years in prison as losses; both confess in equilibrium, although silence would be better for both.

    ``row`` has the first prisoner's payoffs [own choice, the other's], each silent or confess.
    """
    column = tuple(zip(*row, strict=True))
    return MatrixGame("prisoners-dilemma", row, column, ("silent", "confess"), ("silent", "confess"))
