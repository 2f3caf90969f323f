"""The shape of `compat.yaml`, as pydantic models: the source of its schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .models import Model


class ManifestHook(Model):
    """One hook of a manifest."""

    vendor: str
    event: str
    handler: str | dict[str, Any]  # a vendor's handler object has keys of its own
    matcher: str | None = None
    timeout: float | None = Field(default=None, gt=0, description="seconds")
    on_error: Literal["warn", "block", "ignore"] | None = None
    env: dict[str, str] | None = None
    bridge: Literal["official", "native"] | None = None
    plugin_root: str | None = Field(default=None, description="the folder of the plugin that the hook belongs to")


class ManifestRules(Model):
    """Rules of a manifest; paths are relative to it."""

    vendor: str
    source: str
    base_dir: str | None = None


class ManifestIgnore(Model):
    """A code that `check` leaves out in the files that a pattern names."""

    code: str
    file: str | None = Field(default=None, description="`*` stands for any characters, `/` included")


class Manifest(Model):
    """`compat.yaml`."""

    version: Literal[1]
    policy: Literal["vendor", "strict"] | None = None
    discover: bool | None = Field(default=None, description="false: the project's files of the vendors do not count")
    ignore: list[str | ManifestIgnore] | None = Field(default=None, description="codes that `check` leaves out")
    hooks: list[ManifestHook] | None = None
    rules: list[ManifestRules] | None = None
