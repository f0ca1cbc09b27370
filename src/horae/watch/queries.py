"""PromQL, built from the declared metrics: a query cannot name one, or a label, that does not exist."""

from __future__ import annotations

from horae.domain.cluster.metrics import Family


def select(family: Family, suffix: str = "", **labels: str) -> str:
    """`name{label="value"}`; a value that begins with `~` is a regular expression."""
    unknown = set(labels) - set(family.labels)
    if unknown:
        raise ValueError(f"{family.name} has no label {sorted(unknown)[0]!r}")
    conditions = ", ".join(
        f'{label}=~"{value[1:]}"' if value.startswith("~") else f'{label}="{value}"' for label, value in labels.items()
    )
    return f"{family.name}{suffix}{{{conditions}}}" if conditions else f"{family.name}{suffix}"


def rate(family: Family, window: str = "5m", by: tuple[str, ...] = (), suffix: str = "", **labels: str) -> str:
    """The increase per second, summed over processes."""
    return f"sum{_by(by)}(rate({select(family, suffix, **labels)}[{window}]))"


def quantile(family: Family, share: float, window: str = "5m", by: tuple[str, ...] = ()) -> str:
    if family.kind != "histogram":
        raise ValueError(f"{family.name} is not a histogram")
    inner = f"sum{_by(('le', *by))}(rate({family.name}_bucket[{window}]))"
    return f"histogram_quantile({share}, {inner})"


def _by(labels: tuple[str, ...]) -> str:
    return f" by ({', '.join(labels)}) " if labels else ""
