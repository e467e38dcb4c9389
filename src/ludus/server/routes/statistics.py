"""The API of statistics."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/api", tags=["statistics"])
