"""A server that is killed in the middle of a hand loses nothing, and plays the same hand on."""

import threading
from contextlib import suppress

import httpx
import pytest
from sqlalchemy import select

from ludus.server.database import Database
from ludus.server.models import Hand, HandSeat, TableEvent
from server_helpers import server_process
from server_tables import act, all_chips, my_turn, new_table, play_out, proved, ready, wait


def client_of(server, token):
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def try_to_act(client, view):
    with suppress(httpx.HTTPError):
        act(client, view)


def told(view):
    """What must be the same after a restart."""
    hand = {key: value for key, value in view["hand"].items() if key != "deadline"}
    chairs = [{key: value for key, value in chair.items() if key != "connected"} for chair in view["chairs"]]
    return hand, chairs, view["history"], view["you"]


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_a_killed_server_plays_on(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path / 'ludus.db'}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    with server_process(tmp_path, url) as server:
        token = httpx.post(f"{server.url}/api/guests", json={}, timeout=60).json()["token"]
        client = client_of(server, token)
        table = new_table(client, chips="carry", seats=3, opponents=[{"agent": "call"}])["id"]
        view = wait(client, ready(client, table)["id"], my_turn)
    for times in range(2):  # killed while he thinks
        promise, chips = view["hand"]["commitment"], all_chips(view)
        with server_process(tmp_path, url) as server:
            client = client_of(server, token)
            again = client.get(f"/api/tables/{table}").json()
            assert told(again) == told(view)
            if times == 0:
                over = play_out(client, again)
                assert all_chips(over) == chips == 600
                assert over["hand"]["commitment"] == promise
                assert proved(promise, over["hand"])
                if over["chairs"][0]["stack"] == 0:
                    chips += client.post(f"/api/tables/{table}/rebuy").json()["chairs"][0]["stack"]
                view = wait(client, ready(client, table)["id"], my_turn)
            else:  # killed while he acts
                sender = threading.Thread(target=try_to_act, args=(client, again))
                sender.start()
                server.kill()
                sender.join(30)
    with server_process(tmp_path, url) as server:
        client = client_of(server, token)
        view = wait(client, table, my_turn)
        assert view["hand"]["commitment"] == promise
        assert all_chips(view) == chips
        play_out(client, view)
    check_log(Database(url), table, hands=view["hand"]["number"])


def check_log(database, table, hands):
    """No event and no hand is missing or there twice, and all chips are accounted for."""
    with database.session() as session:
        numbers = session.scalars(
            select(TableEvent.number).where(TableEvent.table_id == table).order_by(TableEvent.number)
        ).all()
        assert numbers == list(range(1, len(numbers) + 1))
        dealt = session.scalars(select(TableEvent).where(TableEvent.table_id == table, TableEvent.kind == "dealt"))
        kept = session.scalars(select(Hand).where(Hand.table_id == table).order_by(Hand.number)).all()
        assert [hand.number for hand in kept] == list(range(1, hands + 1))
        assert {hand.id for hand in kept} == {event.data["hand"] for event in dealt}
        for hand in kept:
            assert sum(session.scalars(select(HandSeat.net).where(HandSeat.hand_id == hand.id))) == 0
    database.close()
