"""A file in `vendors/`: its events, its tools, and the places and settings that are read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...events import Canonical, Capability, Effect, Route
from .models import Checked, Code, Degradation, Fact, Model, Path, Seconds, Text
from .models_dialect import Bridge, DecisionHere, Dialect, Failure, Payload, When


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
    stops_at: Text | None = None
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
    stops_at: Text | None = None  # the seam that refuses the next step after a stop, where its own cannot end the turn
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


class Tool(Model):
    """One tool: the vendor's name and arguments beside the host's."""

    name: Text
    host: Text
    aliases: list[str] = []
    arguments: dict[str, str] = {}  # vendor argument -> host argument


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
    reads_comments: bool = False  # its JSON files may have comments and trailing commas
    settings: list[Setting] = []  # of the files in `config` that are about more than hooks
    everywhere: list[Degradation] = []  # losses of every row of this vendor
    events: dict[str, Event]
