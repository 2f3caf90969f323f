"""The generated parts of the documents: the matrix and the counts, in English and Chinese.

Reads only the catalog. jinja2 is an extra for maintainers; nothing at run time imports this module.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import jinja2

from .catalog.load import Catalog
from .catalog.matrix import Matrix, matrix
from .catalog.model import Row
from .catalog.observed import Observed, observed

TEMPLATES = Path(__file__).with_name("templates")
# ruff: noqa: RUF001 - Chinese punctuation
WORDS = {
    "en": {
        "vendor": "Vendor",
        "baseline": "Baseline",
        "approximate": "Approximate",
        "beyond": "Beyond the baseline",
        "total": "Total",
        "summary": "every event, what still works and what is lost",
        "everywhere": "Of every event below:",
        "event": "Event",
        "works": "Still works",
        "lost": "Lost",
        "observes": "runs, observes",
        "nothing": "nothing",
        "footnote": "beyond the baseline",
        "engine": "Engine",
        "asked": "Cases",
        "equal": "Equal",
        "stricter": "Stricter",
        "weaker": "Weaker",
        "different": "Different",
        "not_comparable": "Not comparable",
        "fields": "Fields given to hooks: equal / all",
    },
    "zh": {
        "vendor": "厂商",
        "baseline": "基线",
        "approximate": "近似",
        "beyond": "基线之外",
        "total": "合计",
        "summary": "全部事件、仍然有效的部分与损失",
        "everywhere": "以下每个事件都适用：",
        "event": "事件",
        "works": "仍然有效",
        "lost": "损失",
        "observes": "会运行，只观察",
        "nothing": "无",
        "footnote": "基线之外",
        "engine": "引擎",
        "asked": "用例",
        "equal": "相同",
        "stricter": "更严",
        "weaker": "更弱",
        "different": "不同",
        "not_comparable": "不可比",
        "fields": "交给 hook 的字段：相同 / 全部",
    },
}
LANGUAGES = {"README.md": "en", "README.zh.md": "zh"}
BLOCKS = ("counts", "fidelity", "matrix")


def render_block(catalog: Catalog, name: str, language: str, seen: Mapping[str, Observed] | None = None) -> str:
    """One generated block (of `BLOCKS`) in one language, as Markdown; `seen` stands for what is shipped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - Markdown from our own data
    )
    data = matrix(catalog)
    # prose is written in each language; what is a table takes its words from the list above
    template = environment.select_template([f"{name}.{language}.md.j2", f"{name}.md.j2"])
    return template.render(
        words=WORDS[language],
        sentence=lambda degradation: _escape(degradation.loss if language == "en" else degradation.loss_zh),
        vendors=list(catalog.vendors.values()),
        counts=data.counts(baseline=True),
        all=data.counts(baseline=False),
        table=_table(data),
        observed=observed() if seen is None else seen,
    ).strip()


def fill(text: str, catalog: Catalog, language: str, seen: Mapping[str, Observed] | None = None) -> str:
    """A document with every block between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->` made anew.

    Raises ValueError for a block that nobody makes, and for one without an end, which would never be made again.
    """

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in BLOCKS:
            raise ValueError(f"there is no generated block {name!r}, only {', '.join(BLOCKS)}")
        return f"<!-- generated:{name} -->\n{render_block(catalog, name, language, seen)}\n<!-- /generated:{name} -->"

    filled, times = re.subn(
        r"<!-- generated:(?P<name>[a-z-]+) -->.*?<!-- /generated:(?P=name) -->",
        replace,
        text,
        flags=re.DOTALL,
    )
    if times != text.count("<!-- generated:"):
        raise ValueError("a `<!-- generated:NAME -->` has no `<!-- /generated:NAME -->` behind it")
    return filled


def _table(data: Matrix) -> dict[str, Counter[str]]:
    """Baseline rows by vendor and route, with the approximate ones and those beyond the baseline beside them."""
    table: dict[str, Counter[str]] = {}
    for row in data.rows:
        cells = table.setdefault(row.vendor, Counter())
        if row.baseline:
            cells[_route(row)] += 1
            cells["total"] += 1
            cells["approximate"] += row.approximate
        else:
            cells["beyond"] += 1
    return table


def _route(row: Row) -> str:
    return row.plan.route.value if row.plan else "none"


def _escape(text: str) -> str:
    """Text inside a table cell."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
