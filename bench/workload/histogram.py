"""A histogram of latencies with the buckets of HdrHistogram: logarithmic, with equal steps between powers of two.

The package of that name is maintained, but allocates the whole range for each histogram, needs setuptools when it runs,
and comes compiled for some platforms; a trial keeps one histogram for each second, and few buckets of it are in use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["PERCENTILES", "RELATIVE_ERROR", "Histogram"]

PERCENTILES: Final = (50.0, 90.0, 99.0, 99.9)
"""The percentiles that every report has."""
_BITS: Final = 11
"""Leading bits of a value that its bucket keeps, three significant digits as HdrHistogram has them."""
_LOW: Final = 1 << _BITS
RELATIVE_ERROR: Final = 2.0 ** (1 - _BITS)
"""Upper bound of a bucket's width relative to its values: a percentile is at most this much too high, never too low."""


class Histogram:
    """Counts of latencies, recorded in seconds and kept in whole microseconds; those below 2,048 us are exact."""

    __slots__ = ("_counts", "max_us", "total_us")

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.max_us = 0
        self.total_us = 0

    def record(self, seconds: float) -> None:
        """Count one latency; a negative one, of two clocks read in the wrong order, counts as 0."""
        value = max(0, round(seconds * 1e6))
        shift = max(0, value.bit_length() - _BITS)
        self._counts[shift << _BITS | value >> shift] += 1
        self.total_us += value
        if value > self.max_us:
            self.max_us = value

    def add(self, other: Histogram) -> None:
        """Count everything that `other` counted as well."""
        self._counts.update(other._counts)
        self.total_us += other.total_us
        self.max_us = max(self.max_us, other.max_us)

    @property
    def count(self) -> int:
        """Number of recorded latencies."""
        return self._counts.total()

    @property
    def mean(self) -> float:
        """Mean in seconds; 0 without any."""
        return self.total_us / self.count / 1e6 if self._counts else 0.0

    @property
    def max(self) -> float:
        """Maximum in seconds, exact to the microsecond."""
        return self.max_us / 1e6

    def percentile(self, percent: float) -> float:
        """Return the highest latency in seconds of the bucket that `percent` percent do not exceed; 0 without any."""
        wanted = max(1, -int(-self.count * percent // 100))
        reached = 0
        for key in sorted(self._counts):
            reached += self._counts[key]
            if reached >= wanted:
                return min(_highest(key), self.max_us) / 1e6
        return 0.0

    def distribution(self) -> Iterator[tuple[float, float]]:
        """Yield each bucket's latency in seconds with the share of latencies that do not exceed it, ascending."""
        reached, count = 0, self.count
        for key in sorted(self._counts):
            reached += self._counts[key]
            yield min(_highest(key), self.max_us) / 1e6, reached / count

    def to_json(self) -> dict[str, object]:
        """Return a form for JSON: the counts by bucket, the sum and the maximum in microseconds."""
        counts = {str(key): self._counts[key] for key in sorted(self._counts)}
        return {"counts": counts, "total_us": self.total_us, "max_us": self.max_us}

    @classmethod
    def from_json(cls, given: Mapping[str, object]) -> Histogram:
        """Return the histogram that `to_json` described. Raises ValueError."""
        counts, total, highest = given.get("counts"), given.get("total_us"), given.get("max_us")
        if not isinstance(counts, dict) or not isinstance(total, int) or not isinstance(highest, int):
            raise ValueError("a histogram has counts, total_us and max_us")
        made = cls()
        made._counts.update({int(key): int(count) for key, count in counts.items()})
        made.total_us, made.max_us = total, highest
        return made

    def summary_ms(self) -> dict[str, float]:
        """Return the percentiles of every report, the mean and the maximum in milliseconds."""
        found = {f"p{percent:g}": self.percentile(percent) * 1000 for percent in PERCENTILES}
        return found | {"mean": self.mean * 1000, "max": self.max * 1000}


def _highest(key: int) -> int:
    """Return the highest value in microseconds of a bucket."""
    shift, leading = key >> _BITS, key & (_LOW - 1)
    return ((leading + 1) << shift) - 1
