"""Forms of value networks for hold'em on the same situations: over clusters of hands, over all hands, hand by hand."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ludus.experiments.report import Report, Stopped, folder
from ludus.files import write_csv
from ludus.parallel import Stages

NAME = "value-networks"
CLUSTERS, DENSE, HANDS = "1,000 clusters, 7 x 500 (the source)", "1,326 hands, 6 x 1,024, residual", "hand by hand"
RATES = {CLUSTERS: 1e-3, DENSE: 7e-4, HANDS: 2e-3}


@dataclass(frozen=True)
class Row:
    """A form and how well it has learnt; losses in pots."""

    form: str
    parameters: int
    training_loss: float
    validation_loss: float
    mean_error: float
    seconds: float


def value_networks(
    stage: str, situations: int, steps: int, batch: int | None, device: str | None, seed: int, out: Path | None,
    progress: Stages,
) -> Report:  # fmt: skip
    """Networks of each form trained for the same steps on the same situations, and judged by the same others.

    The stage is the river or the turn, whose situations are solved exactly; they are kept in the folder.
    """
    from ludus.nets.holdem.devices import check_device

    where = check_device(device)
    import torch

    from ludus.nets.holdem.checkpoints import Judged
    from ludus.nets.holdem.forms import ClusterForm, DenseForm
    from ludus.nets.holdem.labels import NEEDED
    from ludus.nets.holdem.network import HandShape
    from ludus.nets.holdem.runs import StagePlan, situations_of
    from ludus.nets.holdem.tensors import HandModule
    from ludus.nets.holdem.training import HandRecipe, Memory, fit

    if stage in NEEDED:
        raise ValueError(f"forms are compared where situations are solved exactly, on the river or the turn: {stage!r}")
    place = folder(out, NAME)
    size = batch or (512 if where.startswith("cuda") else 32)
    plan = StagePlan(stage, place, situations, recipe=HandRecipe(seed=seed, batch=size), device=where)
    rows = []
    try:
        memory = Memory(situations_of(plan, {}, progress), torch.device(where))
        for form in (CLUSTERS, DENSE, HANDS):
            recipe = HandRecipe(steps=steps, batch=size, rate=RATES[form], seed=seed)
            generator = torch.Generator().manual_seed(seed)
            if form == HANDS:
                made: torch.nn.Module = HandModule(HandShape(), generator)
            else:
                made = (ClusterForm if form == CLUSTERS else DenseForm)(memory.table, generator)
            module, begun = made.to(where), time.perf_counter()

            def tell(judged: Judged, form: str = form) -> None:
                progress(form, judged.step, steps, "steps")

            last = fit(module, memory, recipe, generator, tell, compiled=form == HANDS and where.startswith("cuda"))[-1]
            if last.step < steps:
                raise KeyboardInterrupt
            weights = sum(weight.numel() for weight in module.parameters())
            rows.append(
                Row(form, weights, last.training, last.huber, last.mean_error, time.perf_counter() - begun)
            )  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped("the situations are kept; the same command goes on from there") from None
    return _report(rows, plan, steps, place)


def _report(rows: list[Row], plan: Any, steps: int, place: Path) -> Report:
    file = place / f"{NAME}.csv"
    write_csv(file, list(Row.__dataclass_fields__), [list(asdict(row).values()) for row in rows])
    result = {
        "experiment": NAME, "stage": plan.stage, "situations": plan.situations, "steps": steps,
        "batch": plan.recipe.batch, "device": plan.device, "seed": plan.recipe.seed,
        "forms": [asdict(row) for row in rows], "files": {"csv": str(file)},
    }  # fmt: skip
    shown = [
        (row.form, f"{row.parameters:,}", f"{row.training_loss:.5f}", f"{row.validation_loss:.5f}",
         f"{row.mean_error:.4f}", f"{row.seconds:.0f}")
        for row in rows
    ]  # fmt: skip
    notes = [
        f"{plan.situations:,} situations at the {plan.stage}, {steps:,} steps of {plan.recipe.batch}; stacks of 0.05 "
        "to 100 pots. Losses: mean Huber loss in pots, of what was learnt and of the last twentieth, which was not.",
        "The first form knows ranges by clusters of hands alone; the other two are also told what hands win without "
        "betting.",
    ]
    head = ("form", "weights", "learnt", "not learnt", "mean error, pots", "seconds")
    return Report(f"{NAME}: {plan.stage}, seed {plan.recipe.seed}", result, head, shown, notes)
