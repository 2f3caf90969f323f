"""What a command policy comes to where nothing enforces it: a finding for each of its rules."""

from collections.abc import Iterator

from .command_policy import Computed, Invalid, PolicyRule, read_policy
from .findings import Finding, make_finding

DENY = "register a hook that denies it before the tool runs"
SAYS = {  # what the vendor does, what happens here, what to do
    "forbidden": ("policy-forbids", "refuses", "this rule does not, and the model only reads it", DENY),
    "prompt": (
        "policy-asks",
        "asks before",
        "this rule makes nobody ask",
        "register a hook that asks before the tool runs",
    ),
    "allow": ("policy-allows", "does not ask about", "the host asks as it would without the rule", None),
}


def policy_findings(text: str, file: str, title: str) -> Iterator[Finding]:
    """The findings about the text of a policy file of a vendor. Total."""
    for found in read_policy(text, file):
        match found:
            case PolicyRule():
                code, does, here, remedy = SAYS[found.decision]
                subject = f"{'connections to ' if found.is_network else ''}`{found.subject:.120}`"
                why = f" ({found.justification:.120})" if found.justification else ""
                yield make_finding(code, found.where, f"{title} {does} {subject}{why}; here {here}", remedy)
            case Invalid():
                message = f"{title} does not start with this file: it has {found.why}"
                yield make_finding(
                    "policy-invalid", found.where, message, "repair it, or try it with the vendor's command"
                )
            case Computed():
                message = "this rule is computed, so it is not listed what it is about; nothing enforces it here"
                yield make_finding("policy-not-read", found.where, message, "write its words out")
