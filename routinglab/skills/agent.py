"""Agent definitions as files: load, change, save without losing anything (SPEC 11.6)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from routinglab.core.agent import AgentBrief
from routinglab.core.files import write_whole
from routinglab.core.text import did_you_mean
from routinglab.core.value import Value
from routinglab.errors import InvalidInput, SkillError
from routinglab.skills.decode import Decoded, decode
from routinglab.skills.edit import other_keys, set_body, set_key
from routinglab.skills.parse import parse_skill, read_file
from routinglab.skills.skill import Scope, Skill

#: Python name of a field that can be changed, the key it is written under, and its other spellings.
_KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "name": ("name", ()),
    "description": ("description", ()),
    "tools": ("tools", ("allowed-tools",)),
    "model": ("model", ()),
    "effort": ("effort", ()),
    "fallback_models": ("fallbackModels", ()),
    "thinking": ("thinking", ()),
    "fallback_thinking_levels": ("fallbackThinkingLevels", ()),
    "model_constraints": ("modelConstraints", ()),
    "task_needs": ("taskNeeds", ()),
    "max_steps": ("max-steps", ()),
    "invocation": ("invocation", ()),
}
EDITABLE = (*_KEYS, "body")
_NOT_CONTENT = ("path", "scope", "warnings", "blockers")


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One agent file: its fields in ``skill``, and its text as it stands in ``source``."""

    skill: Skill
    source: Decoded

    @classmethod
    def load(cls, path: str | Path, scope: Scope = "project") -> Self:
        """Read a definition; SkillError only where no file can be read at that path."""
        place = Path(path)
        raw, size = read_file(place)
        skill = parse_skill(raw, path=place, scope=scope, kind="agent", size=size)
        return cls(skill, decode(raw, size))

    @classmethod
    def new(cls, name: str, description: str, body: str, **fields: Any) -> Self:
        """A definition that is in no file yet."""
        source = Decoded("")
        empty = cls(parse_skill("", kind="agent", name=name), source)
        return empty.changed(name=name, description=description, **fields).changed(body=body)

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def text(self) -> str:
        """The file's text."""
        return self.source.text

    def brief(self) -> AgentBrief:
        """What routing sees of it; settings overrides are added by ``effective_agent``."""
        return self.skill.brief()

    def changed(self, **fields: Any) -> Self:
        """The definition with fields set by their Python names; None takes a field out.

        Only the lines of these fields change: other keys, their order, comments and line ends stay.
        InvalidInput for a field or value that cannot be; SkillError where the file is too broken to change in place.
        """
        for name in fields:
            if name not in EDITABLE:
                raise InvalidInput(
                    f"an agent definition has no field {name!r} to change."
                    f"{did_you_mean(name, EDITABLE)} Fields: {', '.join(EDITABLE)}",
                    choices=EDITABLE,
                )
        self._require_whole()
        wanted = _wanted(self.skill, fields)
        text = self.source.text
        for name in fields:
            if name != "body":
                key, others = _KEYS[name]
                text = set_key(text, key, _plain(getattr(wanted, name), fields[name]), others)
        if "body" in fields:
            text = set_body(text, fields["body"] or "")
        source = Decoded(text, self.source.encoding, self.source.mark)
        skill = parse_skill(
            source.encode(text),
            path=self.skill.path,
            scope=self.skill.scope,
            kind="agent",
            name=wanted.name,
        )
        keys = {
            key for name in fields if name in _KEYS for key in (_KEYS[name][0], *_KEYS[name][1])
        }
        lost = [k for k, v in _content(skill).items() if v != _content(wanted)[k]]
        if other_keys(text, keys) != other_keys(self.source.text, keys):
            lost.append("another key")
        if lost:
            raise SkillError(
                f"{self.skill.path or self.name}: cannot be changed in place ({', '.join(lost)} "
                "would not keep its value); put each key on a line of its own"
            )
        return type(self)(skill, source)

    def save(self, path: str | Path | None = None) -> Path:
        """Write the text as it is, atomically, to ``path`` or to where it came from."""
        self._require_whole()
        if path is None and (self.skill.path is None or self.skill.scope == "builtin"):
            raise SkillError(f"agent {self.name!r} is in no file of yours; say where to save it")
        target = Path(os.path.realpath(path if path is not None else str(self.skill.path)))
        try:
            _write(target, self.source.encode(self.source.text))
        except OSError as error:
            raise SkillError(f"{target}: cannot be written ({error.strerror})") from None
        return target

    def _require_whole(self) -> None:
        if not self.source.whole:
            raise SkillError(
                f"{self.skill.path or self.name}: cannot be changed without losing text; "
                "shorten it, or save it as UTF-8, first"
            )


def _wanted(skill: Skill, fields: Mapping[str, Any]) -> Skill:
    given = dict(fields)
    for name in ("name", "description"):
        if isinstance(given.get(name), str):
            given[name] = " ".join(given[name].split())
    if isinstance(given.get("body"), str):
        given["body"] = given["body"].replace("\r\n", "\n").replace("\r", "\n").strip()
    if "thinking" in given and given["thinking"] == "":
        given["thinking"] = False
    for name, value in given.items():
        if value is None:
            given[name] = Skill.model_fields[name].get_default(call_default_factory=True)
    if fields.get("name", "") is None:
        given["name"] = skill.path.stem if skill.path else skill.name
    kept = {name: getattr(skill, name) for name in type(skill).model_fields}
    return Skill(**{**kept, **given})


def _plain(value: object, given: object) -> object:
    """A field's value as YAML writes it, None for a key to take out."""
    if given is None:
        return None
    if isinstance(value, Value):
        return {key: item for key, item in value.to_dict().items() if item is not None}
    return list(value) if isinstance(value, tuple) else value


def _content(skill: Skill) -> dict[str, object]:
    return {k: v for k, v in skill.to_dict().items() if k not in _NOT_CONTENT}


def _write(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o644
    write_whole(target, data, mode=mode)
