"""Loading code: nothing of it is garbage, so nothing looks for any meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Without the garbage collector, which would go over all that is loaded again and again, now and later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
