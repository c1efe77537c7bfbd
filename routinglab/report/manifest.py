"""The manifest of a page: which notebook, parameters, files and versions it came from."""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import Field

from routinglab.core.value import Value


class InputFile(Value):
    """One file the notebook read: a name that no machine decides, its digest and its size."""

    name: str
    sha256: str
    bytes: int


class Manifest(Value):
    """What a page was made from; the same manifest means the same bytes.

    ``page_sha256`` is None in the copy inside the page, which cannot hold its own digest.
    """

    schema_version: int = 1
    title: str
    notebook: InputFile
    parameters: dict[str, Any] = Field(default_factory=dict)
    inputs: tuple[InputFile, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)
    page_sha256: str | None = None


def input_file(name: str, content: bytes) -> InputFile:
    """Describe a file from its content."""
    return InputFile(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))
