"""The device that networks are trained on."""

from __future__ import annotations


def check_device(name: str | None) -> str:
    """PyTorch's name of a device that is there, by default a GPU if there is one; ValueError for one that is not."""
    try:
        import torch
    except ImportError:
        raise ValueError("training networks needs PyTorch: pip install 'ludus[torch]'") from None
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError):
        raise ValueError(f"there is no device {name!r} here: leave it out, or write cpu") from None
    return name
