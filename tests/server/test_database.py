"""The database: URLs, migrations on SQLite and PostgreSQL, and servers that start at the same time."""

import subprocess
import sys
import threading

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from ludus.server.database import Database, migrations
from ludus.server.models import Base, Decision, Hand, HandSeat, Person, Sitter, SpotRow, TableEvent, TableRow


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'deep' / 'er' / 'ludus.db'}"


@pytest.fixture
def database(url):
    database = Database(url)
    yield database
    database.close()


def differences(database):
    with database.engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), Base.metadata)


def test_migrations_make_what_the_models_say(database):
    assert len(differences(database)) >= len(Base.metadata.tables)
    database.upgrade()
    assert differences(database) == []
    with database.engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE people ADD COLUMN shoes INTEGER"))
    assert differences(database) != []


def test_a_second_start_keeps_what_is_there(database):
    database.upgrade()
    with database.session() as session:
        session.add(Person(id="a", name="Ada", preferences={"theme": "dark"}))
    database.upgrade()
    with database.session() as session:
        person = session.get(Person, "a")
        assert (person.name, person.preferences, person.created.tzinfo is not None) == ("Ada", {"theme": "dark"}, True)


def test_the_way_back_to_nothing(database):
    from alembic import command

    database.upgrade()
    with database.engine.begin() as connection:
        command.downgrade(migrations(connection), "base")
    assert set(sa.inspect(database.engine).get_table_names()) == {"alembic_version"}
    database.upgrade()
    assert differences(database) == []


def test_servers_that_start_at_once_do_not_break_each_other(url):
    code = "import sys; from ludus.server.database import Database; Database(sys.argv[1]).upgrade()"
    runs = [
        subprocess.Popen([sys.executable, "-c", code, url], stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]  # fmt: skip
    errors = [run.communicate(timeout=60)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], errors
    database = Database(url)
    assert differences(database) == []
    database.close()


def test_threads_write_at_the_same_time(database):
    database.upgrade()
    with database.session() as session:
        session.add(Person(id="a", name="Ada"))
        session.add(TableRow(id="t", host_id="a", config={}))

    def write(thread):
        for at in range(20):
            with database.session() as session:
                session.add(TableEvent(table_id="t", number=thread * 100 + at, kind="act", data={"at": at}))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.session() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(TableEvent)) == 160


def test_an_error_undoes_a_session(database):
    database.upgrade()

    def broken():
        with database.session() as session:
            session.add(Person(id="a", name="Ada"))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    with database.session() as session:
        assert session.get(Person, "a") is None


def test_references_hold(database):
    database.upgrade()
    with pytest.raises(sa.exc.IntegrityError), database.session() as session:
        session.add(Hand(table_id="nowhere", number=1, game="holdem", players=2, big_blind=2, pot=3, phh=""))


def test_a_database_of_a_newer_version_is_left_alone(database):
    database.upgrade()
    with database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ValueError, match=r"newer Ludus \(its version is 9999\)"):
        database.upgrade()


def test_a_migration_that_breaks_leaves_nothing_half_done(database, monkeypatch):
    from ludus.server import database as module

    def broken(connection, shown, secret):
        connection.execute(sa.text("CREATE TABLE half (x INTEGER)"))
        raise ValueError("broken")

    monkeypatch.setattr(module, "_migrate", broken)
    with pytest.raises(ValueError, match="broken"):
        database.upgrade()
    assert sa.inspect(database.engine).get_table_names() == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("nonsense", "is not the URL of a database: write sqlite"),
        ("mysql://x/y", "SQLite or PostgreSQL, not mysql"),
        ("sqlite://", "in memory is lost"),
        ("sqlite:///:memory:", "in memory is lost"),
    ],
)
def test_a_wrong_url_is_one_sentence(wrong, why):
    with pytest.raises(ValueError, match=why):
        Database(wrong)


def test_a_server_that_is_not_there():
    database = Database("postgresql://ada:hidden@127.0.0.1:1/ludus")
    with pytest.raises(OSError, match="cannot open the database") as told:
        database.upgrade()
    assert "hidden" not in str(told.value)


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "x.db").write_text("This is a letter. " * 100)
    with pytest.raises(ValueError, match="is not a database that Ludus can use"):
        Database(f"sqlite:///{tmp_path / 'x.db'}").upgrade()


def test_a_database_of_the_first_version_is_brought_up_to_date(database):
    """What people have kept stays, and what the new version adds is filled in."""
    from alembic import command

    with database.engine.begin() as connection:
        command.upgrade(migrations(connection), "0001")
        person = {"id": "a", "name": "Ada", "version": 1, "preferences": "{}", "created": "2026-01-01 00:00:00+00:00"}
        spot = {"id": "s", "person_id": "a", "name": "", "created": person["created"], "spot": "{}", "status": "solved",
                "error": "", "progress": "[]", "summary": "{}", "file": "s.solution", "size": 7}  # fmt: skip
        for table, row in (("people", person), ("spots", spot)):
            names = ", ".join(row)
            values = ", ".join(f":{name}" for name in row)
            connection.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)
    database.upgrade()
    assert differences(database) == []
    with database.session() as session:
        row = session.get(SpotRow, "s")
        assert (row.size, row.status, row.tries, row.holder) == (7, "solved", 0, None)
        assert session.get(Person, "a").name == "Ada"


def test_decisions_and_tables_of_the_version_before_are_filled_in(database):
    """Decisions know their place, and who sits at open tables is known: hosts, players, and who has just come."""
    from alembic import command

    def put(connection, table, **row):
        values = ", ".join(f":{name}" for name in row)
        connection.execute(sa.text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"), row)

    time, no = "2026-01-01 00:00:00+00:00", False
    with database.engine.begin() as connection:
        command.upgrade(migrations(connection), "0006")
        for key in ("ann", "bob", "cleo"):
            put(connection, "people", id=key, name=key, version=1, preferences="{}", created=time)
        for key, closed in (("open", None), ("closed", time)):
            put(connection, "tables", id=key, host_id="ann", config="{}", invite="x", created=time, closed=closed)
            sat = '{"chair": 1, "person": "cleo", "name": "Cleo"}'
            put(connection, "table_events", table_id=key, number=2, kind="sat", data=sat, time=time)
        put(
            connection,
            "uploads",
            id="file",
            person_id="ann",
            name="x",
            created=time,
            hero="",
            status="done",
            report="{}",
        )
        for key, table, upload in (("here", "open", None), ("elsewhere", None, "file")):
            own = {"finished": time, "game": "holdem", "big_blind": 2, "table_id": table, "upload_id": upload}
            put(
                connection,
                "hands",
                id=key,
                number=1,
                players=2,
                pot=3,
                board="",
                phh="",
                adjusted=no,
                reviewed=no,
                **own,
            )
            for seat, who, place in ((0, "ann", "BB"), (1, "bob", "BTN")):
                put(
                    connection, "hand_seats", hand_id=key, seat=seat, person_id=who, name=who, agent="", place=place,
                    cards="", shown=no, stack=200, net=0.0, paid=no, raised=no, raises=0, calls=0, folded=no,
                    showdown=no, street=0, **own,
                )  # fmt: skip
            put(
                connection, "decisions", hand_id=key, step=0, seat=1, person_id="bob", street=0, action=0, grade="best",
                loss=0.0, situation="", tendency="", advice="{}",
            )  # fmt: skip
    database.upgrade()
    assert differences(database) == []
    with database.session() as session:
        found = {row.hand_id: (row.place, row.uploaded) for row in session.scalars(sa.select(Decision))}
        assert found == {"here": ("BTN", False), "elsewhere": ("BTN", True)}
        sitting = {(row.table_id, row.person_id) for row in session.scalars(sa.select(Sitter))}
        assert sitting == {("open", "ann"), ("open", "bob"), ("open", "cleo")}
        assert session.scalar(sa.select(sa.func.count(HandSeat.block))) == 0
