"""What situations are worth, stage by stage: from exact solves, from solves of one street, from averages over cards.

The river and the turn are solved to the end of the hand: no network has a hand in them. The end of a street is worth
what the beginning of the next one is, averaged over the cards that may come. The flop is solved for one street, with
the network of its end at the frontier.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.cards.ranges import class_of_combo
from ludus.nets.holdem.boards import HANDS
from ludus.nets.holdem.network import STAGES, HandNetwork, betting_scale, stack_numbers
from ludus.nets.holdem.played import played_situations
from ludus.nets.holdem.situations import POT, Situations, random_situations
from ludus.nets.holdem.tensors import AT_ONCE, TensorNetwork, evened, unbet_values
from ludus.solvers.batch.hands import distinct_boards, live_cards, next_boards
from ludus.solvers.batch.showings import Matrices
from ludus.solvers.batch.subgames import solve_subgames

NEEDED = {"turn-end": "river", "flop-end": "turn", "flop": "flop-end", "preflop-end": "flop"}
"""Stages that learn from the network of another one."""


class Block(NamedTuple):
    """How many situations are labelled together, on how many boards."""

    situations: int
    boards: int


BLOCKS = {
    "river": Block(2048, 2048), "turn-end": Block(1024, 64), "turn": Block(256, 256), "flop-end": Block(1024, 64),
    "flop": Block(1024, 64), "preflop-end": Block(256, 1),
}  # fmt: skip
BOARDS_AT_ONCE = 256  # that matrices of showdowns are made for
FLOPS = 64  # random ones that stand for all


class Drawn(NamedTuple):
    """Situations, and random numbers to go on with."""

    situations: Situations
    rng: np.random.Generator


class Labelled(NamedTuple):
    """Situations and what they are worth, in half precision: as they are kept."""

    boards: NDArray[np.uint8]  # [n, cards]
    stacks: NDArray[np.float32]  # [n] in pots
    ranges: NDArray[np.float16]  # [n, 2, 1326], each adding up to 1326
    unbet: NDArray[np.float16]  # [n, 2, 1326] in pots, if nobody bets any more
    values: NDArray[np.float16]  # [n, 2, 1326] in pots


def check_needed(stage: str, networks: Mapping[str, HandNetwork]) -> None:
    """ValueError when a stage lacks the network that it learns from."""
    needed = NEEDED.get(stage)
    if needed and needed not in networks:
        raise ValueError(f"the stage {stage} learns from the network of the stage {needed}: train that first")


def draw_block(
    stage: str, block: Block, networks: Mapping[str, HandNetwork], play: float, seed: np.random.SeedSequence
) -> Drawn:
    """A block of situations of a stage, this share of all blocks from play; the same for the same seed."""
    rng, cards = np.random.default_rng(seed), STAGES[stage]
    if play and rng.random() < play:
        return Drawn(played_situations(block.situations, cards, networks, rng), rng)
    return Drawn(random_situations(block.situations, cards, block.boards, rng), rng)


def label(
    stage: str, drawn: Drawn, networks: Mapping[str, HandNetwork], iterations: int, device: str,
    workers: int | None = None,
) -> Labelled:  # fmt: skip
    """What situations are worth at a stage; without a GPU on so many cores, by default all."""
    check_needed(stage, networks)
    where, (situations, rng) = torch.device(device), drawn
    boards, rows = distinct_boards(situations.boards)
    ranges = torch.from_numpy(situations.ranges.astype(np.float32)).to(where)
    row = torch.from_numpy(rows).to(where)
    unbet = _unbet(situations.boards, len(boards), ranges)
    if stage in ("river", "turn"):
        back_end = "torch" if where.type == "cuda" else "numba"
        values = solve_subgames(situations.subgames(), iterations, back_end, device=device, workers=workers).values
    elif stage == "flop":
        leaves = TensorNetwork.kept(networks["flop-end"], where)
        subgames = situations.subgames(streets=1)
        values = solve_subgames(
            subgames, iterations, "torch", algorithm="dcfr+", device=device, leaf_values=leaves
        ).values
    else:
        network = TensorNetwork.kept(networks[NEEDED[stage]], where)
        average = _over_flops if stage == "preflop-end" else _over_cards
        values = average(network, boards, row, situations.stacks, ranges, unbet, rng).cpu().numpy()
    return Labelled(
        situations.boards, (situations.stacks / POT).astype(np.float32), (ranges * HANDS).half().cpu().numpy(),
        unbet.half().cpu().numpy(), values.astype(np.float16),
    )  # fmt: skip


def _unbet(boards: NDArray[np.uint8], distinct: int, ranges: Tensor) -> Tensor:
    """``[n, 2, 1326]`` What hands win if nobody bets, with the matrices of some boards at a time."""
    step = BOARDS_AT_ONCE if distinct > BOARDS_AT_ONCE else len(boards)
    parts = []
    for start in range(0, len(boards), step):
        part, rows = distinct_boards(boards[start : start + step])
        at = Matrices.of(part, ranges.device).at(torch.from_numpy(rows).to(ranges.device))
        parts.append(unbet_values(at, ranges[start : start + step]))
    return torch.cat(parts)


def _over_cards(
    network: TensorNetwork, boards: NDArray[np.uint8], row: Tensor, stacks: NDArray[np.int64], ranges: Tensor,
    unbet: Tensor, rng: np.random.Generator,
) -> Tensor:  # fmt: skip
    """The mean over the next card: each pair of hands leaves four fewer cards than the board does."""
    cards = live_cards(boards).shape[1]
    return _summed(network, next_boards(boards), row * cards, cards, stacks, ranges) / float(cards - 4)


def _over_flops(
    network: TensorNetwork, boards: NDArray[np.uint8], row: Tensor, stacks: NDArray[np.int64], ranges: Tensor,
    unbet: Tensor, rng: np.random.Generator,
) -> Tensor:  # fmt: skip
    """The mean over random flops. What hands win without betting is known exactly: only betting is averaged."""
    flops = np.unique(np.sort(np.argsort(rng.random((FLOPS, 52)), axis=1)[:, :3], axis=1), axis=0).astype(np.uint8)
    added = _summed(network, flops, torch.zeros_like(row), len(flops), stacks, ranges, betting=True)
    added *= comb(52, 3) / len(flops) / comb(48, 3)
    classes = torch.from_numpy(class_of_combo.astype(np.int64)).to(ranges.device)
    member = torch.nn.functional.one_hot(classes).float()
    found: Tensor = unbet + ((added @ member) / member.sum(0))[:, :, classes]
    return found


def _summed(
    network: TensorNetwork, boards: NDArray[np.uint8], first: Tensor, count: int, stacks: NDArray[np.int64],
    ranges: Tensor, betting: bool = False,
) -> Tensor:  # fmt: skip
    """Values added up over the boards ``first``, ``first + 1``, ... of each situation; or what betting adds to them."""
    device, pots = ranges.device, np.full(len(stacks), POT)
    numbers, scale = (torch.from_numpy(each(pots, stacks)).to(device) for each in (stack_numbers, betting_scale))
    total, step = torch.zeros_like(ranges), max(1, min(AT_ONCE // len(ranges), BOARDS_AT_ONCE * count // len(boards)))
    for start in range(0, count, step):
        cards = torch.arange(start, min(start + step, count), device=device)
        which, rows = torch.unique((first[:, None] + cards).flatten(), return_inverse=True)
        told, scaled = (each.repeat_interleave(len(cards), 0) for each in (numbers, scale))
        on = network.on(boards[which.cpu().numpy()], device)
        asked = on.at(rows, told, scaled)
        left = ranges.repeat_interleave(len(cards), 0) * on.table.possible[rows][:, None]
        whole, mass = asked.ranges(left)
        with torch.no_grad():
            found = evened(asked.added(whole), whole, asked.possible)
            if not betting:
                found += unbet_values(asked.showings, whole)
        total += (found * mass.flip(1)).view(len(ranges), len(cards), 2, HANDS).sum(1)
    return total
