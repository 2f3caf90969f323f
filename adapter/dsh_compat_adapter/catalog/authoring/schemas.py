"""The published JSON Schemas, generated from the models of what people write and what the commands print."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from . import (
    models,
    models_rules,
    models_surface,
    models_vendor,
    wire,
    wire_catalog,
    wire_facts,
    wire_manifest,
    wire_run,
)

SCHEMAS: dict[str, Any] = {
    "vendor": models_vendor.Vendor,
    "rules": models_rules.Rules,
    "surface": models_surface.Surface,
    "losses": dict[models.Code, models.Loss],
    "points": dict[str, models.HookPoint],
    "manifest": wire_manifest.Manifest,
    "matrix": wire_catalog.Matrix,
    "described": wire_catalog.Described,
    "catalog": wire_catalog.CatalogRows,
    "result": wire.Result,
    "status": wire.Status,
    "check": wire.Check,
    "check_line": wire.Check | wire.NotChecked,
    "build": wire.Build,
    "init": wire.Init,
    "run": wire_run.RunReport,
    "validate": wire.Validate,
    "list": wire.Files,
    "dump": wire.Dump,
    "reply": wire_run.Reply,
    "facts": wire_facts.Facts,
    "durations": wire_facts.Durations,
}


def schema(name: str) -> dict[str, Any]:
    """One schema in the 2020-12 dialect, with its published name."""
    body = TypeAdapter(SCHEMAS[name]).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "title": f"dsh-compat {name}"}
