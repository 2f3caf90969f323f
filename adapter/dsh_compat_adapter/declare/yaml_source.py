"""Reads YAML that people wrote, with the place of every value and no silent surprises.

The only module of the running side that imports yaml, and only called when a YAML file is in play.
"""

import re
from dataclasses import dataclass

import yaml
from yaml.reader import Reader, ReaderError

from ..errors import CompatError, ErrorCode, Where, shown
from .text_file import text_place

_Parsing: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 60
MAX_LINE = 2**31  # so that no value is broken over lines
_BREAKS = "\r\n\x85\u2028\u2029"
_TAG = "tag:yaml.org,2002:"
# what a plain value is by YAML 1.2, as editors and the vendors read it: the loader's own 1.1 makes 8 of `010`, 90 of
# `1:30` and a truth value of `on`
_CORE = tuple(
    (f"{_TAG}{name}", re.compile(rf"(?:{form})\Z"), first)
    for name, form, first in (
        ("null", "~|null|Null|NULL|", ("~", "n", "N", "")),
        ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
        ("int", "[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
        ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+0123456789."),
        ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
        ("merge", "<<", "<"),
    )
)
# nested aliases grow a small file without bound, a tag chooses how a value is read, and nobody needs them here
_EXTRAS: dict[type[yaml.Token], str] = {
    yaml.AliasToken: "aliases (`*name`) are not read; write the value out",
    yaml.TagToken: "tags (`!name`) are not read; write the value plain, or quote the text",
}
_MERGE = "tag:yaml.org,2002:merge"

Steps = tuple[str | int, ...]


def _core_loader() -> type[yaml.SafeLoader]:
    core: type[yaml.SafeLoader] = type("CoreLoader", (_Parsing,), {"yaml_implicit_resolvers": {}})
    for tag, form, first in _CORE:
        core.add_implicit_resolver(tag, form, list(first))
    core.add_constructor(f"{_TAG}int", _integer)
    return core


def _integer(_: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    text = node.value
    return int(text, 0) if text.startswith(("0o", "0x")) else int(text)


Loader = _core_loader()


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document: its value, and the place of each value by its path of keys and indices."""

    file: str
    value: object
    lines: dict[Steps, Where]

    def where(self, *path: str | int) -> Where:
        """The place of the value at this path, or of the nearest one around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, Where(self.file, 1, 1))


def parse_yaml(text: str, file: str) -> YamlDocument:
    """Read the YAML text of a file; raises INVALID_FILE with its place for bad syntax, repeated keys, aliases, tags."""
    try:
        _refuse_extras(text, file)
        node = yaml.compose(text, Loader=Loader)
    except ReaderError as error:
        odd = Reader.NON_PRINTABLE.search(text)
        where = text_place(file, text, odd.start() if odd else 0)
        raise CompatError(ErrorCode.INVALID_FILE, f"no valid YAML: {error.reason}", where=where) from None
    except yaml.YAMLError as error:
        raise _invalid(file, error) from None
    except RecursionError:  # of the parser in Python; libyaml has a limit of its own
        raise CompatError(ErrorCode.INVALID_FILE, "nested too deep; flatten it", where=Where(file, 1, 1)) from None
    if node is None:
        return YamlDocument(file, None, {})
    builder = _Builder(file)
    return YamlDocument(file, builder.value(node, ()), builder.lines)


def write_flow(value: object) -> str | None:
    """A value on one line of YAML, without aliases and tags of its own; none when YAML has no words for it."""
    try:
        text: str = yaml.dump(
            value, Dumper=_Flow, default_flow_style=True, width=MAX_LINE, allow_unicode=True, sort_keys=False
        )
    except (yaml.YAMLError, RecursionError):
        return None
    return text.removesuffix("\n")


class _Flow(yaml.SafeDumper):
    """Quotes what the reader above would take for something else than text."""

    yaml_implicit_resolvers = Loader.yaml_implicit_resolvers

    def ignore_aliases(self, _: object) -> bool:
        return True

    def on_one_line(self, text: str) -> yaml.ScalarNode:
        broken = any(character in text for character in _BREAKS)
        return self.represent_scalar(f"{_TAG}str", text, style='"' if broken else None)


_Flow.add_representer(str, _Flow.on_one_line)


def _refuse_extras(text: str, file: str) -> None:
    if "*" not in text and "!" not in text:
        return
    for token in yaml.scan(text, Loader=_Parsing):
        why = _EXTRAS.get(type(token))
        if why is not None:
            raise CompatError(ErrorCode.INVALID_FILE, why, where=_place(file, token.start_mark))


class _Builder:
    """Makes the values of one document and notes where each stands."""

    def __init__(self, file: str) -> None:
        self.lines: dict[Steps, Where] = {}
        self._file = file
        self._loader = Loader("")

    def value(self, node: yaml.Node, path: Steps) -> object:
        self.lines[path] = _place(self._file, node.start_mark)
        if len(path) > MAX_DEPTH:
            raise self._refused(node, f"nested deeper than {MAX_DEPTH} levels; flatten it")
        match node:
            case yaml.MappingNode():
                return self._mapping(node, path)
            case yaml.SequenceNode():
                return [self.value(entry, (*path, index)) for index, entry in enumerate(node.value)]
            case _:
                return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Steps) -> dict[object, object]:
        found: dict[object, object] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                raise self._refused(key, "merge keys (`<<`) are not read; write the keys out")
            if not isinstance(key, yaml.ScalarNode):
                raise self._refused(key, "a key must be a plain text")
            name = self._scalar(key)
            if name in found:
                raise self._refused(key, f"the key {shown(name)} stands twice; YAML would keep the last one silently")
            found[name] = self.value(value, (*path, key.value))
        return found

    def _scalar(self, node: yaml.Node) -> object:
        try:
            return self._loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            why = getattr(error, "problem", None) or str(error).split(";", 1)[0]
            raise self._refused(node, f"no valid YAML: {why}; quote it if it is text") from None

    def _refused(self, node: yaml.Node, message: str) -> CompatError:
        return CompatError(ErrorCode.INVALID_FILE, message, where=_place(self._file, node.start_mark))


def _invalid(file: str, error: yaml.YAMLError) -> CompatError:
    mark = getattr(error, "problem_mark", None)
    why = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
    return CompatError(
        ErrorCode.INVALID_FILE, f"no valid YAML: {why}", where=_place(file, mark) if mark else Where(file, 1, 1)
    )


def _place(file: str, mark: yaml.Mark) -> Where:
    return Where(file, mark.line + 1, mark.column + 1)
