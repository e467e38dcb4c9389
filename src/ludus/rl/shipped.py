"""The policies that come with Ludus."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ludus.rl.policy import PolicyNetwork

FOLDER = Path(__file__).parent / "data"


@cache
def shipped_policies() -> tuple[PolicyNetwork, ...]:
    """Networks that learnt by neural fictitious self-play."""
    return tuple(PolicyNetwork.load(file) for file in sorted(FOLDER.glob("*.safetensors")))
