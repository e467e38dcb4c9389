"""How wrong a solution may be whose later streets are estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ludus.games.sizes import check_keys

NAMES = ("value_mean", "value_p95", "loss_mean", "loss_p95")


@dataclass(frozen=True)
class Accuracy:
    """Errors of such solutions against exact ones, in percent of the pot, as they were measured with similar stacks.

    A value is what a whole range gets on average; a loss is what a player gives away by playing the strategy on the
    first street, against an opponent who plays their best, and their own best on later streets; None before the flop,
    where there is no exact solution to measure it in.
    """

    value_mean: float
    value_p95: float  # in 19 of 20 cases it is smaller
    loss_mean: float | None = None
    loss_p95: float | None = None
    measured: bool = True  # whether such stacks were measured; otherwise these are the nearest that were

    def __post_init__(self) -> None:
        loss = (self.loss_mean, self.loss_p95)
        figures = (self.value_mean, self.value_p95, *(() if loss == (None, None) else loss))
        if not all(isinstance(each, float | int) and 0 <= each < float("inf") for each in figures):
            raise ValueError(f"errors are 0 or more, in percent of the pot, got {figures}")
        if type(self.measured) is not bool:
            raise ValueError(f"measured is true or false, got {self.measured!r}")

    @classmethod
    def of(cls, values: object) -> Accuracy:
        """From what `to_dict` gives."""
        if not isinstance(values, Mapping):
            raise ValueError("an accuracy is a table of figures")
        check_keys("accuracy", values, (*NAMES, "measured"), (*NAMES[:2], "measured"))
        return cls(**values)

    def __str__(self) -> str:
        near = "" if self.measured else " (with the nearest stacks that were measured)"
        worth = (
            f"EVs of a range are off by {self.value_mean:.1f} % of the pot on average, in 19 of 20 cases by less than "
            f"{self.value_p95:.1f} %"
        )
        if self.loss_mean is None:
            return f"{worth}, where the street ends; what playing it loses is not known{near}"
        return (
            f"{worth}; playing it loses {self.loss_mean:.1f} % of the pot on average, in 19 of 20 cases "
            f"less than {self.loss_p95:.1f} %{near}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures, as JSON can hold them."""
        return asdict(self)
