"""Regular expressions as the vendors' engines read them: ECMAScript (JavaScript) and Rust's regex crate.

RE2 serves where it reads the text as the vendor does, since it takes linear time. What it cannot read goes to an
ECMAScript engine under a time limit: a matcher must never hang the host, whatever its author or a tool name holds.
"""

import re
import threading
from collections.abc import Callable

from ..errors import CompatError, ErrorCode

TIME_LIMIT_S = 0.25
# Texts in which RE2 and ECMAScript agree on every line of ASCII. RE2 also takes things that ECMAScript reads otherwise
# or refuses (inline flags, \A, \z, \pN, POSIX classes, `]` first in a class, a repeated anchor), so "RE2 compiles it"
# is not enough.
_COMMON = re.compile(
    r"""(?: [\w\-:/ ,;@#~=!"'<>&%.|)+*?]            # literals, simple quantifiers
          | (?:[$^]|\\[bB])(?![*+?{])               # anchors, not repeated
          | \(\?: | \((?!\?)                         # groups
          | \{\d+(?:,\d*)?\}                        # counted repeats
          | \\[dDwW.|()\[\]{}+*?^$/\\-]             # classes and escapes that mean the same
          | \[\^?(?:[^\[\]\\]|\\[dDwW.|()\[\]{}+*?^$/\\-])+\]
        )*+""",
    re.VERBOSE | re.ASCII,
)


def compile_pattern(text: str, flavour: str, *, anchored: bool) -> Callable[[str], bool]:
    """A total predicate: whether the pattern occurs in the subject (or, anchored, makes it up entirely).

    Raises INVALID_MATCHER when the vendor's engine would refuse the pattern. A subject on which the time limit is
    reached counts as a match, since a guard that nobody can judge runs rather than not.
    """
    source = f"^(?:{text})$" if anchored else text
    if flavour == "rust" or _COMMON.fullmatch(text):
        return _re2(text, source, strict=flavour == "rust") or _ecmascript(text, source)
    return _ecmascript(text, source)


def _re2(text: str, source: str, *, strict: bool) -> Callable[[str], bool] | None:
    """Compile with RE2; none when it refuses, or the error of the vendor's engine where RE2 stands for that."""
    import re2  # noqa: PLC0415 - start-up: a list of names needs no engine

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # a match of thousands of groups would take megabytes each
    try:
        pattern = re2.compile(_valid(source).encode(), options)
    except re2.error as error:
        if strict:
            raise _invalid(text, str(error)) from None
        return None
    return lambda subject: pattern.search(_valid(subject).encode()) is not None


def _ecmascript(text: str, source: str) -> Callable[[str], bool]:
    import quickjs  # noqa: PLC0415 - start-up: only patterns that RE2 cannot read need it

    own = threading.local()  # an engine is its thread's: another one that calls it ends the process

    def test() -> Callable[[str], object]:
        if not hasattr(own, "test"):
            context = quickjs.Context()
            context.set_memory_limit(16 * 1024 * 1024)
            context.set_time_limit(TIME_LIMIT_S)
            # the pattern travels as an argument, never as program text
            context.eval("var r; (function (p) { r = new RegExp(p); return true; })")(_valid(source))
            own.test = context.eval("(function (s) { return r.test(s); })")
        found: Callable[[str], object] = own.test
        return found

    try:
        test()
    except quickjs.JSException as error:
        raise _invalid(text, str(error).split("\n", 1)[0]) from None

    def accepts(subject: str) -> bool:
        try:
            return bool(test()(_valid(subject)))
        except quickjs.JSException:  # out of time: a guard that nobody can judge runs rather than not
            return True

    return accepts


def _valid(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which neither engine takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _invalid(text: str, why: str) -> CompatError:
    return CompatError(
        ErrorCode.INVALID_MATCHER,
        f"matcher {text!r:.120} is no valid pattern, so it never matches: {why}. "
        "A plain tool name, or `.*` for every tool, is what most hooks need.",
    )
