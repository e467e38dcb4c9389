"""The one way to compile a kernel: ``@kernel``, cached on disk and never stale.

Numba's own cache looks only at the file that holds a function, so a change to a helper or a table in another module
would go unnoticed. Here the cache folder of a module carries a hash of its source and of all that it imports from this
package, directly or not: a change compiles again what may depend on it, and nothing else.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from llvmlite.binding import get_host_cpu_name
from numba import config
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

_Function = TypeVar("_Function", bound=Callable[..., Any])
_KEEP_SECONDS = 14 * 24 * 3600
_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(r"^ *(?:from|import) +(ludus[.\w]*)(?: +import +(\([^)]*|[^#\n]*))?", re.MULTILINE)


def cache_home() -> Path:
    """Where Ludus keeps what it can make again: ``$LUDUS_CACHE``, or ``ludus`` in the user's cache folder."""
    if own := os.environ.get("LUDUS_CACHE"):
        return Path(own)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ludus"
    except RuntimeError:  # no shared folder instead: compiled kernels are code, and others may write there
        raise OSError("this user has no home to keep a cache in: set LUDUS_CACHE to a folder") from None


@cache
def _imports(source: Path) -> frozenset[Path]:
    """The sources of this package that a source imports, at its top or inside a function."""
    found = set()
    for module, names in _IMPORT.findall(source.read_text()):
        parts = module.split(".")[1:]
        below = (name.split()[0] for name in names.strip("(").split(",") if name.split())
        for path in (parts, *([*parts, name] for name in below)):
            base = _PACKAGE.joinpath(*path)
            found |= {file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()}
    return frozenset(found)


@cache
def _tables(folder: Path) -> frozenset[Path]:
    """The tables of a folder's sources."""
    return frozenset(folder.glob("data/*.npz"))


@cache
def _hash(path: Path) -> bytes:
    """A hash of a file and its name."""
    name = path.relative_to(_PACKAGE) if path.is_relative_to(_PACKAGE) else path.name
    return hashlib.sha256(f"{name}\0".encode() + path.read_bytes()).digest()


@cache
def _digest(module: Path) -> str:
    """A hash of a source, of all that it imports from this package, and of the tables that become constants there."""
    sources, waiting = set[Path](), [module]
    while waiting:
        if (source := waiting.pop()) not in sources:
            sources.add(source)
            waiting.extend(_imports(source))
    tables = frozenset[Path]().union(*(_tables(folder) for folder in {source.parent for source in sources}))
    return hashlib.sha256(b"".join(map(_hash, sorted(sources | tables)))).hexdigest()[:16]


@cache
def _kernel_folder(module: Path) -> str | None:
    """The folder of the compiled kernels of exactly this module, None where none can be written.

    Folders of other sources go when they have not been used for two weeks.
    """
    try:
        home = cache_home() / "kernels"
        folder = home / _digest(module)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _clean(home)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK | os.X_OK) else None


def stamp(module: Path, what: str) -> Path | None:
    """A file to make when something that a module needs has been compiled, None where nothing can be kept.

    It has another name for other sources or a later installation of them, another Python, Numba or processor.
    """
    folder = _kernel_folder(module)
    if folder is None:
        return None
    here = f"{sys.version} {numba.__version__} {get_host_cpu_name()} {module.stat().st_mtime_ns}"
    return Path(folder) / f"{what}-{hashlib.sha256(here.encode()).hexdigest()[:8]}.compiled"


@cache
def _clean(home: Path) -> None:
    for folder in home.iterdir():
        ours = re.fullmatch("[0-9a-f]{16}", folder.name)
        if ours and time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function without what is only needed to compile, which each process would load first."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A compiled function; None where there is none yet: then Numba gets ready to compile by itself."""
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)


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
        dispatcher = numba.njit(nogil=True, **options)(function)
        folder, before = _kernel_folder(Path(inspect.getfile(function))), config.CACHE_DIR
        if folder is not None:
            config.CACHE_DIR = folder  # read by Numba when it makes a cache, so no one else's moves
            try:
                dispatcher._cache = _Cache(function)
            finally:
                config.CACHE_DIR = before
        return dispatcher

    return compile_one if function is None else compile_one(function)
