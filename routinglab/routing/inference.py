"""The two inferences of routing: reading a task, and choosing from the shortlist (SPEC 7.2, 7.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from routinglab.catalog.model import Model
from routinglab.core.agent import AgentBrief
from routinglab.core.needs import TaskNeeds
from routinglab.core.secrets import find_secret
from routinglab.errors import InvalidInput, ProviderError, SecretFound
from routinglab.providers.classify import Question
from routinglab.providers.registry import Providers
from routinglab.providers.retry import RetryPolicy
from routinglab.routing import questions
from routinglab.routing.decision import Option, RequestPurpose, RouterInfo, RoutingRequest
from routinglab.routing.router_model import Roles, Speaker, reader_for
from routinglab.routing.structured import Inference, Patience, ask_chat, ask_classifier
from routinglab.settings import Settings

#: The question put to a classifier.
CHOICE = "choice"


class InferenceFailed(Exception):
    """An inference failed completely; its text says why, for the record and without secrets."""


@dataclass(slots=True)
class Trace:
    """What routing asked and how it went, while it goes on."""

    router: RouterInfo
    requests: list[RoutingRequest] = field(default_factory=list)
    switches: list[str] = field(default_factory=list)
    reader: str | None = None
    answers: TaskNeeds | None = None
    probabilities: dict[str, float] | None = None

    def switch(self, line: str) -> None:
        """Note a silent switch; never provider text, a key or the task."""
        self.switches.append(line)


@dataclass(frozen=True, slots=True)
class Inferences:
    """Makes the requests of one decision; each inference has the whole deadline for itself."""

    providers: Callable[[], Providers]
    settings: Settings
    secrets: tuple[str, ...]
    trace: Trace
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]

    async def read(
        self,
        task: str,
        agent: AgentBrief | None,
        stated: TaskNeeds,
        missing: Sequence[str],
        roles: Roles,
        eligible: Iterable[Model],
    ) -> TaskNeeds:
        """The reader's answers to the open questions, and nothing else.

        A computer-use task is one that needs images, so once the caller has said nothing of images
        their question is still asked together with the kind of work, and the rule decides.
        """
        reader = reader_for(task, roles, eligible)
        if reader is None:
            raise InferenceFailed(
                "there is no chat model to read the task (set currentModel in the settings, or "
                "ROUTINGLAB_MODEL)"
                if roles.chat is None
                else "the task fits the window of no eligible model"
            )
        self.trace.reader = reader.candidate.model
        if roles.chat is not None and reader != roles.chat:
            self.trace.switch(
                f"needs: the task is too long for {roles.chat.candidate.model}; "
                f"{reader.candidate.model} reads it"
            )
        result = await self._chat(
            reader,
            "needs",
            questions.READER_SYSTEM,
            questions.reader_prompt(task, agent, stated, missing),
            questions.reader_schema(missing),
            self._patience(),
        )
        if result.answer is None:
            raise InferenceFailed(f"reading the task: {failure(reader, result)}")
        self.trace.answers = questions.read_answers(result.answer)
        return self.trace.answers

    async def choose(
        self,
        agent: AgentBrief | None,
        needs: TaskNeeds,
        options: Sequence[Option],
        roles: Roles,
    ) -> str:
        """The id of the option that the router chose.

        A classifier that fails in any way is replaced once by the current chat model.
        """
        router = roles.router
        if router is None:
            raise InferenceFailed("there is no model to choose: no current model is set")
        patience = self._patience()
        if router.kind == "classifier":
            result = await self._classify(router, agent, needs, options, patience)
            if result.answer is not None:
                return self._chosen(router, str(result.answer[CHOICE]), result)
            if roles.current is None:
                raise InferenceFailed(f"choosing: {failure(router, result)}; no current model")
            self.trace.switch(
                f"choice: {failure(router, result)}; switched to {roles.current.candidate.model}"
            )
            router = roles.current
        result = await self._chat(
            router,
            "choice",
            questions.CHOICE_SYSTEM,
            questions.choice_prompt(agent, needs, options),
            questions.choice_schema(options),
            patience,
        )
        if result.answer is None:
            raise InferenceFailed(f"choosing: {failure(router, result)}")
        return self._chosen(router, str(result.answer[CHOICE]), result)

    def _chosen(self, router: Speaker, choice: str, result: Inference) -> str:
        info = {"responded": result.responded or router.candidate.model, "kind": router.kind}
        self.trace.router = self.trace.router.model_copy(update=info)
        if result.probabilities:
            self.trace.probabilities = dict(result.probabilities.get(CHOICE, {})) or None
        return choice

    async def _chat(
        self,
        speaker: Speaker,
        purpose: RequestPurpose,
        system: str,
        prompt: str,
        schema: Mapping[str, object],
        patience: Patience,
    ) -> Inference:
        self._screen(prompt)
        candidate = speaker.candidate
        try:
            client = self.providers().client(candidate.provider)
        except ProviderError as error:
            return self._noted(_unasked(speaker, purpose, error))
        return self._noted(
            await ask_chat(
                client,
                candidate.model,
                purpose=purpose,
                system=system,
                prompt=prompt,
                schema=schema,
                effort=candidate.effort,
                patience=patience,
                price=speaker.entry.cost if speaker.entry is not None else None,
                served_as=speaker.entry.request_model if speaker.entry is not None else None,
                options=speaker.entry.request_options if speaker.entry is not None else (),
            )
        )

    async def _classify(
        self,
        router: Speaker,
        agent: AgentBrief | None,
        needs: TaskNeeds,
        options: Sequence[Option],
        patience: Patience,
    ) -> Inference:
        criteria = {option.model: questions.option_text(option) for option in options}
        question = Question(CHOICE, questions.CLASSIFIER_INSTRUCTIONS, criteria)
        state = questions.choice_state(agent, needs)
        self._screen(f"{state} {criteria}")
        try:
            client = self.providers().classifier(router.candidate.provider)
        except ProviderError as error:
            return self._noted(_unasked(router, "choice", error))
        return self._noted(
            await ask_classifier(
                client,
                router.candidate.model,
                purpose="choice",
                state=state,
                questions=(question,),
                patience=patience,
                price=router.entry.cost if router.entry is not None else None,
            )
        )

    def _noted(self, result: Inference) -> Inference:
        self.trace.requests.extend(result.requests)
        return result

    def _patience(self) -> Patience:
        limit = self.settings.http_idle_timeout_ms / 1000
        return Patience(
            policy=RetryPolicy.of(self.settings),
            deadline=self.clock() + limit if limit else None,
            clock=self.clock,
            sleep=self.sleep,
        )

    def _screen(self, text: str) -> None:
        found = find_secret(text, self.secrets)
        if found is not None:
            raise SecretFound(
                f"a routing request would hold {found}; remove secrets. Nothing was sent"
            )


def failure(speaker: Speaker, result: Inference) -> str:
    """A failure in words that are safe to log: who, HTTP status and type, no provider text."""
    error = result.error
    if error is None:
        raise InvalidInput("this inference did not fail")
    if error.error_type == "missing_key":  # our own words, which name the variable to set
        return f"{speaker.candidate.model} failed: {error}"
    status = f"HTTP {error.status}, " if error.status is not None else ""
    kind = error.error_type or error.kind
    shown = kind if kind == error.kind else f"{error.kind}, {kind}"
    return f"{speaker.candidate.model} failed ({status}{shown})"


def _unasked(speaker: Speaker, purpose: RequestPurpose, error: ProviderError) -> Inference:
    """An inference that could not even be sent, such as one without a key."""
    request = RoutingRequest(
        purpose=purpose,
        model=speaker.candidate.model,
        kind=speaker.kind,
        outcome=f"not sent: {error.error_type or error.kind}",
        error_type=error.error_type,
    )
    return Inference(None, (request,), error)
