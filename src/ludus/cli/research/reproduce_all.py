"""``ludus reproduce all``: every experiment of the sources, one after the other, and a page of the results."""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.main import get_command

from ludus.cli.options import AsJson, Ray, stop_early
from ludus.cli.research.reproduce import TAKER, app

if TYPE_CHECKING:
    from ludus.experiments.report import Report
    from ludus.experiments.results_page import Result
    from ludus.parallel import Engine


def reproduce_all(
    quick: Annotated[
        bool, typer.Option("--quick/--full", help="Small sizes in minutes, or those of the sources in days.")
    ] = True,
    only: Annotated[str, typer.Option(help="Some of the experiments, separated by commas.  [default: all]")] = "",
    page: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/results.md"),
    out: Annotated[Path | None, typer.Option(help="Folder for results.  [default: out/results]")] = None,
    ray: Ray = None,
    as_json: AsJson = False,
) -> None:
    """Every table and figure of the sources, ours beside theirs, as one page.

    Results are kept in the folder; what is there for the same command is not computed again, so that a run stopped with
    Ctrl-C goes on, and the page has what is there. An experiment that fails is named with its reason.
    """
    from ludus.experiments.report import folder
    from ludus.experiments.results import ENTRIES, chosen
    from ludus.experiments.results_page import Result, write_page
    from ludus.parallel import open_engine

    place = folder(out, "results")
    results: dict[str, Result] = {}
    wanted, stopped = chosen(only), ""
    missing: list[str] = []
    for entry in ENTRIES:
        if words := entry.words(quick):
            found = Result.load(place, words)
            if found is not None:
                results[words] = found
            elif entry.name in wanted:
                missing.append(words)
    with open_engine(ray=ray) as engine, closing(_made(missing, place, engine)) as made:
        for found, stopped in made:
            if found and not found.failed:
                found.save(place)
            if found:
                results[found.words] = found
            if stopped:
                break
    write_page(page, results, quick)
    failed = {words: result.failed for words, result in results.items() if result.failed}
    if as_json:
        print(json.dumps({"page": str(page), "done": [*results.keys() - failed.keys()], "failed": failed}, indent=2))
    else:
        typer.echo(f"{len(results) - len(failed)} results are in {page}.")
        for words, reason in failed.items():
            typer.echo(f"ludus reproduce {words} failed: {reason}")
    if stopped:
        stop_early(f"{stopped}; the same command goes on from there")


def _made(missing: list[str], place: Path, engine: Engine) -> Generator[tuple[Result | None, str], None, None]:
    """The results that are missing, here one after the other; or how far one was when it was stopped."""
    from ludus.experiments.results_page import Result
    from ludus.files import write_atomically
    from ludus.parallel import HERE, Work

    if engine is HERE:
        yield from (_run(words, place) for words in missing)
        return
    work = Work("ludus.cli.research.reproduce_all:run_elsewhere")
    try:
        for words, (found, files) in zip(missing, engine.run(work, ((words,) for words in missing)), strict=True):
            for name, data in files.items():
                write_atomically(Result.folder(place, words) / name, data)
            pictures = [str(Result.folder(place, words) / name) for name in found.pictures]
            yield replace(found, pictures=pictures), ""
    except KeyboardInterrupt:
        yield None, "on the cluster"


def run_elsewhere(words: str) -> tuple[Result, dict[str, bytes]]:
    """A result, with the files that the experiment has written by their names in its folder."""
    import ludus.cli.main  # noqa: F401 - it knows all experiments
    from ludus.experiments.results_page import Result

    with tempfile.TemporaryDirectory(prefix="ludus-") as temporary:
        found, stopped = _run(words, Path(temporary))
        if found is None:
            raise OSError(f"stopped {stopped}")
        folder = Result.folder(Path(temporary), words)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return replace(found, pictures=[str(Path(each).relative_to(folder)) for each in found.pictures]), files


def _run(words: str, place: Path) -> tuple[Result | None, str]:
    """The result of one experiment as its command gives it, or how far it was when it was stopped."""
    from ludus.experiments.results_page import Result

    reports: list[Report] = []
    experiments = get_command(app)
    name, *options = shlex.split(words)
    takes_files = any(each.name == "out" for each in experiments.commands[name].params)  # type: ignore[attr-defined]
    files = ["--out", str(Result.folder(place, words))] if takes_files else []
    typer.echo(f"ludus reproduce {words}", err=True)
    begun = time.perf_counter()
    token = TAKER.set(reports.append)
    try:
        experiments.main([name, *options, *files], standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return None, f"during {name}"
    except (ValueError, OSError, ImportError) as error:
        return Result(words, time.perf_counter() - begun, failed=" ".join(f"{error}".split())), ""
    finally:
        TAKER.reset(token)
    if not reports or reports[0].stopped:
        return None, f"during {name}"
    return Result.of(words, time.perf_counter() - begun, reports[0]), ""
