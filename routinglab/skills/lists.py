"""Lists that people write in four ways: commas, spaces, flow lists, block lists."""

from __future__ import annotations

import re

from yaml.nodes import Node, ScalarNode, SequenceNode

from routinglab.skills.safe_yaml import is_text

_TOOL = re.compile(r"[A-Za-z_][\w.:/*-]*(?:\([^()\n]*\))?")


def split_tools(node: Node) -> tuple[str, ...] | None:
    """Tool names in order, each once; None where the list cannot be read.

    ``Bash(git add:*, git push)`` is one name: what stands in parentheses is never split.
    """
    if isinstance(node, SequenceNode):
        words = []
        for item in node.value:
            if not (isinstance(item, ScalarNode) and is_text(item)):
                return None
            words.append(str(item.value).strip())
    elif isinstance(node, ScalarNode) and is_text(node):
        words = _outside_parentheses(str(node.value))
    else:
        return None
    if any(not _TOOL.fullmatch(word) for word in words):
        return None
    return tuple(dict.fromkeys(words))


def split_names(node: Node) -> tuple[str, ...] | None:
    """Names of a list or a comma string; None where something else is written.

    Nothing is left out between two names, because another list may be aligned to this one.
    """
    if isinstance(node, SequenceNode):
        if not all(isinstance(item, ScalarNode) and is_text(item) for item in node.value):
            return None
        words = [str(item.value) for item in node.value]
    elif isinstance(node, ScalarNode) and is_text(node):
        words = str(node.value).split(",")
    else:
        return None
    names = [word.strip() for word in words]
    while names and not names[-1]:
        names.pop()
    return tuple(names)


def _outside_parentheses(text: str) -> list[str]:
    """Split at commas and white space that stand outside parentheses."""
    words, word, depth = [], "", 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth <= 0 and (char == "," or char.isspace()):
            words.append(word)
            word = ""
        else:
            word += char
    words.append(word)
    return [w for w in words if w]
