"""``ludus warm-up``: compile the kernels before anyone waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer


def warm_up(
    advice: Annotated[
        bool, typer.Option("--advice", help="Also the card tables of advice by search before the flop: 400 MB.")
    ] = False,
) -> None:
    """Compile the kernels of the spot solver, the resolver, blueprints and matches now, so that they start at once.

    Compiled code is kept in the user's cache folder, or in $LUDUS_CACHE. `ludus serve` does the same in the background.
    """
    from ludus.cli.views.progress import stages
    from ludus.teach import warm_up as parts

    start = time.perf_counter()
    steps: dict[str, Callable[[Any], None]] = {
        "kernels of fast solutions": partial(parts.warm_up, "fast"),
        "kernels of advice": partial(parts.warm_up, "spots"),
        "kernels of searches": partial(parts.warm_up, "advice"),
        "kernels of exact solutions": partial(parts.warm_up, "study"),
        "kernels of matches": _matches,
        **({"card tables": partial(parts.warm_up, "tables")} if advice else {}),
        "kernels of players who think": partial(parts.warm_up, "thinking"),
    }
    with stages() as progress:
        for at, (name, step) in enumerate(steps.items()):
            title = f"{name}, {at + 1} of {len(steps)}"
            progress(title, 0, None)

            def told(done: dict[str, Any], title: str = title) -> None:
                progress(title, done["done"], done["total"])

            step(told)
    print(f"kernels are ready ({time.perf_counter() - start:.1f} s)")


def _matches(_: object) -> None:
    from ludus.arena.match import play_match
    from ludus.arena.plan import MatchPlan
    from ludus.games import holdem

    play_match(MatchPlan(holdem(), ("tight", "loose"), 20))
    play_match(MatchPlan(holdem(), ("blueprint", "call"), 4))
    play_match(MatchPlan(holdem(players=6), ("blueprint", *["call"] * 5), 6))
