"""Variables that the settings of a vendor give to its hooks, and that nobody sets here."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..declare.findings import Finding, make_finding
from ..errors import Where
from .case import Case
from .files import at_lines, by_file


def advise(cases: Sequence[Case], environment: Mapping[str, Mapping[str, Where]]) -> Iterator[Finding]:
    """One finding a file for each variable of the settings that its hooks use; `environment` has them by vendor."""
    for alike in by_file(cases):
        for name, where in environment.get(alike[0].vendor.name, {}).items():
            word = re.compile(rf"\b{re.escape(name)}\b")
            users = [case for case in alike if any(word.search(text) for text in (case.command or "", *case.texts))]
            if users:
                yield make_finding(
                    "settings-variable-unset",
                    users[0].where,
                    f"the hooks{at_lines(users)} use {name:.80}, which env in {where} sets for them at "
                    f"{users[0].vendor.title}; here they see it only if the agent's own environment has it",
                    "set it for the host, or declare the hook in compat.yaml with `env`",
                )
