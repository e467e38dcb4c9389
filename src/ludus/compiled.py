"""The one way to compile a kernel: ``@kernel``, cached on disk and never stale.

Numba's own cache looks only at the file that holds a function, so a change to a helper or a table in another module
would go unnoticed. Here the cache folder carries a hash of all of the package's sources instead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba import config

_Function = TypeVar("_Function", bound=Callable[..., Any])
_KEEP_SECONDS = 14 * 24 * 3600


def cache_home() -> Path:
    """Where Ludus keeps what it can make again: ``$LUDUS_CACHE``, or ``ludus`` in the user's cache folder."""
    if own := os.environ.get("LUDUS_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludus"


@cache
def _kernel_folder() -> str:
    """The folder of compiled kernels for exactly these sources; folders of other sources unused for two weeks go."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted([*package.rglob("*.py"), *package.glob("cards/data/*.npz")]):  # tables become constants
        digest.update(str(source.relative_to(package)).encode() + b"\0" + source.read_bytes())
    home = cache_home() / "kernels"
    folder = home / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in home.iterdir():
            if time.time() - other.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:  # a read-only home: Numba then finds a place of its own or compiles anew
        return str(config.CACHE_DIR)
    return str(folder)


@overload
def kernel(function: _Function, /) -> _Function: ...
@overload
def kernel(*, parallel: bool = False, inline: bool = False) -> Callable[[_Function], _Function]: ...
def kernel(function: Any = None, /, *, parallel: bool = False, inline: bool = False) -> Any:
    """Compile a function with Numba: no Python objects, no interpreter lock, cached on disk."""

    def compile_one(function: Any) -> Any:
        before = config.CACHE_DIR
        config.CACHE_DIR = _kernel_folder()  # read by Numba while it decorates, so no one else's cache moves
        try:
            options = {"inline": "always"} if inline else {}
            return numba.njit(cache=True, nogil=True, parallel=parallel, **options)(function)
        finally:
            config.CACHE_DIR = before

    return compile_one if function is None else compile_one(function)
