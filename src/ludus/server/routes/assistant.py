"""The API of assistant."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/api", tags=["assistant"])
