"""What a server keeps is readable by its owner alone, from the first moment on or after an upgrade."""

import logging
import os
import stat

import httpx
import pytest

from ludus.server.app import open_service
from ludus.server.learning.spot_solves import SpotSolves
from ludus.server.private_files import private_file, private_folder
from server_helpers import server_process, test_settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are Unix's")


def modes(folder):
    """The modes of a folder and of everything in it."""
    return {
        path.relative_to(folder.parent).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in (folder, *folder.rglob("*"))
    }


def assert_private(folder):
    found = modes(folder)
    folders = {name for name in found if (folder.parent / name).is_dir()}
    assert {found[name] for name in folders} == {0o700}, found
    assert {mode for name, mode in found.items() if name not in folders} == {0o600}, found
    assert {f"{folder.name}/{name}" for name in ("secret", "ludus.db", "solutions")} <= set(found)


def test_a_running_server_s_folder_is_its_owner_s_alone(tmp_path):
    folder = tmp_path / "data"
    with server_process(folder, "") as server:
        assert httpx.post(f"{server.url}/api/guests", json={}, timeout=60).status_code == 201
        assert (folder / "ludus.db-wal").exists()
        assert_private(folder)


def test_what_an_earlier_version_left_open_is_closed(tmp_path):
    folder = tmp_path / "data"
    before = os.umask(0o022)
    try:
        open_service(test_settings(folder)).database.close()
        (folder / "solutions").mkdir()
        (folder / "solutions" / "a.solution").write_bytes(b"x")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        (folder / "ludus.db-wal").touch(0o644)
        service = open_service(test_settings(folder))
        assert SpotSolves(service).folder.is_dir()
        assert_private(folder)
        service.database.close()
    finally:
        os.umask(before)


def test_a_folder_that_others_use_is_left_alone_and_told_of(tmp_path, caplog):
    shared = tmp_path / "home"
    shared.mkdir(0o755)
    shared.chmod(0o755)
    (shared / "letter.txt").write_text("Dear Ada")
    with caplog.at_level(logging.WARNING):
        private_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert "choose a folder of its own" in caplog.text
    sticky = tmp_path / "tmp"
    sticky.mkdir()
    sticky.chmod(0o1777)
    (sticky / "secret").touch()
    private_folder(sticky)
    assert stat.S_IMODE(sticky.stat().st_mode) == 0o1777
    private_file(shared / "new")
    assert stat.S_IMODE((shared / "new").stat().st_mode) == 0o600
