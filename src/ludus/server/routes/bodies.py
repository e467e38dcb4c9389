"""What the bodies of all requests have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """What a client sends: no unknown fields, and no number that is infinite or nan."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
