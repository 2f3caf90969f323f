"""The webhook handler: the payload is the body, the response body is the answer."""

from collections.abc import Mapping

from ..hook import PostWebhook
from ..process import Finished
from .http import expand, post

CONTENT_TYPE = "content-type"


async def run(action: PostWebhook, payload: bytes, environment: Mapping[str, str], timeout_s: float) -> Finished:
    """Send the payload. Total."""
    headers = {name: expand(value, environment) for name, value in action.headers.items()}
    if CONTENT_TYPE not in map(str.lower, headers):
        headers[CONTENT_TYPE] = "application/json"
    return await post(action.url, payload, headers, timeout_s)
