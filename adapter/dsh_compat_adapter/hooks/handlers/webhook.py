"""The webhook handler: the payload is the body, the response body is the answer."""

from collections.abc import Mapping

from ..hook import PostWebhook
from ..process import Finished
from .http import expand, post


async def run(action: PostWebhook, payload: bytes, environment: Mapping[str, str], timeout_s: float) -> Finished:
    """Send the payload. Total."""
    headers = {name: expand(value, environment) for name, value in action.headers.items()}
    return await post(action.url, payload, {"content-type": "application/json", **headers}, timeout_s)
