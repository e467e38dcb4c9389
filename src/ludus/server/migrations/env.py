"""How Alembic runs here: on the connection and within the transaction of `Database.upgrade`."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context

from ludus.server.models import Base, Moment


def rendered(kind: str, item: Any, _: object) -> str | Literal[False]:
    """Types of ours are written as what they are in the database: a version must not depend on today's models."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, Moment) else False


context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, compare_type=True,
    render_as_batch=True, transactional_ddl=True, transaction_per_migration=False, render_item=rendered,
)  # fmt: skip
context.run_migrations()
