"""The image and its services: what they run exists, and as whom."""

import re
import shlex

import pytest
import yaml
from typer.testing import CliRunner

from ludus.cli.main import app
from paths import TESTS

ROOT = TESTS.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
COMMANDS = {name: service["command"] for name, service in SERVICES.items() if service.get("image") == "ludus"}


def filled_in(text):
    """A text of a compose file with the usual values of its variables."""
    return re.sub(r"\$\{\w+(?::-([^}]*))?\}", lambda found: found[1] or "", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_of_a_service_exists(name):
    words = shlex.split(filled_in(COMMANDS[name]))
    result = CliRunner().invoke(app, [*words, "--help"])
    assert result.exit_code == 0, result.output


def test_an_option_that_does_not_exist_is_noticed():
    assert CliRunner().invoke(app, ["serve", "--unheard-of", "--help"]).exit_code == 2


def test_the_table_waits_for_its_database_and_runs_as_an_ordinary_user():
    web = SERVICES["web"]
    assert web["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert "healthcheck" in SERVICES["database"]
    assert web["cap_drop"] == ["ALL"]
    (user,) = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert int(user) >= 1000
    assert DOCKERFILE.index("USER") < DOCKERFILE.index("ENTRYPOINT")
    for folder in ("data", "cache"):
        assert f"/ludus/{folder}" in re.findall(r"^VOLUME (.*)$", DOCKERFILE, re.MULTILINE)[0]
        assert any(f"{folder}:/ludus/{folder}" in each for each in web["volumes"])


def test_the_health_check_asks_a_page_that_exists(web):
    (path,) = re.findall(r"http://127\.0\.0\.1:8421(/[\w/]+)", DOCKERFILE)
    assert web.get(path).status_code == 200
