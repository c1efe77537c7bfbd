"""YAML without its traps: plain data only, bounded, and each value knows its line (SPEC 11.2).

The scalars follow YAML 1.2's core schema: ``off``, ``no`` and ``on`` are words and ``1:30`` is no
number, as people who write ``effort: off`` expect. No tag builds an object. Aliases are
followed, but a value that would grow beyond ``MAX_NODES`` or that holds itself is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from routinglab.skills.decode import clean

#: A value of more parts than this, aliases followed, is taken for an attack.
MAX_NODES = 10_000

#: Lists and objects inside each other.
MAX_DEPTH = 50

_NULL, _BOOL = "tag:yaml.org,2002:null", "tag:yaml.org,2002:bool"
_INT, _FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
_TEXT = "tag:yaml.org,2002:str"


class CoreLoader(yaml.SafeLoader):
    """The pure-Python safe loader with the core schema; the C one overflows on deep nesting."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    # PyYAML looks ahead past every open bracket, at a cost that grows with their square
    def fetch_flow_collection_start(self, token_class: type[yaml.Token]) -> None:
        self._bound(self.flow_level)
        super().fetch_flow_collection_start(token_class)

    def add_indent(self, column: int) -> bool:
        self._bound(len(self.indents))
        return bool(super().add_indent(column))

    def _bound(self, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise yaml.scanner.ScannerError(None, None, "nested too deeply", self.get_mark())


class CoreDumper(yaml.SafeDumper):
    """Writes text so that both this loader and one of YAML 1.1 read it as text."""

    def ignore_aliases(self, data: object) -> bool:
        return True


for _tag, _pattern, _first in (
    (_NULL, r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    (_BOOL, r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    (_INT, r"[-+]?[0-9][0-9_]*", list("-+0123456789")),
    (_FLOAT, r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    CoreLoader.add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern})$"), _first)
    CoreDumper.add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern})$"), _first)


def dump(key: str, value: object) -> str:
    """``key: value`` as YAML lines: objects in a block, lists and scalars on the key's own line."""
    if not isinstance(value, (list, dict)):
        return _dumped({key: value})
    start = _dumped({key: None}).removesuffix(" null\n")
    if isinstance(value, list) or not value:
        return f"{start} {_dumped(value, flow=True)}"
    inner = "".join(dump(name, item) for name, item in value.items())
    return f"{start}\n{inner}".replace("\n", "\n  ").removesuffix("  ")


def _dumped(value: object, *, flow: bool = False) -> str:
    text: str = yaml.dump(
        value,
        Dumper=CoreDumper,
        allow_unicode=True,
        default_flow_style=flow,
        sort_keys=False,
        width=1_000_000,
    )
    return text


class TooLarge(ValueError):
    """A value grows without bounds, or holds itself."""


def compose(text: str) -> Node | None:
    """The node tree of one document, None for an empty one.

    Raises ``yaml.YAMLError`` for anything that is no YAML, nesting beyond measure included.
    """
    loader = CoreLoader(text)
    try:
        return loader.get_single_node()
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None
    except (ValueError, OverflowError) as error:  # bad escapes such as "\\UFFFFFFFF"
        raise yaml.YAMLError(str(error)) from None
    finally:
        loader.dispose()


def line_of(node: Node) -> int:
    """Zero-based line on which a node begins."""
    return int(node.start_mark.line)


def raw(node: Node) -> str | None:
    """A scalar's text as written, whatever type YAML would make of it; None for null and others."""
    if not isinstance(node, ScalarNode) or is_null(node):
        return None
    return clean(str(node.value))


def is_null(node: Node) -> bool:
    """Whether a node is null or has nothing after its key."""
    return isinstance(node, ScalarNode) and node.tag == _NULL


def is_text(node: Node) -> bool:
    """Whether YAML itself reads the node as text."""
    return isinstance(node, ScalarNode) and node.tag not in (_NULL, _BOOL, _INT, _FLOAT)


def plain(node: Node) -> object:
    """A node as None, bool, int, float, str, list or dict; measure it before."""
    if isinstance(node, SequenceNode):
        return [plain(item) for item in node.value]
    if isinstance(node, MappingNode):
        return {str(raw(k)) if raw(k) is not None else "null": plain(v) for k, v in pairs(node)}
    return _scalar(node)


class Sizes:
    """How many nodes the values of one file stand for, with every alias followed."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._total = 0

    def add(self, node: Node) -> None:
        """Count one more value; raises :class:`TooLarge` where it, or all so far, grow too big."""
        try:
            size = self._measure(node, set())
        except RecursionError:
            raise TooLarge("is nested too deeply") from None
        if self._total + size > MAX_NODES:
            raise TooLarge(_GROWS)
        self._total += size

    def _measure(self, node: Node, above: set[int]) -> int:
        if isinstance(node, ScalarNode):
            return 1
        identity = id(node)
        if identity in above:
            raise TooLarge("holds itself through an alias")
        if identity not in self._known:
            above.add(identity)
            total = 1
            for child in _children(node):
                total += self._measure(child, above)
                if total > MAX_NODES:
                    raise TooLarge(_GROWS)
            above.discard(identity)
            self._known[identity] = total
        return self._known[identity]


_GROWS = f"stands for more than {MAX_NODES:,} values through its aliases"


def pairs(node: MappingNode) -> Iterator[tuple[Node, Node]]:
    """Keys and values of a mapping; what ``<<`` merges in comes last, own keys hide it."""
    merged = []
    seen = set()
    for key, value in node.value:
        if isinstance(key, ScalarNode) and key.value == "<<" and key.style is None:
            merged.append(value)
            continue
        seen.add(raw(key))
        yield key, value
    for value in merged:
        sources = value.value if isinstance(value, SequenceNode) else [value]
        for source in {id(source): source for source in sources}.values():
            if isinstance(source, MappingNode):
                for key, inner in source.value:
                    if raw(key) not in seen:
                        seen.add(raw(key))
                        yield key, inner


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.value
    elif isinstance(node, MappingNode):
        for key, value in node.value:
            yield key
            yield value


def _scalar(node: Node) -> object:
    text = clean(str(node.value))
    try:
        if node.tag == _NULL:
            return None
        if node.tag == _BOOL:
            return text.lower() == "true"
        if node.tag == _INT:
            return int(text)
        if node.tag == _FLOAT and abs(float(text)) != float("inf"):
            return float(text)
    except ValueError:  # an explicit tag on other text, or a number of thousands of digits
        pass
    return text
