"""What the bodies of all requests have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """What a client sends: nothing that we do not know, and no number that is none."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
