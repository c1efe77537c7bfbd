"""Find what a piece of HTML would load from elsewhere, or run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

#: Attributes whose address a browser fetches by itself. A link's ``href`` waits for a click.
_FETCHED = {
    "src", "srcset", "poster", "data", "background", "action", "formaction", "manifest", "code",
    "archive", "longdesc", "ping",
}  # fmt: skip
_FETCHED_HREF = {
    "link",
    "image",
    "use",
    "feimage",
    "base",
    "script",
    "pattern",
    "textpath",
    "mpath",
}
_CSS_ADDRESS = re.compile(r"url\(\s*['\"]?\s*([^'\")\s]+)|@import\s+['\"]([^'\"]+)", re.IGNORECASE)
_DATA_SCRIPT = re.compile(r"^(application/(ld\+)?json|text/plain|.*\+json)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reach:
    """The first thing that leaves the page: an address it loads, or a script it runs."""

    address: str = ""
    script: bool = False


def reach_of(markup: str, *, allow_scripts: bool = False) -> Reach | None:
    """What ``markup`` would fetch or run, or None where it is self-contained."""
    finder = _Finder(allow_scripts)
    finder.feed(markup)
    finder.close()
    return finder.found


class _Finder(HTMLParser):
    def __init__(self, allow_scripts: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.allow_scripts = allow_scripts
        self.found: Reach | None = None
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "script" and not _DATA_SCRIPT.match(values.get("type", "")):
            self._script()
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self._address(values.get("content", "a refresh"))
        if tag == "iframe" and "srcdoc" in values:
            self._address("a framed document")
        for name, value in values.items():
            fetched = name in _FETCHED or (name in ("href", "xlink:href") and tag in _FETCHED_HREF)
            if fetched:
                for address in value.split(",") if name == "srcset" else [value]:
                    self._address(address.strip())
            elif name == "style":
                self._css(value)
            elif name.startswith("on") or (
                name in ("href", "xlink:href") and value.strip().lower().startswith("javascript:")
            ):
                self._script()
            elif "url(" in value.lower():
                self._css(value)
        self._in_style = tag == "style"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._in_style = False

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self._css(data)

    def _css(self, text: str) -> None:
        for match in _CSS_ADDRESS.finditer(text):
            self._address(match[1] or match[2])

    def _address(self, address: str) -> None:
        inside = not address or address.startswith("#") or address.lower().startswith("data:")
        if not inside and self.found is None:
            self.found = Reach(address=address if len(address) < 200 else address[:197] + "...")

    def _script(self) -> None:
        if not self.allow_scripts and self.found is None:
            self.found = Reach(script=True)
