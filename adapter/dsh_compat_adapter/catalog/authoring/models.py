"""What people write in `vendors/`, `rules/` and the surface files, as pydantic models.

These are the source of the published JSON Schemas. The running side never imports them: it reads the compiled
catalog into the dataclasses of `catalog.model`, and a test keeps the two equal.
"""

from __future__ import annotations

import datetime as dt
import string
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ...events import Canonical, Capability, Effect, Route
from ..model import OptionRole

Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
# `fact:ID` (this file's facts), `surface:ID` (a limit in a surface file) or `test:PATH::NAME`
Evidence = Annotated[str, Field(pattern=r"^(fact|surface|test):\S+$")]
Path = Annotated[str, Field(pattern=r"^[a-z_]+(\.[A-Za-z_]+)+$")]
Text = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0)]


def _fillable(sentence: str) -> str:
    """Refuses braces that hold anything but a name: a row could not fill them."""
    for _, name, form, conversion in string.Formatter().parse(sentence):
        if name is not None and (form or conversion or not name.isidentifier()):
            raise ValueError(f"the braces of a sentence hold a name only, found {{{name}}}")
    return sentence


Sentence = Annotated[Text, AfterValidator(_fillable)]


class Model(BaseModel):
    """Frozen, and closed: a misspelt key is an error at its line, never a silent default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bilingual(Model):
    """One sentence in both languages of the documents."""

    en: Text
    zh: Text


class Loss(Model):
    """One kind of loss: its sentence, what it means for somebody's hook, and the way out if there is one."""

    en: Sentence
    zh: Sentence
    means: Bilingual
    remedy: Bilingual | None = None
    # the effect of an answer that makes this a run-time loss; `field`: the row's own `field` stood in the answer;
    # `ask-unanswerable`: the answer asked and the host has nobody to ask; `plain-stdout`: it was plain text on an event
    # where the vendor takes that as context; none: it cannot be seen in one answer
    trigger: Effect | Literal["field", "ask-unanswerable", "plain-stdout"] | None = None
    # the effect still reaches the host, in a weaker form that the sentence describes
    partial: bool = False


class Fact(Model):
    """One established statement about a vendor, with where it was established."""

    id: Code
    says: Text
    source: Text


class Checked(Model):
    """Against what, when and how a row was last checked."""

    version: Text
    date: dt.date
    basis: Literal["observed", "read", "inferred"]


class Degradation(BaseModel):
    """One loss of one mapping. Further keys fill the placeholders of the loss sentence."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, str]

    code: Code
    evidence: Evidence


class PayloadField(Model):
    """One field of what the hook reads on stdin: a value of the event, or a constant."""

    path: Path | None = None
    const: Any = None
    encode: Literal["json-string"] | None = None
    map: dict[str, str] | None = None  # host value to vendor value; an unlisted one passes as it is

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.path is None and "const" not in self.model_fields_set) or (self.path and self.const is not None):
            raise ValueError("a field has either a path or a const")
        if self.path is None and (self.encode or self.map):
            raise ValueError("encode and map belong to a path")
        return self


# a dot in a field's name nests it: `input.tool` is the field `tool` of the object `input`
Payload = dict[str, Path | PayloadField]
# path -> the literal (or one of the literals) that it must equal; `~regex` is searched in it, `!value` excludes
When = dict[Path, str | bool | int | list[str]]


class Failure(Model):
    """What an infrastructure failure does under the policy `vendor`, as the vendor's own engine does it."""

    exit: Literal["warn", "deny"] = "warn"  # an exit code other than 0 and 2
    timeout: Literal["warn", "deny"] = "warn"
    spawn: Literal["warn", "deny"] = "warn"
    answer: Literal["warn", "deny"] = "warn"  # stdout that was meant as JSON and is not


class HookPoint(Model):
    """One hook point of seed 002: its events, and which way a hook that fails there fails under `strict`."""

    strict: Literal["open", "closed"]
    canonical: list[Canonical] = []
    events: dict[str, list[str]] = {}  # by vendor: those without a canonical counterpart


class Spelling(Model):
    """Another accepted name of the event that also changes what the hook reads."""

    payload: Payload
    common: Literal["default", "alternate"] = "alternate"
    matcher: Code = "default"


class Native(Model):
    """How this project's own translation runs an official-bridge event (`bridge: native`)."""

    seams: list[Text] | None = None
    when: When | None = None
    payload: Payload | None = None
    feedback: Literal["replaces", "beside"] | None = None
    honours: list[Effect]
    degradations: list[Degradation] = Field(min_length=1)


class Event(Model):
    """One row: one event of one vendor."""

    capability: Literal[Capability.ADAPTED, Capability.UNSUPPORTED] = Capability.ADAPTED
    baseline: bool = True
    route: Route | None = None
    seams: list[Text] = []
    when: When = {}
    canonical: Canonical | None = None
    subject: Path | None = None  # what the matcher is compared with; none: the matcher is ignored
    subject_const: str | None = None  # where the host does not tell the subject: what the hook is told of it
    subject_values: list[str] = []  # the closed set of subjects, where the vendor has one
    matcher: Code = "default"  # which of the dialect's matchers
    payload: Payload = {}
    omit: list[str] = []  # common fields that this event does not send
    stdout_context: bool = False  # plain stdout is context
    stdout_of_failure: Literal["unread", "context"] = "unread"  # plain stdout beside an exit code other than 0 and 2
    stdout_fails: bool = False  # plain stdout counts as a broken hook
    voids_file: bool = False  # an entry that cannot be read makes the vendor apply nothing of its file
    exit_2: Literal["deny", "warn", "context"] = "deny"  # context: stderr is context
    decision: DecisionHere | None = None
    feedback: Literal["replaces", "beside"] = "replaces"  # what a block after a tool does to the result
    offers: list[Effect] = []  # what the vendor's own engine does with an answer
    honours: list[Effect] = []  # what of it reaches the host
    timeout_s: Seconds | None = None
    on_failure: Failure | None = None
    chain_ends: Literal["never", "deny", "ask"] = "never"  # what answer of a hook keeps later ones from running
    spellings: dict[str, Spelling] = {}
    since: str | None = None
    reason: Degradation | None = None  # UNSUPPORTED only
    degradations: list[Degradation] = []
    native: Native | None = None  # official-bridge only
    checked: Checked


class Matcher(Model):
    """How a matcher text is compared with the event's subject."""

    kind: Literal["names-or-regex", "names-or-anchored-regex", "regex", "anchored-regex", "literal", "none"]
    name_chars: str = ""  # besides ASCII letters and digits; names-or-regex: only these make it a list of names
    separators: str = ""
    trim: bool = False
    match_all: list[str] = []  # texts that mean every occurrence; an absent matcher always does
    flavour: Literal["ecmascript", "rust"] = "ecmascript"
    # which names of a tool a pattern is compared with (a list of names always with all): every one, every one but the
    # first alias, in both cases only the first one if it is a pattern that leaves names out; or the first alias
    pattern_names: Literal["all", "all-or-first", "own-or-first", "first-alias"] = "all-or-first"


class Stdin(Model):
    """How the payload is framed."""

    newline: bool


class Decision(Model):
    """How an answer is read."""

    grammar: Literal["nested", "top-level"]
    # what a hookSpecificOutput with another or no hookEventName does
    wrong_event_name: Literal["drops", "accepted"] = "drops"
    missing_event_name: Literal["drops", "accepted"] = "drops"
    unknown_keys: Literal["ignored", "void"] = "ignored"
    continue_false: Literal["stop", "deny"] = "stop"
    exit_2_needs_stderr: bool = False
    exit_2_reason: list[Literal["stderr", "json", "deny", "stdout"]] = ["stderr"]  # deny: of a JSON refusal alone
    failure_reason: Literal["explained", "plain"] = "explained"  # plain: why a hook failed is not for the model
    progress_lines: bool = False  # a line {"type": "progress", …} is no part of the answer
    json_at_exit_2: bool = False  # a JSON answer beside exit 2 is still read
    json_at_other_exit: bool = False  # a refusal in a JSON answer beside another exit code, or a signal, is still read
    broken_json: Literal["text", "void"] = "text"  # what stdout is that begins like JSON and is none
    deny_needs_reason: bool = False
    rewrite_input_keys: list[str] = []
    rewrite_output_keys: list[str] = []
    rewrite_prompt_keys: list[str] = []
    context_limit: int | None = None  # characters; what is longer the vendor replaces by a preview
    context_place: Literal["either", "inner", "outer"] = "either"  # where additionalContext is read: outer is top level
    # the rest is said by the rows at which it is so
    context: Literal["adds", "blocks"] = "adds"  # blocks: context has the effect of a block with it as the reason
    permission_decision: Literal["read", "ignored"] = "read"
    bare_deny: Literal["refuses", "void"] = "refuses"  # void: one without the reason that the vendor's engine needs


class DecisionHere(Model):
    """How an answer is read at one event, where that is not as in the dialect."""

    context: Literal["adds", "blocks"] | None = None
    permission_decision: Literal["read", "ignored"] | None = None
    bare_deny: Literal["refuses", "void"] | None = None
    continue_false: Literal["stop", "deny"] | None = None
    deny_needs_reason: bool | None = None


class ExecForm(Model):
    """How an entry names a program that runs without a shell."""

    mark: str  # the key that makes an entry one of this form
    program: str
    arguments: str


class Handlers(Model):
    """How an entry of the vendor's configuration names its handler."""

    types: dict[str, Literal["shell", "webhook", "oracle", "proxy", "unsupported"]]
    runs: list[Literal["shell", "webhook", "oracle", "proxy"]] = ["shell"]  # the kinds that run here
    default_type: str | None = None
    command_keys: dict[str, str] = {"command": "/bin/sh"}  # POSIX, in order of preference: key -> shell
    windows_command_keys: list[str] = ["command"]
    exec_form: ExecForm | None = None
    timeout_keys: list[str] = ["timeout"]  # all in seconds
    zero_timeout_s: Seconds | None = None  # what a time limit of 0 means; none: it is refused
    # further keys that the vendor knows: `read` here as well, or what they would do
    options: dict[str, OptionRole] = {}
    conditions: dict[str, str] = {}  # tool -> its argument that is a shell command; none: no condition is evaluated
    broken_condition: Literal["never", "always"] = "never"  # when a hook runs whose condition is no rule
    detaching: list[str] = []  # of the options, those that make the vendor not wait for the hook
    identity: list[str] = []  # of the options, those that make a repeated command another hook


class Dialect(Model):
    """A vendor's wire habits."""

    matchers: dict[Code, Matcher]  # `default` and others that rows name
    stdin: Stdin
    common: Payload
    common_alternate: Payload = {}
    decision: Decision
    handlers: Handlers
    environment: dict[str, str] = {}  # variable -> a path of the event, or a literal beginning with `=`
    plugin_root: list[str] = []  # variables that hold the root of the plugin that a hook belongs to
    # text -> its value; replaced where the vendor replaces text, not where its shell expands a variable
    placeholders: dict[str, Literal["project_dir", "plugin_root"]] = {}
    replaces: list[Literal["command", "arguments"]] = []  # where placeholders are replaced
    expected_variables: str | None = None  # pattern of names that hooks expect the vendor, a plugin or an editor to set
    starts_in: Literal["session", "project"] = "session"  # the folder that the vendor starts a hook in
    matchers_ignored_by: Text | None = None  # a host that reads the vendor's files too, and no matcher in them
    windows_shell: Text | None = None  # that runs a command on Windows; none: a POSIX shell
    timeout_s: Seconds
    on_failure: Failure = Failure()
    concurrency: Literal["parallel", "sequential"]  # how the vendor runs several hooks of one event
    deduplicates: bool


class Tool(Model):
    """One tool: the vendor's name and arguments beside the host's."""

    name: Text
    host: Text
    aliases: list[str] = []
    arguments: dict[str, str] = {}  # vendor argument -> host argument


class Bridge(Model):
    """The official DSH bridge that a vendor's events can take, and its own wire habits."""

    package: str
    matchers: dict[Code, Matcher]  # only `default` is read
    decision: Decision
    stdin: Stdin
    environment: dict[str, str] = {}
    refuses: list[str] = []  # handler options with which a hook cannot run on it
    on_failure: Failure = Failure()


class ConfigFile(Model):
    """One place where the vendor reads hooks from."""

    path: Text  # relative to the project; `~/` to the home; absolute. `*` and `**` as in a glob
    layer: Literal["managed", "user", "project", "local", "plugin"]
    shape: Literal[
        "hook-groups",
        "hook-groups-only",
        "flat-hooks",
        "toml-hooks",
        "front-matter-hooks",
        "plugin-list",
        "plugin-manifest",
        "code-plugin",
        "native-hooks",
    ]
    requires: str | None = None  # only beside this file
    unless: list[str] = []  # not beside one of these, which make it the file of somebody else
    own: str | None = None  # but in any case beside this file
    disables: Literal["vendor", "file", "nothing"] = "nothing"  # what disableAllHooks in this file switches off
    read: bool = True  # false: people put it there and the vendor never reads it
    why: Text | None = None  # of a file that is not read: whose it is
    of: Code | None = None  # another vendor's file that this one reads as well, so it is only said


class Setting(Model):
    """A key of the vendor's settings that its users rely on, and what becomes of it here."""

    key: Text  # with dots where it stands in another one
    # policy: it restricts what the agent may do; environment: variables that hooks get; program: what the vendor
    # starts; hooks-on: false switches hooks off; managed-only: true keeps all but managed ones off; known: a name only
    # plugins: the names of plugins, each true where it is on; inert: documented, and without any effect
    role: Literal["policy", "environment", "program", "plugins", "hooks-on", "managed-only", "inert", "known"]
    harmless: list[str] = []  # values that restrict nothing


class Vendor(Model):
    """One vendor file."""

    vendor: Code
    title: Text
    aliases: list[str] = []
    facts: list[Fact]
    bridge: Bridge | None = None
    dialect: Dialect
    tools: list[Tool]
    other_tools: list[str] = []  # that the host has nothing for, so that a matcher that names one is no mistake
    tool_pattern: str | None = None  # how a word of a matcher looks that may mean a further tool (of an MCP server)
    uncalled_tools: list[str] = []  # tools of the vendor whose work no host does under any name in `tools`
    config: list[ConfigFile]
    plugin_objects: dict[str, Text] = {}  # keys of a plugin's object that hold no callback, and what they offer
    plugin_in_place: list[str] = []  # members of `output` that count only if they are edited and not replaced
    plugin_apis: dict[str, Text] = {}  # packages that a plugin imports, and whose they are
    beside_events: list[str] = []  # keys beside the events that are none
    settings: list[Setting] = []  # of the files in `config` that are about more than hooks
    everywhere: list[Degradation] = []  # losses of every row of this vendor
    events: dict[str, Event]


class Imports(Model):
    """How the vendor reads `@path` in a rules file."""

    syntax: Literal["markdown", "anywhere"]  # words of Markdown text, or whatever follows an @ outside of backticks
    depth: int  # how many imports in a row are followed
    outside: Literal["asks", "reads"]  # of a file of the project, from outside of it; a user's own may lead anywhere
    suffixes: list[str] = []  # of what is read, beside files that have none; empty: of any


class RulesFile(Model):
    """One kind of rules or instruction file."""

    path: Text
    layer: Literal["managed", "user", "project", "local"]
    format: Literal["markdown", "starlark"]
    scope_key: str | None = None  # front matter key that makes the file conditional
    scope_aliases: list[str] = []  # further keys that do
    unscoped: Literal["always", "on-demand"] = "always"  # when a file without such a key is loaded
    off_key: str | None = None  # front matter key that, when false, switches the file off
    always_key: str | None = None  # that, when true, makes the scope not count, and when false, needs one
    shadowed_by: list[str] = []  # names beside it, each of which makes the vendor leave this file out
    max_bytes: int | None = None  # of which the vendor reads no more, of all such files of a project
    max_chars: int | None = None  # of one file; of a longer one the vendor reads nothing
    imports: Imports | None = None  # none: `@path` is text
    nested: bool = False  # also read in directories below the root
    degradations: list[Degradation] = Field(min_length=1)


class RulesSetting(Model):
    """A key of the vendor's own settings that changes which rules it reads."""

    path: Text
    layer: Literal["user", "project"]
    format: Literal["json", "toml"]
    key: Text
    means: Literal["files", "names", "max-bytes"]  # further files; names where there is none; the limit of `max_bytes`


class UnreadRules(Model):
    """A place where people put rules that the vendor does not read."""

    path: Text
    why: Text


class Rules(Model):
    """One rules file of a vendor: what it reads, in which order, and what carrying loses."""

    vendor: Code
    facts: list[Fact]
    files: list[RulesFile]
    unread: list[UnreadRules] = []
    settings: list[RulesSetting] = []
    checked: Checked


class Seam(Model):
    """One extension point of a host."""

    name: Text  # what this host calls it
    kind: Literal["waterfall", "serial", "emit"]
    decision: Literal["session-start", "prompt", "pre-tool", "post-tool", "continuation", "approval"] | None = None
    fields: list[Path] = []


class Limit(Model):
    """Something the host cannot do, with where that was established: evidence for degradations."""

    id: Code
    says: Text
    source: Text


class Surface(Model):
    """What one host version offers."""

    host: Text
    version: Text
    title: Text
    services: list[Text]  # shell, approval, subagents, bridge:<package>
    tools: list[Text]
    sends: dict[Path, list[Text]] = {}  # all values that the host itself ever sends at a path
    caller_sends: bool = False  # who fires an event on it may send others
    fields: list[Path]  # known at every seam
    seams: dict[str, Seam]  # by the name that vendor rows use
    session_events: dict[str, list[str]]  # type -> fields of its data
    limits: list[Limit]
    checked: Checked
