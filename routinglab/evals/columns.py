"""What each column of a table holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from routinglab.evals.benchmarks import find_label
from routinglab.evals.labels import ValueColumn, topic_column, topic_of, value_column
from routinglab.evals.names import HARNESSES, effort_named
from routinglab.evals.sections import Place
from routinglab.evals.values import is_missing, read_figure
from routinglab.evals.words import KEY_MEANING, KEY_NAME, MODEL_FALLBACK, ROLES, ROW_ID, plain

_INTERVAL_OF = re.compile(
    r"\s*[(\[]?\s*(?:±|\+/?-|(?:95\s*%\s*)?\bCI\b|\bstd\s?err(?:or)?\b|\bhalf[ -]width\b)\s*[)\]]?$",
    re.I,
)
_LOOSE_MODEL = re.compile(
    r"models?\b(?!\s+(?:size|family|provider|maker|type|count|card|licen[cs]e))", re.I
)


@dataclass(slots=True)
class Columns:
    """The columns of a table by role; ``roles`` maps a role to its column.

    In a ``long`` table a column names the benchmark of each row's value; ``values`` are then what
    else was measured with it.
    """

    roles: dict[str, int] = field(default_factory=dict)
    values: list[ValueColumn] = field(default_factory=list)
    ignored: list[tuple[int, str]] = field(default_factory=list)
    nameless: list[int] = field(default_factory=list)
    model: int | None = None
    guessed: bool = False
    long: bool = False


def is_key_table(header: Sequence[str]) -> bool:
    """Whether a table explains column names: ``| Key | Meaning |``."""
    forms = [plain(text) for text in header]
    return (
        len(forms) >= 2 and forms[0] in KEY_NAME and any(form in KEY_MEANING for form in forms[1:])
    )


def read_columns(
    header: Sequence[str], cells: Sequence[Sequence[str]], place: Place, keys: dict[str, str]
) -> Columns:
    """Assign every column a role. ``cells`` are the plain cells of the rows (a sample will do)."""
    found = Columns()
    forms = [(plain(text), plain(text, bracketed=False)) for text in header]
    own = place.edition.namespace == "own"
    raw = [_role(full, own) or _role(short, own) for full, short in forms]
    _find_model(found, raw, header, forms, cells, place)
    found.long = "benchmark" in raw and "value" in raw
    efforts = [effort_named(text) for text in header]
    by_effort = sum(effort is not None for effort in efforts) >= 2
    by_harness = sum(text.lower() in HARNESSES for text in header) >= 2
    topic = topic_of(place)
    for at, text in enumerate(header):
        role = "ci" if _INTERVAL_OF.fullmatch(text) else raw[at]
        if at in (found.model, found.roles.get("slug"), found.roles.get("agent_model")):
            continue
        column = [row[at] for row in cells if at < len(row)]
        if (forms[at][0] in ROW_ID or text.strip() in ("#", "№")) and at == 0:
            continue
        if role in ("benchmark", "value") and not found.long:
            role = None
        unsure = role == "about" or (role == "effort" and "effort" not in text.lower())
        if unsure and _mostly_figures(column):
            role = None
        if not found.long and (role == "ci" or _INTERVAL_OF.search(text)):
            if _attach_ci(found, at, text):
                continue
            role = None
        if role in ("about", "model"):
            found.ignored.append((at, text))
        elif role:
            found.roles.setdefault(role, at)
        elif text.strip():
            if by_effort and efforts[at]:
                value = topic_column(at, text, place, topic, effort=efforts[at])
            elif by_harness and text.lower() in HARNESSES:
                value = topic_column(at, text, place, topic, harness=text)
            else:
                value = value_column(at, text, place, keys, topic)
            found.values.append(value)
        elif any(not is_missing(cell) for cell in column):
            found.nameless.append(at)
    return found


def _role(form: str, own: bool) -> str | None:
    """What a column is by its heading; the kind of work of one's own outcomes is their benchmark."""
    role = ROLES.get(form)
    if role == "work":
        return "benchmark" if own else None
    return role


def means_something(heading: str) -> bool:
    """Whether a heading is read as something else than a kind of work."""
    form = plain(heading)
    return (
        form in ROLES
        or form in ROW_ID
        or form in MODEL_FALLBACK
        or heading.lower() in HARNESSES
        or effort_named(heading) is not None
        or find_label("*", heading) is not None
        or _LOOSE_MODEL.match(heading) is not None
        or _INTERVAL_OF.search(heading) is not None
    )


def _find_model(
    found: Columns,
    raw: list[str | None],
    header: Sequence[str],
    forms: list[tuple[str, str]],
    cells: Sequence[Sequence[str]],
    place: Place,
) -> None:
    """The column that names models, the slug beside it, or agent and model in one."""
    for role in ("slug", "agent_model"):
        if role in raw:
            found.roles[role] = raw.index(role)
    if "model" in raw:
        found.model = raw.index("model")
        if raw.count("model") > 1 and "slug" not in raw:
            _tell_slug(found, [at for at, role in enumerate(raw) if role == "model"], cells)
        return
    if found.roles:
        if "slug" in found.roles:
            names = (at for at, pair in enumerate(forms) if "name" in pair)
            found.model = next((at for at in names if at != found.roles["slug"]), None)
        return
    loose = next((at for at, text in enumerate(header) if _LOOSE_MODEL.match(text)), None)
    if loose is not None and not _mostly_figures([row[loose] for row in cells if loose < len(row)]):
        found.model = loose
        return
    for name in MODEL_FALLBACK:
        at = next((at for at, pair in enumerate(forms) if name in pair), None)
        if at is not None and not _mostly_figures([row[at] for row in cells if at < len(row)]):
            found.model = at
            return
    namespace = place.edition.namespace
    known = sum(find_label(namespace, text) is not None for text in header[1:] if text.strip())
    first = [row[0] for row in cells if row]
    usable = not forms[0][0] or raw[0] is None
    if (
        known
        and usable
        and first
        and not _mostly_figures(first)
        and not find_label(namespace, header[0])
    ):
        found.model = 0
        found.guessed = bool(header[0].strip())


def _tell_slug(found: Columns, several: Sequence[int], cells: Sequence[Sequence[str]]) -> None:
    """Of several columns of models, one may hold slugs and another displayed names."""
    for at in several:
        texts = [row[at] for row in cells if at < len(row)]
        if texts and all(text == text.lower() and " " not in text for text in texts):
            found.roles["slug"] = at
            found.model = next(other for other in several if other != at)
            return


def _mostly_figures(column: Sequence[str]) -> bool:
    present = [text for text in column if not is_missing(text)]
    return bool(present) and 2 * sum(read_figure(text) is not None for text in present) >= len(
        present
    )


def _attach_ci(found: Columns, at: int, text: str) -> bool:
    """Give a column of intervals to the figures it belongs to: those it names, else those before."""
    label = _INTERVAL_OF.sub("", text).strip()
    named = [n for n, column in enumerate(found.values) if label and column.heading == label]
    if not named and (not found.values or (label and ROLES.get(plain(text)) != "ci")):
        return False
    which = named[-1] if named else -1
    found.values[which] = replace(found.values[which], ci_at=at)
    return True
