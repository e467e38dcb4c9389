"""All worker processes of a server, and what is compiled for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ludus.server.work.workers import Workers


@dataclass(eq=False)
class Pools:
    """Worker processes by what they are for; most are started by their first job."""

    players: Workers  # one process that plays for the AI: short jobs
    helpers: Workers  # what somebody waits for: advice, looking at solutions, drills
    background: Workers  # what nobody waits for: reviews, files of hands, compiling
    thinkers: Workers  # one process for opponents who think: nobody else waits for them
    reviewers: Workers  # one process of the lowest priority for closer looks at decisions
    ready: dict[str, bool] = field(default_factory=dict)  # what is compiled: 'play', 'advice', 'study' (`warming`)

    @classmethod
    def of(cls, helpers: int) -> Pools:
        """So many processes for what somebody waits for, and the others."""
        return cls(
            players=Workers(1, 10_000),
            helpers=Workers(helpers, nice=10),
            background=Workers(max(1, helpers // 2), nice=15),
            thinkers=Workers(1, 10_000, nice=5),
            reviewers=Workers(1, nice=19),
        )

    @property
    def by_name(self) -> dict[str, Workers]:
        """All of them."""
        return {name: workers for name, workers in vars(self).items() if isinstance(workers, Workers)}

    async def close(self) -> None:
        """End all processes."""
        await asyncio.gather(*(workers.close() for workers in self.by_name.values()))
