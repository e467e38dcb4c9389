"""Write the next version of the database, from what the models have and the versions so far do not."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory

from ludus.server.database import Database, migrations


def main(message: str) -> None:
    """Compare an empty database, brought to the newest version, with the models."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'empty.db'}")
        database.upgrade()
        with database.engine.connect() as connection:
            config = migrations(connection)
            number = len(list(ScriptDirectory.from_config(config).walk_revisions())) + 1
            command.revision(config, message, autogenerate=True, rev_id=f"{number:04}")
        database.close()


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "a step")
