"""DshAdapter: the hooks and rules of a project for DSH's own Python SDK, as patches of its harness."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from ...arguments import all_of, merged, one_of, path_of, reading
from ...capability import CapabilityResult
from ...catalog.load import Catalog
from ...catalog.matrix import Matrix, matrix
from ...declare.declaration import hook_declaration, rules_declaration
from ...declare.scan import scan
from ...events import Capability
from ...grading import grade
from ...registered import Status
from ...routes import carry
from .bundle import Bundle, collect, surface_of
from .directory import write

RUNTIME = "deepseek-harness-runtime-bin"
PRERELEASE = re.compile(r"(\d+(?:\.\d+)*)(a|b|rc)(\d+)")
NPM_NAMES = {"a": "alpha", "b": "beta", "rc": "rc"}


def installed_version() -> str | None:
    """The version of the DSH runtime in this environment, as DSH itself writes it; none without one."""
    try:
        found = version(RUNTIME)
    except PackageNotFoundError:
        return None
    if (parts := PRERELEASE.fullmatch(found)) is None:
        return found
    return f"{parts[1]}-{NPM_NAMES[parts[2]]}.{parts[3]}"


class DshAdapter:
    """What a project declares, and what is registered here, for one version of DSH.

        adapter = DshAdapter("my/project", policy="strict")
        with DeepSeekHarness(..., patches=adapter.patches("build/dsh")) as harness: ...

    `dsh` is by default the installed runtime, else the newest that is known. `home` adds the user's own files.
    """

    def __init__(  # noqa: PLR0913 - each is one choice of `dsh-compat build`
        self,
        project_dir: str | os.PathLike[str],
        *,
        dsh: str | None = None,
        policy: str | None = None,
        bridge: str = "official",
        home: str | os.PathLike[str] | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        self._catalog = Catalog.load() if catalog is None else one_of(catalog, Catalog, "catalog")
        with reading("the version of DSH"):
            self._surface = surface_of(self._catalog, dsh or installed_version())
        user = None if home is None else path_of(home, "home")
        self._scan = scan(path_of(project_dir, "the project"), self._catalog, home=user)
        self._policy = policy
        self._bridge = bridge
        self._bundle()  # a wrong policy is an error of this call

    def register_hook(self, declaration: Mapping[str, object] | None = None, /, **fields: object) -> CapabilityResult:
        """Add one hook, by keyword or as a mapping; see `CompatAdapter.register_hook`."""
        project = str(self._scan.root.resolve())
        with reading("the declaration"):
            declared = hook_declaration(merged(declaration, fields))
            result = grade(declared, self._catalog, self._surface, project, has_shell=True).result
        self._scan = replace(self._scan, hooks=(*self._scan.hooks, declared))
        return result

    def register_rules(self, declaration: Mapping[str, object] | None = None, /, **fields: object) -> CapabilityResult:
        """Add rules; see `CompatAdapter.register_rules`. They are read again when DSH starts."""
        with reading("the declaration"):
            declared = rules_declaration(merged(declaration, fields))
            vendor = self._catalog.vendor(declared.vendor)
            result = carry.result(carry.read_rules(declared, vendor), vendor, self._catalog)
        self._scan = replace(self._scan, rules=(*self._scan.rules, declared))
        return result

    def status(self) -> Status:
        """What everything comes to in this version of DSH."""
        bundle = self._bundle()
        results = [item.result for item in bundle.items]
        return Status(
            host=self._surface.title,
            policy=bundle.policy.value,
            hooks=tuple(result for result in results if result.capability is not Capability.CARRY),
            rules=tuple(result for result in results if result.capability is Capability.CARRY),
            dispatches=0,
            disposed=False,
        )

    def matrix(self) -> Matrix:
        """Every row of the catalog, with counts."""
        return matrix(self._catalog)

    def patches(
        self, directory: str | os.PathLike[str], *, add_shell: bool = False, python: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Write the bundle, and give what the SDK takes as `patches`.

        `add_shell` adds DSH's local shell for profile sdk-minimal, which has none. Raises as `dsh-compat build` does.
        """
        to = path_of(directory, "the directory")
        words = all_of(python, str, "python")
        return (str(write(self._bundle(), to, self._catalog, python=words, add_shell=add_shell)),)

    def _bundle(self) -> Bundle:
        return collect(self._scan, self._catalog, self._surface, bridge=self._bridge, policy=self._policy)
