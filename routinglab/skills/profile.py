"""Profiles: a host's model and effort for skills that state none of their own (SPEC 11.4)."""

from __future__ import annotations

from collections.abc import Callable

from routinglab.core.efforts import Effort
from routinglab.core.value import Value
from routinglab.skills.skill import Skill


class Profile(Value):
    """A model name and an effort; None where the profile has nothing to say."""

    model: str | None = None
    effort: Effort | None = None


ProfileResolver = Callable[[Skill], Profile | None]


def resolve_profile(
    skill: Skill, resolver: ProfileResolver | None = None, host: Profile | None = None
) -> Profile:
    """Model and effort a child gets, each on its own: the skill's, the resolver's, the host's.

    ``model: inherit`` is something a skill says, so a resolver does not replace it.
    """
    layers = (Profile(model=skill.model, effort=skill.effort), _ask(skill, resolver), host)
    present = [layer for layer in layers if layer is not None]
    return Profile(
        model=next((p.model for p in present if p.model), None),
        effort=next((p.effort for p in present if p.effort), None),
    )


def with_profile(skill: Skill, resolver: ProfileResolver | None = None) -> Skill:
    """The skill with empty fields filled from the resolver; the very same one where none is."""
    profile = resolve_profile(skill, resolver)
    if (profile.model, profile.effort) == (skill.model, skill.effort):
        return skill
    return skill.model_copy(update={"model": profile.model, "effort": profile.effort})


def _ask(skill: Skill, resolver: ProfileResolver | None) -> Profile | None:
    if resolver is None or (skill.model and skill.effort):
        return None
    return resolver(skill)
