"""Saved things are data: arrays in safetensors with one JSON header, written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Header = dict[str, Any]
_KEY = "ludus"  # one entry of metadata, because the order of several would change from run to run
_MAPPED = {
    "U8": "u1", "U16": "<u2", "U32": "<u4", "I16": "<i2", "I32": "<i4", "I64": "<i8", "F16": "<f2", "F32": "<f4",
    "F64": "<f8",
}  # fmt: skip


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, and no reader sees half of it."""
    path = path.resolve()  # what a link leads to, not the link
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():  # a pipe or a device: nothing to replace there
        path.write_bytes(data)
        return
    half = path.with_name(f".ludus-{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with half.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """ValueError, before the work, when a result could not be saved after it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}") from None
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: it is a folder, or its folder is read-only")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV, numbers with all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as a CSV file, whole or not at all."""
    write_atomically(path, csv_text(header, rows).encode())


def save_arrays(path: Path, header: Header, arrays: Arrays) -> None:
    """Arrays and a header as one safetensors file; the same content gives the same bytes."""
    from safetensors.numpy import save

    text = json.dumps(header, sort_keys=True, allow_nan=False)
    write_atomically(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {_KEY: text}))


def load_arrays(path: Path, kind: str, version: int) -> tuple[Header, Arrays]:
    """Header and arrays of a file of ours; ValueError says why it is not one of this kind and version."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="np") as file:
            header = json.loads((file.metadata() or {}).get(_KEY, ""))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, ValueError, RecursionError, TypeError, AttributeError) as error:  # odd types too
        raise ValueError(f"{path} is not a file of Ludus ({error})") from None
    return _checked_header(path, header, kind, version), arrays


def kind_of(path: Path) -> str:
    """What a file of ours says that it is; empty where it says nothing."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            header = json.loads((file.metadata() or {}).get(_KEY, ""))
    except (SafetensorError, OSError, ValueError, RecursionError, TypeError):
        return ""
    return str(header.get("kind", "")) if isinstance(header, dict) else ""


def open_arrays(path: Path, kind: str, version: int) -> tuple[Header, Arrays]:
    """As `load_arrays`, but the arrays are mapped: read-only, and read from the file where they are looked at."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safe_open(path, framework="np") as file:  # checks that the arrays lie side by side within the file
            header = json.loads((file.metadata() or {}).get(_KEY, ""))
        data = np.asarray(np.memmap(path, np.uint8, "r"))
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        arrays: Arrays = {}
        for name, entry in json.loads(data[8:start].tobytes()).items():
            if name != "__metadata__":
                first, last = entry["data_offsets"]
                part = data[start + first : start + last].view(_MAPPED[entry["dtype"]])
                arrays[name] = part.reshape(entry["shape"])
    except (SafetensorError, ValueError, RecursionError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{path} is not a file of Ludus ({error})") from None
    return _checked_header(path, header, kind, version), arrays


def load_npz(path: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Arrays of a NumPy archive by name; ValueError says why it has none of that name or is no archive."""
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                return tuple(archive[name] for name in names)
        except Exception as error:  # zip, zlib, tokenize and NumPy have each their own for damaged bytes
            raise ValueError(f"{path} is not an archive of {', '.join(names)} ({error})") from None


def _checked_header(path: Path, header: Any, kind: str, version: int) -> Header:
    found = header.get("kind") if isinstance(header, dict) else None
    if found != kind:
        raise ValueError(f"{path} holds {found or 'something else'}, not {kind}")
    if header.get("format") != version:
        raise ValueError(f"{path} has format {header.get('format')}, this version of Ludus reads {version}")
    return dict(header)


def check_array(name: str, array: NDArray[Any], kind: str, shape: tuple[int, ...]) -> None:
    """ValueError unless an array that was read is of a type and a shape."""
    if array.dtype != kind or array.shape != shape:
        raise ValueError(f"{name} is {array.dtype}{list(array.shape)} instead of {kind}{list(shape)}")


def overwrite(arrays: Arrays, saved: Arrays) -> None:
    """Fill arrays with saved ones of the same names, types and shapes; ValueError, before any is filled, if not so."""
    for name, array in arrays.items():
        check_array(name, saved[name], str(array.dtype), array.shape)
    for name, array in arrays.items():
        array[...] = saved[name]
