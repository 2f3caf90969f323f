"""Facts as OpenTelemetry spans and metrics: the extra `otel`. Imported only where somebody asks for it.

A span is a run of a hook, from its start to its end. It carries words, numbers and references, never a text that a hook
read or said. Which exporter takes them is the affair of the providers.
"""

from typing import Protocol

from opentelemetry import metrics, trace
from opentelemetry.trace import Status, StatusCode

from .fact import Ended, HookCompleted, HookFailed
from .sink import Record

NAME = "dsh_compat_adapter"
PREFIX = "dsh_compat."
PATIENCE_S = 2  # with a collector that does not answer, also at the end of the process


class Telemetry(Protocol):
    """What is shut down with the sink that made it."""

    def shutdown(self) -> object:
        """Send what waits, and end."""
        ...


class OtelSink:
    """Gives each run to a tracer and a meter, those of the whole program unless others are named."""

    name = "opentelemetry"

    def __init__(
        self,
        tracers: trace.TracerProvider | None = None,
        meters: metrics.MeterProvider | None = None,
        *,
        owned: tuple[Telemetry, ...] = (),
    ) -> None:
        """`owned` is shut down when the sink is closed."""
        self._tracer = trace.get_tracer(NAME, tracer_provider=tracers)
        meter = metrics.get_meter(NAME, meter_provider=meters)
        self._duration = meter.create_histogram(f"{PREFIX}hook.duration", "ms", "How long hooks take")
        self._runs = meter.create_counter(f"{PREFIX}hook.runs", description="Runs of hooks, by how they ended")
        self._owned = owned

    def write(self, record: Record) -> None:
        """See `Sink.write`."""
        fact = record.fact
        if isinstance(fact, HookCompleted | HookFailed):
            labels = _labels(fact)
            self._duration.record(fact.duration_us / 1000, labels)
            self._runs.add(1, labels)
            self._trace(fact, labels)

    def close(self) -> None:
        """Shut down what belongs to this sink."""
        for one in self._owned:
            one.shutdown()

    def _trace(self, fact: Ended, labels: dict[str, str]) -> None:
        end_ns = fact.at_us * 1000
        scope = {f"{PREFIX}{name}": str(value) for name, value in fact.scope.to_dict().items() if value is not None}
        span = self._tracer.start_span(
            f"hook {fact.handler.event}",
            start_time=end_ns - fact.duration_us * 1000,
            attributes={**labels, **scope, f"{PREFIX}fact": fact.id, f"{PREFIX}handler": fact.handler.ref},
        )
        if isinstance(fact, HookFailed):
            span.set_status(Status(StatusCode.ERROR, fact.category))
        span.end(end_ns)


def exporting() -> OtelSink:
    """A sink that sends by OTLP over HTTP, as the environment says (`OTEL_EXPORTER_OTLP_ENDPOINT` and its like)."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415 - slow
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=PATIENCE_S)))
    meters = MeterProvider(
        [PeriodicExportingMetricReader(OTLPMetricExporter(timeout=PATIENCE_S))], shutdown_on_exit=False
    )
    return OtelSink(tracers, meters, owned=(tracers, meters))


def _labels(fact: Ended) -> dict[str, str]:
    """What runs are counted by: few words, so that a metric stays small."""
    ended = f"failed {fact.failed or fact.category}" if isinstance(fact, HookFailed) else "completed"
    return {
        f"{PREFIX}vendor": fact.handler.vendor,
        f"{PREFIX}event": fact.handler.event,
        f"{PREFIX}point": fact.handler.point or "",
        f"{PREFIX}decision": fact.decision,
        f"{PREFIX}status": ended,
    }
