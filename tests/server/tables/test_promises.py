"""A deck is promised before anybody is ready, every client is part of its order, and nobody else can read it."""

import json
import secrets

import pytest
import sqlalchemy as sa

from ludus.cards.card import CARDS, DECK
from ludus.server.database import Database
from ludus.server.models import TableEvent
from ludus.server.people.vault import Vault
from ludus.server.tables import dealing
from ludus.server.tables.config import TableConfig
from ludus.server.tables.deck import PromisedDeck, order, verify
from ludus.server.tables.log import Unreadable, load, unsealed
from server_helpers import serving
from server_tables import Socket, give_seed, my_turn, new_table, play_out, proved, ready, wait

# The protocol


def test_the_promise_comes_before_anybody_is_ready(server):
    ann, bob = server.bot("Ann"), server.bot("Bob")
    view = new_table(ann, people=2)
    table, promise = view["id"], view["promise"]
    assert view["hand"] is None
    assert (promise["seed"], promise["chairs"]) == (None, [])
    bob.post(f"/api/tables/{table}/seats", json={"invite": view["invite"]})
    with Socket(server, table) as watcher:
        assert watcher.next()["promise"] == promise
    mine = give_seed(ann, table)
    seen = bob.get(f"/api/tables/{table}").json()["promise"]
    assert (seen["chairs"], seen["seed"]) == ([0], None)
    assert mine not in json.dumps(bob.get(f"/api/tables/{table}").json()), "before the deal nobody knows another's seed"
    his = give_seed(bob, table)
    ann.post(f"/api/tables/{table}/ready")
    hand = ready(bob, table)["hand"]
    assert (hand["id"], hand["commitment"]) == (promise["id"], promise["commitment"])
    assert hand["seeds"] == [{"chair": 0, "seed": mine}, {"chair": 1, "seed": his}]
    following = bob.get(f"/api/tables/{table}").json()["promise"]
    assert following["id"] != promise["id"]
    assert (following["seed"], following["chairs"]) == (None, [])


def test_the_cards_are_where_the_seeds_say(server):
    client = server.bot()
    table = new_table(client)["id"]
    for _ in range(3):
        promise, seed = client.get(f"/api/tables/{table}").json()["promise"], give_seed(client, table)
        view = play_out(client, ready(client, table))
        hand, reveal = view["hand"], view["hand"]["reveal"]
        assert hand["commitment"] == promise["commitment"]
        assert verify(promise["commitment"], promise["id"], DECK, reveal, seeds={0: seed}, own=(0, seed))
        by_place = {leaf["place"]: leaf["card"] for leaf in reveal["cards"]}
        dealt = [by_place[place] for place in order(promise["id"], {0: seed}, 52)]
        chairs = [(hand["button"] + 1 + at) % 2 for at in range(2)]
        assert dealt[:4] == [card for chair in chairs for card in view["chairs"][chair]["cards"]]
        assert dealt[4:9] == hand["board"]
        seen = dict(enumerate(dealt[:9]))
        first = ([0, 1], hand["button"]) if hand["number"] == 1 else None
        known = {"own": (0, seed), "seen": seen, "people": [0], "first": first}
        assert verify(promise["commitment"], promise["id"], DECK, reveal, **known)
        kept = client.get(f"/api/hands/{hand['id']}").json()
        assert kept["reveal"] == reveal
        assert [(seat["chair"], bool(seat["agent"])) for seat in kept["seats"]] == [(at, at != 0) for at in chairs]


def test_one_deck_is_dealt_in_as_many_ways_as_there_are_seeds(server, monkeypatch):
    """The server promises the same deck again and again; what is dealt depends on each person's seed."""
    monkeypatch.setattr(
        dealing, "shuffled", lambda hand, deck: PromisedDeck("h" * 21 + secrets.choice("xyz"), tuple(deck), "0" * 64)
    )
    promised = PromisedDeck("h" * 22, DECK, "0" * 64)
    first = promised.dealt({0: "0" * 32, 1: "1" * 32})
    assert first != promised.dealt({0: "2" * 32, 1: "1" * 32})
    assert first != promised.dealt({0: "0" * 32, 1: "2" * 32})
    client = server.bot()
    table = new_table(client)["id"]
    hand = client.get(f"/api/tables/{table}").json()["promise"]["id"]
    seed = give_seed(client, table)
    ready(client, table)
    view = client.get(f"/api/tables/{table}").json()
    dealt = [CARDS[card] for card in PromisedDeck(hand, DECK, "0" * 64).dealt({0: seed})]
    seat = 0 if view["hand"]["button"] == 1 else 1
    assert view["chairs"][0]["cards"] == dealt[2 * seat : 2 * seat + 2]


def test_the_first_seed_counts_and_only_for_the_hand_that_is_promised(server):
    client, stranger = server.bot(), server.bot()
    table = new_table(client)["id"]
    hand, seed = client.get(f"/api/tables/{table}").json()["promise"]["id"], give_seed(client, table)

    def give(who, hand, seed):
        answer = who.post(f"/api/tables/{table}/seed", json={"hand": hand, "seed": seed})
        return answer.status_code, answer.json().get("detail", "")

    assert give(client, hand, seed) == (200, "")
    assert give(client, hand, "0" * 32)[0] == 409
    assert "not promised" in give(client, "another", seed)[1]
    assert give(stranger, hand, seed) == (409, "you do not sit at this table")
    for wrong in ("", "0" * 31, "A" * 32, "0" * 32 + "\n"):
        assert give(client, hand, wrong)[0] == 422
    assert client.get(f"/api/tables/{table}").json()["promise"]["seed"] == seed
    assert give(client, ready(client, table)["hand"]["id"], seed)[0] == 409


def test_a_socket_gives_a_seed(server):
    client = server.bot()
    table = new_table(client)["id"]
    with Socket(server, table, client) as socket:
        promise = socket.next()["promise"]
        for message in ({"type": "seed"}, {"type": "seed", "hand": promise["id"], "seed": 5}):
            socket.send(message)
            assert socket.until(lambda view: view["type"] == "error")["detail"].startswith(("say for", "a seed is"))
        socket.send({"type": "seed", "hand": promise["id"], "seed": "ab" * 16})
        assert socket.until(lambda view: view["promise"]["seed"])["promise"]["chairs"] == [0]
        socket.send({"type": "ready"})
        hand = socket.until(lambda view: view["hand"])["hand"]
        assert hand["seeds"] == [{"chair": 0, "seed": "ab" * 16}]


def test_a_seed_of_who_is_not_dealt_in_does_not_count(server):
    ann, bob = server.bot(), server.bot()
    view = new_table(ann, people=2, seats=3)
    table = view["id"]
    bob.post(f"/api/tables/{table}/seats", json={"invite": view["invite"]})
    give_seed(bob, table)
    bob.delete(f"/api/tables/{table}/seats/me")
    seed = give_seed(ann, table)
    assert ready(ann, table)["hand"]["seeds"] == [{"chair": 0, "seed": seed}]


# At rest


def test_nothing_in_the_database_tells_the_deck_of_a_hand_that_is_played(tmp_path):
    with serving(tmp_path) as server:
        client = server.bot()
        view = wait(client, ready(client, new_table(client, seats=3)["id"])["id"], my_turn)
        promised = server.service.tables.live[view["id"]].table.hand.promised
        following = server.service.tables.live[view["id"]].table.promised
        with server.service.database.session() as session:
            rows = session.scalars(sa.select(TableEvent).where(TableEvent.table_id == view["id"])).all()
        texts = [json.dumps(row.data) for row in rows]
        for deck in (promised, following):
            secret = [deck.key, deck.to_dict()["deck"], *deck.salts]
            assert not [each for each in secret for text in texts if each in text]
            assert sum(f'"{deck.hand}"' in text and "sealed" in text for text in texts) == 1, "it is kept once"
        everything = b"".join(file.read_bytes() for file in tmp_path.glob("ludus.db*"))
        assert promised.hand.encode() in everything
        for each in (promised.key, promised.to_dict()["deck"], following.key, following.to_dict()["deck"]):
            assert each.encode() not in everything
        hand = play_out(client, view)["hand"]
        assert proved(promised.commitment, hand)


def test_another_secret_reads_no_deck(server):
    client = server.bot()
    table = ready(client, new_table(client)["id"])["id"]
    with server.service.database.session() as session:
        connection = session.connection()
        config = TableConfig(opponents=[{"agent": "call"}], assistant="off")
        assert load(connection, Vault(server.service.secret), table, config).hand is not None
        with pytest.raises(Unreadable, match="sealed with another secret"):
            load(connection, Vault(b"another"), table, config)


def test_a_server_with_another_secret_goes_on_without_the_tables_in_play(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_SECRET", "the secret of this server")
    with serving(tmp_path) as server:
        client = server.bot()
        token, table = client.headers["authorization"], ready(client, new_table(client)["id"])["id"]
    monkeypatch.setenv("LUDUS_SECRET", "the secret of another one")
    with serving(tmp_path) as server:
        client = server.client()
        client.headers["authorization"] = token
        assert client.get(f"/api/tables/{table}").status_code == 404
        assert client.get("/api/tables", params={"mine": True}).json() == []
        assert play_out(client, ready(client, new_table(client)["id"]))["hand"]["over"]


def test_a_sealed_text_is_read_where_it_belongs_and_nowhere_else():
    vault = Vault(b"secret")
    for text in ("", "a", "deck" * 100, "♠" * 33):
        sealed = vault.seal(text, "here")
        assert vault.unseal(sealed, "here") == text
        assert vault.seal(text, "here") != sealed
        for wrong in (
            sealed[:-5] + "AAAA=",
            "A" + sealed[1:] if sealed[0] != "A" else "B" + sealed[1:],
            sealed[8:],
            "",
            "?",
        ):
            with pytest.raises(ValueError, match="another secret"):
                vault.unseal(wrong, "here")
        for other, about in ((vault, "there"), (Vault(b"Secret"), "here")):
            with pytest.raises(ValueError, match="another secret"):
                other.unseal(sealed, about)


# From the version before


OLD_DECK = "".join(CARDS[card] for card in reversed(DECK))


def old_database(url):
    """A database of the first version: a table in the middle of its second hand, one that has none, and a hand."""
    from alembic import command

    from ludus.server.database import migrations

    database = Database(url)
    chairs = [["ann", "Ann", 200, False, 0], [None, "Blaise", 200, False, 0]]
    with database.engine.begin() as connection:
        command.upgrade(migrations(connection), "0001")
        connection.execute(
            sa.text(
                "INSERT INTO people (id, name, version, preferences, created) "
                "VALUES ('ann', 'Ann', 1, '{}', '2026-01-01')"
            )
        )
        connection.execute(sa.text("INSERT INTO tokens VALUES ('t', 'ann', 'digest', '', '2026-01-01', NULL)"))
        config = TableConfig(opponents=[{"agent": "call"}], assistant="off", chips="carry").model_dump_json()
        for key in ("playing", "new"):
            connection.execute(
                sa.text("INSERT INTO tables VALUES (:key, 'ann', :config, 'invite', '2026-01-01', NULL)"),
                {"key": key.ljust(22, "x"), "config": config},
            )

        def dealt(hand, number):
            return {
                "hand": hand,
                "number": number,
                "seats": [1, 0],
                "chairs": chairs,
                "deck": OLD_DECK,
                "salts": "0" * 1664,
            }

        events = [("created", {"person": "ann", "name": "Ann"}), ("dealt", dealt("one", 1)),
                  ("acted", {"hand": "one", "turn": 0, "chair": 0, "action": -1}), ("dealt", dealt("two", 2)),
                  ("acted", {"hand": "two", "turn": 0, "chair": 0, "action": 0})]  # fmt: skip
        rows = [("playing", number, *event) for number, event in enumerate(events, 1)] + [("new", 1, *events[0])]
        for key, number, kind, data in rows:
            connection.execute(
                sa.text("INSERT INTO table_events VALUES (:key, :number, :kind, :data, '2026-01-01')"),
                {"key": key.ljust(22, "x"), "number": number, "kind": kind, "data": json.dumps(data)},
            )
        connection.execute(
            sa.text(
                "INSERT INTO hands VALUES ('one', NULL, NULL, 1, '2026-01-01', 'holdem', 2, 2, 3, '', 'x', 'promise', "
                ":deal, :yes, :no)"
            ),
            {"deal": json.dumps({"scheme": "ludus-1", "cards": ["Ah"], "salts": "00"}), "yes": True, "no": False},
        )
    return database


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_tables_of_the_version_before_are_played_on_and_their_decks_are_sealed(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path / 'ludus.db'}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    database = old_database(url)
    with pytest.raises(ValueError, match="let a server do that"):
        database.upgrade()
    secret = b"the secret of this server"
    database.upgrade(secret)
    with database.session() as session:
        rows = session.scalars(sa.select(TableEvent)).all()
        assert not [
            row for row in rows if "deck" in row.data or "salts" in row.data or OLD_DECK in json.dumps(row.data)
        ]
        (promise,) = [row for row in rows if row.kind == "promised"]
        table = "playing".ljust(22, "x")
        config = TableConfig(opponents=[{"agent": "call"}], assistant="off", chips="carry")
        deck = PromisedDeck.from_dict(unsealed(Vault(secret), table, promise.data))
        assert "".join(CARDS[card] for card in deck.dealt({})) == OLD_DECK
        playing = load(session.connection(), Vault(secret), table, config)
        assert (playing.hand.id, playing.hand.turn, playing.promised, playing.number) == ("two", 1, None, 5)
        assert "".join(CARDS[card] for card in playing.hand.deck) == OLD_DECK
        assert session.execute(sa.text("SELECT deal, commitment FROM hands")).one() == (None, None)
        assert session.execute(sa.text("SELECT id FROM tokens")).scalars().all() == ["t"]
        assert session.execute(sa.text("SELECT seen FROM people")).scalar_one() is not None
    database.close()


def test_an_old_table_goes_on_with_a_promise(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_SECRET", "the secret of this server")
    old_database(f"sqlite:///{tmp_path / 'ludus.db'}").close()
    with serving(tmp_path) as server:
        watcher = server.bot()
        for name, hand in (("playing", "two"), ("new", None)):
            view = wait(watcher, name.ljust(22, "x"), lambda view: view["promise"])
            assert (view["hand"] or {}).get("id") == hand
