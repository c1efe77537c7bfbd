"""The values settings can hold (SPEC 2.1); a bare ``Settings()`` is all defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, PrivateAttr, StrictBool, StrictStr, field_validator
from pydantic import field_serializer as serialised

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import text_digest
from routinglab.core.value import Value, blank_is_none, comma_list
from routinglab.errors import InvalidInput

Api = Literal["openai", "anthropic", "systemone"]
Milliseconds = Annotated[int, Field(strict=True, ge=0)]
Count = Annotated[int, Field(strict=True, ge=0, le=100)]
ProviderId = Annotated[str, Field(strict=True, pattern=r"^[^/\s]+$")]

_KEY_NAME = re.compile(r"[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_RESERVED_NAMES = ("auto", "inherit")

Name = Annotated[StrictStr | None, BeforeValidator(blank_is_none)]
Names = Annotated[tuple[StrictStr, ...] | None, BeforeValidator(comma_list)]


class ModelRouting(Value):
    """Which providers and models automatic routing may use; an empty list restricts nothing."""

    allowed_providers: tuple[StrictStr, ...] = ()
    excluded_providers: tuple[StrictStr, ...] = ()
    allowed_models: tuple[StrictStr, ...] = ()
    excluded_models: tuple[StrictStr, ...] = ()


class RetrySettings(Value):
    """How transient provider failures are retried; delays are milliseconds."""

    enabled: StrictBool = True
    max_retries: Count = 3
    base_delay_ms: Milliseconds = 2000
    max_retry_delay_ms: Milliseconds = 60000


class ToolPermissions(Value):
    """What a child may do beyond reading the workspace."""

    write: StrictBool = False
    shell: StrictBool = False
    fetch: StrictBool = False


class SkillSettings(Value):
    """Where skills are looked for besides the standard folders, and which are left out."""

    paths: tuple[Path, ...] = ()
    excluded_paths: tuple[Path, ...] = ()
    disabled: tuple[StrictStr, ...] = ()
    max_depth: Annotated[int, Field(strict=True, ge=1, le=10)] = 3


class AgentOverride(Value):
    """What a settings file changes about one agent; None leaves the agent's own value.

    ``thinking`` is the legacy effort, False where a blank or ``false`` clears an inherited one.
    ``fallback_models`` and ``tools`` take a list or a comma string.
    """

    model: Name = None
    fallback_models: Names = None
    thinking: Effort | Literal[False] | None = None
    model_constraints: ModelConstraints | None = None
    task_needs: TaskNeeds | None = None
    tools: Names = None

    @field_validator("thinking", mode="before")
    @classmethod
    def _blank_clears(cls, value: object) -> object:
        return False if isinstance(value, str) and not value.strip() else value


class Subagents(Value):
    """Settings about subagents, by agent name."""

    agent_overrides: dict[str, AgentOverride] = Field(default_factory=dict)


class ProviderSettings(Value):
    """What a user states about one provider; None leaves the preset's value.

    ``headers`` values may be secrets, so neither a repr nor ``to_dict`` shows them.
    """

    api: Api | None = None
    base_url: StrictStr | None = None
    api_key_env: StrictStr | None = None
    headers: dict[str, StrictStr] = Field(default_factory=dict, repr=False)

    # InvalidInput, unlike pydantic's own errors, does not repeat the value, which may be a secret

    @field_validator("base_url", mode="before")
    @classmethod
    def _plain_address(cls, value: object) -> str | None:
        if value is None:
            return None
        example = "must be an http or https address such as https://api.example.com/v1"
        if not isinstance(value, str) or re.search(r"[\s\\]", value):
            raise InvalidInput(example)
        try:
            parts = urlsplit(value)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise InvalidInput(example) from None
        if parts.scheme not in ("http", "https") or not host:
            raise InvalidInput(example)
        if parts.username is not None or parts.password is not None:
            raise InvalidInput("must not hold a user name or password; name a key in apiKeyEnv")
        if parts.query or parts.fragment:
            raise InvalidInput("must be an address without ?query or #fragment")
        return value.rstrip("/")

    @field_validator("api_key_env", mode="before")
    @classmethod
    def _names_a_variable(cls, value: object) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str) or not _KEY_NAME.fullmatch(value) or len(value) > 64:
            raise InvalidInput(
                "must be the name of an environment variable such as OPENAI_API_KEY, "
                "not the key itself"
            )
        return value

    @field_validator("headers", mode="before")
    @classmethod
    def _clean_headers(cls, headers: object) -> dict[str, str]:
        if not isinstance(headers, Mapping):
            raise InvalidInput("must be an object of texts by header name")
        for name, value in headers.items():
            if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
                raise InvalidInput("holds a name that is no HTTP header name")
            if not isinstance(value, str) or not value.isprintable():
                raise InvalidInput(f"the value of {name} must be a text without control characters")
        return dict(headers)

    @serialised("headers")
    def _hidden(self, headers: dict[str, str]) -> dict[str, str]:
        return dict.fromkeys(headers, "***")


class Settings(Value):
    """All settings; paths in loaded ones are absolute.

    ``warnings`` says what an untrusted project file asked for and did not get.
    """

    current_model: Name = None
    router_model: Name = None
    model_aliases: dict[str, StrictStr] = Field(default_factory=dict)
    model_routing: ModelRouting = ModelRouting()
    http_idle_timeout_ms: Milliseconds = 600_000
    retry: RetrySettings = RetrySettings()
    preferred_provider: Name = None
    subagents: Subagents = Subagents()
    tools: ToolPermissions = ToolPermissions()
    providers: dict[ProviderId, ProviderSettings] = Field(default_factory=dict)
    catalog: tuple[Path, ...] = ()
    evals: Path | None = None
    skills: SkillSettings = SkillSettings()
    trusted_projects: tuple[StrictStr, ...] = ()

    _warnings: tuple[str, ...] = PrivateAttr(default=())

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for a person; they are no part of the settings' identity."""
        return self._warnings

    @field_validator("providers", mode="before")
    @classmethod
    def _by_provider(cls, providers: object) -> object:
        listed = providers.values() if isinstance(providers, Mapping) else [None]
        if not all(isinstance(one, Mapping | ProviderSettings) for one in listed):
            raise InvalidInput("must be an object of providers by id, each an object")
        return providers

    @field_validator("model_aliases")
    @classmethod
    def _usable_aliases(cls, aliases: dict[str, str]) -> dict[str, str]:
        for name, target in aliases.items():
            if not name.strip() or name.strip().lower() in _RESERVED_NAMES:
                raise ValueError(f"{name!r} cannot be an alias; choose another name")
            if not target.strip():
                raise ValueError(f"alias {name!r} names no model")
        return aliases

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what can change a decision: no paths, no header values, no trust list."""
        data: dict[str, Any] = self.to_dict()
        for name in ("catalog", "evals", "skills", "trustedProjects"):
            del data[name]
        text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text_digest(text)
