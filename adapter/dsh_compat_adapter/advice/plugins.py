"""Plugins that lie in folders of a project: nothing of them is in effect there."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..catalog.load import Catalog
from ..declare.discover import PluginFound, plugins_below
from ..declare.findings import Finding, make_finding
from ..declare.text_file import relative
from ..errors import Where


def advise(root: Path, catalog: Catalog) -> Iterator[Finding]:
    """One finding for each folder that is a plugin. Total."""
    folders: dict[Path, list[PluginFound]] = defaultdict(list)
    for plugin in plugins_below(root, catalog):
        folders[plugin.folder].append(plugin)
    for folder, plugins in folders.items():
        name = relative(str(folder), root)
        titles = " and ".join(plugin.vendor.title for plugin in plugins)
        yield make_finding(
            "plugin-below",
            Where(str(plugins[0].file), 1, 1),
            f"{name:.120} is a plugin of {titles}: its hooks run where it is installed, and are not checked with this "
            "project",
            f"dsh-compat check {name}",
        )
