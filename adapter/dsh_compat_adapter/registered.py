"""What an adapter says of what it has registered: values, ready for JSON."""

from collections.abc import Mapping
from dataclasses import dataclass

from .capability import CapabilityResult
from .declare.findings import Finding
from .events import Capability


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What an adapter has registered, in order."""

    host: str
    policy: str
    hooks: tuple[CapabilityResult, ...]
    rules: tuple[CapabilityResult, ...]
    dispatches: int
    disposed: bool
    facts: Mapping[str, object] | None = None  # none of an adapter that runs nothing itself

    def to_dict(self) -> dict[str, object]:
        """The status as JSON-ready data."""
        return {
            "host": self.host,
            "policy": self.policy,
            "hooks": [result.to_dict() for result in self.hooks],
            "rules": [result.to_dict() for result in self.rules],
            "counts": {
                "hooks": len(self.hooks),
                "executable": sum(result.executable for result in self.hooks),
                "unsupported": sum(result.capability is Capability.UNSUPPORTED for result in self.hooks),
                "rules": len(self.rules),
                "carried_files": sum(len(result.files) for result in self.rules),
            },
            "dispatches": self.dispatches,
            "facts": self.facts,
            "disposed": self.disposed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectResult:
    """What registering a project came to: a result for each hook and rule, and what could not be processed."""

    results: tuple[CapabilityResult, ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, object]:
        """The results and findings as JSON-ready data."""
        return {
            "results": [result.to_dict() for result in self.results],
            "findings": [finding.to_dict() for finding in self.findings],
        }
