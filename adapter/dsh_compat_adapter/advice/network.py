"""Commands that hand something to another machine: the payload holds what the agent reads and writes."""

import re
from collections.abc import Iterator

from ..declare.findings import Finding
from .case import Case

SENDERS = frozenset({"curl", "wget", "nc", "ncat", "http", "https", "xh", "scp", "rsync", "ssh"})
_HOST = re.compile(r"https?://(?:[^/@\s'\"]*@)?(?P<host>\[[^\]]*\]|[^/:\s'\"$]+)", re.IGNORECASE)
_HERE = re.compile(r"localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0", re.IGNORECASE)


def advise(case: Case) -> Iterator[Finding]:
    """One finding for a command that talks to a machine that is not this one."""
    senders = [program for program in case.programs if program.name in SENDERS]
    if not senders:
        return
    hosts = [found["host"] for program in senders for word in program.argv for found in _HOST.finditer(word)]
    away = [host for host in dict.fromkeys(hosts) if not _HERE.fullmatch(host)]
    if away or not hosts:
        whom = ", ".join(away) if away else "an address that is not written out"
        yield case.says(
            "payload-sent-off",
            f"{senders[0].name!r} sends to {whom:.160}, and what the hook reads holds prompts, commands and files",
            "make sure that this is meant; a hook needs no network to decide",
        )
