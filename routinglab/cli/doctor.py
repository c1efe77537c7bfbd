"""``routinglab doctor``: what was found here and what would be tried. Sends nothing unasked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import print_json, print_table, say
from routinglab.errors import EvalsError, RoutingLabError

if TYPE_CHECKING:
    from routinglab.catalog.model import Catalog
    from routinglab.evals.evals import Evals
    from routinglab.settings import Settings


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("doctor")(doctor)


def doctor(
    project: options.Project = None,
    ping: Annotated[
        bool,
        typer.Option("--ping", help="Send a few words to each model that would be tried."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Say which settings, providers, models, evals and skills routing would use here.

    A provider whose key variable is set is called configured; whether the key works is not known
    before a request, and nothing is sent. With --ping each model that reads, chooses or would be
    tried is asked for a word, and the exit code is 1 where one of them fails.
    """
    found = _look(project)
    if ping:
        found["ping"] = _ping(found, project)
    if json:
        print_json(found)
    else:
        _show(found)
    if any(answer["outcome"] != "ok" for answer in found.get("ping", ())):
        raise typer.Exit(exits.FOUND)


def _ping(found: dict[str, Any], project: Path | None) -> list[dict[str, Any]]:
    from routinglab.catalog.files import load_catalog
    from routinglab.cli.ping import ping
    from routinglab.core.ids import Candidate
    from routinglab.routing.router_model import roles_for

    settings = options.settings_of(project)
    catalog = load_catalog(*settings.catalog)
    roles = roles_for(settings, catalog)
    speakers = [speaker for speaker in (roles.router, roles.current) if speaker is not None]
    return ping(
        [
            *(speaker.candidate for speaker in speakers if speaker.kind == "chat"),
            *(Candidate.of(model) for model in found["tried"]),
        ],
        [speaker.candidate for speaker in speakers if speaker.kind == "classifier"],
        catalog,
        settings,
    )


def _show(found: dict[str, Any]) -> None:
    say(f"routinglab {found['version']}, Python {found['python']}")
    for file in found["settings"]:
        say(f"settings   {file['path']} ({'found' if file['exists'] else 'not there'})")
    for warning in found["warnings"]:
        say(f"           {warning}")
    say(f"current    {found['currentModel'] or 'no current model is set'}")
    say(f"router     {found['routerModel']}")
    say(f"reads      {found['reader']}")
    evals, catalog = found["evals"], found["catalog"]
    counts = f"{evals['path']}: {evals['results']} results, {evals['warnings']} warnings"
    say(f"evals      {evals['problem'] or counts}")
    say(f"catalog    {catalog['models']} models, {catalog['configured']} at configured providers")
    say(f"auto       {found['auto']}")
    say(f"skills     {found['skills']['count']}, {found['skills']['warnings']} warnings")
    say()
    print_table(
        ("provider", "state", "key variable", "address", "models"),
        [
            (p["id"], p["state"], p["keyVariable"], p["address"], p["models"])
            for p in found["providers"]
        ],
    )
    if "ping" in found:
        say()
        print_table(
            ("model", "answer", "seconds", ""),
            [(p["model"], p["outcome"], p["seconds"], p["message"]) for p in found["ping"]],
        )


def _look(project: Path | None) -> dict[str, Any]:
    import platform

    from routinglab import __version__
    from routinglab.catalog.files import load_catalog
    from routinglab.routing.router_model import roles_for
    from routinglab.settings.home import settings_file, user_home

    settings = options.settings_of(project)
    catalog = load_catalog(*settings.catalog)
    roles = roles_for(settings, catalog)
    evals = _evals(settings)
    folder = project or Path.cwd()
    providers = _providers(catalog, settings)
    auto, tried = _auto(catalog, evals, settings)
    ready = {provider["id"] for provider in providers if provider["state"] == "configured"}
    return {
        "version": __version__,
        "python": platform.python_version(),
        "settings": [
            {"path": str(path), "exists": path.is_file()}
            for path in (settings_file(user_home()), settings_file(folder))
        ],
        "warnings": list(settings.warnings),
        "currentModel": settings.current_model,
        "routerModel": settings.router_model or "the current model",
        "reader": roles.chat.candidate.model if roles.chat else "no chat model reads tasks",
        "auto": auto,
        "tried": tried,
        "evals": _about(evals),
        "catalog": {
            "models": len(catalog),
            "configured": sum(model.provider in ready for model in catalog),
            "digest": catalog.digest,
        },
        "skills": _skills(folder, settings),
        "providers": providers,
    }


def _evals(settings: Settings) -> Evals | EvalsError:
    try:
        return options.evals_of(None, settings)
    except EvalsError as error:
        return error


def _about(evals: Evals | EvalsError) -> dict[str, Any]:
    if isinstance(evals, EvalsError):
        return {"path": None, "results": 0, "warnings": 0, "digest": None, "problem": str(evals)}
    return {
        "path": str(evals.path) if evals.path else None,
        "results": len(evals.rows),
        "warnings": len(evals.warnings),
        "digest": evals.digest,
        "problem": None,
    }


def _auto(catalog: Catalog, evals: Evals | EvalsError, settings: Settings) -> tuple[str, list[str]]:
    """What a moderate task would be tried on, or why it would not start; and those models."""
    from routinglab.catalog.available import available
    from routinglab.core.needs import TaskNeeds
    from routinglab.routing.plan import Planner

    usable = available(catalog, settings)
    try:
        planner = Planner(usable, None if isinstance(evals, EvalsError) else evals, settings)
        decision = planner.plan(TaskNeeds(work="coding")).decide()
    except RoutingLabError as error:
        return f"a task would not start: {error}", []
    chain = ", then ".join(str(candidate) for candidate in decision.chain)
    tried = [candidate.model for candidate in decision.chain]
    return f"moderate coding would be tried on {chain}", tried


def _providers(catalog: Catalog, settings: Settings) -> list[dict[str, Any]]:
    from routinglab.catalog.available import is_configured
    from routinglab.catalog.providers import provider_info

    rows = []
    for name in sorted({*catalog.providers, *settings.providers}):
        info = provider_info(name, settings)
        state = "configured" if is_configured(name, settings) else "not configured"
        rows.append(
            {
                "id": name,
                "state": state if info else "no endpoint known",
                "keyVariable": info.key_env if info else None,
                "keySet": bool(info and info.key_env and os.environ.get(info.key_env, "").strip()),
                "address": info.base_url if info else None,
                "models": sum(model.provider == name for model in catalog),
            }
        )
    return rows


def _skills(folder: Path, settings: Settings) -> dict[str, int]:
    from routinglab.skills.store import SkillStore

    store = SkillStore(folder, settings=settings)
    return {"count": len(store.names), "warnings": len(store.warnings)}
