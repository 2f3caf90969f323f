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
            client.stream("POST", url, content=body, headers=_bytes(headers)) as response,
        ):
            if response.status_code not in OK:
                return _failed(started, f"the endpoint answered with HTTP status {response.status_code}")
            answer = bytearray()
            async for chunk in response.aiter_bytes():
                answer += chunk
                if len(answer) > OUTPUT_LIMIT:
                    break
            return Finished(
                exit_code=0,
                stdout=bytes(answer[:OUTPUT_LIMIT]),
                truncated=len(answer) > OUTPUT_LIMIT,
                duration_s=time.perf_counter() - started,
            )
    except (TimeoutError, httpx.TimeoutException):
        return Finished(timed_out=True, duration_s=time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001 - a port of 99999, a wrong content-length: the library lets much through
        # what it says about a request that cannot be sent quotes the header, which may hold a key
        quotable = isinstance(error, httpx.RequestError | httpx.InvalidURL)
        why = "" if isinstance(error, httpx.LocalProtocolError) or not quotable else str(error)
        return _failed(started, f"no answer from the endpoint: {why or type(error).__name__}")


def expand(text: str, environment: Mapping[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; one that is not set stays as it is."""
    return _VARIABLE.sub(lambda found: environment.get(found[1] or found[2], found[0]), text)


def _bytes(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers as they travel; what stands in the environment in another encoding comes out as it went in."""
    return [(name.encode(), value.encode("utf-8", "surrogateescape")) for name, value in headers.items()]


def _failed(started: float, why: str) -> Finished:
    return Finished(spawn_error=why, duration_s=time.perf_counter() - started)
