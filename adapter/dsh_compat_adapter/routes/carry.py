"""Carries rules: read once at registration, byte for byte, and given to the model when an agent is created.

Rules are text for the model. They are never a security boundary, and their result says so.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from ..capability import CapabilityResult, CarriedFile, Loss
from ..catalog.load import Catalog
from ..catalog.model import RulesFile, Vendor
from ..declare.declaration import RulesDeclaration
from ..errors import CompatError, ErrorCode
from ..events import Capability, Route
from ..seams.decisions import Decision, Notify
from ..seams.host import Dispose, Host, HostEvent

SEAM = "agent/created"
SOURCE = "compat-adapter-rules"
MAX_BYTES = 1024 * 1024  # of one file; a rules file that long is no instruction any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rules file as it was read."""

    vendor: str
    file: CarriedFile
    text: str  # without a byte order mark


def read_rules(declaration: RulesDeclaration, vendor: Vendor) -> tuple[Rule, ...]:
    """All files that a declaration names, in a stable order.

    Raises RULES_NOT_FOUND, OUTSIDE_BASE_DIR, NOT_TEXT, TOO_LARGE or INVALID_FILE; a glob is read whole or not at all.
    """
    paths = _paths(declaration)
    return tuple(_read(path, vendor) for path in paths)


def mount(host: Host, rules: Sequence[Rule]) -> Dispose:
    """Give all rules to each new agent, as one message with this adapter as its source."""
    text = render(rules)

    async def listen(_: HostEvent) -> Decision:
        return Notify(contexts=(text,), source=SOURCE)

    return host.subscribe(SEAM, listen)


def render(rules: Sequence[Rule]) -> str:
    """The one message: each file below a line that says whose it is, where it stands and which bytes it is."""
    parts = [f"{_heading(rule)}\n{rule.text}" for rule in rules]
    return "\n\n".join(parts)


def _heading(rule: Rule) -> str:
    file = rule.file
    return f"[{rule.vendor} rules carried from {file.path}, sha256 {file.sha256}, {file.bytes} bytes]"


def kind_of(path: str, vendor: Vendor) -> RulesFile | None:
    """Which of the vendor's rules files a path is, by the longest pattern that it ends with."""
    fitting = [file for file in vendor.rules if PurePath(path).match(_tail(file.path))]
    return max(fitting, key=lambda file: len(file.path), default=None)


def _tail(pattern: str) -> str:
    """A pattern that `PurePath.match` compares from the right; `**` stands for the folder right above."""
    return pattern.removeprefix("~/").removeprefix("/").replace("**/", "")


def _paths(declaration: RulesDeclaration) -> list[Path]:
    source, base = declaration.source, declaration.base_dir
    if not isinstance(source, str) or not source or "\0" in source:
        raise _error(ErrorCode.INVALID_DECLARATION, f"source is a path, found {source!r:.120}", declaration)
    if source.startswith("file://"):
        source = unquote(urlsplit(source).path)
    if base is None:
        if not Path(source).is_absolute():
            raise _error(
                ErrorCode.INVALID_DECLARATION,
                f"{source!r} is relative: give an absolute base_dir with it",
                declaration,
            )
        root = None
    elif not isinstance(base, str | os.PathLike) or not Path(base).is_absolute():
        raise _error(ErrorCode.INVALID_DECLARATION, f"base_dir must be absolute, found {base!r:.120}", declaration)
    else:
        root = Path(base)
    found = sorted(_expand(source, root), key=lambda path: path.parts)
    if not found:
        place = f" below {root}" if root else ""
        raise _error(ErrorCode.RULES_NOT_FOUND, f"no file {source!r}{place}; check the path and its case", declaration)
    if root is not None and not Path(source).is_absolute():
        real_root = os.path.realpath(root)
        for path in found:
            if os.path.commonpath([os.path.realpath(path), real_root]) != real_root:
                raise _error(
                    ErrorCode.OUTSIDE_BASE_DIR,
                    f"{path} leads outside {root}; name that folder as base_dir",
                    declaration,
                )
    return found


def _expand(source: str, root: Path | None) -> Iterator[Path]:
    if not any(character in source for character in "*?["):
        path = (root or Path("/")) / source
        if path.is_dir():
            raise CompatError(
                ErrorCode.RULES_NOT_FOUND, f"{path} is a folder; name a file or a glob such as {source}/*.md"
            )
        if os.path.lexists(path):
            yield path
        return
    base, pattern = (Path("/"), source.lstrip("/")) if Path(source).is_absolute() else (root or Path("/"), source)
    try:
        yield from [path for path in base.glob(pattern) if not path.is_dir()]
    except (ValueError, NotImplementedError) as error:
        raise CompatError(ErrorCode.INVALID_DECLARATION, f"{source!r} is no valid glob: {error}") from None


def _read(path: Path, vendor: Vendor) -> Rule:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CompatError(ErrorCode.INVALID_FILE, f"{path} is no regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CompatError(ErrorCode.INVALID_FILE, f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise CompatError(ErrorCode.TOO_LARGE, f"{path} is larger than {MAX_BYTES} bytes; carry the part that matters")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CompatError(
            ErrorCode.NOT_TEXT, f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    carried = CarriedFile(path=str(path), sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
    return Rule(vendor=vendor.name, file=carried, text=text.removeprefix("\ufeff"))


def _error(code: ErrorCode, message: str, declaration: RulesDeclaration) -> CompatError:
    return CompatError(code, message, where=declaration.where)


def result(rules: Sequence[Rule], vendor: Vendor, catalog: Catalog) -> CapabilityResult:
    """What carrying these files comes to: CARRY, with the losses of the kinds of files that they are."""
    kinds = [kind_of(rule.file.path, vendor) for rule in rules]
    found = [degradation for kind in kinds if kind is not None for degradation in kind.degradations]
    # a file of no kind that the vendor reads is still only text
    listed = found or [catalog.loss("rules-are-text")]
    losses = {(d.code, d.loss): Loss(code=d.code, loss=d.loss, evidence=d.evidence) for d in listed}
    return CapabilityResult(
        vendor=vendor.name,
        event=None,
        capability=Capability.CARRY,
        route=Route.CARRY,
        seams=(SEAM,),
        degradations=tuple(losses.values()),
        files=tuple(rule.file for rule in rules),
    )
