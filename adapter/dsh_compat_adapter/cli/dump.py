"""`dsh-compat dump`: the merged configuration, every hook that would run in the order in which it would."""

import argparse
import shlex

from ..capability import to_json
from ..catalog.load import Catalog
from ..hooks.hook import AskOracle, Hook, PostWebhook, RunCommand
from ..printable import printable
from .project import loaded
from .text import say


def run(arguments: argparse.Namespace) -> int:
    """Print the hooks."""
    project = loaded(arguments, Catalog.load())
    if arguments.format == "json":
        say(to_json({"policy": project.policy.value, "hooks": [_hook(hook) for hook in project.hooks]}))
        return 0
    say(f"failure policy: {project.policy.value}")
    for hook in project.hooks:
        matcher = "" if hook.matcher.text is None else f" matcher {hook.matcher.text!r}"
        say(printable(f"{hook.vendor.name} {hook.spelling}{matcher}: {_handler(hook)} ({hook.timeout_s:g} s)"))
    return 0


def _hook(hook: Hook) -> dict[str, object]:
    return {
        "id": hook.id,
        "vendor": hook.vendor.name,
        "event": hook.spelling,
        "canonical": hook.row.canonical.value if hook.row.canonical else None,
        "matcher": hook.matcher.text,
        "route": hook.plan.route.value,
        "handler": _handler(hook),
        "timeout_s": hook.timeout_s,
        "on_error": hook.on_error.value if hook.on_error else None,
        "source": str(hook.where) if hook.where else None,
    }


def _handler(hook: Hook) -> str:
    """What runs. Header values and keys are not printed."""
    match hook.action:
        case RunCommand(argv=argv):
            return argv[-1] if argv[1:2] == ("-c",) else shlex.join(argv)
        case PostWebhook(url=url):
            return f"POST {url}"
        case AskOracle(base_url=base_url, model=model):
            return f"ask {model or 'a model'} at {base_url}"
