"""Packages import only from packages to their left, tests mirror them, and the command line starts without weight."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ludus
from paths import TESTS

ORDER = [
    "compiled", "files", "parallel", "cards", "games", "trees", "solvers", "nets", "search", "rl", "agents",
    "protocols", "arena", "teach", "experiments", "server", "doctor", "cli",
]  # fmt: skip
ROOT = Path(ludus.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """All modules that a file imports, at its top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} uses a relative import"
            names.add(node.module or "")
            if node.module == "ludus":
                names |= {f"ludus.{alias.name}" for alias in node.names}
    return names


def imported_packages(path: Path) -> set[str]:
    """The Ludus packages that a file imports."""
    return {name.split(".")[1] for name in imports(path) if name.startswith("ludus.")}


def misplaced(own: str, imports: set[str]) -> set[str]:
    return {name for name in imports if name in ORDER and ORDER.index(name) > ORDER.index(own)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_imports_only_from_its_left(path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        assert imported_packages(path) <= {"cli"}
        return
    assert own in ORDER, f"{own} has no place in the order of packages"
    assert not misplaced(own, imported_packages(path))


ASKED_BY_THE_SERVER = {"files", "parallel", "cards", "games", "agents", "protocols", "arena", "teach", "server"}


@pytest.mark.parametrize("path", sorted((ROOT / "server").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_server_knows_neither_kernels_nor_solvers(path):
    """It asks agents to act, the arena for statistics and `teach` for all that a learner is told."""
    assert imported_packages(path) <= ASKED_BY_THE_SERVER


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_command_line_knows_a_terminal(path):
    if path.relative_to(ROOT).parts[0] != "cli":
        assert not {name.split(".")[0] for name in imports(path)} & {"typer", "rich"}


def test_nothing_is_pickled():
    pickles = {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
    assert [path for path in SOURCES if {name.split(".")[0] for name in imports(path)} & pickles] == []


def test_a_wrong_import_would_be_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "def f():\n    from ludus.games import kuhn\n    import ludus.cli.main\n    from ludus import arena\n"
    )
    assert misplaced("cards", imported_packages(wrong)) == {"games", "cli", "arena"}


def test_every_folder_of_tests_mirrors_one_of_the_sources():
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    assert {folder for folder in folders if not (ROOT / folder).is_dir()} == set()


def test_the_command_line_imports_nothing_heavy():
    """Not even to draw boxes: `ludus --help` is there at once."""
    code = (
        "import sys, ludus.cli.main as cli; sys.argv[1:] = ['--help']; sys.exit = print; cli.main(); "
        "print(sorted({'numba', 'numpy', 'torch', 'llvmlite', 'rich', 'pygments'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-2:] == ["0", "[]"]
    assert run.stdout.startswith("Usage")


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in SOURCES}), ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_folder_can_be_taken_in_at_a_glance(folder):
    files = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= 20, f"{folder.name} has {len(files)} files: give some of them a room of their own"
