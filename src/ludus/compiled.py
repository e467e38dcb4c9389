"""The one way to compile a kernel: ``@kernel``, cached on disk and never stale.

Numba's own cache looks only at the file that holds a function, so a change to a helper or a table in another module
would go unnoticed. Here the cache folder carries a hash of all sources of the packages that have kernels.
"""

from __future__ import annotations

import hashlib
import os
import re
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
_NO_KERNELS = ("server", "cli")  # packages that hold none: nothing compiled depends on them


def cache_home() -> Path:
    """Where Ludus keeps what it can make again: ``$LUDUS_CACHE``, or ``ludus`` in the user's cache folder."""
    if own := os.environ.get("LUDUS_CACHE"):
        return Path(own)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludus"
    except RuntimeError:  # no shared folder instead: compiled kernels are code, and others may write there
        raise OSError("this user has no home to keep a cache in: set LUDUS_CACHE to a folder") from None


@cache
def _kernel_folder() -> str | None:
    """The folder of compiled kernels for exactly these sources, None where none can be written.

    Folders of other sources go when they have not been used for two weeks.
    """
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted([*package.rglob("*.py"), *package.glob("cards/data/*.npz")]):  # tables become constants
        if source.relative_to(package).parts[0] in _NO_KERNELS:
            continue
        digest.update(str(source.relative_to(package)).encode() + b"\0" + source.read_bytes())
    try:
        home = cache_home() / "kernels"
        folder = home / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in home.iterdir():
            ours = re.fullmatch("[0-9a-f]{16}", other.name)
            if ours and time.time() - other.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK | os.X_OK) else None


@overload
def kernel(function: _Function, /) -> _Function: ...
@overload
def kernel(*, inline: bool) -> Callable[[_Function], _Function]: ...
def kernel(function: Any = None, /, *, inline: bool = False) -> Any:
    """Compile a function with Numba: no Python objects, no interpreter lock, cached on disk where that is possible.

    Division by zero gives infinity as in NumPy: a test for it would keep loops from becoming vector instructions.
    """

    def compile_one(function: Any) -> Any:
        options: dict[str, Any] = {"error_model": "numpy"} | ({"inline": "always"} if inline else {})
        folder, before = _kernel_folder(), config.CACHE_DIR
        if folder is None:
            return numba.njit(nogil=True, **options)(function)
        config.CACHE_DIR = folder  # read by Numba while it decorates, so no one else's cache moves
        try:
            return numba.njit(cache=True, nogil=True, **options)(function)
        finally:
            config.CACHE_DIR = before

    return compile_one if function is None else compile_one(function)
