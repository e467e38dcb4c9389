"""What `ludus doctor` finds, and what it says where something is missing."""

import json
import sqlite3

import pytest

import ludus as package
from ludus import doctor


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose cache and data are empty folders."""
    for name in ("LUDUS_CACHE", "LUDUS_DATA"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


def found(name, database=""):
    (finding,) = [each for each in doctor.examine(database) if each.name == name]
    return finding


def test_it_speaks_to_people_and_to_programs(ludus, machine):
    code, told, _ = ludus("doctor")
    data = json.loads(ludus("doctor", "--json")[1])
    assert code == 0
    assert data["works"]
    assert data["ludus"] == package.__version__
    for finding in data["findings"]:
        assert finding["found"] in told
        assert finding["meaning"] in told
        assert bool(finding["meaning"]) == (finding["state"] != "ok")


def test_an_empty_cache_is_no_fault_and_nothing_is_made(machine):
    assert found("cache").state == "missing"
    assert "warm-up" in found("cache").meaning
    assert list(machine.iterdir()) == []


def test_a_cache_is_measured(machine):
    kernels = machine / "ludus_cache" / "kernels" / "0"
    kernels.mkdir(parents=True)
    (kernels / "x").write_bytes(bytes(7_000_000))
    assert found("cache").state == "ok"
    assert "kernels 7 MB" in found("cache").found


def test_a_folder_that_cannot_be_written_is_told_with_the_remedy(machine, ludus):
    (machine / "ludus_data").write_text("a file")
    assert found("data").state == "wrong"
    assert "LUDUS_DATA" in found("data").meaning
    code, told, _ = ludus("doctor")
    assert code == 1
    assert "WRONG" in told


def test_databases(machine):
    file = machine / "ludus_data" / "ludus.db"
    assert found("database").state == "missing"
    file.parent.mkdir()
    file.write_bytes(b"not a database at all" * 100)
    assert found("database").state == "wrong"
    file.unlink()
    with sqlite3.connect(file) as database:
        database.executescript(
            "CREATE TABLE alembic_version (version_num); CREATE TABLE hands (id); "
            "INSERT INTO alembic_version VALUES ('abc'); INSERT INTO hands VALUES (1), (2);"
        )
    database.close()
    assert "2 hands, version abc" in found("database").found
    assert found("database", "postgresql://nobody@127.0.0.1:1/none").state == "wrong"
    assert found("database", f"sqlite:///{file}").state == "ok"


def test_little_is_told(machine, monkeypatch):
    monkeypatch.setattr(doctor, "memory_limit", lambda: 1 << 30)
    monkeypatch.setattr(doctor, "usable_cores", lambda: 1)
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    for name in ("memory", "processor", "GPU", "extras", "browser"):
        assert found(name).state == "missing", name
    assert "ludus[torch]" in found("extras").meaning
