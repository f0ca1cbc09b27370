"""Exposition: the metrics of a process in Prometheus' text formats, with its own library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector, CollectorRegistry

from horae.domain.cluster.meters import Histogram, Labels, Meters
from horae.domain.cluster.metrics import Family

Numbers = Iterable[tuple[Family, Mapping[Labels, float]]]


class _Collected(Collector):
    def __init__(self, meters: Meters, numbers: Numbers) -> None:
        self._meters, self._numbers = meters, numbers

    def collect(self) -> Iterator[Metric]:
        for family, values in (*self._numbers, *self._meters.numbers()):
            yield _numbers(family, values)
        for family, found in self._meters.distributions():
            yield _histogram(family, found)


def exposed(meters: Meters, accept: str, numbers: Numbers = ()) -> tuple[bytes, str]:
    """The text and its content type, in the requested format; `numbers` are added to those of the process."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(meters, tuple(numbers)))
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


def _numbers(family: Family, values: Mapping[Labels, float]) -> Metric:
    kind = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    metric = kind(family.name, family.help, labels=family.labels)
    for labels, value in sorted(values.items()):
        metric.add_metric(labels, value)
    return metric


def _histogram(family: Family, found: Mapping[Labels, Histogram]) -> Metric:
    metric = HistogramMetricFamily(family.name, family.help, labels=family.labels)
    for labels, histogram in sorted(found.items()):
        buckets: Sequence[tuple[str, float]] = list(histogram.cumulative())
        metric.add_metric(labels, buckets, histogram.total)
    return metric
