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


def total(family: Family, by: tuple[str, ...] = (), **labels: str) -> str:
    """The current value, summed over labels and processes."""
    return _summed(family, select(family, **labels), by)


def rate(family: Family, window: str = "5m", by: tuple[str, ...] = (), suffix: str = "", **labels: str) -> str:
    """The increase per second, summed over labels and processes."""
    return _summed(family, f"rate({select(family, suffix, **labels)}[{window}])", by)


def quantile(family: Family, share: float, window: str = "5m", by: tuple[str, ...] = (), **labels: str) -> str:
    if family.kind != "histogram":
        raise ValueError(f"{family.name} is not a histogram")
    inner = f"sum{_by(('le', *by))}(rate({select(family, '_bucket', **labels)}[{window}]))"
    return f"histogram_quantile({share}, {inner})"


def _summed(family: Family, values: str, by: tuple[str, ...]) -> str:
    """However many serve processes are scraped, what all of them report counts once."""
    if not family.shared:
        return f"sum{_by(by)}({values})"
    once = f"max{_by(family.labels)}({values})"
    return once if by == family.labels else f"sum{_by(by)}({once})"


def _by(labels: tuple[str, ...]) -> str:
    return f" by ({', '.join(labels)}) " if labels else ""
