"""What Ludus finds on a machine, what is missing there, and what that means."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import ludus
from ludus.compiled import cache_home
from ludus.parallel import memory_limit, usable_cores
from ludus.server.settings import data_folder

PYTHONS = ((3, 11), (3, 12), (3, 13))
LITTLE_MEMORY = 2 << 30  # bytes: a server takes about half of it, and a flop's solution needs some more
LITTLE_DISK = 1 << 30  # bytes: compiled kernels, card tables and solved spots
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
EXTRAS = {  # a package of each, and what it is for
    "torch": ("torch", "training networks, and many spots at once on a GPU"),
    "postgres": ("psycopg", "a PostgreSQL database behind the web table"),
    "envs": ("pettingzoo", "Gymnasium and PettingZoo environments"),
    "ray": ("ray", "work on several machines"),
    "dev": ("hypothesis", "the tests"),
}
State = Literal["ok", "missing", "wrong"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: 'ok', 'missing' where Ludus works without it, or 'wrong' where it does not."""

    name: str
    state: State
    found: str
    meaning: str = ""  # in words, of what is missing or wrong


def examine(database: str = "") -> list[Finding]:
    """Look at everything, the database of a URL among it; nothing is made or changed."""
    checks: list[Callable[[], Finding]] = [
        _python, _packages, _processor, _memory, _gpu, _extras, _cache, _data, lambda: _database(database), _browser,
        _postgresql,
    ]  # fmt: skip
    return [check() for check in checks]


def as_data(findings: list[Finding]) -> dict[str, Any]:
    """The same for programs."""
    works = all(finding.state != "wrong" for finding in findings)
    return {"ludus": ludus.__version__, "works": works, "findings": [asdict(finding) for finding in findings]}


def _python() -> Finding:
    found = f"{platform.python_implementation()} {platform.python_version()} on {platform.platform(terse=True)}"
    if sys.version_info[:2] < PYTHONS[0]:
        return Finding("Python", "wrong", found, "Ludus needs Python 3.11 or newer")
    known = " or ".join(".".join(map(str, each)) for each in PYTHONS)
    if sys.version_info[:2] not in PYTHONS:
        return Finding("Python", "missing", found, f"Ludus is tested with Python {known}; others may work")
    return Finding("Python", "ok", found)


def _packages() -> Finding:
    names = ("numpy", "numba", "llvmlite", "fastapi", "sqlalchemy", "typer")
    found = {name: _version(name) for name in names}
    text = ", ".join(f"{name} {version or 'none'}" for name, version in found.items())
    if absent := [name for name, version in found.items() if version is None]:
        return Finding("packages", "wrong", text, f"install {', '.join(absent)}: pip install ludus")
    return Finding("packages", "ok", text)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> Finding:
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    useful = [name for name in ("avx2", "fma", "avx512f", "neon") if has.get(name)]
    found = f"{binding.get_host_cpu_name()} ({', '.join(useful) or platform.machine()}), {usable_cores()} of "
    found += f"{os.cpu_count()} cores"
    if usable_cores() == 1:
        return Finding("processor", "missing", found, "with one core the table waits while the assistant thinks")
    return Finding("processor", "ok", found)


def _memory() -> Finding:
    limit = memory_limit()
    found = f"{limit / 2**30:.1f} GiB"
    if limit < LITTLE_MEMORY:
        return Finding("memory", "missing", found, "large spots are refused; the table and advice work")
    return Finding("memory", "ok", found)


def _gpu() -> Finding:
    if importlib.util.find_spec("torch") is None:
        why = "not looked for without PyTorch: pip install 'ludus[torch]'; only training and batches of spots use one"
        return Finding("GPU", "missing", "unknown", why)
    import torch

    if not torch.cuda.is_available():
        why = "training and batches of spots run on the processor; nothing else uses a GPU"
        return Finding("GPU", "missing", f"none for PyTorch {torch.__version__}", why)
    about = torch.cuda.get_device_properties(0)
    return Finding("GPU", "ok", f"{about.name}, {about.total_memory / 2**30:.0f} GiB, PyTorch {torch.__version__}")


def _extras() -> Finding:
    there = {name: importlib.util.find_spec(package) is not None for name, (package, _) in EXTRAS.items()}
    found = ", ".join(name for name, has in there.items() if has) or "none"
    lacking = [f"ludus[{name}] is for {EXTRAS[name][1]}" for name, has in there.items() if not has]
    return Finding("extras", "missing" if lacking else "ok", found, "; ".join(lacking))


def _cache() -> Finding:
    try:
        home = cache_home()
    except OSError as error:
        return Finding("cache", "missing", "none", f"{error}; until then kernels are compiled at every start")
    parts = sorted(home.iterdir()) if home.is_dir() else []
    sizes = ", ".join(f"{part.name} {_size(part) / 1e6:.0f} MB" for part in parts)
    found = f"{home}: {sizes or 'empty'}"
    if not _can_write(home):
        why = "it cannot be written, so kernels are compiled at every start: set LUDUS_CACHE to another folder"
        return Finding("cache", "missing", found, why)
    if not (home / "kernels").is_dir():
        return Finding("cache", "missing", found, "the first start compiles: `ludus warm-up` does it beforehand")
    if (free := shutil.disk_usage(_nearest(home)).free) < LITTLE_DISK:
        return Finding("cache", "missing", found, f"only {free / 1e6:.0f} MB are free on its disk")
    return Finding("cache", "ok", found)


def _data() -> Finding:
    folder = data_folder()
    if not _can_write(folder):
        why = "hands cannot be kept there: `ludus serve --folder FOLDER`, or set LUDUS_DATA"
        return Finding("data", "wrong", f"{folder}: not writable", why)
    state = f"{_size(folder) / 1e6:.1f} MB" if folder.is_dir() else "made by the first `ludus serve`"
    return Finding("data", "ok", f"{folder}: {state}")


def _database(url: str) -> Finding:
    if url and not url.startswith("sqlite:"):
        return _server(url)
    file = Path(url.removeprefix("sqlite:///")) if url else data_folder() / "ludus.db"
    if not file.is_file():
        return Finding("database", "missing", f"{file}: not there", "it is made by the first `ludus serve`")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            (version,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
            (hands,) = database.execute("SELECT COUNT(*) FROM hands").fetchone()
    except (sqlite3.Error, TypeError) as error:
        return Finding("database", "wrong", f"{file}: {error}", "it is not one of Ludus, or damaged: move it away")
    return Finding("database", "ok", f"{file}: SQLite {sqlite3.sqlite_version}, {hands:,} hands, version {version}")


def _server(url: str) -> Finding:
    from ludus.server.database import Database

    try:
        database = Database(url)
        with closing(database), database.engine.connect() as connection:
            version = connection.dialect.server_version_info or ()
        return Finding("database", "ok", f"{database.shown}: PostgreSQL {'.'.join(map(str, version))}")
    except Exception as error:  # whatever the driver says: it is the finding
        return Finding("database", "wrong", " ".join(str(error).split())[:200], "the server would not start with it")


def _browser() -> Finding:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found or importlib.util.find_spec("playwright") is None:
        return Finding("browser", "missing", found or "none", "tests of the page are skipped; any browser can play")
    return Finding("browser", "ok", f"{found} with Playwright {_version('playwright')}, for tests")


def _postgresql() -> Finding:
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = str(newest[-1]) if newest else shutil.which("initdb")
    if told := os.environ.get("LUDUS_TEST_POSTGRES"):
        return Finding("PostgreSQL", "ok", f"{told.partition('@')[2] or told}, for tests")
    if not found:
        return Finding("PostgreSQL", "missing", "none", "tests with it are skipped; the table uses SQLite")
    return Finding("PostgreSQL", "ok", f"{found}, for tests")


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(file.stat().st_size for file in files)


def _nearest(folder: Path) -> Path:
    """The folder, or what there is above it."""
    return next(path for path in (folder, *folder.resolve().parents) if path.exists())


def _can_write(folder: Path) -> bool:
    place = _nearest(folder)
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
