"""Reads a command policy in Starlark: which commands it allows, asks about and forbids, and what is wrong in it.

Starlark's syntax is a part of Python's, so Python's own parser reads it. Nothing is evaluated: a rule whose pattern is
computed is said to be there and not read.
"""

import ast
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from ..errors import Where, nearest

DECISIONS = ("allow", "prompt", "forbidden")
KEYS = {
    "prefix_rule": ("pattern", "decision", "match", "not_match", "justification"),
    "network_rule": ("host", "protocol", "decision", "justification"),
    "host_executable": ("name", "paths"),
}
NEEDED = {"prefix_rule": ("pattern",), "network_rule": ("host", "protocol"), "host_executable": ("name", "paths")}
EXAMPLES = {"match": True, "not_match": False}  # whether each of them fits the rule
PROTOCOLS = ("http", "https", "socks5_tcp", "socks5_udp")
# of Starlark's own names; a file that uses another one is refused
KNOWN = frozenset((
    "abs", "all", "any", "bool", "chr", "dict", "dir", "enumerate", "fail", "float", "getattr", "hasattr", "hash",
    "int", "len", "list", "max", "min", "ord", "range", "repr", "reversed", "set", "sorted", "str", "tuple", "type",
    "zip",
))  # fmt: skip
NOT_STARLARK = (
    ast.Assert, ast.AsyncFunctionDef, ast.Await, ast.ClassDef, ast.Delete, ast.Global, ast.Import, ast.ImportFrom,
    ast.Is, ast.IsNot, ast.MatMult, ast.NamedExpr, ast.Nonlocal, ast.Pow, ast.Raise, ast.Set, ast.Try, ast.While,
    ast.With, ast.Yield, ast.YieldFrom,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """One rule: a prefix of a command, or a host of the network."""

    where: Where
    subject: str  # as a person writes it: `git push|fetch`
    decision: str
    justification: str | None
    is_network: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """What makes the vendor refuse the whole file."""

    where: Where
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A rule that would have to be evaluated to be read."""

    where: Where


class _ComputedError(Exception):
    """A value is no literal."""


class _InvalidError(Exception):
    """The vendor refuses the call, for the reason of the message."""


def read_policy(text: str, file: str) -> Iterator[PolicyRule | Invalid | Computed]:
    """The calls of a policy file in their order. Total."""
    try:
        with warnings.catch_warnings():  # of escapes that Python means to refuse one day
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        yield Invalid(where=Where(file, error.lineno or 1, error.offset or 1), why=f"a syntax error ({error.msg:.80})")
        return
    except (ValueError, RecursionError, MemoryError):
        yield Invalid(where=Where(file, 1, 1), why="no text that can be parsed")
        return
    yield from sorted(_read_tree(list(ast.walk(tree)), text.split("\n"), file), key=_place)


def _place(found: PolicyRule | Invalid | Computed) -> tuple[int, int]:
    return found.where.line or 0, found.where.column or 0


def _read_tree(nodes: Sequence[ast.AST], lines: Sequence[str], file: str) -> Iterator[PolicyRule | Invalid | Computed]:
    defined = _defined(nodes)
    for node in nodes:
        where = _where(node, lines, file)
        for part in (node, *getattr(node, "ops", ()), getattr(node, "op", None)):  # operators have no place
            if isinstance(part, NOT_STARLARK) and hasattr(node, "lineno"):
                yield Invalid(where=where, why=f"{type(part).__name__}, which Starlark does not have")
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in defined:
            yield Invalid(where=where, why=f"the name {node.id!r:.60}, which nothing defines.{nearest(node.id, KEYS)}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYS:
            try:
                yield from _read_call(node, node.func.id, where)
            except _InvalidError as error:
                yield Invalid(where=where, why=str(error))
            except _ComputedError:
                yield Computed(where=where)


def _defined(nodes: Sequence[ast.AST]) -> set[str]:
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)} | {*KEYS, *KNOWN}


def _where(node: ast.AST, lines: Sequence[str], file: str) -> Where:
    line = getattr(node, "lineno", 1)
    before = lines[line - 1].encode()[: getattr(node, "col_offset", 0)] if line <= len(lines) else b""
    return Where(file, line, len(before.decode("utf-8", "replace")) + 1)


def _read_call(call: ast.Call, name: str, where: Where) -> Iterator[PolicyRule]:
    values = _arguments(call, name)
    justification = _text(values, "justification", None)
    if name == "host_executable":
        return
    decision = _text(values, "decision", "allow")
    if decision not in DECISIONS and not (name == "network_rule" and decision == "deny"):
        raise _InvalidError(f"the decision {decision!r:.60}.{nearest(str(decision), DECISIONS)}")
    if name == "prefix_rule":
        pattern = _pattern(values["pattern"])
        _check_examples(values, pattern)
        subject = " ".join("|".join(token) for token in pattern)
    else:
        protocol = _text(values, "protocol", "")
        if protocol not in PROTOCOLS:
            raise _InvalidError(f"the protocol {protocol!r:.60}.{nearest(str(protocol), PROTOCOLS)}")
        subject = f"{_text(values, 'host', '')} ({protocol})"
    yield PolicyRule(
        where=where,
        subject=subject,
        decision="forbidden" if decision == "deny" else str(decision),
        justification=justification,
        is_network=name == "network_rule",
    )


def _arguments(call: ast.Call, name: str) -> Mapping[str, object]:
    keys = KEYS[name]
    if len(call.args) > len(keys):
        raise _InvalidError(f"more than {len(keys)} arguments of {name}")
    pairs = [*zip(keys, call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    values: dict[str, object] = {}
    for key, value in pairs:
        if key is None or isinstance(value, ast.Starred):
            raise _ComputedError
        if key not in keys:
            raise _InvalidError(f"{key!r:.60} is no argument of {name}.{nearest(key, keys)}")
        with suppress(_ComputedError) if key in EXAMPLES else nullcontext():  # the rule is what it is without them
            values[key] = _literal(value)
    for key in NEEDED[name]:
        if key not in values:
            raise _InvalidError(f"{name} without {key}")
    return values


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=parts):
            return [_literal(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_literal(part) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = _literal(left), _literal(right)
            if isinstance(first, str) and isinstance(second, str):
                return first + second
            if isinstance(first, list) and isinstance(second, list):
                return first + second
    raise _ComputedError


def _text(values: Mapping[str, object], key: str, default: str | None) -> str | None:
    text = values.get(key, default)
    if text is default or (isinstance(text, str) and text.strip()):
        return text
    raise _InvalidError(f"a {key} that is no text")


def _pattern(value: object) -> list[list[str]]:
    if not isinstance(value, list) or not value:
        raise _InvalidError("a pattern that is no list of words")
    tokens = [token if isinstance(token, list) else [token] for token in value]
    if not all(token and all(isinstance(word, str) for word in token) for token in tokens):
        raise _InvalidError("a pattern that has something else than words, or no alternative, in it")
    return tokens


def _check_examples(values: Mapping[str, object], pattern: Sequence[Sequence[str]]) -> None:
    """The vendor tries the examples of a rule when it loads the file."""
    for key, expected in EXAMPLES.items():
        examples = values.get(key, [])
        if not isinstance(examples, list):
            raise _InvalidError(f"a {key} that is no list")
        for example in examples:
            words = _words(example)
            words[0] = words[0].rpartition("/")[2]
            fits = len(words) >= len(pattern) and all(
                word in token for word, token in zip(words, pattern, strict=False)
            )
            if fits is not expected:
                text = " ".join(words)
                raise _InvalidError(f"an example of {key}, {text!r:.100}, that does {'not ' if expected else ''}match")


def _words(example: object) -> list[str]:
    try:
        words = shlex.split(example) if isinstance(example, str) else example
    except ValueError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise _InvalidError("an example that is no command")
    return [*words]
