"""The API of hands."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/api", tags=["hands"])
