"""The compiled catalog as frozen values: what the running side knows about vendors. The rest has modules beside this.

The shapes follow `authoring.models_*`, which is what people write; a test keeps the two equal. They are named tuples
and no dataclasses because every command defines them anew, and that takes a fifth of the time.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ..events import Canonical, Capability, Effect, Route
from .loss import Degradation
from .rules import RulesFile, RulesSetting, UnreadRules

FailureMode = Literal["warn", "deny"]
# what an option of a handler that is not read would have done
OptionRole = Literal[
    "read",
    "condition",
    "once",
    "once-a-session",
    "background",
    "wakes",
    "shown",
    "shell",
    "failure",
    "limit",
    "one-system",
    "other-kind",
    "inert",
]
HandlerKind = Literal["shell", "webhook", "oracle", "proxy", "unsupported"]


class PayloadField(NamedTuple):
    """Where one field of the hook's stdin comes from."""

    path: str | None
    const: object
    encode: str | None
    map: Mapping[str, str]


Payload = Mapping[str, PayloadField]
When = Mapping[str, tuple[str | bool | int, ...]]


class Failure(NamedTuple):
    """What an infrastructure failure does under the policy `vendor`."""

    exit: FailureMode
    timeout: FailureMode
    spawn: FailureMode
    answer: FailureMode


class HookPoint(NamedTuple):
    """One hook point of seed 002, and which way a hook that fails there fails under the policy `strict`."""

    name: str
    strict: Literal["open", "closed"]


class Spelling(NamedTuple):
    """Another accepted name of an event, with what it changes."""

    payload: Payload
    common: str
    matcher: str


class Plan(NamedTuple):
    """One way to run an event on a host."""

    route: Route
    seams: tuple[str, ...]
    when: When
    payload: Payload
    feedback: str
    stops_at: str | None  # the seam that ends the turn after a stop, where none of `seams` does
    honours: frozenset[Effect]
    degradations: tuple[Degradation, ...]

    @property
    def listens_at(self) -> tuple[str, ...]:
        """Every seam that a host has to have for it."""
        return self.seams if self.stops_at is None else (*self.seams, self.stops_at)

    @property
    def keeps_stdout(self) -> bool:
        """Whether plain stdout that the vendor takes as context arrives as such."""
        return all(degradation.trigger != "plain-stdout" for degradation in self.degradations)

    @property
    def can_block(self) -> bool:
        """Whether a deny of a hook prevents something here."""
        return Effect.DENY in self.honours

    @property
    def holds_turn(self) -> bool:
        """Whether a deny of a hook keeps a turn from ending."""
        return self.can_block and "agent/turn-stopping" in self.seams


class Checked(NamedTuple):
    """Against what, when (ISO date) and how a row was last checked."""

    version: str
    date: str
    basis: str


class Row(NamedTuple):
    """One event of one vendor. `plan` is absent exactly when the event is UNSUPPORTED."""

    vendor: str
    event: str
    capability: Capability
    baseline: bool
    plan: Plan | None
    native_plan: Plan | None  # official-bridge rows: the way without the bridge
    reason: Degradation | None
    canonical: Canonical | None
    point: HookPoint | None
    subject: str | None
    subject_const: str | None
    subject_values: tuple[str, ...]
    matcher: str
    omit: frozenset[str]
    stdout_context: bool
    stdout_of_failure: str
    stdout_fails: bool  # plain stdout counts as a broken hook
    voids_file: bool  # an entry that cannot be read makes the vendor apply nothing of its file
    exit_2: str
    decision: "DecisionDialect"  # the vendor's own at this event
    offers: frozenset[Effect]
    timeout_s: float
    on_failure: Failure
    chain_ends: str
    spellings: Mapping[str, Spelling]
    since: str | None
    checked: Checked

    @property
    def matched(self) -> bool:
        """Whether a matcher counts at this event."""
        return self.subject is not None or self.subject_const is not None

    @property
    def degradations(self) -> tuple[Degradation, ...]:
        """The listed losses of the row's own route."""
        return self.plan.degradations if self.plan else ()

    @property
    def approximate(self) -> bool:
        """Whether a listed loss begins with `Approximate`."""
        return any(degradation.approximate for degradation in self.degradations)


class MatcherDialect(NamedTuple):
    """How a matcher text is compared with the subject."""

    kind: str
    name_chars: str
    separators: str
    trim: bool
    match_all: tuple[str, ...]
    flavour: str
    pattern_names: Literal["all", "all-or-first", "own-or-first", "first-alias"]


class DecisionDialect(NamedTuple):
    """How an answer is read."""

    grammar: str
    wrong_event_name: str
    missing_event_name: str
    unknown_keys: str
    continue_false: str
    exit_2_needs_stderr: bool
    exit_2_reason: tuple[str, ...]
    failure_reason: str
    progress_lines: bool
    json_at_exit_2: bool
    json_at_other_exit: bool
    broken_json: str
    deny_needs_reason: bool
    rewrite_input_keys: tuple[str, ...]
    rewrite_output_keys: tuple[str, ...]
    rewrite_prompt_keys: tuple[str, ...]
    context_limit: int | None
    context_place: str
    context: str
    contexts: str
    permission_decision: str
    bare_deny: str


class ExecForm(NamedTuple):
    """The keys of an entry that names a program which runs without a shell; `mark` is the one that makes it so."""

    mark: str
    program: str
    arguments: str


class HandlerDialect(NamedTuple):
    """How a configuration entry names its handler."""

    types: Mapping[str, HandlerKind]
    runs: tuple[str, ...]
    default_type: str | None
    command_keys: Mapping[str, str]  # key -> the shell that reads the command
    windows_command_keys: tuple[str, ...]
    exec_form: ExecForm | None
    timeout_keys: tuple[str, ...]
    zero_timeout_s: float | None
    options: Mapping[str, OptionRole]
    conditions: Mapping[str, str]
    file_conditions: Mapping[str, str]
    file_patterns: str
    broken_condition: str
    detaching: tuple[str, ...]
    identity: tuple[str, ...]


class Dialect(NamedTuple):
    """A vendor's wire habits."""

    matchers: Mapping[str, MatcherDialect]
    stdin_newline: bool
    common: Mapping[str, Payload]  # by `default` and `alternate`
    decision: DecisionDialect
    handlers: HandlerDialect
    environment: Mapping[str, str]
    plugin_root: tuple[str, ...]
    placeholders: Mapping[str, str]  # text -> `project_dir` or `plugin_root`
    replaces: tuple[str, ...]  # where they are replaced as text: `command`, `arguments`
    expected_variables: str | None  # pattern of names that hooks expect somebody to set
    matchers_ignored_by: str | None  # a host that reads the vendor's files too, and no matcher in them
    windows_shell: str | None  # that the vendor runs a command in on Windows; none: a POSIX shell
    starts_in: str  # the folder that the vendor starts a hook in: `session` or `project`
    concurrency: str
    deduplicates: bool


class Bridge(NamedTuple):
    """The official DSH bridge of a vendor: its package, and what it makes of the vendor's wire habits."""

    package: str
    dialect: Dialect
    on_failure: Failure
    refuses: tuple[str, ...]  # handler options with which a hook cannot run on it


class Tool(NamedTuple):
    """One tool: the vendor's names, the host's, and the vendor's argument names by the host's."""

    name: str
    host: str
    aliases: tuple[str, ...]
    arguments: Mapping[str, str]


class ConfigFile(NamedTuple):
    """One place where hooks of a vendor are looked for; `read` is false where the vendor never looks."""

    path: str
    layer: str
    shape: str
    requires: str | None
    unless: tuple[str, ...]  # somebody else's file beside one of these,
    own: str | None  # unless this stands there too
    disables: str  # what disableAllHooks switches off there: vendor, file or nothing
    read: bool
    why: str | None  # of a file that is not read: whose it is
    of: str | None  # another vendor's file that this one reads as well


class Setting(NamedTuple):
    """A key of the vendor's settings (dots nest it), its role, and values that restrict nothing."""

    key: str
    role: str
    harmless: tuple[str, ...]


class Vendor(NamedTuple):
    """All that is known about one vendor."""

    name: str
    title: str
    aliases: tuple[str, ...]
    bridge: Bridge | None
    dialect: Dialect
    tools: tuple[Tool, ...]
    other_tools: tuple[str, ...]
    tool_pattern: str | None
    uncalled_tools: tuple[str, ...]
    config: tuple[ConfigFile, ...]
    beside_events: tuple[str, ...]  # keys beside the events that are none
    reads_comments: bool  # its JSON files may have comments and trailing commas
    settings: tuple[Setting, ...]
    plugin_objects: Mapping[str, str]  # keys of a plugin's object that hold no callback, and what they offer
    plugin_in_place: tuple[str, ...]  # members of `output` that count only if they are edited and not replaced
    plugin_apis: Mapping[str, str]  # packages that a plugin imports, and whose they are
    rules: tuple[RulesFile, ...]
    unread_rules: tuple[UnreadRules, ...]
    rules_settings: tuple[RulesSetting, ...]
    everywhere: tuple[Degradation, ...]  # losses of each of the rows
    rows: Mapping[str, Row]
    facts: Mapping[str, str]  # id -> statement (source)

    def has_event(self, name: str) -> bool:
        """Whether a name is one of its events, by any spelling."""
        return name in self.rows or any(name in row.spellings for row in self.rows.values())
