"""Every generated file of the checkout, from path to text: what `scripts/regenerate` writes or checks."""

from __future__ import annotations

import json
from pathlib import Path

from ...capability import to_json
from ...matrix import LANGUAGES, fill
from ..load import Catalog
from ..matrix import matrix
from ..observed import observed
from .compile import compile_catalog
from .lint import lint
from .recordings import digest
from .schemas import SCHEMAS, schema
from .sources import Finding, SourceError, read

PACKAGE = Path("adapter/dsh_compat_adapter")


def generate(root: Path) -> dict[Path, str]:
    """All generated texts, by path below the root; raises SourceError with every finding of the linters."""
    sources = read(root)
    if findings := lint(sources):
        raise SourceError(findings)
    compiled = compile_catalog(sources)
    files = {PACKAGE / "catalog/catalog.json": compiled}
    catalog = Catalog(json.loads(compiled))
    files[PACKAGE / "catalog/matrix.json"] = to_json(matrix(catalog).to_dict()) + "\n"
    files[PACKAGE / "catalog/observed.json"] = seen = digest(root)
    for name in SCHEMAS:
        files[PACKAGE / f"schemas/{name}.json"] = json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
    for document, language in LANGUAGES.items():
        try:
            files[Path(document)] = fill(
                (root / document).read_text(encoding="utf-8"), catalog, language, observed(seen)
            )
        except (OSError, ValueError) as error:
            raise SourceError([Finding(document, str(error))]) from error
    return files
