"""One provider's HTTP: a connection pool, limits, and every failure as one ``ProviderError``.

Limits, all in decoded bytes: an error body is read up to 64 KiB, an answer up to 32 MiB (1 MiB for a
classifier), one event of a stream up to 8 MiB, a whole stream up to 256 MiB.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import httpx

from routinglab.core.secrets import redact
from routinglab.errors import ProviderError
from routinglab.providers.addresses import join, shown, target
from routinglab.providers.decoding import decoded
from routinglab.providers.failures import Failure, read_failure
from routinglab.providers.transport import OURS, new_client
from routinglab.providers.waits import retry_wait

MAX_ERROR_BODY = 64 * 1024
MAX_ANSWER = 32 * 2**20
MAX_STREAM = 256 * 2**20
MAX_SHOWN = 300
#: How long the words of an error may take after its status.
ERROR_SECONDS = 10.0


_ID_HEADERS = ("x-request-id", "request-id", "x-amzn-requestid", "cf-ray")
_PHRASES = {
    "rate_limit": "is limiting requests",
    "quota": "has no quota or credit left for this key",
    "auth": "refused this key, account or region",
    "model_unavailable": "does not serve this model",
    "request_incompatible": "cannot serve this request",
    "provider_unavailable": "is unavailable",
    "network_timeout": "could not be reached",
    "refusal": "refused to answer",
    "cancelled": "cancelled the request",
}

T = TypeVar("T")


class Answer:
    """A response whose head has arrived."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers = response.headers
        self.content_type = response.headers.get("content-type", "").partition(";")[0].strip()
        self.request_id = next(
            (clean(response.headers[n], 100) for n in _ID_HEADERS if n in response.headers), None
        )

    async def pieces(self, limit: int = MAX_STREAM) -> AsyncIterator[bytes]:
        """The body as it arrives; :class:`TooLarge` beyond ``limit`` bytes."""
        seen = 0
        async for piece in decoded(self._response):
            seen += len(piece)
            if seen > limit:
                raise TooLarge(limit)
            yield piece

    async def read(self, limit: int = MAX_ANSWER) -> bytes:
        """The whole body."""
        return b"".join([piece async for piece in self.pieces(limit)])

    async def start(self, limit: int) -> bytes:
        """The first ``limit`` bytes of the body, as far as they come in a while; the rest is left.

        What an error's status says is known by then, and its words may never be completed.
        """
        found = bytearray()
        with contextlib.suppress(httpx.HTTPError, TimeoutError):
            async with asyncio.timeout(ERROR_SECONDS):
                async for piece in decoded(self._response):
                    found += piece
                    if len(found) >= limit:
                        break
        return bytes(found[:limit])


class TooLarge(Exception):
    """A body is larger than its limit; becomes a ``ProviderError``."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Unreadable(Exception):
    """A 200 that holds no answer; ``failure`` says what it is, ``what`` what was wrong with it."""

    def __init__(
        self,
        failure: Failure,
        what: str = "",
        *,
        error_type: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what)
        self.failure = failure
        self.what = what
        self.error_type = error_type
        self.retry_after = retry_after


class ListenerError(Exception):
    """What a caller's own ``on_text`` raised; it is no failure of the provider."""

    def __init__(self, original: Exception) -> None:
        super().__init__(original)
        self.original = original


class Connection:
    """A pool of connections to one provider.

    ``auth`` are the headers that carry the key, ``secrets`` every value that no text may show.
    """

    def __init__(
        self,
        provider: str,
        base_url: str,
        path: str,
        *,
        auth: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
        proxies: bool = True,
    ) -> None:
        self.provider = provider
        self.url = join(base_url, path)
        self._secrets = tuple(secrets)
        private = {**(headers or {}), **(auth or {})}
        self._client = new_client(self.url, private, proxies=proxies)

    def __repr__(self) -> str:
        return f"Connection({self.provider!r}, {shown(self.url)!r})"

    async def aclose(self) -> None:
        await self._client.aclose()

    async def post(
        self,
        body: Mapping[str, Any],
        read: Callable[[Answer], Awaitable[T]],
        *,
        stream: bool,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Send ``body`` as JSON, with further ``headers``, and give the answer to ``read``.

        Every failure of the network, of the provider and of ``read`` (``TooLarge``, ``Unreadable``)
        raises ProviderError without a chain to the exceptions below it, which may hold the key.
        """
        found = await self._post(body, read, stream, headers or {})
        if isinstance(found, ProviderError):
            raise found
        return found

    async def _post(
        self,
        body: Mapping[str, Any],
        read: Callable[[Answer], Awaitable[T]],
        stream: bool,
        more_headers: Mapping[str, str],
    ) -> T | ProviderError:
        # a lone surrogate has no UTF-8 form; "?" stands for it, as in what a terminal prints
        content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        headers = {
            **more_headers,
            "content-type": "application/json",
            "accept": "text/event-stream, application/json" if stream else "application/json",
        }
        answer: Answer | None = None
        quiet = OURS.set(True)
        try:
            async with self._client.stream(
                "POST", self.url, content=content, headers=headers
            ) as response:
                answer = Answer(response)
                if not 200 <= answer.status < 300:
                    return self._refused(answer, await answer.start(MAX_ERROR_BODY))
                return await read(answer)
        except TooLarge as error:
            return self._error(
                Failure("provider_unavailable", answer.status if answer else None),
                answer,
                f"sent more than {error.limit} bytes",
                error_type="too_large",
            )
        except Unreadable as error:
            return self._error(
                error.failure,
                answer,
                error.what,
                error_type=error.error_type,
                retry_after=error.retry_after,
            )
        except ListenerError as error:
            raise error.original from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            unsendable = isinstance(error, UnicodeError)  # in a header of the settings
            failure = Failure("config") if unsendable else read_failure(error=error)
            what = "broke the connection off" if answer else _EXCEPTIONS.get(type(error).__name__)
            return self._error(
                Failure(failure.kind, answer.status if answer else None),
                answer,
                what or f"could not be reached at {shown(self.url)}",
                error_type=type(error).__name__,
            )
        finally:
            OURS.reset(quiet)

    def error(self, failure: Failure, what: str, *, error_type: str | None = None) -> ProviderError:
        """The error of a request that was not sent."""
        return self._error(failure, None, what, error_type=error_type)

    def _refused(self, answer: Answer, body: bytes) -> ProviderError:
        failure = read_failure(answer.status, body, answer.headers)
        what = ""
        if 300 <= answer.status < 400:
            where = answer.headers.get("location", "")
            what = (
                f"redirects {shown(self.url)} to {target(self.url, where)}; set its baseUrl there"
            )
        elif failure.kind == "config":
            hint = "" if "/v1" in self.url.path else ", which often ends in /v1"
            what = (
                f"has no API at {shown(self.url)} (HTTP {answer.status}); check its baseUrl{hint}"
            )
        wait = retry_wait(answer.headers, body)
        return self._error(failure, answer, what, retry_after=wait)

    def _error(
        self,
        failure: Failure,
        answer: Answer | None,
        what: str | None,
        *,
        error_type: str | None = None,
        retry_after: float | None = None,
    ) -> ProviderError:
        if not what and failure.kind == "config":
            what = f"has no API at {shown(self.url)}; check its baseUrl"
        status = failure.status or (answer.status if answer else None)
        text = what or _PHRASES.get(failure.kind, "failed")
        said = clean(redact(failure.text, self._secrets), MAX_SHOWN) if not what else ""
        number = f" (HTTP {status})" if status and "HTTP" not in text else ""
        code = clean(redact(failure.code, self._secrets), 64) if failure.code else None
        return ProviderError(
            f"{self.provider} {text}{number}" + (f": {said}" if said else ""),
            kind=failure.kind,
            status=status,
            code=code,
            retry_after=retry_after,
            category=redact(failure.category, self._secrets) if failure.category else None,
            error_type=error_type or _plain(code) or (f"http_{status}" if status else None),
            provider=self.provider,
        )


_EXCEPTIONS = {
    "ConnectTimeout": "did not accept a connection in 30 seconds",
    "PoolTimeout": "has all its connections in use",
    "LocalProtocolError": "cannot be sent its key or headers; look for line ends or odd letters in them",
    "UnicodeEncodeError": "cannot be sent its key or headers; look for odd letters in them",
}


def clean(text: str, limit: int) -> str:
    """One line of printable text, cut to ``limit`` characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _plain(code: str | None) -> str | None:
    return code if code and re.fullmatch(r"[\w.:-]{1,64}", code) else None
