"""Runs the conformance vectors: in this process, and over stdio against a real `listen`."""

import base64
import json
import subprocess
import sys
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import yaml

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.errors import CompatError
from dsh_compat_adapter.hooks.stop_guard import StopGuard
from dsh_compat_adapter.hosts.stdio.project import LoadedProject
from dsh_compat_adapter.loading import load

HERE = Path(__file__).parent
Case = dict[str, Any]  # YAML that the README of this folder describes


class Door(Protocol):
    """One way to reach an implementation."""

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one request."""
        ...


def cases() -> list[Case]:
    """Every case of every file, in order; a repeated id is an error."""
    found = [case for path in sorted(HERE.glob("*.yaml")) for case in yaml.safe_load(path.read_text("utf-8")) or []]
    ids = [case["id"] for case in found]
    assert len(ids) == len(set(ids)), f"ids stand twice: {sorted({name for name in ids if ids.count(name) > 1})}"
    return found


def write_files(case: Case, root: Path) -> None:
    """Lay out the project of a case."""
    for name, content in (case.get("files") or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                path.write_text(_placed(content, root), encoding="utf-8")
            case {"base64": data}:
                path.write_bytes(base64.b64decode(data))
            case {"text": text, **rest}:
                path.write_text(_placed(text, root), encoding="utf-8")
                path.chmod(int(str(rest.get("mode", "644")), 8))
            case _:
                path.write_text(_placed(json.dumps(content), root), encoding="utf-8")


class InProcess:
    """The implementation in this process."""

    def __init__(self, root: Path) -> None:
        catalog = Catalog.load()
        scanned = scan(root, catalog, home=root / "home")
        loaded = load(scanned, catalog, catalog.surfaces["embedded-0.1"])
        self.project = LoadedProject(loaded, catalog, StopGuard())

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one request, as it would go over the wire."""
        if request["op"] == "reload":
            return {"ok": True, "diagnostics": self.project.diagnostics()}
        try:
            answer = self.project.dispatch(request)
            reply = await answer if isinstance(answer, Awaitable) else answer
        except CompatError as error:
            return {"ok": False, "error": str(error), "code": error.code.value}
        return dict(json.loads(json.dumps(reply)))


class OverStdio:
    """A server that is a process of its own."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send one line and read one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))


@contextmanager
def listening(root: Path) -> Iterator[OverStdio]:
    """A `listen` on the project of a case."""
    argv = [sys.executable, "-m", "dsh_compat_adapter", "listen", "--root", str(root), "--home", str(root / "home")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield OverStdio(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


async def check(case: Case, root: Path, door: Door) -> None:
    """Send the requests of a case and compare everything that it expects."""
    if "diagnostics" in case:
        reply = await door.ask({"op": "reload"})
        codes = {entry["code"] for entry in reply["diagnostics"]}
        assert set(case["diagnostics"]) <= codes, f"diagnostics: expected {case['diagnostics']}, found {sorted(codes)}"
        assert case["diagnostics"] or not codes, f"diagnostics: expected none, found {sorted(codes)}"
    for number, step in enumerate(case.get("requests") or []):
        reply = await door.ask(json.loads(_placed(json.dumps(step["send"]), root)))
        if "runs" in reply:
            reply["runs"] = len(reply["runs"])
        _compare(json.loads(_placed(json.dumps(step["expect"]), root)), reply, f"request {number}")
    for name, expected in (case.get("after") or {}).items():
        path = root / name
        if expected == {"absent": True}:
            assert not path.exists(), f"{name} was written"
            continue
        text = path.read_text("utf-8")
        if isinstance(expected, dict) and "json" in expected:
            _compare(json.loads(_placed(json.dumps(expected["json"]), root)), json.loads(text), name)
        else:
            _compare(json.loads(_placed(json.dumps(expected), root)), text, name)


def _compare(expected: Any, found: Any, place: str) -> None:
    match expected:
        case {"contains": str() as part} if len(expected) == 1:
            assert part in found, f"{place}: expected a text with {part!r}, found {found!r}"
        case dict():
            assert isinstance(found, dict), f"{place}: expected an object, found {found!r}"
            for key, value in expected.items():
                _member(key, value, found, f"{place}.{key}")
        case _:
            assert found == expected, f"{place}: expected {expected!r}, found {found!r}"


def _member(key: str, value: Any, found: Mapping[str, Any], place: str) -> None:
    if value == {"absent": True}:
        assert key not in found, f"{place}: expected nothing, found {found[key]!r}"
    elif key in ("problems", "losses") and isinstance(value, list):
        there = {entry["code"] if isinstance(entry, dict) else entry for entry in found.get(key, [])}
        assert set(value) <= there, f"{place}: expected {value}, found {sorted(there)}"
        assert value or not there, f"{place}: expected none, found {sorted(there)}"
    else:
        _compare(value, found.get(key), place)


def _placed(text: str, root: Path) -> str:
    return text.replace("{root}", str(root))
