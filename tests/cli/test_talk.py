"""`cli.talk`: a stderr that never makes a server wait for whoever should read it."""

import os
import tempfile
import threading
import traceback
from collections.abc import Iterator

import pytest

from dsh_compat_adapter.cli.talk import Talk
from tests.credentials import CREDENTIALS

LARGE = "x" * 1_000_000  # far more than a pipe holds


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def waiting(fd: int) -> bytes:
    """Everything that can be read now."""
    os.set_blocking(fd, False)
    found = b""
    try:
        while data := os.read(fd, 65536):
            found += data
    except BlockingIOError:
        return found
    return found


def test_what_is_printed_comes_out(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    print("one", 2, file=Talk(writer))
    assert waiting(reader) == b"one 2\n"


def test_an_exception_can_be_printed(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    traceback.print_exception(ValueError("é\ud800"), file=Talk(writer))
    assert waiting(reader) == "ValueError: é\\ud800\n".encode()


def test_a_reader_that_does_not_read_is_not_waited_for(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    talk = Talk(writer)
    for _ in range(1000):
        assert talk.write(LARGE[:10_000]) == 10_000
    taken = waiting(reader)
    assert set(taken) == {ord("x")}
    assert 0 < len(taken) < 1_000_000


def test_what_comes_after_it_has_read_arrives_again(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    talk = Talk(writer)
    talk.write(LARGE)
    waiting(reader)
    talk.write("again")
    assert waiting(reader) == b"again"


def test_a_reader_that_reads_gets_more_than_a_pipe_holds(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    found = bytearray()

    def read() -> None:
        while len(found) < len(LARGE):
            found.extend(os.read(reader, 65536))

    thread = threading.Thread(target=read)
    thread.start()
    Talk(writer).write(LARGE)
    thread.join()
    assert found == LARGE.encode()


def test_a_reader_that_is_gone_is_no_matter() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert Talk(writer).write("text") == 4
    os.close(writer)


def test_a_descriptor_that_is_closed_is_no_matter() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.close(writer)
    assert Talk(writer).write("text") == 4


def test_it_may_be_a_file() -> None:
    with tempfile.TemporaryFile() as file:
        talk = Talk(file.fileno())
        talk.write(LARGE)
        assert talk.fileno() == file.fileno()
        file.seek(0)
        assert file.read() == LARGE.encode()


@pytest.mark.parametrize(("text", "secret"), CREDENTIALS.values(), ids=CREDENTIALS.keys())
def test_no_credential_comes_out(pipe: tuple[int, int], text: str, secret: str) -> None:
    reader, writer = pipe
    print(f"the handler {text}", file=Talk(writer))
    said = waiting(reader).decode()
    assert secret not in said
    assert said.startswith("the handler ")
