"""`hooks.handlers.http`: one bounded POST, whose every end is a result."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.hooks.handlers.http import expand, post
from dsh_compat_adapter.hooks.process import OUTPUT_LIMIT, Finished
from tests.clock import PATIENCE_S
from tests.endpoints import SILENT, closed, closed_port, endpoint, http


async def reached(response: bytes, headers: dict[str, str] | None = None) -> Finished:
    async with endpoint(response) as server:
        return await post(server.url, b"{}", headers or {}, PATIENCE_S)


def failed(finished: Finished) -> str:
    """Why there is no answer."""
    assert (finished.exit_code, finished.stdout, finished.timed_out, finished.truncated) == (None, b"", False, False)
    assert finished.spawn_error is not None
    return finished.spawn_error


@pytest.mark.parametrize("status", [200, 201, 202, 299])
async def test_the_body_of_a_success_is_the_output(status: int) -> None:
    finished = await reached(http(b"\xff{}", status))
    assert (finished.exit_code, finished.stdout, finished.spawn_error) == (0, b"\xff{}", None)
    assert finished.duration_s > 0


async def test_a_success_without_a_body_is_an_empty_output() -> None:
    finished = await reached(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert (finished.exit_code, finished.stdout, finished.spawn_error) == (0, b"", None)


async def test_the_body_and_the_headers_arrive_as_they_are_given() -> None:
    async with endpoint(http()) as server:
        await post(f"{server.url}/hook?x=1", b'{"a":1}\n', {"X-Name": "value", "X-Other": "näh"}, PATIENCE_S)
    (asked,) = server.asked
    assert (asked.target, asked.body) == ("/hook?x=1", b'{"a":1}\n')
    assert (asked.header("x-name"), asked.header("x-other")) == ("value", "näh")


@pytest.mark.parametrize("status", [300, 301, 307, 400, 401, 404, 500, 503])
async def test_any_other_status_is_a_failure_that_names_it(status: int) -> None:
    assert failed(await reached(http('{"decision":"approve"}', status))) == (
        f"the endpoint answered with HTTP status {status}"
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with endpoint(http("{}")) as elsewhere:
        failed(await reached(http(b"", status, f"location: {elsewhere.url}")))
    assert elsewhere.asked == []


async def test_an_endpoint_that_does_not_answer_is_given_up_at_the_time_limit() -> None:
    async with endpoint(SILENT) as server:
        finished = await post(server.url, b"{}", {}, 0.2)
    assert (finished.timed_out, finished.exit_code, finished.spawn_error) == (True, None, None)


async def test_the_time_limit_is_one_of_the_whole_and_not_of_each_piece() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        gone = asyncio.ensure_future(reader.read())
        while not gone.done():
            writer.write(b"x")
            await asyncio.wait({gone}, timeout=0.05)
        await closed(writer)

    serving: list[asyncio.Task[None] | None] = []
    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        finished = await post(f"http://127.0.0.1:{port}", b"", {}, 0.4)
        await asyncio.gather(*(task for task in serving if task is not None))
    assert finished.timed_out


async def test_a_cancelled_request_leaves_no_connection() -> None:
    async with endpoint(SILENT) as server:
        running = asyncio.ensure_future(post(server.url, b"{}", {}, PATIENCE_S))
        await server.reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    # the end of the block has waited for the client to leave


@pytest.mark.parametrize(("size", "truncated"), [(OUTPUT_LIMIT, False), (OUTPUT_LIMIT + 1, True)])
async def test_a_body_is_read_up_to_the_bound(size: int, *, truncated: bool) -> None:
    finished = await reached(http(b"x" * size))
    assert (finished.exit_code, finished.truncated) == (0, truncated)
    assert len(finished.stdout) == OUTPUT_LIMIT


async def test_a_small_body_that_unpacks_to_a_large_one_is_bounded_too() -> None:
    import gzip  # noqa: PLC0415 - only here

    packed = gzip.compress(b"x" * (OUTPUT_LIMIT * 4))
    assert (await reached(http(packed, 200, "content-encoding: gzip"))).truncated


async def test_an_endpoint_where_nobody_listens_is_a_failure() -> None:
    with closed_port() as port:
        finished = await post(f"http://127.0.0.1:{port}", b"", {}, PATIENCE_S)
    assert failed(finished).startswith("no answer from the endpoint: ")


NO_ANSWERS = {
    "nothing": b" ",
    "no HTTP": b"hello\r\n\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\ncontent-le",
    "half a body": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}",
    "a broken chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "a wrong encoding": http("{}", 200, "content-encoding: gzip"),
    "an endless header": b"HTTP/1.1 200 OK\r\nx: " + b"x" * 300_000,
    "another protocol": b"HTTP/1.1 101 Switching\r\n\r\n",
}


@pytest.mark.parametrize("response", NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_what_is_no_answer_is_a_failure(response: bytes) -> None:
    assert failed(await reached(response)).startswith("no answer from the endpoint: ")


NO_ADDRESSES = [
    "",
    "nonsense",
    "//127.0.0.1/",
    "http://",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "javascript:1",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://[::1",
    "http://a\0b/",
    "http://\ud800/",
    "http://127.0.0.1:1/\ud800",
    "http://xn--/",
    "http://" + "a" * 70_000,
]


@pytest.mark.parametrize("url", NO_ADDRESSES, ids=lambda url: ascii(url[:24]))
async def test_what_is_no_address_is_a_failure(url: str) -> None:
    assert failed(await post(url, b"{}", {}, PATIENCE_S)).startswith("no answer from the endpoint: ")


BAD_HEADERS = {
    "a line end": {"Authorization": "Bearer s3cret\n"},
    "a carriage return": {"Authorization": "Bearer s3cret\r"},
    "a NUL": {"Authorization": "Bearer s3cret\0"},
    "a lone surrogate": {"Authorization": "Bearer s3cret\ud800"},
    "a name with a space": {"s3cret name": "x"},
    "no name": {"": "s3cret"},
    "a wrong length": {"Content-Length": "100"},
    "a length that is none": {"Content-Length": "s3cret"},
}


@pytest.mark.parametrize("headers", BAD_HEADERS.values(), ids=BAD_HEADERS)
async def test_a_header_that_cannot_be_sent_is_a_failure_that_does_not_show_it(headers: dict[str, str]) -> None:
    """A key from a file often ends with a line end."""
    assert "s3cret" not in failed(await reached(http("{}"), headers))


async def test_a_variable_in_another_encoding_goes_out_as_it_came_in() -> None:
    async with endpoint(http()) as server:
        await post(server.url, b"", {"X-Name": "caf\udce9"}, PATIENCE_S)
    assert server.asked[0].header("x-name") == "caf\udce9"


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        assert (await reached(http("{}"))).exit_code == 0


# -- variables in headers

VARIABLES = {"A": "1", "NAME_2": "two", "EMPTY": "", "NESTED": "$A"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bearer $A", "Bearer 1"),
        ("Bearer ${A}", "Bearer 1"),
        ("$A$A${A}", "111"),
        ("$NAME_2.x", "two.x"),
        ("${A}B", "1B"),
        ("$AB", "$AB"),
        ("[$EMPTY]", "[]"),
        ("$NESTED", "$A"),
        ("$UNSET ${UNSET}", "$UNSET ${UNSET}"),
        ("$", "$"),
        ("$$A", "$1"),
        ("${A", "${A"),
        ("${}", "${}"),
        ("${A:-x}", "${A:-x}"),
        ("$1", "$1"),
        ("%A%", "%A%"),
        ("", ""),
    ],
)
def test_a_variable_is_replaced_and_one_that_is_not_set_stays(text: str, expected: str) -> None:
    assert expand(text, VARIABLES) == expected


@given(text=st.text(alphabet="$ {}AB_1é", max_size=30))
def test_without_variables_every_text_stays_as_it_is(text: str) -> None:
    assert expand(text, {}) == text
