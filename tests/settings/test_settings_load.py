"""Files, merge and environment (SPEC 2.1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from routinglab.core.constraints import ModelConstraints
from routinglab.errors import InvalidInput, SettingsError
from routinglab.settings import Settings, load_settings


def test_without_files_every_setting_has_its_default(place):
    found = place.load()
    assert found == Settings()
    assert (found.http_idle_timeout_ms, found.retry.enabled, found.retry.max_retries) == (
        600_000,
        True,
        3,
    )
    assert (found.retry.base_delay_ms, found.retry.max_retry_delay_ms) == (2000, 60_000)
    assert (found.tools.write, found.tools.shell, found.tools.fetch) == (False, False, False)
    assert found.skills.max_depth == 3


def test_project_keys_override_user_keys_objects_merge_and_lists_replace(place):
    place.trusting(
        {
            "currentModel": "a/one",
            "preferredProvider": "a",
            "retry": {"maxRetries": 5, "baseDelayMs": 10},
            "modelAliases": {"x": "a/x", "y": "a/y"},
            "modelRouting": {"excludedProviders": ["p", "q"]},
        }
    )
    place.repo(
        {
            "currentModel": "b/two",
            "retry": {"maxRetries": 1},
            "modelAliases": {"y": "b/y"},
            "modelRouting": {"excludedProviders": ["r"]},
        }
    )
    found = place.load()
    assert found.current_model == "b/two"
    assert found.preferred_provider == "a"
    assert (found.retry.max_retries, found.retry.base_delay_ms) == (1, 10)
    assert found.model_aliases == {"x": "a/x", "y": "b/y"}
    assert found.model_routing.excluded_providers == ("r",)


def test_null_in_a_trusted_project_unsets_the_users_value(place):
    place.trusting({"currentModel": "a/one", "retry": {"maxRetries": 5}})
    place.repo({"currentModel": None, "retry": {"maxRetries": None}})
    found = place.load()
    assert found.current_model is None
    assert found.retry.max_retries == 3


def test_an_agent_override_keeps_all_its_fields(place):
    place.user(
        {
            "subagents": {
                "agentOverrides": {
                    "worker": {
                        "model": "auto",
                        "fallbackModels": "openai/gpt-5:medium, anthropic/claude-haiku-4-5:off",
                        "thinking": "high",
                        "modelConstraints": {"allowedEfforts": ["high", None]},
                        "taskNeeds": {"work": "coding"},
                        "tools": ["read", "bash"],
                    },
                    "cleared": {"thinking": ""},
                    "off": {"thinking": False},
                }
            }
        }
    )
    overrides = place.load().subagents.agent_overrides
    worker = overrides["worker"]
    assert worker.fallback_models == ("openai/gpt-5:medium", "anthropic/claude-haiku-4-5:off")
    assert worker.model_constraints == ModelConstraints(allowed_efforts=("high", None))
    assert worker.task_needs is not None
    assert worker.task_needs.work == "coding"
    assert worker.tools == ("read", "bash")
    assert (worker.thinking, overrides["cleared"].thinking) == ("high", False)
    assert overrides["off"].thinking is False


@pytest.mark.parametrize(
    ("data", "key", "hint"),
    [
        ({"currentModle": "x"}, "currentModle", "currentModel"),
        ({"current_model": "x"}, "current_model", "currentModel"),
        ({"Providers": {}}, "Providers", "providers"),
        ({"retry": {"maxRetry": 1}}, "retry.maxRetry", "maxRetries"),
        ({"providers": {"x": {"baseURL": "http://h"}}}, "providers.x.baseURL", "baseUrl"),
        (
            {"subagents": {"agentOverrides": {"w": {"fallbacks": []}}}},
            "subagents.agentOverrides.w.fallbacks",
            "fallbackModels",
        ),
        (
            {"subagents": {"agentOverrides": {"w": {"modelConstraints": {"maxInput": 1}}}}},
            "subagents.agentOverrides.w.modelConstraints.maxInput",
            "maxInputCost",
        ),
    ],
)
def test_an_unknown_key_names_file_path_and_nearest_key(place, data, key, hint):
    file = place.user(data)
    with pytest.raises(SettingsError) as caught:
        place.load()
    text = str(caught.value)
    assert str(file) in text
    assert repr(key) in text
    assert f"Did you mean {hint!r}" in text
    assert caught.value.field == key


@pytest.mark.parametrize(
    ("data", "key", "says"),
    [
        ({"httpIdleTimeoutMs": -1}, "httpIdleTimeoutMs", "greater than or equal to 0"),
        ({"httpIdleTimeoutMs": True}, "httpIdleTimeoutMs", "integer"),
        ({"retry": {"enabled": 1}}, "retry.enabled", "boolean"),
        ({"tools": {"shell": "yes"}}, "tools.shell", "boolean"),
        ({"catalog": "models.json"}, "catalog", "list"),
        ({"modelAliases": ["x"]}, "modelAliases", "object"),
        ({"modelAliases": {"auto": "a/b"}}, "modelAliases", "cannot be an alias"),
        ({"currentModel": 3}, "currentModel", "string"),
        ({"skills": {"maxDepth": 0}}, "skills.maxDepth", "greater than or equal to 1"),
        (
            {"subagents": {"agentOverrides": {"w": {"thinking": "hihg"}}}},
            "subagents.agentOverrides.w.thinking",
            "Did you mean 'high'",
        ),
        (
            {"subagents": {"agentOverrides": {"w": {"modelConstraints": {"maxInputCost": -1}}}}},
            "subagents.agentOverrides.w.modelConstraints.maxInputCost",
            "greater than or equal to 0",
        ),
    ],
)
def test_a_bad_value_names_file_and_path(place, data, key, says):
    file = place.user(data)
    with pytest.raises(SettingsError) as caught:
        place.load()
    assert str(caught.value).startswith(f"{file}: {key}")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{\n  "currentModel": "a/b",\n}', "line 3, column 1"),
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"[]", "holds a list"),
        (b"null", "holds null"),
        (b'{"currentModel": "\xff"}', "not UTF-8"),
        ('{"currentModel": "a/b"}'.encode("utf-16"), "not UTF-8"),
        (b'{"httpIdleTimeoutMs": NaN}', "NaN"),
        (b'{"httpIdleTimeoutMs": ' + b"9" * 5000 + b"}", "too long"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"currentModel": "a/b", "currentModel": "c/d"}', "currentModel: is written twice"),
        (b'{"tools": {"shell": false, "shell": true}}', "tools.shell: is written twice"),
        (b'{"modelAliases": {"a": "x/y", "a": "x/z"}}', "modelAliases.a: is written twice"),
        (b" " * 1_100_000, "larger than"),
        (rb'{"currentModel": "a/\ud800"}', "half of a character"),
    ],
)
def test_a_malformed_file_is_one_error_naming_it(place, content, says):
    file = place.user(content)
    with pytest.raises(SettingsError, match=r".") as caught:
        place.load()
    assert str(file) in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_mistake(place):
    place.user(b'\xef\xbb\xbf{"currentModel": "a/b"}')
    assert place.load().current_model == "a/b"


def test_a_folder_or_dangling_link_in_place_of_the_file_is_said(place):
    file = place.home / ".routinglab" / "settings.json"
    file.mkdir(parents=True)
    with pytest.raises(SettingsError, match="is a folder"):
        place.load()
    file.rmdir()
    file.symlink_to(place.home / "nowhere")
    with pytest.raises(SettingsError, match="link to a file that does not exist"):
        place.load()


def test_a_project_folder_that_is_none_is_said(place):
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(place.project / "no", home=place.home, env={})
    (place.project / "file").write_text("")
    with pytest.raises(SettingsError, match="is not a folder"):
        load_settings(place.project / "file", home=place.home, env={})


def test_the_environment_overrides_both_files_and_blank_counts_as_unset(place):
    place.user({"currentModel": "a/one", "routerModel": "a/r"})
    place.repo({"currentModel": "b/two"})
    found = place.load({"ROUTINGLAB_MODEL": "c/three", "ROUTINGLAB_ROUTER_MODEL": "c/r"})
    assert (found.current_model, found.router_model) == ("c/three", "c/r")
    found = place.load({"ROUTINGLAB_MODEL": " ", "ROUTINGLAB_ROUTER_MODEL": ""})
    assert (found.current_model, found.router_model) == ("b/two", "a/r")


@pytest.mark.parametrize("inside", [False, True])
def test_routinglab_home_names_the_home_or_its_routinglab_folder(place, inside):
    place.user({"currentModel": "a/one"})
    folder = place.home / ".routinglab" if inside else place.home
    found = load_settings(place.project, env={"ROUTINGLAB_HOME": str(folder)})
    assert found.current_model == "a/one"


def test_the_default_project_is_the_working_folder(place, monkeypatch):
    place.repo({"currentModel": "b/two"})
    monkeypatch.chdir(place.project)
    assert load_settings(home=place.home, env={}).current_model == "b/two"


def test_at_home_the_user_file_is_not_read_again_as_a_project(place):
    place.user({"providers": {"mine": {"baseUrl": "http://localhost:1"}}})
    found = load_settings(place.home, home=place.home, env={})
    assert found.providers["mine"].base_url == "http://localhost:1"


def test_paths_become_absolute_from_the_folder_that_holds_the_settings(place):
    place.user({"catalog": ["mine.json"], "evals": "~/evals.md"})
    found = place.load()
    assert found.catalog == (place.home / "mine.json",)
    assert found.evals == place.home / "evals.md"
    place.repo({"evals": "docs/evals.md", "skills": {"paths": ["extra"]}})
    found = place.load()
    assert found.evals == place.project / "docs" / "evals.md"
    assert found.skills.paths == (place.project / "extra",)


def test_secrets_appear_in_no_error_repr_or_json(place):
    secret = "sk-ant-verysecret-0123456789"
    for bad in (
        {"providers": {"x": {"headers": secret}}},
        {"providers": {"x": {"headers": {"Authorization": 7}, "apiKeyEnv": secret}}},
        {"providers": {"x": {"headers": {"X-Key": f"{secret}\r\nEvil: 1"}}}},
        {"providers": {"x": {"headers": {f"bad name {secret}": "v"}}}},
        {"providers": {"x": {"apiKeyEnv": secret}}},
        {"providers": {"x": {"baseUrl": f"https://user:{secret}@host/v1"}}},
        {"providers": {"x": {"baseUrl": f"https://host/v1?key={secret}"}}},
        {"providers": secret},
    ):
        place.user(bad)
        with pytest.raises(SettingsError) as caught:
            place.load()
        assert "verysecret" not in str(caught.value), bad
        assert "providers" in str(caught.value)
        with pytest.raises(InvalidInput) as direct:
            Settings(**bad)
        assert "verysecret" not in str(direct.value), bad
    place.user({"providers": {"x": {"baseUrl": "http://h", "headers": {"X-Key": secret}}}})
    found = place.load()
    assert found.providers["x"].headers == {"X-Key": secret}
    assert "verysecret" not in repr(found) + str(found) + found.to_json()


def test_a_syntax_error_quotes_nothing_of_the_file(place):
    place.user('{"providers": {"x": {"headers": {"X-Key": "sk-verysecret" "oops"}}}}')
    with pytest.raises(SettingsError) as caught:
        place.load()
    assert "verysecret" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["ftp://h", "h/v1", "http://", "http://h:port", "http://[::1", "http://a b/", 7]
)
def test_an_address_that_is_none_is_refused(place, address):
    place.user({"providers": {"x": {"baseUrl": address}}})
    with pytest.raises(SettingsError, match=r"providers\.x\.baseUrl"):
        place.load()


def test_the_digest_ignores_paths_and_header_values_and_nothing_else(place):
    def digest(data):
        place.user(data)
        return place.load().digest

    plain = digest({"currentModel": "a/b"})
    assert plain == digest({"currentModel": "a/b", "evals": "x.md", "catalog": ["y.json"]})
    assert plain != digest({"currentModel": "a/c"})
    one = digest({"providers": {"x": {"headers": {"K": "1"}}}})
    assert one == digest({"providers": {"x": {"headers": {"K": "2"}}}})
    assert one != digest({"providers": {"x": {"headers": {"L": "1"}}}})


def test_settings_take_both_spellings_in_python():
    assert Settings(currentModel="a/b") == Settings(current_model="a/b")
    with pytest.raises(InvalidInput, match="currentModle"):
        Settings(currentModle="a/b")


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["retry", "tools", "providers", "skills", "maxRetries", "shell", "x", "paths"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def _error(project: Path, home: Path) -> str | None:
    try:
        load_settings(project, home=home, env={})
    except SettingsError as error:
        return str(error)
    return None


@hypothesis_settings(max_examples=60, deadline=None)
@given(data=st.dictionaries(st.sampled_from(sorted(Settings().to_dict())), _JSON, max_size=4))
def test_any_json_loads_or_is_a_settings_error_naming_the_file(tmp_path_factory, data):
    folder: Path = tmp_path_factory.mktemp("any")
    (folder / ".routinglab").mkdir()
    (folder / ".routinglab" / "settings.json").write_text(json.dumps(data))
    for home, project in ((folder, folder.parent), (folder.parent, folder)):
        message = _error(project, home)
        assert message is None or str(folder) in message


def test_a_key_written_twice_among_very_many_is_found(place):
    many = ", ".join(f'"a{n}": "p/m"' for n in range(60_000))
    place.user(f'{{"modelAliases": {{{many}, "a7": "p/m"}}}}'.encode())
    with pytest.raises(SettingsError, match=r"modelAliases\.a7: is written twice"):
        place.load()
