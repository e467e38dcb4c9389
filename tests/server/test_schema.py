"""The whole API, as its own document describes it, with thousands of odd inputs: none may break the server."""

import re
import warnings

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ludus.games import holdem
from ludus.server.app import create_app
from server_hands import at_random, keep
from server_helpers import another, local_client, service_of, test_settings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis
    from schemathesis import GenerationMode

pytestmark = [pytest.mark.schema, pytest.mark.filterwarnings("ignore:Use 'content")]
DOCUMENT = create_app(test_settings("")).openapi()
OPERATIONS = [result.ok() for result in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]
OPERATIONS.sort(key=lambda operation: operation.method == "delete")  # what exists is asked about before it goes


@pytest.fixture(scope="module")
def guest(tmp_path_factory):
    """A guest, and the ids of things that are his, by the part of the API."""
    with local_client(tmp_path_factory.mktemp("schema")) as client:
        me = client.get("/api/me").json()["id"]
        table = client.post("/api/tables", json={"opponents": [{"agent": "call"}], "assistant": "live"})
        match = client.post("/api/rps", json={"opponent": client.get("/api/rps").json()[0]})
        hand = keep(service_of(client), at_random(holdem(), 1), [me, None])
        yield client, {"tables": table.json()["id"], "rps": match.json()["id"], "hands": hand}


def check(guest, operation, examples):
    client, ids = guest
    if operation.path == "/api/session":  # who logs out is somebody else
        client = another(client)
    part = operation.path.split("/")[2]
    known = part in ids and "{" in operation.path and not operation.path.endswith("/review")  # that takes too long here

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.data())
    def ask(data):
        kind = data.draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
        real = data.draw(st.sampled_from([True, True, True, False]))
        case = data.draw(operation.as_strategy(generation_mode=kind))
        words = case.as_transport_kwargs(base_url="http://localhost")
        if known and real:  # odd inputs about something that exists go deeper
            words["url"] = re.sub(r"\{\w+\}", ids[part], f"http://localhost{operation.path}")
        answer = client.request(**{**words, "cookies": None})
        assert answer.status_code < 500, (words, answer.text)
        if answer.status_code >= 400:
            assert isinstance(answer.json()["detail"], str)

    ask()
    assert guest[0].get("/api/tokens").status_code == 200, "the guest is no longer known"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_input_breaks_the_server(guest, operation):
    check(guest, operation, 8)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_input_at_all_breaks_the_server(guest, operation):
    check(guest, operation, 200)


def test_everything_is_documented():
    """Every operation has a summary, and every one that takes a body describes it."""
    assert len(OPERATIONS) > 30
    for path, operations in DOCUMENT["paths"].items():
        assert path.startswith("/api/")
        for method, operation in operations.items():
            assert operation.get("description"), (method, path)
