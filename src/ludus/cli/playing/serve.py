"""``ludus serve``: the web table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PORT = 8421


def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 for any free one.", min=0, max=65535)] = PORT,
    db: Annotated[
        str | None, typer.Option(help="URL of a database, such as postgresql://user@host/name.", show_default="SQLite")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where database, secret and solutions are kept.", show_default="$LUDUS_DATA, or the user's"),
    ] = None,
    helpers: Annotated[
        int | None,
        typer.Option(help="Processes for advice, reviews and solving.", show_default="one for each core", min=1),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--time", metavar="SECONDS", help="Longest time for a decision of level 6, which thinks.")
    ] = 1.5,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name under which browsers may reach it; repeat it for more.", show_default="localhost"),
    ] = None,
    processes: Annotated[
        int, typer.Option(help="Processes that serve at the same address; more than one need PostgreSQL.", min=1)
    ] = 1,
    peer: Annotated[
        str, typer.Option(metavar="URL", help="Where other servers of the same PostgreSQL database reach this one.")
    ] = "",
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            show_default="none",
            help="A proxy, or a network of them, that is believed about the client's address and https.",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(metavar="NETWORK", help="Who may read GET /metrics (Prometheus).", show_default="nobody"),
    ] = None,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long to wait for a database that is not there yet.", min=0)
    ] = 0.0,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="A Ray cluster that solves spots.", show_default="this machine")
    ] = "",
    log: Annotated[str, typer.Option(help="Logs as 'text', or as 'json' with every request.")] = "text",
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the table, the assistant, the study and the lessons as a web page and an API. Ctrl-C ends it.

    It listens at this machine's own address unless --host says otherwise. What the table needs is compiled when it is
    first started, which takes about half a minute; the rest is compiled in the background.
    """
    from ludus.parallel import usable_cores
    from ludus.server.running import serve as run
    from ludus.server.settings import Settings, data_folder

    settings = Settings(
        host=host, port=port, folder=folder or data_folder(), database=db or "", hosts=tuple(allow_host or ()),
        processes=processes, peer=peer, proxies=tuple(trusted_proxy or ()), metrics=tuple(metrics or ()),
        wait=wait, log=log, helpers=helpers or usable_cores(), thinking=seconds, ray=ray,
    )  # fmt: skip
    run(settings, browser)
