"""What a server keeps is for its owner alone: folders of mode 0700, files of mode 0600."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger(__name__)
FOLDER, FILE, OTHERS = 0o700, 0o600, 0o077
OURS = ("secret", "ludus.db", "solutions")  # what tells a data folder from one that has other things in it


@contextmanager
def private_by_default() -> Iterator[None]:
    """Within the block, what this process makes, and those that it starts, is for the owner alone."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def private_folder(folder: Path, ours: bool = False) -> None:
    """Make a folder for the owner alone, or one that is ours to be so; one with other things in it is left alone."""
    folder.mkdir(FOLDER, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    if not mode & OTHERS:
        return
    ours = ours or any((folder / name).exists() for name in OURS) or not any(folder.iterdir())
    if mode & stat.S_ISVTX or not ours:
        log.warning("others can look into %s, which has other things in it: choose a folder of its own", folder)
    else:
        _only_for_owner(folder, FOLDER)


def private_file(file: Path) -> None:
    """Make an empty file for the owner alone, or one that is there to be so."""
    if not file.exists():
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, FILE))
    _only_for_owner(file, FILE)


def _only_for_owner(path: Path, mode: int) -> None:
    if not path.stat().st_mode & OTHERS:
        return
    try:
        path.chmod(mode)
    except PermissionError:
        log.warning("others can read %s: make it %o", path, mode)
