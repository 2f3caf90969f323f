"""A vendor's wire habits as people write them in its file, and those of the bridge that its events can take."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from ..model import OptionRole
from .models import Code, Model, Path, Seconds, Text


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
    # last: of several hooks the last one that names a context is heard, and plain text only where none does
    contexts: Literal["all", "last"] = "all"
    permission_decision: Literal["read", "ignored"] = "read"
    bare_deny: Literal["refuses", "void"] = "refuses"  # void: one without the reason that the vendor's engine needs


class DecisionHere(Model):
    """How an answer is read at one event, where that is not as in the dialect."""

    context: Literal["adds", "blocks"] | None = None
    contexts: Literal["all", "last"] | None = None
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
    file_conditions: dict[str, str] = {}  # tool -> its argument that is the path of a file
    file_patterns: Literal["gitignore", "glob"] = "gitignore"  # what it is compared with
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


class Bridge(Model):
    """The official DSH bridge that a vendor's events can take, and its own wire habits."""

    package: str
    matchers: dict[Code, Matcher]  # only `default` is read
    decision: Decision
    stdin: Stdin
    environment: dict[str, str] = {}
    refuses: list[str] = []  # handler options with which a hook cannot run on it
    on_failure: Failure = Failure()
