"""What a command policy comes to where nothing enforces it: a finding for each of its rules."""

from collections.abc import Iterator

from .command_policy import Computed, Invalid, PolicyRule, read_policy
from .findings import Finding, make_finding


def policy_findings(text: str, file: str, title: str) -> Iterator[Finding]:
    """The findings about the text of a policy file of a vendor. Total."""
    for found in read_policy(text, file):
        match found:
            case PolicyRule():
                yield _rule(found, title)
            case Invalid():
                message = f"{title} does not start with this file: it has {found.why}"
                yield make_finding(
                    "policy-invalid", found.where, message, "repair it; the vendor has a command to try it"
                )
            case Computed():
                message = "this rule is computed, so it is not listed what it is about; nothing enforces it here"
                yield make_finding("policy-not-read", found.where, message, "write its words out")


def _rule(rule: PolicyRule, title: str) -> Finding:
    subject = f"{'connections to ' if rule.is_network else ''}`{rule.subject:.120}`"
    why = f" ({rule.justification:.120})" if rule.justification else ""
    match rule.decision:
        case "forbidden":
            message = f"{title} refuses {subject}{why}; here this rule does not, and the model only reads it"
            remedy = "register a hook that denies it before the tool runs"
            return make_finding("policy-forbids", rule.where, message, remedy)
        case "prompt":
            message = f"{title} asks before {subject}{why}; here this rule makes nobody ask"
            return make_finding("policy-asks", rule.where, message, "register a hook that asks before the tool runs")
        case _:
            message = f"{title} does not ask about {subject}{why}; here the host asks as it would without the rule"
            return make_finding("policy-allows", rule.where, message)
