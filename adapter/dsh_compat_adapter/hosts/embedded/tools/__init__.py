"""The tools that the embedded host ships, named and with arguments as DSH names them.

Of the names in the surface `web_fetch` and `web_search` are not here: a host that wants them brings its own.
"""

from collections.abc import Mapping
from pathlib import Path

from ....hooks.process import Shell
from ..tool import ToolBody
from .files import file_tools
from .people import ask_user_question, subagent, todo_write
from .search import search_tools
from .shell import bash


def local_tools(root: Path, shell: Shell) -> Mapping[str, ToolBody]:
    """Tools that work on one project; paths stay inside of it."""
    return {
        "bash": bash(shell),
        **file_tools(root),
        **search_tools(root),
        "todo_write": todo_write(),
        "subagent": subagent(),
        "ask_user_question": ask_user_question(),
    }
