"""What an address may have made, however many people it has: beyond that it is asked to wait."""

from __future__ import annotations

from fastapi import HTTPException

from ludus.server.limits import RateLimits, TokenBuckets
from ludus.server.work.fair_queue import ASKER


def charge(limits: RateLimits, buckets: TokenBuckets) -> None:
    """Count one more for the address that asks; 429 when that is too much."""
    if seconds := limits.wait((buckets, ASKER.get().address)):
        wait = max(1, round(seconds + 0.5))
        raise HTTPException(
            429, f"too many of these come from your address: try again in {wait} seconds", {"Retry-After": str(wait)}
        )
