"""Settings for all tests, and the count of the rows that the row test fired."""

import atexit
import os
import shutil
import signal
import tempfile
from collections import defaultdict

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

# no test asserts how long something takes: speed belongs in the benchmark
# what fails is the fault of the change at hand: the same examples every time, and new ones by --hypothesis-profile=explore
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=2_000)
settings.load_profile("same")

# constants of the loaded modules are drawn too: other examples after any change, and by which tests came before
every_constant = providers._get_local_constants  # noqa: SLF001 - there is no setting for it
providers._get_local_constants = lambda: Constants() if settings().derandomize else every_constant()  # noqa: SLF001

# no test leaves facts in the store of whoever runs it
STATE = tempfile.mkdtemp(prefix="dsh-compat-state-")
os.environ["XDG_STATE_HOME"] = STATE
atexit.register(shutil.rmtree, STATE, ignore_errors=True)

# a run in the background ignores Ctrl-C, and so would the processes whose end by it is tested
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the fired rows by vendor and route; a row with two ways to run counts on both routes and once in all."""
    fired = defaultdict[str, defaultdict[str, set[tuple[str, bool]]]](lambda: defaultdict(set))
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "fired":
                vendor, event, route, baseline = value
                fired[vendor][route].add((event, baseline))
    if not fired:
        return
    terminalreporter.section("rows fired")
    for vendor, routes in sorted(fired.items()):
        counts = ", ".join(f"{route} {len(rows)}" for route, rows in sorted(routes.items()))
        terminalreporter.line(f"{vendor}: {_counted(set().union(*routes.values()))}: {counts}")
    every = {(vendor, *row) for vendor, routes in fired.items() for rows in routes.values() for row in rows}
    terminalreporter.line(
        f"all vendors: {_counted({((vendor, event), baseline) for vendor, event, baseline in every})}"
    )


def _counted(rows: set[tuple[str, bool]] | set[tuple[tuple[str, str], bool]]) -> str:
    baseline = sum(row[1] for row in rows)
    return f"{len(rows)} rows ({baseline} baseline, {len(rows) - baseline} other)"
