"""The page: its files, its texts in each language, and index.html for every address of a page."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException as StarletteError
from starlette.staticfiles import StaticFiles

PAGE = Path(__file__).parent / "page"
FRESH = {"Cache-Control": "no-cache"}  # kept by browsers, but asked for again: a new version shows at once
TEXTS = (".html", ".js", ".css", ".svg", ".json")

router = APIRouter(include_in_schema=False)


class PageFiles(StaticFiles):
    """Files of the page; a path without an extension is an address that the page itself understands.

    It answers what no route knows, WebSockets too.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request; refuse anything else."""
        if scope["type"] == "http":
            await super().__call__(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 4404, "reason": "there is nothing here"})

    async def get_response(self, path: str, scope: Any) -> Response:
        """A file, index.html, or 404."""
        if path.partition("/")[0] == "api":
            raise StarletteError(404, f"there is no {scope['path']} in the API: see /openapi.json")
        try:
            response = await super().get_response(path, scope)
        except StarletteError as error:
            if error.status_code != 404 or "." in path.rpartition("/")[2]:
                raise
            response = await super().get_response("index.html", scope)
        response.headers.update(FRESH)
        return response

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Any, status_code: int = 200
    ) -> Response:
        """A file; text files are compressed for clients that accept it, and scripts have no lines of comments."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        if not isinstance(response, FileResponse) or not str(full_path).endswith(TEXTS):
            return response
        response.headers["Vary"] = "Accept-Encoding"
        if scope["method"] != "GET":
            return response
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        plain, packed = _content(str(full_path), stat_result.st_mtime_ns)
        if not _unpacks(Headers(scope=scope)):
            return Response(plain, 200, headers)
        return Response(packed, 200, {**headers, "Content-Encoding": "gzip"})


def _unpacks(headers: Headers) -> bool:
    return "gzip" in headers.get("accept-encoding", "")


@lru_cache(maxsize=500)
def _content(path: str, changed: int) -> tuple[bytes, bytes]:
    plain = served(Path(path))
    return plain, gzip.compress(plain, 9, mtime=0)


def served(path: Path) -> bytes:
    """A file as it is sent; lines of comments in scripts are left empty, so that all lines keep their numbers."""
    content = path.read_bytes()
    return re.sub(rb"(?m)^[ \t]*//.*$", b"", content) if path.suffix == ".js" else content


def page_files() -> PageFiles:
    """The page as an application."""
    return PageFiles(directory=PAGE, html=True)


def texts_of(language: str) -> dict[str, str]:
    """All texts of a language, from its folder of files."""
    texts: dict[str, str] = {}
    for file in sorted((PAGE / "locales" / language).glob("*.json")):
        texts |= json.loads(file.read_text("utf-8"))
    return texts


@router.get("/locales/{language}.json")
def locale(language: str, request: Request) -> Response:
    """The texts of a language as one flat object."""
    if not re.fullmatch("[a-z]{2}", language) or not (PAGE / "locales" / language).is_dir():
        raise HTTPException(404, "there is no such language")
    data = json.dumps(texts_of(language), ensure_ascii=False, separators=(",", ":")).encode()
    headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()[:20]}"', "Vary": "Accept-Encoding", **FRESH}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    if _unpacks(request.headers):
        data, headers["Content-Encoding"] = gzip.compress(data, 6, mtime=0), "gzip"
    return Response(data, media_type="application/json", headers=headers)
