"""The cache of compiled kernels: never stale, never in the way."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus import compiled
from paths import REPOSITORY

PACKAGE = {
    "__init__.py": "",
    "compiled.py": (REPOSITORY / "src/ludus/compiled.py").read_text(),
    "helper.py": "from ludus.compiled import kernel\n@kernel\ndef answer():\n    return 1\n",
    "user.py": "from ludus import helper\nfrom ludus.compiled import kernel\n"
    "answer = helper.answer\n@kernel\ndef ask():\n    return answer()\n",
}


@pytest.fixture
def package(tmp_path):
    """A small package around the real ``compiled.py``; ``run()`` is what its kernel returns in a new process."""
    root = tmp_path / "src" / "ludus"
    root.mkdir(parents=True)
    for name, text in PACKAGE.items():
        (root / name).write_text(text)

    def run(cache: str) -> int:
        environment = {**os.environ, "PYTHONPATH": str(root.parent), "LUDUS_CACHE": cache}
        code = "from ludus.user import ask; print(ask())"
        out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return int(out.stdout)

    return root, run


def test_a_change_in_another_module_is_noticed(package, tmp_path):
    root, run = package
    cache = tmp_path / "cache"
    assert run(str(cache)) == 1
    assert len(list((cache / "kernels").rglob("*.nbc"))) == 2, "nothing was cached"
    (root / "helper.py").write_text(PACKAGE["helper.py"].replace("1", "2"))
    assert run(str(cache)) == 2


def test_a_change_elsewhere_compiles_nothing_again(package, tmp_path):
    root, run = package
    cache = tmp_path / "cache"
    run(str(cache))
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}
    (root / "bystander.py").write_text("import ludus.user\n")
    (root / "user.py").write_text(PACKAGE["user.py"] + "# changed\n")
    assert run(str(cache)) == 1
    after = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}
    assert len(after) == 3  # of user alone
    assert before.items() <= after.items()


def test_old_kernels_go_and_other_folders_stay(package, tmp_path):
    _, run = package
    kernels = tmp_path / "cache" / "kernels"
    for name in ("0123456789abcdef", "my-thesis"):
        (kernels / name).mkdir(parents=True)
        os.utime(kernels / name, (time.time() - 30 * 86400,) * 2)
    run(str(tmp_path / "cache"))
    assert (kernels / "my-thesis").exists()
    assert not (kernels / "0123456789abcdef").exists()


def test_kernels_run_where_nothing_can_be_written(package, tmp_path):
    (tmp_path / "file").write_text("")
    assert package[1](str(tmp_path / "file")) == 1


def test_a_user_without_a_home_gets_no_shared_cache(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    for name in ("LUDUS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(compiled.Path, "home", homeless)
    with pytest.raises(OSError, match="set LUDUS_CACHE"):
        compiled.cache_home()
    assert compiled._kernel_folder.__wrapped__(Path(compiled.__file__)) is None


def test_a_stamp_is_of_these_sources_and_this_machine(tmp_path, monkeypatch):
    module = tmp_path / "module.py"
    module.write_text("x = 1\n")
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))

    def name():
        compiled._kernel_folder.cache_clear()
        compiled._digest.cache_clear()
        return compiled.stamp(module, "play")

    first = name()
    assert name() == first
    monkeypatch.setattr(compiled, "get_host_cpu_name", lambda: "another")
    assert name() != first
    monkeypatch.undo()
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    os.utime(module, (1, 1))  # installed again: Numba compiles again
    assert name() != first
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "file"))
    assert name() is None
    compiled._kernel_folder.cache_clear()
