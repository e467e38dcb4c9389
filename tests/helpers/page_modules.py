"""The page's own JavaScript, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import ludus.server

JS = Path(ludus.server.__file__).parent / "page" / "js"
NODE = shutil.which("node")


def copy_modules(folder: Path) -> None:
    """Put the page's modules where node takes them for modules."""
    shutil.copytree(JS, folder / "js")
    (folder / "package.json").write_text('{"type": "module"}')


def run(folder: Path, code: str, given: Any) -> Any:
    """What the code prints for a value that it finds in ``given``."""
    script = f"const given = JSON.parse(require('fs').readFileSync(0, 'utf8')); (async () => {{ {code} }})();"
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", script], cwd=folder, input=json.dumps(given), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
