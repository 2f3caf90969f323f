"""Facts as JSON lines in a file of their own, with each piece of evidence as a file beside it, named by its hash."""

import json
import os
from pathlib import Path

from .append_file import AppendFile, open_private
from .fact import Evidence
from .sink import Record

SUFFIX = ".jsonl"
FOLDER = "-evidence"  # beside the file, whose name it follows


class JsonLinesSink:
    """Appends facts to a file; several processes may share it. Nothing is ever removed from it."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._file = AppendFile(path)
        self._evidence = path.with_name(path.name + FOLDER)
        self._encode = json.JSONEncoder(separators=(",", ":")).encode

    def write(self, record: Record) -> None:
        """See `Sink.write`."""
        record = record.settled()
        for one in record.evidence:
            self._keep(one)
        if self._file.is_gone():
            self._file.close()
        self._file.write(self._encode(record.fact.to_dict()).encode("ascii") + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _keep(self, one: Evidence) -> None:
        """Write evidence under its hash, whole or not at all."""
        path = evidence_file(self._evidence, one.ref)
        if path.exists():
            return
        part = path.with_name(f"{path.name}.{os.getpid()}")
        fd = open_private(part, os.O_TRUNC)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(one.text.encode("utf-8", "surrogatepass"))
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def evidence_file(folder: Path, ref: str) -> Path:
    """Where the evidence of a hash is."""
    digest = ref.rpartition(":")[2]
    return folder / digest[:2] / digest[2:]
