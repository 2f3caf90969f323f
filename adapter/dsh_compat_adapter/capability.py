"""The frozen result of one registration, with the invariants of the vocabulary enforced by its constructor."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from .events import Capability, Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One listed loss of a result: its stable code, its sentence, and the evidence for it."""

    code: str
    loss: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that the author should know although the registration went through."""

    code: str  # of `declare.finding_codes`
    text: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedFile:
    """One rules file that is carried: byte for byte, identified by its hash."""

    path: str
    sha256: str
    bytes: int
    scope: tuple[str, ...] = ()  # globs of the files that it is about; none: it is about all
    imported_by: str | None = None  # the file that says `@path`; none: it was declared itself

    def to_dict(self) -> dict[str, object]:
        """The file as JSON-ready data."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "scope": list(self.scope),
            "imported_by": self.imported_by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityResult:
    """What became of one declaration.

    Raises ValueError when a result would claim DIRECT, ADAPTED or CARRY without a listed loss, UNSUPPORTED without a
    reason and a code, or UNSUPPORTED that is executable.
    """

    vendor: str
    event: str | None  # none for rules
    capability: Capability
    route: Route | None = None
    seams: tuple[str, ...] = ()
    degradations: tuple[Loss, ...] = ()
    executable: bool = False
    code: str | None = None  # of an UNSUPPORTED result
    reason: str | None = None
    remedy: str | None = None
    files: tuple[CarriedFile, ...] = ()  # rules only
    warnings: tuple[Warned, ...] = ()
    id: str | None = None  # of what was mounted, for `status`

    def __post_init__(self) -> None:
        match self.capability:
            case Capability.DIRECT:
                raise ValueError("nothing may claim DIRECT: every mapping loses something")
            case Capability.ADAPTED | Capability.CARRY:
                if not self.degradations:
                    raise ValueError(f"{self.capability} lists at least one degradation")
            case Capability.UNSUPPORTED:
                if not (self.code and self.reason):
                    raise ValueError("UNSUPPORTED carries a code and a reason")
                if self.executable or self.route or self.seams:
                    raise ValueError("UNSUPPORTED mounts nothing")

    def to_dict(self) -> dict[str, object]:
        """The result as JSON-ready data; the keys are stable (`dsh-compat schema result`)."""
        return {
            "vendor": self.vendor,
            "event": self.event,
            "capability": self.capability.value,
            "route": self.route.value if self.route else None,
            "seams": list(self.seams),
            "degradations": [{"code": d.code, "loss": d.loss, "evidence": d.evidence} for d in self.degradations],
            "executable": self.executable,
            "code": self.code,
            "reason": self.reason,
            "remedy": self.remedy,
            "files": [file.to_dict() for file in self.files],
            "warnings": [{"code": w.code, "text": w.text, "remedy": w.remedy} for w in self.warnings],
            "id": self.id,
        }


def to_json(value: Mapping[str, object]) -> str:
    """One JSON text for every `--format json`: members in the order of construction, indented, ASCII only.

    ASCII keeps lone surrogates of odd file names printable on every terminal encoding.
    """
    return json.dumps(value, indent=2)
