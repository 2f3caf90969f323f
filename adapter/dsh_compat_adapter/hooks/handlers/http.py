"""One bounded HTTP POST, for the handlers that speak HTTP. Total: what goes wrong is in the result."""

import asyncio
import re
import time
from collections.abc import Mapping

from ..process import OUTPUT_LIMIT, Finished

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
OK = range(200, 300)


async def post(url: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> Finished:
    """POST without following redirects; the body of a 2xx response is the stdout of the result."""
    import httpx  # noqa: PLC0415 - start-up: only a handler that speaks HTTP needs it

    started = time.perf_counter()
    try:
        async with (
            asyncio.timeout(timeout_s),
            httpx.AsyncClient(timeout=timeout_s, trust_env=False) as client,
            client.stream("POST", url, content=body, headers=dict(headers)) as response,
        ):
            if response.status_code not in OK:
                return _failed(started, f"HTTP status {response.status_code}")
            answer = bytearray()
            async for chunk in response.aiter_bytes():
                answer += chunk
                if len(answer) > OUTPUT_LIMIT:
                    return Finished(exit_code=0, truncated=True, duration_s=time.perf_counter() - started)
            return Finished(exit_code=0, stdout=bytes(answer), duration_s=time.perf_counter() - started)
    except (TimeoutError, httpx.TimeoutException):
        return Finished(timed_out=True, duration_s=time.perf_counter() - started)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        return _failed(started, str(error) or type(error).__name__)


def expand(text: str, environment: Mapping[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; one that is not set stays as it is."""
    return _VARIABLE.sub(lambda found: environment.get(found[1] or found[2], found[0]), text)


def _failed(started: float, why: str) -> Finished:
    return Finished(spawn_error=f"the endpoint did not answer: {why}", duration_s=time.perf_counter() - started)
