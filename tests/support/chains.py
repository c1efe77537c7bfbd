"""Chains of candidates as texts, without talking to anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from routinglab.catalog.model import Model
from routinglab.core.needs import TaskNeeds
from routinglab.routing.router import Router
from routinglab.running.candidates import passed_over
from routinglab.running.launch import Call, chain_for, prepare, routing_limits
from routinglab.skills.skill import Skill
from support import live
from support.llm_server import LlmServer

NEEDS = TaskNeeds.model_validate(live.ALL_NEEDS)


def quiet_router(folder: Path, *models: Model, **keys: Any) -> Router:
    """A router nobody talks to; settings by name, ``models`` added to the catalog."""
    server = LlmServer()
    server.url = "http://127.0.0.1:9"
    return Router(
        live.settings(server, **keys), live.catalog(*models), live.evals(folder), env=live.ENV
    )


def planned(
    router: Router, skill: Skill, call: Call | None = None, profile: Any = None
) -> list[str]:
    """The chain as texts, skipped candidates with their reason."""
    plan = prepare(skill, call or Call(), router, profile)
    decision = None
    if plan.automatic:
        decision = router.decide(
            agent=plan.agent.brief(), needs=NEEDS, constraints=routing_limits(plan)
        )
    shown = []
    for item in chain_for(plan, decision, router):
        reason = passed_over(item, request_bytes=100, why_not_configured=router.why_not_configured)
        shown.append(str(item.candidate) + (f" - {reason}" if reason else ""))
    return shown
