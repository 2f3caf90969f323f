"""`facts.append_file`: whole lines at the end of a private file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dsh_compat_adapter.facts.append_file import AppendFile


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_and_the_folders_that_are_missing_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        file = AppendFile(tmp_path / "state/deep/facts.jsonl")
        file.write(b"{}\n")
        file.close()
    finally:
        os.umask(before)
    assert mode(tmp_path / "state") == mode(tmp_path / "state/deep") == 0o700
    assert mode(tmp_path / "state/deep/facts.jsonl") == 0o600


def test_nothing_is_made_before_the_first_line(tmp_path: Path) -> None:
    AppendFile(tmp_path / "facts.jsonl").close()
    assert not (tmp_path / "facts.jsonl").exists()


def test_two_that_append_to_one_file_keep_each_others_lines(tmp_path: Path) -> None:
    one, other = (AppendFile(tmp_path / "x") for _ in range(2))
    for _ in range(50):
        one.write(b"one\n")
        other.write(b"other\n")
    assert (tmp_path / "x").read_bytes() == b"one\nother\n" * 50
    one.close()
    other.close()


def test_a_file_that_was_removed_is_noticed(tmp_path: Path) -> None:
    file = AppendFile(tmp_path / "x")
    file.write(b"1\n")
    assert not file.is_gone()
    (tmp_path / "x").unlink()
    assert file.is_gone()
    file.close()
    assert not file.is_gone()


FULL = """
import resource, signal, sys
from pathlib import Path
from dsh_compat_adapter.facts.append_file import AppendFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = AppendFile(Path(sys.argv[1]))
file.write(b"a" * 60 + b"\\n")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    file.write(b"b" * 60 + b"\\n")
except OSError:
    print("full")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
file.write(b"c" * 60 + b"\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_a_line_that_did_not_fit_is_an_error_and_spoils_no_other(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "x")], capture_output=True, text=True, check=True)
    assert done.stdout == "full\n"
    lines = (tmp_path / "x").read_text().splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("a" * 60, "c" * 60, 3)
