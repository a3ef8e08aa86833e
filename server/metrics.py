"""Counters of the server and their Prometheus text.

Counters are plain integers of the event loop's thread, because a locked one costs as much as a move's validation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

__all__ = ["Counts", "Metrics"]

_LATENCY_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the histogram of acknowledged commands, in seconds."""


class Counts:
    """Totals of one server since its start."""

    __slots__ = (
        "analyses_answered",
        "analyses_asked",
        "analyses_failed",
        "analyses_remembered",
        "analyses_returned",
        "behind",
        "buckets",
        "connections",
        "dropped",
        "erased",
        "events",
        "latency",
        "links_lost",
        "mails",
        "messages",
        "node_batches_refused",
        "node_batches_sent",
        "node_messages_dropped",
        "node_messages_received",
        "node_messages_sent",
        "notices",
        "pairing_seconds",
        "pushes",
        "rated",
        "refusals",
        "registrations",
        "rounds_paired",
        "sign_ins",
        "stalls",
    )

    def __init__(self) -> None:
        self.connections = 0
        self.messages = 0
        self.events = 0
        self.erased: dict[str, int] = {}
        self.refusals: dict[str, int] = {}
        self.registrations = 0
        self.sign_ins: dict[str, int] = {}
        self.stalls = 0
        self.behind = 0
        self.dropped = 0
        self.analyses_asked = 0
        self.analyses_remembered = 0
        self.analyses_answered = 0
        self.analyses_failed = 0
        self.analyses_returned = 0
        self.rated = 0
        self.rounds_paired = 0
        self.pairing_seconds = 0.0
        self.links_lost = 0
        self.node_batches_refused: dict[str, int] = {}
        self.node_batches_sent = 0
        self.node_messages_dropped = 0
        self.node_messages_received = 0
        self.node_messages_sent = 0
        self.mails: dict[str, int] = {}
        self.notices: dict[str, int] = {}
        self.pushes: dict[str, int] = {}
        self.latency = 0.0
        self.buckets = [0] * (len(_LATENCY_BUCKETS_S) + 1)

    def acknowledged(self, seconds: float) -> None:
        """Count one match command that was stored and acknowledged `seconds` after its arrival."""
        self.latency += seconds
        self.buckets[bisect_left(_LATENCY_BUCKETS_S, seconds)] += 1

    def refused(self, code: str) -> None:
        self.refusals[code] = self.refusals.get(code, 0) + 1

    def was_erased(self, kind: str, number: int) -> None:
        """Count what was erased because it was kept for too long."""
        self.erased[kind] = self.erased.get(kind, 0) + number

    def signed_in(self, outcome: str) -> None:
        """Count one attempt to sign in or to recover an account: `good`, or why it was refused."""
        self.sign_ins[outcome] = self.sign_ins.get(outcome, 0) + 1

    def noticed(self, outcome: str) -> None:
        """Count one notice by its kind, or one that is `repeated`, was `dropped` or has `failed`."""
        self.notices[outcome] = self.notices.get(outcome, 0) + 1

    def mailed(self, *, is_sent: bool) -> None:
        """Count one e-mail that was `sent`, or has `failed`."""
        outcome = "sent" if is_sent else "failed"
        self.mails[outcome] = self.mails.get(outcome, 0) + 1

    def pushed(self, outcome: str) -> None:
        """Count one push message by what became of it."""
        self.pushes[outcome] = self.pushes.get(outcome, 0) + 1

    def refused_batch(self, fault: str) -> None:
        """Count one batch on this node's topic that was not taken."""
        self.node_batches_refused[fault] = self.node_batches_refused.get(fault, 0) + 1


class Metrics(Collector):
    """Renders totals, and `gauges` that are read at the scrape, as Prometheus's text."""

    def __init__(
        self, counts: Counts, gauges: dict[str, tuple[str, Callable[[], float]]], *, node: str = "", version: str = ""
    ) -> None:
        self._counts = counts
        self._info = {"node": node, "version": version}
        self._gauges = gauges
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def render(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily]:
        counts = self._counts
        for name, words, total in (
            ("connections", "Sockets that were opened.", counts.connections),
            ("messages", "Messages that clients sent.", counts.messages),
            ("events", "Match events that were stored.", counts.events),
            ("journal_stalls", "Times that the journal could not write.", counts.stalls),
            ("watchers_behind", "Times that a slow watcher got a snapshot instead of events.", counts.behind),
            ("players_dropped", "Sockets that were closed because they read too slowly.", counts.dropped),
            ("registrations", "Accounts that were made.", counts.registrations),
            ("analyses_asked", "Positions that were given to the queue of analyses.", counts.analyses_asked),
            ("analyses_remembered", "Analyses that were known already.", counts.analyses_remembered),
            ("analyses_answered", "Analyses that came to an end with a report.", counts.analyses_answered),
            ("analyses_failed", "Analyses that were given up.", counts.analyses_failed),
            ("analyses_returned", "Times that an analyst lost a job, and it waited again.", counts.analyses_returned),
            ("matches_rated", "Results that this node has rated.", counts.rated),
            ("tournament_rounds", "Rounds of tournaments that this node has paired.", counts.rounds_paired),
            ("tournament_pairing_seconds", "Time that pairing them took.", counts.pairing_seconds),
            ("links_lost", "Times that another node was silent for too long.", counts.links_lost),
            ("node_batches_sent", "Batches and heartbeats for other nodes.", counts.node_batches_sent),
            ("node_messages_sent", "Messages for other nodes.", counts.node_messages_sent),
            ("node_messages_received", "Messages of other nodes.", counts.node_messages_received),
            ("node_messages_dropped", "Messages for other nodes that were never sent.", counts.node_messages_dropped),
        ):
            yield CounterMetricFamily(f"cornered_{name}", words, value=total)
        refusals = CounterMetricFamily("cornered_refusals", "Messages that were refused.", labels=["code"])
        for code, number in sorted(counts.refusals.items()):
            refusals.add_metric([code], number)
        yield refusals
        erased = CounterMetricFamily("cornered_erased", "What this node erased after its time.", labels=["kind"])
        for kind, number in sorted(counts.erased.items()):
            erased.add_metric([kind], number)
        yield erased
        sign_ins = CounterMetricFamily("cornered_sign_ins", "Attempts to sign in or to recover.", labels=["outcome"])
        for outcome, number in sorted(counts.sign_ins.items()):
            sign_ins.add_metric([outcome], number)
        yield sign_ins
        for name, words, numbers in (
            ("notices", "Notices to players, by kind.", counts.notices),
            ("pushes", "Push messages by what became of them.", counts.pushes),
            ("mails", "E-mails to players by what became of them.", counts.mails),
        ):
            labelled = CounterMetricFamily(
                f"cornered_{name}", words, labels=["kind" if name == "notices" else "outcome"]
            )
            for label, number in sorted(numbers.items()):
                labelled.add_metric([label], number)
            yield labelled
        batches = CounterMetricFamily("cornered_node_batches_refused", "Batches that were not taken.", labels=["fault"])
        for fault, number in sorted(counts.node_batches_refused.items()):
            batches.add_metric([fault], number)
        yield batches
        yield HistogramMetricFamily(
            "cornered_command_seconds",
            "From the arrival of a match command to its acknowledgement, stored.",
            buckets=self._cumulative(),
            sum_value=counts.latency,
        )
        info = GaugeMetricFamily("cornered_node_info", "This node's name and version; always 1.", labels=[*self._info])
        info.add_metric([*self._info.values()], 1)
        yield info
        for name, (words, read) in self._gauges.items():
            yield GaugeMetricFamily(f"cornered_{name}", words, value=read())

    def _cumulative(self) -> list[tuple[str, float]]:
        total, buckets = 0, []
        for bound, number in zip((*map(str, _LATENCY_BUCKETS_S), "+Inf"), self._counts.buckets, strict=True):
            total += number
            buckets.append((bound, float(total)))
        return buckets
