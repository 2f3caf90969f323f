"""The files of a store: the database, and the journals of the processes that write, in a folder beside it."""

from pathlib import Path

JOURNALS = "-journals"  # after the name of the database
SUFFIX = ".jsonl"


def journals_of(store: Path) -> Path:
    """The folder with the journals of a store."""
    return store.with_name(store.name + JOURNALS)


def journal_name(writer: str, number: int) -> str:
    """The name of a journal; those of one writer sort in their order."""
    return f"{writer}.{number:06d}{SUFFIX}"


def writer_of(journal: Path) -> str:
    """Who writes a journal, or wrote it."""
    return journal.name.partition(".")[0]
