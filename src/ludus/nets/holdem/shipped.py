"""The networks of hold'em that come with Ludus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ludus.nets.holdem.network import STAGES, HandNetwork

FOLDER = Path(__file__).parent / "data"


@cache
def shipped_values() -> Mapping[str, HandNetwork]:
    """The networks by stage."""
    return load_networks(FOLDER)


def load_networks(folder: Path) -> Mapping[str, HandNetwork]:
    """The networks of a folder, each in a file named after its stage; ValueError when one is of another stage."""
    found = {}
    for stage in STAGES:
        file = folder / f"{stage}.safetensors"
        if file.exists():
            found[stage] = HandNetwork.load(file)
            if found[stage].stage != stage:
                raise ValueError(f"{file} is the network of the stage {found[stage].stage}")
    return found
