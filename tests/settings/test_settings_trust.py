"""What a project file nobody vouched for may say (SPEC 2.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from routinglab.catalog.model import Model
from routinglab.core.constraints import ModelConstraints, eligible
from routinglab.errors import SettingsError
from routinglab.settings.trust import narrowed


@pytest.mark.parametrize(
    "provider",
    [
        {"baseUrl": "https://evil.example/v1"},
        {"apiKeyEnv": "AWS_SECRET_ACCESS_KEY"},
        {"headers": {"X-A": "b"}},
        {},
    ],
)
def test_providers_in_an_untrusted_project_are_refused(place, provider):
    place.user({"currentModel": "openai/gpt-5"})
    file = place.repo({"providers": {"openai": provider}})
    with pytest.raises(SettingsError, match="taken from your own settings file only") as caught:
        place.load()
    assert str(file) in str(caught.value)
    assert "trustedProjects" in str(caught.value)
    assert "evil" not in str(caught.value)


def test_a_trusted_project_may_name_providers_and_outside_paths(place):
    place.trusting()
    place.repo({"providers": {"mine": {"baseUrl": "http://h/v1/"}}, "skills": {"paths": ["../s"]}})
    found = place.load()
    assert found.providers["mine"].base_url == "http://h/v1"
    assert found.skills.paths == (place.home.parent / "s",)


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_cannot_vouch_for_itself_or_others(place, trusted):
    place.trusting() if trusted else place.user({})
    place.repo({"trustedProjects": [str(place.project), "/"]})
    with pytest.raises(SettingsError, match="cannot vouch for itself"):
        place.load()


def test_trust_is_of_one_folder_not_of_what_lies_below_or_beside(place):
    inner = place.project / "vendor"
    inner.mkdir()
    place.user(
        {"trustedProjects": [str(place.project.parent), str(inner), str(place.project) + "x"]}
    )
    place.repo({"providers": {"x": {"baseUrl": "http://h"}}})
    with pytest.raises(SettingsError, match="providers"):
        place.load()


def test_trust_follows_links_and_home_to_the_same_folder(place):
    place.repo({"providers": {"x": {"baseUrl": "http://h"}}})
    (place.home / "link").symlink_to(place.project)
    place.user({"trustedProjects": ["~/link"]})
    assert place.load().providers["x"].base_url == "http://h"


def test_a_relative_trusted_project_is_refused(place):
    place.user({"trustedProjects": ["."]})
    with pytest.raises(SettingsError, match="absolute path"):
        place.load()


@pytest.mark.parametrize("key", ["skills", "catalog", "evals"])
@pytest.mark.parametrize("path", ["/etc/passwd", "../other", "a/../../b", "~/x", "link/inside"])
def test_a_path_that_leads_outside_an_untrusted_project_is_refused(place, key, path):
    (place.project / "link").symlink_to(place.home)
    value = {"skills": {"paths": [path]}, "catalog": [path], "evals": path}[key]
    place.repo({key: value})
    with pytest.raises(SettingsError, match="leads outside the project"):
        place.load()


def test_an_untrusted_settings_file_that_links_outside_is_not_read(place):
    other = place.home / "other.json"
    other.write_text('{"private": 1}')
    (place.project / ".routinglab").mkdir()
    (place.project / ".routinglab" / "settings.json").symlink_to(other)
    with pytest.raises(SettingsError, match="link to a file outside") as caught:
        place.load()
    assert "private" not in str(caught.value)


def test_untrusted_tools_only_narrow_and_say_what_they_did_not_get(place):
    place.user({"tools": {"write": True, "fetch": True}})
    place.repo({"tools": {"write": False, "shell": True, "fetch": True}})
    found = place.load()
    assert (found.tools.write, found.tools.shell, found.tools.fetch) == (False, False, True)
    assert len(found.warnings) == 1
    assert "tools.shell" in found.warnings[0]


def test_null_in_an_untrusted_project_wipes_out_no_group(place):
    place.user(
        {
            "modelRouting": {"allowedProviders": ["a"]},
            "tools": {"write": True},
            "subagents": {"agentOverrides": {"w": {"modelConstraints": {"maxInputCost": 1}}}},
            "retry": {"maxRetries": 9},
        }
    )
    place.repo(
        {"modelRouting": None, "subagents": {"agentOverrides": {"w": {"modelConstraints": None}}},
         "retry": None}
    )  # fmt: skip
    found = place.load()
    assert found.model_routing.allowed_providers == ("a",)
    assert found.retry.max_retries == 9
    worker = found.subagents.agent_overrides["w"]
    assert worker.model_constraints == ModelConstraints(max_input_cost=1.0)


def test_untrusted_routing_lists_intersect_what_is_allowed_and_join_what_is_excluded(place):
    place.user({"modelRouting": {"allowedProviders": ["a", "b"], "excludedModels": ["a/1"]}})
    place.repo(
        {"modelRouting": {"allowedProviders": ["b", "c"], "allowedModels": ["b/1"],
                          "excludedModels": ["b/2"], "excludedProviders": []}}
    )  # fmt: skip
    routing = place.load().model_routing
    assert routing.allowed_providers == ("b",)
    assert routing.allowed_models == ("b/1",)
    assert routing.excluded_models == ("a/1", "b/2")
    assert routing.excluded_providers == ()


def test_untrusted_routing_with_nothing_in_common_allows_nothing(place):
    place.user({"modelRouting": {"allowedProviders": ["a"]}})
    place.repo({"modelRouting": {"allowedProviders": ["evil"]}})
    routing = place.load().model_routing
    assert routing.allowed_providers == ("a",)
    assert routing.excluded_providers == ("a",)


def test_a_trusted_project_widens_routing_and_tools(place):
    place.trusting({"modelRouting": {"allowedProviders": ["a"]}})
    place.repo({"modelRouting": {"allowedProviders": ["b"]}, "tools": {"shell": True}})
    found = place.load()
    assert found.model_routing.allowed_providers == ("b",)
    assert found.tools.shell


def test_untrusted_agent_constraints_hold_beside_the_users(place):
    place.user(
        {"subagents": {"agentOverrides": {"w": {
            "thinking": "low",
            "modelConstraints": {"allowedProviders": ["a", "b"], "maxInputCost": 2,
                                 "minContextWindow": 10, "excludedProviders": ["x"]},
            "tools": "read, bash",
        }}}}
    )  # fmt: skip
    place.repo(
        {"subagents": {"agentOverrides": {
            "w": {
                "thinking": "max",
                "modelConstraints": {"allowedProviders": ["b", "evil"], "maxInputCost": 900,
                                     "minContextWindow": 5, "excludedProviders": [],
                                     "requiredInputs": ["text"]},
                "tools": ["bash", "write"],
            },
            "explore": {"tools": ["read", "bash", "ls"], "model": "a/m"},
        }}}
    )  # fmt: skip
    found = place.load()
    worker = found.subagents.agent_overrides["w"]
    assert worker.model_constraints == ModelConstraints(
        allowed_providers=("b",),
        max_input_cost=2.0,
        min_context_window=10,
        excluded_providers=("x",),
        required_inputs=("text",),
    )
    assert worker.thinking == "low"
    assert worker.tools == ("bash",)
    explore = found.subagents.agent_overrides["explore"]
    assert explore.tools == ("read", "ls")
    assert explore.model == "a/m"
    assert len(found.warnings) == 3


def test_an_untrusted_project_hides_skills_and_brings_none_back(place):
    place.user({"skills": {"disabled": ["one"], "excludedPaths": ["hidden"]}})
    place.repo({"skills": {"disabled": ["two"], "excludedPaths": []}})
    skills = place.load().skills
    assert skills.disabled == ("one", "two")
    assert skills.excluded_paths == (place.home / "hidden",)


_PROVIDERS = st.lists(st.sampled_from("abc"), max_size=3, unique=True)
_LISTS = st.fixed_dictionaries(
    {}, optional={"allowedProviders": _PROVIDERS, "excludedProviders": _PROVIDERS}
)


def _routes(lists, provider):
    allowed, out = lists.get("allowedProviders"), lists.get("excludedProviders") or ()
    return (not allowed or provider in allowed) and provider not in out


@hypothesis_settings(max_examples=150, deadline=None)
@given(mine=_LISTS, theirs=_LISTS)
def test_narrowed_routing_lets_through_just_what_both_let_through(mine, theirs):
    data, _ = narrowed({"modelRouting": mine}, {"modelRouting": theirs})
    for provider in "abc":
        both = _routes(mine, provider) and _routes(theirs, provider)
        assert _routes(data["modelRouting"], provider) == both


_LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "allowedProviders": _PROVIDERS,
        "excludedProviders": _PROVIDERS,
        "maxInputCost": st.sampled_from([0, 1, 5]),
        "minContextWindow": st.sampled_from([0, 100, 1000]),
        "requiredInputs": st.lists(st.sampled_from(["text", "image"]), max_size=2, unique=True),
        "allowedEfforts": st.lists(st.sampled_from(["low", "high", None]), max_size=3, unique=True),
    },
)


@hypothesis_settings(max_examples=150, deadline=None)
@given(mine=_LIMITS, theirs=_LIMITS, provider=st.sampled_from("abc"),
       price=st.sampled_from([0.0, 1.0, 3.0]), window=st.sampled_from([50, 500, 5000]),
       effort=st.sampled_from(["low", "high", None]))  # fmt: skip
def test_narrowed_constraints_hold_just_where_both_hold(
    mine, theirs, provider, price, window, effort
):
    def wrap(limits):
        return {"subagents": {"agentOverrides": {"w": {"modelConstraints": limits}}}}

    data, _ = narrowed(wrap(mine), wrap(theirs))
    merged = data["subagents"]["agentOverrides"]["w"]["modelConstraints"]
    model = Model(
        provider=provider, id="m", inputs=("text",), input_price=price, context_window=window,
        efforts=("low", "high") if effort else (),
    )  # fmt: skip
    both = [ModelConstraints(**mine), ModelConstraints(**theirs)]
    assert eligible(model, effort, ModelConstraints(**merged)) == eligible(model, effort, both)
