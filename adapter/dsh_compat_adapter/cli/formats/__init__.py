"""How `check` prints what it found: one module a format, each with `render(checked, options)`.

Only the names stand here, so that the parser knows them without importing what writes them.
"""

FORMATS = {
    "text": "text",
    "json": "json_document",
    "jsonl": "json_line",
    "sarif": "sarif",
    "github": "github",
    "markdown": "markdown",
}
