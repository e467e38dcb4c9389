"""The actions of poker as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

FOLD = -1
CALL = 0


class Moves(Sequence[int]):
    """The legal actions of a betting state without listing every chip: fold where it makes sense, call, the raises."""

    __slots__ = ("fold", "raises")

    def __init__(self, fold: bool, raises: Sequence[int]) -> None:
        self.fold = fold
        self.raises = raises

    def __len__(self) -> int:
        return self.fold + 1 + len(self.raises)

    def __contains__(self, action: object) -> bool:
        return action == CALL or (action == FOLD and self.fold) or action in self.raises

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[int, ...]: ...
    def __getitem__(self, at: int | slice) -> int | tuple[int, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        at = at % len(self) - self.fold
        return FOLD if at < 0 else CALL if at == 0 else self.raises[at - 1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Moves(fold={self.fold}, raises={self.raises!r})"
