"""The API of tables."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/api", tags=["tables"])
