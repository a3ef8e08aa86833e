"""Traces of commands that do not go straight: refusals, other owners, and nodes that trace nothing."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cornered.protocol.commands import MatchCommand, Play, Resign
from cornered.protocol.values import Fischer
from cornered.server.adapters.tracer_otel import OtelTracer
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.tracing import NO_TRACER, Tracer
from tests.server.collector import Recorded, of_sdk, paths
from tests.server.nodes import LocalNode
from tests.server.runtime.test_match_mirror import SOON, acknowledged, cluster, refusals
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


class Memory:
    """The spans of all nodes; those in `silent` trace nothing."""

    def __init__(self, *silent: str) -> None:
        self._silent = silent
        self._exporter = InMemorySpanExporter()
        self.tracers: dict[str, Tracer] = {}

    def tracer(self, node: str) -> Tracer:
        made: Tracer = NO_TRACER
        if node not in self._silent:
            made = OtelTracer(SimpleSpanProcessor(self._exporter), node, 1, flush_seconds=1)
        self.tracers[node] = made
        return made

    async def do(self, node: LocalNode, client: ClientConnection, *commands: MatchCommand) -> None:
        """Take commands as a session does, in one turn of the loop, and let the nodes carry them out."""
        now = asyncio.get_running_loop().time()
        for command in commands:
            with self.tracers[node.name].receive(command, now) as span:
                (await node.registry.find(command.match)).submit(client, command, now, span.context)
        await after(SOON)

    @property
    def spans(self) -> list[Recorded]:
        return of_sdk(self._exporter.get_finished_spans())

    def traces(self) -> list[list[Recorded]]:
        """Return the spans of each trace, in the order in which the traces began."""
        traces = dict.fromkeys(span.trace for span in self.spans if span.name == "receive")
        return [[span for span in self.spans if span.trace == trace] for trace in traces]


FORWARDED = [
    "receive@b",
    "receive@b > forward@b",
    "receive@b > forward@b > execute@a",
    "receive@b > forward@b > execute@a > append@a",
    "receive@b > forward@b > execute@a > decide@a",
    "receive@b > forward@b > execute@a > publish@a",
    "receive@b > forward@b > execute@a > publish@a > deliver@b",
]


async def test_two_nodes_record_one_trace() -> None:
    memory = Memory()
    async with cluster("a", "b", tracer=memory.tracer) as made:
        match = await made.open()
        ann, at_b = await made.join(made.nodes["b"], "ann", match)
        await memory.do(made.nodes["b"], ann, made.play(match, 0))
    assert acknowledged(at_b)[-1:] == ["p0"]
    assert paths(memory.spans) == FORWARDED
    assert len({span.trace for span in memory.spans}) == 1
    assert not any("trace" in message for message in at_b.written)


async def test_a_command_that_is_refused_says_why_where_it_was_decided() -> None:
    memory = Memory()
    async with cluster("a", "b", tracer=memory.tracer) as made:
        match = await made.open()
        ben, at_b = await made.join(made.nodes["b"], "ben", match)
        await memory.do(made.nodes["b"], ben, Play(id="early", match=match, ply=0, move="a2"))
        stranger, _ = await made.join(made.nodes["b"], "cyn", match)
        with pytest.raises(Refusal, match="not_a_player"):
            await memory.do(made.nodes["b"], stranger, made.play(match, 0))
    assert refusals(at_b) == [("early", "not_your_turn")]
    assert paths(memory.spans) == sorted(["receive@b", *FORWARDED[:3], FORWARDED[4]])
    refused = [(span.name, span.attributes.get("cornered.refusal")) for span in memory.spans]
    assert [one for one in refused if one[1]] == [("decide", "not_your_turn"), ("receive", "not_a_player")]
    assert {span.status for span in memory.spans} == {""}


async def test_a_command_that_goes_to_the_next_owner_keeps_its_trace() -> None:
    memory = Memory()
    async with cluster("a", "b", "c", tracer=memory.tracer) as made:
        match = await made.open()
        ann, at_b = await made.join(made.nodes["b"], "ann", match)
        made.network.cut("b", "a")
        await memory.do(made.nodes["b"], ann, made.play(match, 0))
        assert [span.name for span in memory.spans] == ["receive"]
        made.nodes["c"].ownership.take(ALL_SLOTS)
        await after(SOON)
    assert acknowledged(at_b)[-1:] == ["p0"]
    assert [path for path in paths(memory.spans) if "@c" in path and "deliver" not in path] == [
        path.replace("@a", "@c") for path in FORWARDED[2:6]
    ]
    (forward,) = (span for span in memory.spans if span.name == "forward")
    assert forward.events == [("sent", "a"), ("sent", "c")]


async def test_commands_at_a_node_that_loses_their_match_are_forwarded_in_their_traces() -> None:
    memory = Memory()
    async with cluster("a", "b", tracer=memory.tracer) as made:
        match = await made.open()
        ann, at_a = await made.join(made.nodes["a"], "ann", match)
        # Only the store knows of the new owner.
        made.table.assign(ALL_SLOTS, "b")
        await memory.do(made.nodes["a"], ann, made.play(match, 0), Resign(id="resign", match=match))
        made.nodes["b"].ownership.learn_all()
        await after(SOON)
    assert acknowledged(at_a)[-2:] == ["p0", "resign"]
    first = "receive@a > execute@a"
    second = f"{first} > forward@a > execute@b"
    both = {
        *("receive@a", first, f"{first} > forward@a"),
        *(second, f"{second} > append@b", f"{second} > decide@b", f"{second} > publish@b"),
    }
    played, resigned = memory.traces()
    assert set(paths(played)) >= both | {f"{first} > append@a", f"{first} > decide@a"}
    assert set(paths(resigned)) >= both
    (append,) = (span for span in played if (span.name, span.node) == ("append", "a"))
    assert append.status == "NotOwner"


async def test_a_node_that_traces_nothing_breaks_no_move_and_ends_the_trace() -> None:
    memory = Memory("a")
    async with cluster("a", "b", tracer=memory.tracer) as made:
        match = await made.open()
        ann, at_b = await made.join(made.nodes["b"], "ann", match)
        await memory.do(made.nodes["b"], ann, made.play(match, 0))
    assert acknowledged(at_b)[-1:] == ["p0"]
    assert paths(memory.spans) == FORWARDED[:2]


async def test_what_time_decides_has_no_trace() -> None:
    memory = Memory()
    async with cluster("a", "b", tracer=memory.tracer) as made:
        match = await made.open(clock=Fischer(initial=10, increment=0))
        _, at_b = await made.join(made.nodes["b"], "ann", match)
        await after(70)
        # The match ended because no first move was made.
        assert at_b.seqs() == [2]
    assert memory.spans == []
