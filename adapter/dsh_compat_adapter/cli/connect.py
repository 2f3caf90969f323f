"""`dsh-compat connect`: the Python side of a bundle, started by its connector inside DSH."""

import argparse
from pathlib import Path

from ..errors import CompatError, ErrorCode
from ..hosts.dsh.session import Session
from ..hosts.stdio.server import Extension, Project, Server
from .listen import serve


def run(arguments: argparse.Namespace) -> int:
    """Serve the connector until it leaves."""
    return serve("connect", lambda stdin, out: _serve(Path(arguments.directory), stdin, out))


async def _serve(directory: Path, stdin: int, out: int) -> None:
    server: Server

    def send(message: dict[str, object]) -> None:
        server.send(message)

    session = Session(directory, send)
    extension = Extension(operations=session.operations, notices=session.notices, ended=session.ended)
    server = Server(_no_project, stdin, out, extension=extension)
    try:
        await server.serve()
    finally:
        session.ended()
        await session.aclose()


def _no_project() -> Project:
    raise CompatError(ErrorCode.INVALID_INPUT, "a connector asks about seams; `dsh-compat listen` serves dispatch")
