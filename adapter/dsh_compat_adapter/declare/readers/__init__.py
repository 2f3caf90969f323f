"""The readers of vendors' files: one module a shape, chosen by the data of the vendor, listed in one table."""

from . import (
    code_plugin,
    flat_hooks,
    front_matter_hooks,
    hook_groups,
    hook_groups_only,
    native_hooks,
    plugin_list,
    plugin_manifest,
    toml_hooks,
)
from .found import Found, Reader, Refused

SHAPES: dict[str, Reader] = {
    "code-plugin": code_plugin.read,
    "flat-hooks": flat_hooks.read,
    "front-matter-hooks": front_matter_hooks.read,
    "hook-groups": hook_groups.read,
    "hook-groups-only": hook_groups_only.read,
    "native-hooks": native_hooks.read,
    "plugin-list": plugin_list.read,
    "plugin-manifest": plugin_manifest.read,
    "toml-hooks": toml_hooks.read,
}

__all__ = ["SHAPES", "Found", "Reader", "Refused"]
