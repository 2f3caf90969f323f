"""Reads the YAML files that people write and validates them against the models.

Every finding of every file is collected before anything is raised, so that one run shows all there is to repair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from .models import Code, HookPoint, Loss
from .models_rules import Rules
from .models_surface import Surface
from .models_vendor import Vendor

T = TypeVar("T")
NO_VENDORS = ("losses", "points")  # the files in `vendors/` that are about all of them


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to repair: where it stands and what is expected there."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class SourceError(ValueError):
    """The files do not validate; `findings` lists everything that is wrong, in file order."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = tuple(findings)


@dataclass(frozen=True, slots=True)
class Sources:
    """All validated source files of one checkout."""

    root: Path
    vendors: dict[str, Vendor]
    rules: dict[str, Rules]
    surfaces: dict[str, Surface]
    losses: dict[str, Loss]
    points: dict[str, HookPoint]


class _UniqueKeys(yaml.CSafeLoader):
    """Safe YAML in which the same key twice is an error instead of a silent last-one-wins."""

    def construct_mapping(  # the signature is the base class's
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key, (key_node, _) in zip(keys, node.value, strict=True):
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    "while reading a mapping",
                    node.start_mark,
                    f"the key {key!r} stands twice",
                    key_node.start_mark,
                )
        return super().construct_mapping(node, deep)


def surface_files(root: Path) -> list[Path]:
    """The surface files of the hosts, embedded first."""
    hosts = root / "adapter/dsh_compat_adapter/hosts"
    return [hosts / "embedded/surface.yaml", *sorted((hosts / "dsh/surface").glob("*.yaml"))]


def read(root: Path) -> Sources:
    """Read and validate everything; raises SourceError with all findings."""
    findings: list[Finding] = []
    vendor_files = [path for path in sorted((root / "vendors").glob("*.yaml")) if path.stem not in NO_VENDORS]
    vendors = {path.stem: vendor for path, vendor in _load_all(vendor_files, root, Vendor, findings)}
    rules = {
        path.stem: found for path, found in _load_all(sorted((root / "rules").glob("*.yaml")), root, Rules, findings)
    }
    surfaces: dict[str, Surface] = {}
    for path, surface in _load_all(surface_files(root), root, Surface, findings):
        name = f"{surface.host}-{surface.version}"
        if name in surfaces:
            findings.append(Finding(str(path.relative_to(root)), f"another surface file describes {name} as well"))
        surfaces[name] = surface
    losses = _load(root / "vendors/losses.yaml", root, TypeAdapter(dict[Code, Loss]), findings)
    points = _load(root / "vendors/points.yaml", root, TypeAdapter(dict[str, HookPoint]), findings)
    if findings:
        raise SourceError(findings)
    return Sources(root, vendors, rules, surfaces, losses or {}, points or {})


def _load_all(paths: list[Path], root: Path, model: type[T], findings: list[Finding]) -> Iterator[tuple[Path, T]]:
    adapter = TypeAdapter(model)
    for path in paths:
        if (loaded := _load(path, root, adapter, findings)) is not None:
            yield path, loaded


def _load(path: Path, root: Path, adapter: TypeAdapter[T], findings: list[Finding]) -> T | None:
    """The validated content of one file; none, and at least one finding, when there is something to repair."""
    where = str(path.relative_to(root))
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeys)  # noqa: S506 - a safe loader
        return adapter.validate_python(data)
    except ValidationError as error:
        findings.extend(_explain(where, error))
    except (OSError, ValueError, yaml.YAMLError) as error:  # ValueError: no UTF-8, or a date that does not exist
        findings.append(Finding(where, str(error)))
    return None


def _explain(where: str, error: ValidationError) -> Iterator[Finding]:
    for item in error.errors():
        place = ".".join(str(part) for part in item["loc"])
        yield Finding(f"{where} {place}".rstrip(), f"{item['msg']}, found {item['input']!r:.80}")
