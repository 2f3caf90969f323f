"""The command line: parse, call, render. Each command is a module that is imported when it is called."""

from .main import main

__all__ = ["main"]
