"""The lines of a Markdown file without what is no text: front matter, code and comments.

Every line is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from routinglab.evals.row import Warned

LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_COMMENTS = {"<!--": "-->", "{/*": "*/}"}
_OPENS = re.compile(r"<!--|\{/\*")


class Scanner:
    """Lines of a file with code and comments blanked out; ``warnings`` says what never closed."""

    def __init__(self, text: str) -> None:
        self.warnings: list[Warned] = []
        self.front: list[str] = []
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Numbered lines; None where a line was code or wholly a comment."""
        number = self._skip_front_matter()
        fence = comment = ""
        opened = 0
        lines = self._lines
        listed = False
        blank_before = True
        while number < len(lines):
            line = lines[number]
            number += 1
            if fence:
                if _closes(line, fence):
                    fence = ""
                yield number, None
                continue
            had_comment = bool(comment)
            if comment or "<!--" in line or "{/*" in line:
                was = comment
                line, comment = _uncommented(line, comment)
                if comment and not was:
                    opened = number
                had_comment = True
            if had_comment and not line.strip():
                yield number, None
                continue
            if "`" in line or "~" in line:
                started = _FENCE.match(_QUOTE.sub("", line))
                if started and not (started.group(1)[0] == "`" and "`" in started.group(2)):
                    fence, opened = started.group(1), number
                    yield number, None
                    continue
            if line[:4] == "    " or line[:1] == "\t":
                if blank_before and not listed:
                    yield number, None
                    continue
            elif line.strip():
                listed = (
                    bool(LIST_ITEM.match(line)) or line[:1] == "<" or (listed and line[:1] == " ")
                )
            blank_before = not line.strip()
            yield number, _QUOTE.sub("", line) if line.lstrip()[:1] == ">" else line
        if fence:
            self.warnings.append(
                Warned(
                    opened,
                    "a code fence is opened here and never closed; what follows was passed over",
                )
            )
        if comment:
            self.warnings.append(
                Warned(
                    opened,
                    "a comment is opened here and never closed; what follows was passed over",
                )
            )

    def _skip_front_matter(self) -> int:
        lines = self._lines
        mark = lines[0].rstrip() if lines else ""
        if mark not in ("---", "+++"):
            return 0
        for number in range(1, min(len(lines), 2000)):
            if lines[number].rstrip() in (mark, "..."):
                self.front = lines[1:number]
                return number + 1
        return 0


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip().lstrip("> ")
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _uncommented(line: str, comment: str) -> tuple[str, str]:
    """The line without its comments, and the mark that would end one still open."""
    kept: list[str] = []
    at = 0
    while True:
        if comment:
            end = line.find(comment, at)
            if end < 0:
                return "".join(kept), comment
            at = end + len(comment)
            comment = ""
        opens = _OPENS.search(line, at)
        if not opens:
            kept.append(line[at:])
            return "".join(kept), ""
        if line.count("`", at, opens.start()) % 2:
            after = line.find("`", opens.end())
            if after >= 0:
                kept.append(line[at : after + 1])
                at = after + 1
                continue
        kept.append(line[at : opens.start()])
        comment = _COMMENTS[opens.group()]
        at = opens.end()
