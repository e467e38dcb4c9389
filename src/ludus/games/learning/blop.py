"""Blop, a pilot game for deep reinforcement learning (Pricope 2020, section 4.1), as a Gymnasium environment.

A square image holds a blue player, a green exit and a red enemy. There are nine moves, and five of them are poisoned:
staying and the straight moves become a random move of the nine; the four diagonal moves do what they say.

The source gives 20 as the best total and five diagonal moves as the way to get it. Both cannot be true with a cost of 1
per move and an enemy on that diagonal. The reading here, all of it in ``BlopConfig``: every move costs 1, the last one
too, and the reward for the exit or the enemy comes on top of that. Around an enemy that stands still, the shortest
way with diagonal moves alone takes seven moves, for a total of 20 - 7 = 13. ``BlopConfig(move_reward=0)`` has a best
total of 20, and a moving enemy may leave the diagonal, so that five moves are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
except ImportError as error:
    raise ImportError("Blop is a Gymnasium environment, which is not installed: pip install 'ludus[envs]'") from error

Cell = tuple[int, int]

MOVES: tuple[Cell, ...] = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1))
MOVE_NAMES = ("up left", "up", "up right", "left", "stay", "right", "down left", "down", "down right")
POISONED = frozenset(number for number, (row, column) in enumerate(MOVES) if row == 0 or column == 0)
COLOURS = {"exit": (0, 255, 0), "player": (0, 0, 255), "enemy": (255, 0, 0)}


@dataclass(frozen=True, slots=True)
class BlopConfig:
    """Board and rewards. Cells are (row, column) from the top left; by default the exit is the centre and the enemy is
    on the cell before it on the diagonal. Without ``poison`` every move does what it says.
    """

    size: int = 10
    start: Cell = (0, 0)
    exit: Cell | None = None
    enemy: Cell | None = None
    move_reward: float = -1.0
    exit_reward: float = 20.0
    enemy_reward: float = -300.0
    poison: bool = True
    moving_enemy: bool = False
    max_steps: int = 200

    def __post_init__(self) -> None:
        if not 4 <= self.size <= 256:
            raise ValueError(f"a board is 4 to 256 cells wide, got {self.size}")
        if self.max_steps < 2:
            raise ValueError(f"an episode has at least 2 steps, got {self.max_steps}")
        cells = self.cells()
        if any(not (0 <= row < self.size and 0 <= column < self.size) for row, column in cells):
            raise ValueError(f"start, exit and enemy must lie on the board of {self.size} cells, got {cells}")
        if len(set(cells)) < 3:
            raise ValueError(f"start, exit and enemy must be three different cells, got {cells}")

    def cells(self) -> tuple[Cell, Cell, Cell]:
        """Where the player, the exit and the enemy are at first.

        >>> BlopConfig().cells()
        ((0, 0), (5, 5), (4, 4))
        """
        middle = self.size // 2
        return self.start, self.exit or (middle, middle), self.enemy or (middle - 1, middle - 1)


def moved(cell: Cell, move: int, size: int) -> Cell:
    """The cell after a move; each coordinate that would leave the board stays as it is.

    >>> moved((0, 3), MOVE_NAMES.index("up right"), 10)
    (0, 4)
    """
    row, column = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
    return min(max(row, 0), size - 1), min(max(column, 0), size - 1)


class Blop(gymnasium.Env):  # type: ignore[misc]
    """The environment. Observations are uint8 images [size, size, 3]; ``info["move"]`` is the move actually made.

    The player moves first: on the exit or on the enemy the game ends. Then a moving enemy makes a random move of the
    nine, but never onto the exit, and the game ends when it meets the player. After ``max_steps`` moves the episode is
    cut off.

    >>> env = Blop()
    >>> image, info = env.reset(seed=0)
    >>> image, reward, *_ = env.step(MOVE_NAMES.index("down right"))
    >>> image.shape, image[1, 1].tolist(), reward
    ((10, 10, 3), [0, 0, 255], -1.0)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}

    def __init__(self, config: BlopConfig | None = None, render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"Blop renders as rgb_array or ansi, not as {render_mode!r}")
        self.config = config or BlopConfig()
        self.render_mode = render_mode
        size = self.config.size
        self.observation_space = gymnasium.spaces.Box(0, 255, (size, size, 3), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(len(MOVES))
        self._place()

    def _place(self) -> None:
        self.player, self.exit, self.enemy = self.config.cells()
        self.steps = 0
        self.over = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """The first image, always the same, and an empty info."""
        super().reset(seed=seed)
        self._place()
        return self.image(), {}

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Image, reward, whether the game is over, whether it was cut off, and the move actually made."""
        if self.over:
            raise ValueError("the game is over: call reset()")
        if not 0 <= action < len(MOVES):
            raise ValueError(f"a move is 0 to {len(MOVES) - 1}, got {action}")
        config = self.config
        move = self._random_move() if config.poison and action in POISONED else int(action)
        self.player = moved(self.player, move, config.size)
        self.steps += 1
        if config.moving_enemy and self.player not in (self.exit, self.enemy):
            target = moved(self.enemy, self._random_move(), config.size)
            self.enemy = self.enemy if target == self.exit else target
        won, lost = self.player == self.exit, self.player == self.enemy
        reward = config.move_reward + won * config.exit_reward + lost * config.enemy_reward
        cut_off = self.steps >= config.max_steps and not (won or lost)
        self.over = won or lost or cut_off
        return self.image(), float(reward), won or lost, cut_off, {"move": move}

    def _random_move(self) -> int:
        return int(self.np_random.integers(len(MOVES)))

    def image(self) -> NDArray[np.uint8]:
        """Image [size, size, 3]: green exit, blue player and red enemy on black, the later over the earlier."""
        image = np.zeros((self.config.size, self.config.size, 3), np.uint8)
        for name, cell in (("exit", self.exit), ("player", self.player), ("enemy", self.enemy)):
            image[cell] = COLOURS[name]
        return image

    def render(self) -> NDArray[np.uint8] | str | None:
        """The image, or the board as text: P player, E enemy, X exit."""
        if self.render_mode == "rgb_array":
            return self.image()
        if self.render_mode != "ansi":
            return None
        board = [["."] * self.config.size for _ in range(self.config.size)]
        for letter, (row, column) in (("X", self.exit), ("P", self.player), ("E", self.enemy)):
            board[row][column] = letter
        return "\n".join("".join(row) for row in board) + "\n"
