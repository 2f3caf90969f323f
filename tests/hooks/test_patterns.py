"""`hooks.patterns`: a vendor's regular expression reads here as in the vendor's engine, and never hangs."""

import threading
from collections.abc import Callable

import pytest
import quickjs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.errors import CompatError, ErrorCode
from dsh_compat_adapter.hooks.patterns import compile_pattern, reads_alike
from tests.strategies import names, patterns

flavours = st.sampled_from(["ecmascript", "rust"])


@pytest.mark.parametrize(
    ("pattern", "subject", "found"),
    [
        ("as.", "Bash", True),
        ("^Ba", "Bash", True),
        ("^rit", "Write", False),
        ("bash", "Bash", False),
        ("Bash$", "Bash\n", False),
        (r"mcp__[^_]+__[^_]+", "mcp__my_server__list_all", False),
        (r"mcp__s_.{1,3}", "mcp__s_ab", True),
        (r"mcp__(a|b)__.*", "mcp__b__x", True),
        (r"notes\.md", "notes.md", True),
        (r"notes\.md", "notesXmd", False),
        (r"^(?!(Read|Glob)$).*", "Read", False),
        (r"^(?!(Read|Glob)$).*", "Edit", True),
        (r"(?<=mcp__)a", "mcp__a", True),
        (r"(a)\1", "aa", True),
        ("[]a]", "a]", False),
        ("[^]a]", "xa]", True),
        ("[^]a]", "x", False),
        ("", "anything", True),
        (r"\u0042ash", "Bash", True),
        ("a\x00b", "a\x00b", True),
        ("^.$", "\ud800", True),
        ("^(?!x).$", "\udc00", True),
        ("\ud83d\ude00", "😀", True),
        ("^.$", "😀", False),
        ("a.b", "a\rb", False),
        ("a.b", "a\u2028b", False),
        (r"^\S+$", "a\ufeffb", False),
        ("^[^a]$", "😀", False),
        ("a||b", "", True),
        ("(|Bash)$", "x", True),
        ("[a&&b]", "&", True),
        ("Straße|É", "É", True),
        ("^(?i:bash)$", "BASH", True),
        ("É", "é", False),
    ],
)
def test_an_ecmascript_pattern_is_searched_as_javascript_does(pattern: str, subject: str, found: bool) -> None:  # noqa: FBT001 - a column of the table
    assert compile_pattern(pattern, "ecmascript", anchored=False)(subject) is found


@pytest.mark.parametrize(
    ("pattern", "subject", "found"),
    [
        (r"\<ash", "Bash", False),
        (r"\<Bash\>", "Bash", True),
        (r"\b{start}Bash", "my Bash", True),
        ("^[a-z&&[^b]]", "bash", False),
        ("^[a-z&&[^b]]", "edit", True),
        ("^[a-z--b]", "bash", False),
        ("^[a-c~~b-d]$", "b", False),
        ("^[a&&b]", "&", False),
        ("a{1001}", "a" * 1001, True),
        ("a{1001}", "a" * 1000, False),
        (r"\u0042ash", "Bash", True),
        (r"\x42ash", "Bash", True),
        ("(?x) B a sh # the shell", "Bash", True),
        ("(?-u)B", "Bash", True),
        ("(?i)^bash$", "BASH", True),
        ("(?i)straSSe|É", "é", True),
        (r"^\pL+$", "Straße", True),
        (r"^\w+$", "Straße", True),
        ("^.$", "😀", True),
        ("a.b", "a\rb", True),
        ("a.b", "a\nb", False),
        ("^Bash$", "Bash\n", False),
        ("a**", "", True),
        ("^*x", "ax", True),
        ("[[:alpha:]]+_x", "ab_x", True),
    ],
)
def test_a_rust_pattern_is_searched_as_rusts_regex_crate_does(pattern: str, subject: str, found: bool) -> None:  # noqa: FBT001 - a column of the table
    assert compile_pattern(pattern, "rust", anchored=False)(subject) is found


@pytest.mark.parametrize(
    ("pattern", "alike"),
    [
        ("^Ba|as.", True),
        (r"mcp__(a|b)__.{1,3}\s[^_]+", True),
        (r"\<ash", False),
        ("[a&&b]", False),
        ("a&&b", True),
        ("[a-z--b]", False),
        ("(?i)bash", False),
        ("(?!a)", False),
        (r"\u0042", False),
    ],
)
def test_a_pattern_reads_alike_if_every_engine_means_the_same_by_it(pattern: str, *, alike: bool) -> None:
    assert reads_alike(pattern) is alike


@pytest.mark.parametrize("flavour", ["ecmascript", "rust"])
@pytest.mark.parametrize("make", ["|".join, lambda names: f"^({'|'.join(names)})$", "x".join])
def test_ten_thousand_alternatives_and_a_very_long_literal_are_judged(make: Callable[..., str], flavour: str) -> None:
    names = [f"mcp__server__tool_{number}" for number in range(10_000)]
    matches = compile_pattern(make(names), flavour, anchored=False)
    assert matches(names[-1]) is (make(names) != "x".join(names))
    assert matches("Bash") is False


@pytest.mark.parametrize(
    ("pattern", "subject", "found"),
    [("bas", "bash", False), ("bash", "bash", True), ("a|bash", "bash", True), ("a|b", "ab", False), (".*", "", True)],
)
def test_an_anchored_pattern_has_to_make_up_the_whole_subject(pattern: str, subject: str, found: bool) -> None:  # noqa: FBT001 - a column of the table
    assert compile_pattern(pattern, "ecmascript", anchored=True)(subject) is found


@pytest.mark.parametrize(
    ("pattern", "flavour"),
    [
        ("(", "ecmascript"),
        ("*", "ecmascript"),
        ("*x*", "ecmascript"),
        ("^*", "ecmascript"),
        ("$+", "ecmascript"),
        (r"\b{2}", "ecmascript"),
        ("a**", "ecmascript"),
        ("[z-a]", "ecmascript"),
        ("\\", "ecmascript"),
        ("(?i)bash", "ecmascript"),
        ("(" * 5000, "ecmascript"),
        ("(?!" * 100_000, "ecmascript"),
        ("(", "rust"),
        ("(?!Read)", "rust"),
        (r"(a)\1", "rust"),
    ],
    ids=lambda value: value[:12].encode("ascii", "backslashreplace").decode(),
)
def test_what_the_vendors_engine_refuses_is_an_invalid_matcher(pattern: str, flavour: str) -> None:
    with pytest.raises(CompatError) as caught:
        compile_pattern(pattern, flavour, anchored=False)
    assert caught.value.code is ErrorCode.INVALID_MATCHER
    assert repr(pattern)[:100] in caught.value.message


@pytest.mark.parametrize("flavour", ["ecmascript", "rust"])
def test_nested_quantifiers_take_no_exponential_time(flavour: str) -> None:
    matches = compile_pattern("^(a+)+$", flavour, anchored=False)
    assert not matches("a" * 5000 + "!")
    assert matches("a" * 5000)


def test_a_subject_on_which_a_backtracking_engine_runs_out_of_time_has_no_verdict_and_later_ones_have() -> None:
    matches = compile_pattern("^(?!x)(a+)+$", "ecmascript", anchored=False)
    assert matches("a" * 60 + "!") is None
    assert matches("aaa")
    assert not matches("xaa")


@given(pattern=patterns, flavour=flavours, anchored=st.booleans(), subject=names | st.text(st.characters(), max_size=8))
@settings(max_examples=300, deadline=None)
@example(pattern="(?!a)", flavour="ecmascript", anchored=False, subject="\ud800")
def test_a_pattern_is_refused_as_invalid_or_gives_a_total_predicate(
    *, pattern: str, flavour: str, anchored: bool, subject: str
) -> None:
    try:
        matches = compile_pattern(pattern, flavour, anchored=anchored)
    except CompatError as error:
        assert error.code is ErrorCode.INVALID_MATCHER  # noqa: PT017 - either of two ends is right
    else:
        assert matches(subject) in (True, False, None)


@given(pattern=patterns.filter(lambda text: text.isprintable()), anchored=st.booleans(), subject=names)
@settings(max_examples=300, deadline=None)
@example(pattern="[]a]", anchored=False, subject="a")
@example(pattern="^*", anchored=False, subject="a")
@example(pattern="[^]a]", anchored=False, subject="a")
def test_whichever_engine_is_chosen_the_answer_is_the_one_of_ecmascript(
    *, pattern: str, anchored: bool, subject: str
) -> None:
    source = f"^(?:{pattern})$" if anchored else pattern
    try:
        expected: object = _javascript(source, subject)
    except quickjs.JSException:
        expected = ErrorCode.INVALID_MATCHER
    try:
        found: object = compile_pattern(pattern, "ecmascript", anchored=anchored)(subject)
    except CompatError as error:
        found = error.code
    assert found == expected


def _javascript(source: str, subject: str) -> bool:
    test = quickjs.Context().eval("(function (source, subject) { return new RegExp(source).test(subject); })")
    return bool(test(source, subject))


@pytest.mark.parametrize("flavour", ["ecmascript", "rust"])
def test_a_pattern_of_thousands_of_groups_takes_no_memory_for_them(flavour: str) -> None:
    resource = pytest.importorskip("resource")
    accepts = compile_pattern("(" * 5_000 + "a" + ")" * 5_000, flavour, anchored=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert accepts("a")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB; capturing took 700,000


def test_threads_share_a_pattern() -> None:
    """One engine that two threads call at once ends the process."""
    accepts = compile_pattern(r"^(?!Read$).*\x41", "ecmascript", anchored=False)
    found: list[bool | None] = []

    def ask() -> None:
        found.extend(accepts(f"Re{number}A") is True for number in range(500))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 2000
