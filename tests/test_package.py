"""What is published: an archive of sources and a wheel that needs no compiler, nothing of ours beside it, and works."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from contextlib import contextmanager
from email.parser import HeaderParser
from importlib.util import find_spec
from urllib.request import urlopen

import pytest

import ludus
from paths import REPOSITORY

SOURCES = REPOSITORY / "src" / "ludus"
LARGEST = 25e6  # bytes of the wheel: two blueprints, their buckets and four charts are nine tenths of it
PYTHONS = ("python3.11", "python3.12", "python3.13")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The archive of sources, and the wheel that comes out of it."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling builds the package: install ludus[dev]")
    folder = tmp_path_factory.mktemp("dist")
    _build("sdist", REPOSITORY, folder)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    _build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def _build(what, root, folder):
    code = f"import hatchling.build as b; b.build_{what}({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True)


def test_the_wheel_holds_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built[1]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    ours = {
        f"ludus/{path.relative_to(SOURCES)}"
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == ours
    assert {"ludus/py.typed", "ludus/server/page/index.html", "ludus/agents/data/heads-up.safetensors"} <= held
    assert built[1].stat().st_size < LARGEST


def test_the_archive_of_sources_has_no_tests_and_no_pictures(built):
    with tarfile.open(built[0]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"src", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"} <= tops
    assert not tops & {"tests", "docs", ".ci", "notebooks", "out"}


def test_the_metadata_say_what_a_stranger_asks_for(built):
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
        told = HeaderParser().parsestr(wheel.read(name).decode())
        assert name.replace("METADATA", "licenses/LICENSE") in wheel.namelist()
    assert (told["Name"], told["Version"], told["License-Expression"]) == ("ludus", ludus.__version__, "MIT")
    assert set(told.get_all("Provides-Extra")) >= {"torch", "postgres", "envs", "ray", "docs", "dev"}
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)} <= set(told.get_all("Classifier"))
    assert "Typing :: Typed" in told.get_all("Classifier")
    always = [text for text in told.get_all("Requires-Dist") if "extra ==" not in text]
    assert not [text for text in always if re.match("torch|ray|psycopg|pytest", text)]


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
def test_the_wheel_works_in_an_empty_environment_without_compilers(built, tmp_path, python):
    program = shutil.which(python)
    if program is None or subprocess.run([program, "--version"], capture_output=True).returncode:
        pytest.skip(f"there is no {python} on this machine")
    home = tmp_path / "venv"
    subprocess.run([program, "-m", "venv", home], check=True)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LUDUS", "VIRTUAL"))},
        "PATH": str(home / "bin"), "CC": "/nonexistent", "CXX": "/nonexistent",
        "LUDUS_CACHE": str(tmp_path / "cache"), "LUDUS_DATA": str(tmp_path / "data"),
    }  # fmt: skip
    constraints = ["-c", str(REPOSITORY / "constraints.txt")]
    install = [home / "bin" / "pip", "install", "--quiet", "--only-binary", ":all:", *constraints, str(built[1])]
    subprocess.run(install, check=True, env=environment, cwd=tmp_path)

    def run(*words, stdin=""):
        words = [home / "bin" / "ludus", *words]
        done = subprocess.run(words, env=environment, cwd=tmp_path, input=stdin, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("--version") == f"ludus {ludus.__version__}\n"
    assert "-0.05" in run("solve", "kuhn")  # its value is -1/18
    assert '"works": true' in run("doctor", "--json")
    run("play", "kuhn", "--seed", "1", stdin="c\nc\nq\n")
    told = run("advise", "heads-up, 100bb; hero BTN AhKh")
    assert "raise" in told
    with _serving(home / "bin" / "ludus", environment, tmp_path) as address:
        assert b"Ludus" in urlopen(address).read()
        assert ludus.__version__ in urlopen(address + "openapi.json").read().decode()


@contextmanager
def _serving(program, environment, folder):
    server = subprocess.Popen([program, "serve", "--port", "0"], env=environment, cwd=folder, stdout=subprocess.PIPE)
    try:
        line = server.stdout.readline().decode()
        assert "http://" in line, "the server did not start"
        yield re.search(r"http://\S+", line)[0]
    finally:
        server.terminate()
        server.wait(60)
