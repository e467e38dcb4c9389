"""Pages of the site that nobody writes: commands, the Python and the HTTP interface, and what lies outside this folder.

MkDocs calls the functions whose names begin with ``on_`` (`mkdocs.yml` names this file as a hook).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "ludus"
PACKAGES = (
    "cards", "games", "trees", "solvers", "nets", "search", "rl", "agents", "protocols", "arena", "teach",
    "experiments",
)  # fmt: skip
OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}
FILES = ("examples/bot.py",)
MISSING = "-"


# What MkDocs calls


def on_config(config: Any) -> Any:
    """Pages that the navigation does not name go to the end of the guides, so that a new page is never lost."""
    named = set(_pages_of(config["nav"]))
    guides = next(section["Guides"] for section in config["nav"] if "Guides" in section)
    folder = Path(config["docs_dir"])
    guides += sorted(path.name for path in folder.glob("*.md") if path.name not in named)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made here."""
    from mkdocs.structure.files import File

    pages = {
        "reference/commands.md": commands_page(),
        "reference/http.md": http_page(),
        "reference/python.md": python_index(),
        **{f"reference/python/{package}.md": python_page(package) for package in PACKAGES},
        **{name: _from_outside((ROOT / source).read_text()) for name, source in OUTSIDE.items()},
        **{name: (ROOT / name).read_text() for name in FILES},
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links that leave this folder lead to the pages made of what is there."""
    for name, source in OUTSIDE.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    return markdown.replace("](../examples/", "](examples/")


def _pages_of(nav: Any) -> Iterator[str]:
    for entry in nav if isinstance(nav, list) else nav.values() if isinstance(nav, dict) else [nav]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from _pages_of(entry)


def _from_outside(text: str) -> str:
    """A page of the root as a page of this folder."""
    text = text.replace("](docs/", "](").replace("](examples/", "](examples/")
    for name, source in OUTSIDE.items():
        text = text.replace(f"]({source}", f"]({name}")
    return text


# Commands


def commands_page() -> str:
    """Every command with its arguments and options, from the command line itself."""
    sys.path.insert(0, str(ROOT / "src"))
    import typer

    from ludus.cli.main import app

    parts = ["# Commands\n\nEvery command has `--help`. Bad input is one sentence and exit code 2, a failure 1.\n"]
    root = typer.main.get_command(app)
    rooms: dict[str, list[Any]] = {}
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        rooms.setdefault(command.rich_help_panel, []).append((name, command))
    for room, commands in rooms.items():
        parts.append(f"## {room}\n")
        for name, command in commands:
            parts += _command(f"ludus {name}", command)
    return "\n".join(parts)


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"### {name}\n"
    yield _prose(command.help or "")
    below = getattr(command, "commands", {})
    for each, one in below.items():
        yield from _command(f"{name} {each}" if (name, each) != ("ludus solve", "game") else f"{name} GAME", one)
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    if below or not shown:
        return
    yield "| | |\n| --- | --- |"
    for parameter in shown:
        is_option = parameter.param_type_name == "option"
        label = ", ".join(parameter.opts) if is_option else (parameter.metavar or parameter.name.upper())
        if is_option and not getattr(parameter, "is_flag", False):
            label += f" {parameter.metavar or parameter.name.upper()}"
        yield f"| `{label}` | {_cell(parameter.help or '')}{_default(parameter)} |"
    yield ""


def _default(parameter: Any) -> str:
    told = getattr(parameter, "show_default", None)
    if isinstance(told, str):
        return f" *Default: {_cell(told)}.*"
    default = parameter.default
    if default in (None, False, (), [], "") or callable(default) or getattr(parameter, "required", False):
        return ""
    return f" *Default: {_cell(str(default))}.*"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


# The HTTP interface


def http_page() -> str:
    """Every operation and every type of the server's own schema."""
    sys.path.insert(0, str(ROOT / "src"))
    from ludus.server.app import create_app
    from ludus.server.settings import Settings

    schema = create_app(Settings(folder=Path("unused"))).openapi()
    parts = [
        f"# The HTTP interface\n\n{schema['info']['description']}\n\n[How to write a bot](../bot-author.md) shows it "
        "at work. A running server has the same as data at `/openapi.json`. Tables are spoken to over a socket, too: "
        "`/api/tables/{table}/socket`, which sends the table's view when it changes ([the web table](../web.md)).\n"
    ]
    by_tag: dict[str, list[str]] = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).extend(_operation(f"{method.upper()} {path}", operation))
    for tag, texts in sorted(by_tag.items()):
        parts += [f"## {tag.capitalize()}\n", *texts]
    parts.append("## Types\n")
    for name, about in sorted(schema["components"]["schemas"].items()):
        parts += _type(name, about)
    return "\n".join(parts)


def _operation(title: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### `{title}`\n"
    yield _prose(f"{operation.get('summary', '')}.\n\n{operation.get('description', '')}")
    rows = [
        (parameter["name"], parameter["in"], _kind(parameter["schema"]), parameter.get("description", ""))
        for parameter in operation.get("parameters", ())
    ]
    if "requestBody" in operation:
        (content, *_) = operation["requestBody"]["content"].values()
        rows.append(("", "body", _kind(content.get("schema", {})), ""))
    for code, answer in operation["responses"].items():
        (content, *_) = [*answer.get("content", {}).values(), {}]
        rows.append(("", f"answer {code}", _kind(content.get("schema", {})), answer.get("description", "")))
    yield "| name | where | type | |\n| --- | --- | --- | --- |"
    for name, where, kind, text in rows:
        yield f"| {f'`{name}`' if name else ''} | {where} | {kind} | {_cell(text)} |"
    yield ""


def _type(name: str, about: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield _prose(about.get("description", ""))
    if "properties" not in about:
        yield f"{_kind(about)}\n"
        return
    yield "| field | type | |\n| --- | --- | --- |"
    for field, inner in about["properties"].items():
        default = f" Default: `{inner['default']}`." if inner.get("default") not in (None, "", [], {}) else ""
        yield f"| `{field}` | {_kind(inner)} | {_cell(inner.get('description', ''))}{_cell(default)} |"
    yield ""


def _kind(schema: dict[str, Any]) -> str:
    """A type in words, with a link to it where it has a name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for how in ("anyOf", "oneOf", "allOf"):
        if how in schema:
            return " or ".join(_kind(each) for each in schema[how])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if "const" in schema:
        return f"`{schema['const']}`"
    return str(schema.get("type", MISSING))


# Python


def python_index() -> str:
    """The packages in the order in which they may know each other."""
    rows = [
        f"| [`ludus.{name}`](python/{name}.md) | {_first_line(_tree(SOURCES / name / '__init__.py'))} |"
        for name in PACKAGES
    ]
    return "\n".join(
        [
            "# Python\n",
            "A package imports only from those above it. The server and the command line are at the end and hold no "
            "algorithm; they are described by [commands](commands.md) and [HTTP](http.md). Modules that begin with an "
            "underscore, and names that do, may change without notice.\n",
            "| package | |\n| --- | --- |", *rows,
        ]
    )  # fmt: skip


def python_page(package: str) -> str:
    """The modules of a package with what is public in them, from their docstrings; nothing is imported for it."""
    folder = SOURCES / package
    parts = [f"# ludus.{package}\n", _prose(ast.get_docstring(_tree(folder / "__init__.py")) or "")]
    for path in sorted(folder.rglob("*.py")):
        tree = _tree(path)
        public = [node for node in tree.body if isinstance(node, _Definition) and not node.name.startswith("_")]
        if not public:
            continue
        module = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
        parts += [f"## `{module}`\n", _prose(ast.get_docstring(tree) or "")]
        for node in public:
            parts += _definition(node)
    return "\n".join(parts)


_Definition = (ast.FunctionDef, ast.ClassDef)


def _definition(node: Any) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield f"### `{node.name}`\n\n```text\n{_signature(node)}\n```\n"
        yield _prose(ast.get_docstring(node) or "")
        return
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    yield f"### `{node.name}`\n\n```text\nclass {node.name}{f'({bases})' if bases else ''}"
    for field in node.body:
        if isinstance(field, ast.AnnAssign) and not ast.unparse(field.target).startswith("_"):
            yield f"    {ast.unparse(field)}"
    yield "```\n"
    yield _prose(ast.get_docstring(node) or "")
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            about = _first_line(method)
            yield f"* `{_signature(method).removeprefix('def ')}`{': ' + _inline(about) if about else ''}"
    yield ""


def _signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _first_line(node: Any) -> str:
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())


# Texts


def _inline(text: str) -> str:
    """Docstrings mark code by two accents, and mean brackets and stars as they are."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", text)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"([*_\[\]<])", r"\\\1", parts[at])
    return "".join(f"`{part.strip('`')}`" if at % 2 else part for at, part in enumerate(parts))


def _prose(text: str) -> str:
    """A docstring as Markdown: examples and indented lines are code."""
    paragraphs = []
    for paragraph in text.strip().split("\n\n"):
        if paragraph.lstrip().startswith(">>>") or paragraph.startswith("    "):
            paragraphs.append(f"```text\n{paragraph}\n```")
        else:
            paragraphs.append(_inline(paragraph))
    return "\n\n".join(paragraphs) + "\n"
