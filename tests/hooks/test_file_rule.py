"""`hooks.file_rule`: a pattern leaves out the files that it surely does not mean, and no other."""

from pathlib import Path

import pytest
from hypothesis import given

from dsh_compat_adapter.hooks.file_rule import surely_not
from tests.strategies import patterns, texts


def left_out(pattern: str, file: str, *, globs: bool = False, cwd: object = "/work/app") -> bool:
    return surely_not(pattern, file, globs=globs, cwd=cwd, project_dir="/work/app")


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("*.env", "/work/app/a.py"),
        ("src/**", "/work/app/lib/a.py"),
        ("src/**", "/work/app/src/../lib/a.py"),
        ("/a.py", "/work/app/sub/a.py"),
        ("//etc/**", "/work/app/etc/a"),
        ("~/a.py", "/work/app/a.py"),
        ("*.py", "/elsewhere/a.py"),
        ("!a.py", "/work/app/a.py"),
    ],
)
def test_a_file_that_a_pattern_does_not_mean_is_left_out(pattern: str, file: str) -> None:
    assert left_out(pattern, file)
    assert left_out(pattern, file, globs=True)


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("*.env", "/work/app/sub/.env"),
        ("*.env", "a.ENV"),
        ("A.PY", "a.py"),
        ("src", "/work/app/src/a.py"),
        ("src/**", "/work/app/lib/../src/a.py"),
        ("./a.py", "a.py"),
        ("/src/*", "src/a.py"),
        ("//work/**", "/work/app/a.py"),
        ("**", "a"),
        ("?.p[xy]", "a.py"),
    ],
)
def test_a_file_that_a_pattern_means_is_not_left_out(pattern: str, file: str) -> None:
    assert not left_out(pattern, file)
    assert not left_out(pattern, file, globs=True)


def test_where_a_vendor_takes_globs_what_gitignore_reads_otherwise_is_not_sure() -> None:
    assert (left_out("*.{py,js}", "a.py"), left_out("*.{py,js}", "a.py", globs=True)) == (True, False)
    assert (left_out("/work/app/*.py", "a.py"), left_out("/work/app/*.py", "a.py", globs=True)) == (True, False)


@pytest.mark.parametrize("pattern", ["", " ", "/", "//", "./", "#a"])
def test_a_pattern_that_says_nothing_leaves_nothing_out(pattern: str) -> None:
    assert not left_out(pattern, "/work/app/a.py")


def test_without_a_working_directory_nothing_is_sure() -> None:
    assert not left_out("*.env", "a.py", cwd=None)


def test_a_link_is_meant_by_its_name_and_by_what_it_stands_for(tmp_path: Path) -> None:
    (tmp_path / "secret.env").touch()
    (tmp_path / "plain").symlink_to("secret.env")
    for pattern in ("*.env", "plain"):
        assert not surely_not(pattern, "plain", globs=False, cwd=str(tmp_path), project_dir=str(tmp_path))
    assert surely_not("*.py", "plain", globs=False, cwd=str(tmp_path), project_dir=str(tmp_path))


def test_links_in_a_circle_leave_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert not surely_not("a", "a", globs=False, cwd=str(tmp_path), project_dir=str(tmp_path))


@given(pattern=patterns | texts, file=texts)
def test_any_pattern_and_any_file_have_an_answer(pattern: str, file: str) -> None:
    assert left_out(pattern, file) in (True, False)
    assert left_out(f"{pattern}*", file, globs=True) in (True, False)
