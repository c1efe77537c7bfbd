"""Exit codes, the same for every verb, and which error means which."""

from __future__ import annotations

OK = 0
FOUND = 1  #: a check ran and found something: drift, warnings under --strict, a broken skill
USAGE = 2  #: a wrong option, value, file or setting; nothing was run
FAILED = (
    3  #: asked rightly, but it could not be done: no eligible model, a failing cell or provider
)
INTERNAL = 70  #: an error of routinglab itself; --debug shows where
INTERRUPTED = 130  #: Ctrl-C
CLOSED_PIPE = 141  #: the reader of the output went away

DESCRIBED = {
    OK: "done",
    FOUND: "a check found something: a drifted decision, a skill that cannot run, a file without "
    "results, or any warning under --strict",
    USAGE: "a wrong option, value, file or setting; nothing was run",
    FAILED: "could not be done: no eligible model, a failing cell, a provider that refused",
    INTERNAL: "an error of routinglab itself",
    INTERRUPTED: "interrupted",
    CLOSED_PIPE: "the program reading the output went away",
}


def code_for(error: Exception) -> int:
    """The exit code for an error that routinglab raised on purpose."""
    from routinglab import errors

    unusable_input = (
        errors.InvalidInput,
        errors.CatalogError,
        errors.EvalsError,
        errors.ModelNameError,
        errors.RecordingError,
        errors.OutcomesError,
        errors.SkillError,
        errors.SecretFound,
        errors.TranscriptError,
    )
    return USAGE if isinstance(error, unusable_input) else FAILED
