"""The page as files: texts, imports, safety, weight and colours. What it does in a browser is tested elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ludus.server
from ludus.server.page_files import served, texts_of

PAGE = Path(ludus.server.__file__).parent / "page"
SCRIPTS = sorted(PAGE.rglob("*.js"))
HEAVIEST = 600_000  # bytes of all files together but charts and fonts, as they are served without compression
HEAVIEST_FONTS = 150_000
PLURALS = ("zero", "one", "two", "few", "many", "other")


def script_name(path: Path) -> str:
    """A script as the page asks for it."""
    return path.relative_to(PAGE).as_posix()


def texts(language: str) -> dict[str, str]:
    """All texts of a language; a key stands in one file only, the one of its area."""
    merged: dict[str, str] = {}
    for file in sorted((PAGE / "locales" / language).glob("*.json")):
        part = json.loads(file.read_text("utf-8"))
        assert not merged.keys() & part.keys(), f"{file} repeats {sorted(merged.keys() & part.keys())}"
        assert all(key.split(".")[0] == file.stem for key in part), f"every key of {file} begins with {file.stem}."
        merged |= part
    return merged


ENGLISH = texts("en")
LANGUAGES = re.findall(
    r"(\w\w): \"", (PAGE / "js/i18n.js").read_text("utf-8").partition("LANGUAGES = {")[2].partition("}")[0]
)


def stem(key: str) -> str:
    """A key without the ending of its plural form."""
    head, _, ending = key.rpartition(".")
    return head if ending in PLURALS and f"{head}.other" in ENGLISH else key


def without_comments(code: str) -> str:
    """A script without its line comments (texts with // in them stay whole)."""
    return re.sub(r"(?m)(^|\s)//.*$", r"\1", code)


def keys_used(code: str) -> tuple[set[str], set[str]]:
    """Keys of t("...") and has("..."), and of t(`...${x}...`) as patterns."""
    whole = set(re.findall(r"(?<![.\w$])(?:t|has)\(\s*\"([^\"]+)\"", code))
    # A choice between two keys, t(a ? "x" : "y"), and keys in tables are found as texts that look like keys.
    areas = {key.split(".")[0] for key in ENGLISH}
    whole |= {text for text in re.findall(r"\"([a-z]+(?:\.[\w-]+)+)\"", code) if text.split(".")[0] in areas}
    made = {re.sub(r"\\\$\\\{.*?\\\}", r"[\\w+-]+", re.escape(text)) for text in re.findall(r"\bt\(\s*`([^`]+)`", code)}
    return whole, made


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_every_text_used_exists(script: Path) -> None:
    whole, made = keys_used(without_comments(script.read_text("utf-8")))
    stems = {stem(key) for key in ENGLISH} | set(ENGLISH)
    assert not whole - stems, f"add these to locales/en: {sorted(whole - stems)}"
    lost = [pattern for pattern in made if not any(re.fullmatch(pattern, key) for key in stems)]
    assert not lost, f"no text of locales/en fits {lost}"


def test_markup_texts_exist() -> None:
    assert set(re.findall(r'data-t="([^"]+)"', (PAGE / "index.html").read_text("utf-8"))) <= set(ENGLISH)


def test_every_text_is_used() -> None:
    code = "\n".join(without_comments(script.read_text("utf-8")) for script in SCRIPTS)
    code += (PAGE / "index.html").read_text("utf-8")
    quoted = set(re.findall(r"[\"'`]([\w.-]+)[\"'`]", code))
    patterns = [
        re.compile(re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(text)))
        for text in re.findall(r"`([^`\s]+)`", code)
        if "${" in text
    ]
    unused = sorted(
        key
        for key in {stem(key) for key in ENGLISH}
        if key not in quoted and not any(p.fullmatch(key) for p in patterns)
    )
    assert not unused, f"nobody says {unused}"


def test_english_is_among_the_languages() -> None:
    assert "en" in LANGUAGES
    assert len(LANGUAGES) == len(set(LANGUAGES)) >= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_are_complete(language: str) -> None:
    if not (PAGE / "locales" / language).is_dir():
        pytest.xfail(f"there is no page/locales/{language} yet")
    own = texts(language)
    assert {stem(key) for key in own} == {stem(key) for key in ENGLISH}
    for key, text in own.items():
        english = ENGLISH.get(key, ENGLISH.get(f"{stem(key)}.other", ""))
        placeholders = set(re.findall(r"\{\w+\}", english))
        # "one" may say the number in words
        missing = placeholders - set(re.findall(r"\{\w+\}", text)) - ({"{count}"} if key.endswith(".one") else set())
        assert not missing, f"{language}: {key} lacks {missing}"
        given = placeholders | ({"{count}"} if stem(key) != key else set())  # "one" is also 21 or 0 in some languages
        assert set(re.findall(r"\{\w+\}", text)) <= given, f"{language}: {key} fills in what nobody gives"
        assert text.strip() or not english, f"{language}: {key} is empty"


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_imports_lead_to_files(script: Path) -> None:
    code = script.read_text("utf-8")
    for target in re.findall(r"(?:from|import)\s*\(?\s*\"(\.[^\"]+)\"", code):
        found = (script.parent / target).resolve()
        assert found.is_file(), f"{script_name(script)} imports {target}"
    for names, target in re.findall(r"import\s*\{([^}]*)\}\s*from\s*\"(\.[^\"]+)\"", code):
        other = (script.parent / target).resolve().read_text("utf-8")
        for name in (name.split(" as ")[0].strip() for name in names.split(",") if name.strip()):
            exported = rf"export\s+(?:async\s+)?(?:function|const|let|class)\s+{re.escape(name)}(?![\w$])"
            passed_on = rf"export\s*\{{[^}}]*(?<![\w$]){re.escape(name)}(?![\w$])"
            assert re.search(f"{exported}|{passed_on}", other), (
                f"{target} has no {name}, which {script_name(script)} imports"
            )


def test_every_route_has_its_module_and_preloads_exist() -> None:
    for name in re.findall(r"/, \"(\w+)\"\]", (PAGE / "js/app.js").read_text("utf-8")):
        assert (PAGE / "js/pages" / f"{name}.js").is_file(), f"js/pages/{name}.js is missing"
    for address in re.findall(r"(?:href|src)=\"(/[^\"]+)\"", (PAGE / "index.html").read_text("utf-8")):
        assert (PAGE / address[1:]).is_file(), address


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_stylesheets_exist(script: Path) -> None:
    for name in re.findall(r"\bstyle\(\"([\w-]+)\"\)", script.read_text("utf-8")):
        assert (PAGE / "css" / f"{name}.css").is_file(), f"css/{name}.css is missing"


def test_markup_is_as_the_policy_wants_it() -> None:
    for file in PAGE.rglob("*.html"):
        markup = file.read_text("utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", markup), f"{file.name}: inline style or script"
        assert all(re.search(r"\ssrc=", tag) for tag in re.findall(r"<script[^>]*>", markup)), (
            f"{file.name}: inline script"
        )


def test_scripts_are_safe() -> None:
    for script in SCRIPTS:
        code = without_comments(script.read_text("utf-8"))
        assert not re.search(r"\beval\(|new Function\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write", code), (
            script
        )


def test_nothing_comes_from_elsewhere() -> None:
    for file in PAGE.rglob("*"):
        if file.suffix in {".js", ".css", ".html", ".svg"}:
            found = set(
                re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+[^\s\"')]*", without_comments(file.read_text("utf-8")))
            )
            assert found <= {"http://www.w3.org/2000/svg"}, f"{file.name} asks for {found}"


def test_weight() -> None:
    apart = {PAGE / "locales", PAGE / "fonts"}
    files = [f for f in PAGE.rglob("*") if f.is_file() and f.name != "chart.js" and not apart & set(f.parents)]
    texts = json.dumps(texts_of("en"), ensure_ascii=False, separators=(",", ":"))  # a reader loads one language
    weight = sum(len(served(f)) for f in files) + len(texts.encode())
    assert weight < HEAVIEST, f"the page weighs {weight} bytes"
    fonts = sum(len(served(f)) for f in (PAGE / "fonts").iterdir())
    assert fonts < HEAVIEST_FONTS, f"the fonts weigh {fonts} bytes"


def test_the_shipped_font_has_every_letter_of_every_language() -> None:
    from fontTools.ttLib import TTFont

    shapes: set[int] = set()
    for file in (PAGE / "fonts").glob("*.woff2"):
        shapes |= set(TTFont(file).getBestCmap())
    assert (PAGE / "fonts" / "LICENSE.txt").is_file()
    for language in LANGUAGES:
        letters = {char for text in texts(language).values() for char in text if char.isalnum()}
        assert not {char for char in letters if ord(char) not in shapes}, language


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_scripts_are_served_line_by_line_without_comments(script: Path) -> None:
    written, sent = script.read_text("utf-8").split("\n"), served(script).decode().split("\n")
    assert len(sent) == len(written)
    kept = {line.strip() for line, was in zip(sent, written, strict=True) if line != was}
    assert kept <= {""}
    assert not any(line.lstrip().startswith("//") for line in sent)


def children_of_h(code: str) -> list[str]:
    """The string literals that are direct arguments of h(...) after the tag: texts for people, by mistake."""
    found = []
    for call in re.finditer(r"\bh\(", code):
        depth, place, literals = 1, call.end(), []
        while depth and place < len(code):
            char = code[place]
            if char in "\"'`":
                end = place + 1
                while code[end] != char:
                    end += 2 if code[end] == "\\" else 1
                if depth == 1:
                    literals.append(code[place + 1 : end])
                place = end
            depth += (char in "([{") - (char in ")]}")
            place += 1
        found += literals[1:]
    return found


def test_the_search_for_fixed_texts_finds_them() -> None:
    code = 'h("p", {class: "a b"}, "two words", t("x.y z"), h("b", {}, `one`), x ? "not now" : "")'
    assert children_of_h(code) == ["two words", "not now", "", "one"]


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_no_text_for_people_in_code(script: Path) -> None:
    code = without_comments(script.read_text("utf-8"))
    words = [
        text for text in children_of_h(code) if len(re.findall(r"[^\W\d_]{2,}", re.sub(r"\$\{.*?\}", "", text))) >= 2
    ]
    assert not words, f"put these into locales/en: {words}"
    named = re.findall(r"(?:title|placeholder|\"aria-label\"|alt): \"([^\"]*[^\W\d_]{2,}[^\"]*)\"", code)
    assert not named, f"put these into locales/en: {named}"


def colours(dark: bool) -> dict[str, str]:
    """The variables of a theme: a colour stands once, as light-dark(one, other)."""
    block = re.search(r":root \{(.*?)\n\}", (PAGE / "css/base.css").read_text("utf-8"), re.S)
    assert block
    chosen = re.sub(r"light-dark\((#\w+), (#\w+)\)", r"\2" if dark else r"\1", block[1])
    return dict(re.findall(r"(--[\w-]+): ([^;]+);", chosen))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_known_colours() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


GROUNDS = ("--bg", "--panel", "--raised")
READ = [(ink, ground) for ink in ("--text", "--muted", "--accent", "--good", "--bad", "--warn") for ground in GROUNDS]
READ += [(f"--suit-{suit}", ground) for suit in "shdc" for ground in GROUNDS]
READ += [(f"--card-{suit}", "--card-face") for suit in "shdc"]
READ += [
    ("--on-action", fill) for fill in ("--fold", "--call", "--raise", "--allin", *(f"--raise-{i}" for i in range(4)))
]
READ += [("--on-accent", "--accent"), ("--on-primary", "--primary"), ("--on-felt", "--felt"), ("--text", "--chosen")]
READ += [("--muted", "--sunken"), ("--text", "--sunken"), ("--text", "--accent-soft"), ("--bg", "--text")]
READ += [(f"--{kind}", f"--{kind}-soft") for kind in ("good", "bad", "warn")]
READ += [("--text", f"--{kind}-soft") for kind in ("good", "bad", "warn")]
SEEN = [("--line-strong", ground) for ground in GROUNDS] + [(f"--series-{i}", "--panel") for i in range(6)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_colours_can_be_read(dark: bool) -> None:
    theme = colours(dark)
    poor = {(a, b): round(contrast(theme[a], theme[b]), 2) for a, b in READ if contrast(theme[a], theme[b]) < 4.5}
    poor |= {(a, b): round(contrast(theme[a], theme[b]), 2) for a, b in SEEN if contrast(theme[a], theme[b]) < 3}
    assert not poor, f"contrast too low: {poor}"


def test_stylesheets_use_known_variables() -> None:
    files = {file.name: file.read_text("utf-8") for file in PAGE.rglob("*") if file.suffix in {".css", ".js"}}
    everything = "\n".join(files.values())
    defined = set(re.findall(r"(--[\w-]+)[\"'`]?\s*[:,]", everything))  # by a stylesheet or by setProperty
    for text in files.values():
        if "setProperty(`--${" in text:  # names made of the words of that script
            defined |= {f"--{word}" for word in re.findall(r"[\w-]+", text)}
    for name, text in files.items():
        used = set(re.findall(r"var\((--[\w-]+)\)", text))  # with a fallback it may be missing
        assert used <= defined, f"{name} uses {sorted(used - defined)}"
