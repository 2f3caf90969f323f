"""Regular expressions as the vendors' engines read them: ECMAScript (JavaScript) and Rust's regex crate.

Each flavour has an engine of its own here, since none reads the other's texts alike. RE2 stands in for both where all
three agree, because it starts fast and takes linear time; ECMAScript proper runs under a time limit, since a matcher
must never hang the host, whatever its author or a tool name holds.
"""

import re
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from ..errors import CompatError, ErrorCode, shown

TIME_LIMIT_S = 0.25
# Texts that RE2, ECMAScript and Rust read alike on printable ASCII. RE2 also takes things that the others read
# otherwise or refuse (inline flags, \A, \z, \pN, POSIX classes, `]` first in a class, a repeated anchor), so "RE2
# compiles it" is not enough.
_COMMON = re.compile(
    r"""(?: [\w\-:/ ,;@#~=!"'<>&%.|)+*?]            # literals, simple quantifiers
          | (?:[$^]|\\[bB])(?![*+?{])               # anchors, not repeated
          | \(\?: | \((?!\?)                         # groups
          | \{\d+(?:,\d*)?\}                        # counted repeats
          | \\[dDsSwW.|()\[\]{}+*?^$/\\-]           # classes and escapes that mean the same
          | \[\^?(?:[^\[\]\\]|\\[dDsSwW.|()\[\]{}+*?^$/\\-])+\]
        )*+""",
    re.VERBOSE | re.ASCII,
)
_RUST_SETS = re.compile("&&|--|~~")  # operators in a class of Rust, plain characters to the others


class Accepts(Protocol):
    """Whether a pattern occurs in a subject; none when the time ran out. Total."""

    def __call__(self, subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:
        """The verdict within `limit_s`, of processor time; an engine of linear time needs no limit."""
        ...


def compile_pattern(text: str, flavour: str, *, anchored: bool) -> Accepts:
    """The predicate of a pattern that is searched anywhere or, anchored, makes up the whole subject.

    Raises INVALID_MATCHER when the vendor's engine refuses the pattern.
    """
    source = f"^(?:{text})$" if anchored else text
    exact = _rust if flavour == "rust" else _ecmascript
    if reads_alike(text) and (linear := _re2(source)):
        return _linear_on_ascii(linear, lambda: exact(text, source))
    return exact(text, source)


def reads_alike(text: str) -> bool:
    """Whether a pattern means the same to every engine, as far as names of printable ASCII go."""
    return _COMMON.fullmatch(text) is not None and not ("[" in text and _RUST_SETS.search(text))


def _linear_on_ascii(linear: Callable[[str], bool], make_exact: Callable[[], Accepts]) -> Accepts:
    """RE2's verdict on printable ASCII; beyond it the engines differ in what a character is."""

    @cache  # per pattern: most never meet such a name
    def exact() -> Accepts | None:
        try:
            return make_exact()
        except CompatError:  # too large for that engine, not invalid
            return None

    def accepts(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:
        if (subject.isascii() and subject.isprintable()) or (judge := exact()) is None:
            return linear(subject)
        return judge(subject, limit_s)

    return accepts


def _re2(source: str) -> Callable[[str], bool] | None:
    import re2  # noqa: PLC0415 - start-up: a list of names needs no engine

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # a match of thousands of groups would take megabytes each
    try:
        pattern = re2.compile(_valid(source).encode(), options)
    except re2.error:
        return None
    return lambda subject: pattern.search(_valid(subject).encode()) is not None


def _rust(text: str, source: str) -> Accepts:
    """The regex crate itself, by way of a library that is built on it. Linear time."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # noqa: PLC0415 - start-up: few patterns need it

    schema = core_schema.str_schema(pattern=_valid(source), regex_engine="rust-regex")
    try:
        pattern = SchemaValidator(schema)
    except SchemaError as error:
        raise _invalid(text, str(error).rstrip().rsplit("\n", 1)[-1].strip()) from None

    def accepts(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:  # noqa: ARG001 - needs no limit
        return pattern.isinstance_python(_valid(subject))

    return accepts


def _ecmascript(text: str, source: str) -> Accepts:
    import quickjs  # noqa: PLC0415 - start-up: only patterns that RE2 cannot read need it

    own = threading.local()  # an engine is its thread's: another one that calls it ends the process

    def engine() -> tuple[Any, Callable[[str], object]]:  # Any: quickjs has no types
        if not hasattr(own, "engine"):
            context = quickjs.Context()
            context.set_memory_limit(16 * 1024 * 1024)
            context.set_time_limit(TIME_LIMIT_S)
            # the pattern travels as an argument, never as program text
            context.eval("var r; (function (p) { r = new RegExp(p); return true; })")(_valid(source))
            own.engine = context, context.eval("(function (s) { return r.test(s); })")
        found: tuple[Any, Callable[[str], object]] = own.engine
        return found

    try:
        engine()
    except quickjs.JSException as error:
        raise _invalid(text, str(error).split("\n", 1)[0]) from None

    def accepts(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:
        context, test = engine()
        context.set_time_limit(limit_s)
        try:
            return bool(test(_valid(subject)))
        except quickjs.JSException:  # out of time
            return None

    return accepts


def _valid(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no engine takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _invalid(text: str, why: str) -> CompatError:
    return CompatError(
        ErrorCode.INVALID_MATCHER,
        f"matcher {shown(text)} is no valid pattern, so it never matches: {why:.200}. "
        "A plain tool name, or `.*` for every tool, is what most hooks need.",
    )
