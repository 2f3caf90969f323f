"""`facts.otel`: each run is a span and counts in two metrics, and no text of a hook is in either."""

import gc
import warnings
from typing import Any

import pytest

from tests.recording import NOW_US, run_of

with warnings.catch_warnings():
    # its search for entry points leaves the iterator of a folder to the garbage collector
    warnings.simplefilter("ignore", ResourceWarning)
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import StatusCode

    from dsh_compat_adapter.facts.otel import OtelSink

    gc.collect()


class Told:
    """A sink with what it tells its providers."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        tracers = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self._metrics = InMemoryMetricReader()
        self.sink = OtelSink(
            tracers, MeterProvider([self._metrics], Resource.get_empty(), shutdown_on_exit=False), owned=(tracers,)
        )

    @property
    def spans(self) -> list[Any]:
        return [*self._spans.get_finished_spans()]

    @property
    def points(self) -> dict[str, list[Any]]:
        data = self._metrics.get_metrics_data()
        assert data is not None
        found = data.resource_metrics[0].scope_metrics[0].metrics
        return {metric.name: [*metric.data.data_points] for metric in found}


@pytest.fixture
def told() -> Told:
    return Told()


def test_a_run_is_a_span_from_its_start_to_its_end(told: Told) -> None:
    for record in run_of(5, session="s1", turn="t1", decision="deny", duration_us=2500, text="what it read"):
        told.sink.write(record)
    (span,) = told.spans
    assert (span.start_time, span.end_time) == ((NOW_US + 5) * 1000, (NOW_US + 2505) * 1000)
    assert span.name == "hook PreToolUse"
    assert span.attributes["dsh_compat.decision"] == "deny"
    assert span.attributes["dsh_compat.session_id"] == "s1"
    assert "what it read" not in span.to_json()
    assert span.status.status_code is StatusCode.UNSET


def test_a_run_that_failed_is_an_error_that_says_which_way(told: Told) -> None:
    for record in run_of(5, failed="open"):
        told.sink.write(record)
    (span,) = told.spans
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "timeout")
    assert span.attributes["dsh_compat.status"] == "failed open"


def test_runs_are_counted_and_timed_by_how_they_ended(told: Told) -> None:
    for at_us, failed in ((1, None), (2, None), (3, "closed")):
        for record in run_of(at_us, duration_us=4000, failed=failed):  # type: ignore[arg-type]  # the literals above
            told.sink.write(record)
    runs = {point.attributes["dsh_compat.status"]: point.value for point in told.points["dsh_compat.hook.runs"]}
    assert runs == {"completed": 2, "failed closed": 1}
    times = {point.attributes["dsh_compat.status"]: point.sum for point in told.points["dsh_compat.hook.duration"]}
    assert times == {"completed": 8, "failed closed": 4}


def test_closing_shuts_down_what_belongs_to_it(told: Told) -> None:
    told.sink.close()
    for record in run_of(1):
        told.sink.write(record)
    assert told.spans == []
