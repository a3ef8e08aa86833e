"""The composition root: makes a running server of the settings, and ends it in order at a signal."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from cornered.engine.progress import Report
from cornered.protocol.values import Player
from cornered.server import VERSION
from cornered.server import log as logging
from cornered.server.backing_services import (
    Stores,
    join_as_node,
    new_bus,
    new_local_ownership,
    new_mailer,
    new_node_bus,
    new_oidc_provider,
    new_passkeys,
    new_passwords,
    new_push_sender,
    new_tracer,
    new_word_list,
    open_accounts,
    open_ratings,
    open_stores,
    using_store,
)
from cornered.server.cluster.ports import LobbyLog, Ownership
from cornered.server.lobby.bounds import Bounds
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts, Metrics
from cornered.server.moderation.chat_filter import ChatFilter
from cornered.server.moderation.ports import ModerationLog
from cornered.server.net import qr_codes
from cornered.server.net.gateway import Gateway
from cornered.server.net.http import Pages
from cornered.server.net.oidc_routes import OidcRoutes
from cornered.server.open_files import RESERVE, allow_open_files, fitted
from cornered.server.passwords import Passwords
from cornered.server.ports import Accounts, Journal
from cornered.server.runtime.account_service import AccountService
from cornered.server.runtime.bot_service import BotService
from cornered.server.runtime.exports import Exports
from cornered.server.runtime.group_service import GroupService
from cornered.server.runtime.limits import Limits
from cornered.server.runtime.lobby_service import LobbyService
from cornered.server.runtime.mail_service import MailService
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.moderation_service import ConnectedPlayers, ModerationService
from cornered.server.runtime.named_journal import NamedJournal
from cornered.server.runtime.node_router import NodeRouter
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.oidc_visits import OidcVisits
from cornered.server.runtime.organiser_orders import OrganiserOrders
from cornered.server.runtime.rating_service import RatingService
from cornered.server.runtime.recomputation import RatingFindings, recompute
from cornered.server.runtime.retention_service import RetentionService
from cornered.server.runtime.rights import Rights
from cornered.server.runtime.shared_limits import SharedLimits
from cornered.server.runtime.signed_texts import TextSigner
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.runtime.timekeeping import (
    STORE_SILENCE_MS,
    Outages,
    Sign,
    SteadyClock,
    drop_sign,
    keep_time,
    last_sign,
    leave_signs,
)
from cornered.server.runtime.tournament_driver import LobbyView
from cornered.server.runtime.tournament_service import Peers, TournamentService
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError
from cornered.server.social.ports import PushSender, SocialStore
from cornered.server.streams.ports import EventStreams

__all__ = [
    "mint_bot_token",
    "new_event_loop",
    "recompute_ratings",
    "revoke_tokens",
    "run",
    "running_server",
    "serve",
    "settle_memory",
]

STOP_OVERDUE_EXIT: Final = 70
"""The exit code of a server that had to be ended because it did not stop in time."""

FREEZE_SECONDS: Final = 1.0

MAX_NAMESAKES: Final = 10
"""Ids that are told where several players have the name to be revoked."""

log = structlog.get_logger("app")


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a loop of the fastest kind that is installed: `asyncio.Runner(loop_factory=new_event_loop)`."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def settle_memory() -> None:
    """Freeze the objects that exist, and have the collector run rarely: a move leaves no cycle of references."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)


class _StopDeadline:
    """Ends the process so many seconds after the beginning of its stop; every acknowledged move is stored already.

    A thread keeps it: it holds even where the event loop is stuck. It is the process that must have ended by then, so
    nothing cancels it: the loop's own end waits for its threads.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """Begin the stop; only the first call counts."""
        if self._timer is None:
            self._timer = threading.Timer(self._seconds, self._end_anyway)
            self._timer.daemon = True
            self._timer.start()

    def _end_anyway(self) -> None:
        log.error("the server did not stop in time and is ended", seconds=self._seconds)
        os._exit(STOP_OVERDUE_EXIT)


async def serve(settings: Settings, *, started: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT; `started` gets the page's address. Raises OSError and SettingsError.

    Stopping has a deadline, `stop_seconds`, from the signal on, or from when the server or its start fails. A signal
    during the start ends the start.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    starting = asyncio.current_task()
    signals = (signal.SIGTERM, signal.SIGINT)
    deadline = _StopDeadline(settings.stop_seconds)

    def stop() -> None:
        deadline.begin()
        if starting is not None and not stopped.is_set():
            starting.cancel()
        stopped.set()

    for number in signals:
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, stop)
    try:
        async with run(settings, beforehand=True, ending=deadline.begin) as address:
            starting = None
            settle_memory()
            if started is not None:
                started(address)
            await stopped.wait()
            log.info("stopping")
    except asyncio.CancelledError:
        if starting is None or not stopped.is_set() or starting.uncancel():
            raise
        log.info("stopped during its start")
    finally:
        for number in signals:
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


def _fit_open_files(settings: Settings) -> Settings:
    """Raise the limit of open files as far as the connections need it; return the settings that fit it."""
    limit = allow_open_files(settings.max_connections + RESERVE)
    fit = fitted(settings, limit)
    if fit is not settings:
        tell = log.debug if fit.max_per_address == settings.max_per_address else log.warning
        tell(
            "the system allows few open files, so fewer connections are taken: raise the hard limit (ulimit -Hn,"
            " LimitNOFILE of a systemd unit)",
            open_files=limit,
            connections=fit.max_connections,
            wanted=settings.max_connections,
        )
    return fit


@contextlib.asynccontextmanager
async def run(
    settings: Settings,
    *,
    passwords: Passwords | None = None,
    beforehand: bool = False,
    ending: Callable[[], None] = lambda: None,
) -> AsyncIterator[str]:
    """Run a server inside the block, which gets the page's address; the end of the block stops it in order.

    With `beforehand` the rules are compiled and loaded beside the loop, which never waits for that. `ending` is called
    before anything that is open closes, once or more often, also where the start fails.
    """
    logging.configure(settings.log_level, settings.log_format)
    settings = _fit_open_files(settings)
    async with open_stores(settings) as stores:
        try:
            async with running_server(
                settings, stores, passwords=passwords, beforehand=beforehand, ending=ending
            ) as address:
                yield address
        finally:
            ending()


@contextlib.asynccontextmanager
async def running_server(
    settings: Settings,
    stores: Stores,
    *,
    now: Callable[[], int] | None = None,
    outages: Outages | None = None,
    passwords: Passwords | None = None,
    beforehand: bool = False,
    ending: Callable[[], None] = lambda: None,
) -> AsyncIterator[str]:
    """Run a server on stores that are open. Raises OSError, SettingsError.

    `now` is the match clock in milliseconds. A caller that provides it also calls `outages.beat`. `ending` is called
    before the server stops what it has started. `passwords` are by default as slow as they should be.
    """
    journal, accounts, social, ownership = stores.journal, stores.accounts, stores.social, stores.ownership
    alive = settings.data / "alive"
    # With several nodes the store knows when the owner before was there.
    sign = last_sign(alive) if ownership is None and settings.database != MEMORY_DATABASE else None
    counts = Counts()
    with using_store():
        secret = await journal.secret()
        push = await new_push_sender(settings, social)
        sign = await _of_this_store(sign, journal, alive)
        clock = now or await _clock(ownership, sign)
        owned = ownership or new_local_ownership(settings, clock, alive_ms=sign.at if sign else 0)
    node_bus = new_node_bus(settings, owned, secret, counts)
    services = Services(
        NamedJournal(journal, accounts),
        new_bus(settings),
        counts,
        clock,
        outages=outages or Outages(),
        nodes=Nodes(owned, node_bus),
        tracer=new_tracer(settings),
        ratings=RatingService(
            stores.ratings, counts, clock, knows_house_bots=bool(settings.analyst_key.get_secret_value())
        ),
        blocks_of=social.blocks_of,
        rights=Rights(accounts.departed),
    )
    refused: OSError | SettingsError | None = None
    oidc = _oidc_visits(settings, accounts, secret, clock)
    async with TaskGroup() as tasks:
        open_moderation = partial(
            _moderation_service,
            stores.moderation_log,
            accounts,
            secret,
            clock,
            new_word_list(settings),
            services.rights,
        )
        organiser_orders: OrganiserOrders
        groups = GroupService(stores.streams, accounts, secret, now=clock, rights=services.rights)
        open_tournaments = partial(
            _tournament_service, settings, stores.streams, services, accounts, groups, secret, lambda: organiser_orders
        )
        lobby_service = _lobby_service(
            settings,
            services,
            accounts,
            open_moderation,
            open_tournaments,
            stores.lobby_log,
            social,
            push,
            secret,
            tasks,
        )
        gateway: Gateway
        mailer = new_mailer(settings)
        if mailer is not None:
            lobby_service.notices.mails = MailService(
                social, mailer, secret, settings.page_url.rstrip("/"), lobby_service.is_anywhere, counts, now=clock
            )
        hashing = passwords or new_passwords()
        groups.people = lobby_service
        pages = _pages(settings, lobby_service, groups, services, hashing, lambda: gateway.connections, oidc)
        limits = Limits(settings)
        account_service = AccountService(
            accounts,
            hashing,
            limits,
            counts,
            lobby_service,
            secret,
            clean_name=lobby_service.moderation.clean_name,
            now=clock,
            passkeys=new_passkeys(),
            oidc=oidc,
            draw_qr=qr_codes.drawn_rows,
        )
        exports = Exports(
            accounts, services.journal, social, groups, stores.moderation_log, stores.bot_incidents, now=clock
        )
        bots = BotService(
            stores.bot_incidents,
            services.journal,
            accounts,
            lobby_service.rating_answers,
            secret,
            clients_of=lobby_service.clients_of,
            is_anywhere=lobby_service.is_anywhere,
            now=clock,
        )
        gateway = Gateway(settings, limits, lobby_service, account_service, exports, groups, bots, pages, tasks)
        registry = lobby_service.matches
        shared_limits = SharedLimits(limits, services.nodes)
        organiser_orders = OrganiserOrders(registry, services.nodes, tasks.spawn)
        router = NodeRouter(
            services.nodes,
            registry,
            lobby_service.replication,
            lobby_service.summaries,
            lobby_service.analyses,
            shared_limits,
            organiser_orders,
            tasks.spawn,
            players=lobby_service.players_elsewhere,
            is_lobby_open=False,
        )
        running = [tasks.create_task(services.bus.run(), name="bus")]
        keeping: list[asyncio.Task[None]] = []
        signs: list[asyncio.Task[None]] = []
        if beforehand:
            services.readiness.expect_all()
            running.append(tasks.create_task(_prepare_games(services), name="readiness"))
        try:
            lobby_service.is_stopping = True
            await pages.prepare()
            address = await gateway.open()
            running.append(tasks.create_task(node_bus.run(router), name="node bus"))
            if settings.mqtt:
                # A joining node gets its share of the matches at once, which go on elsewhere until it can play them.
                await services.readiness.of_all()
            await join_as_node(owned, router, address if settings.mqtt else "")
            # Where another server became this node, NodeTaken or NodesUnlinked ends this one.
            keeping.append(tasks.create_task(owned.keep(), name="ownership"))
            with using_store():
                await groups.begin()
            await _admit_players(lobby_service, router)
        except (OSError, SettingsError) as error:
            refused = error
        else:
            running.append(tasks.create_task(shared_limits.run(), name="limits"))
            running.append(tasks.create_task(lobby_service.revocations.run(), name="revocations"))
            running.append(tasks.create_task(lobby_service.moderation.run(), name="moderation"))
            running.append(tasks.create_task(groups.run(), name="groups"))
            running.append(tasks.create_task(services.ratings.run(), name="ratings"))
            if stores.retention is not None:
                erasing = RetentionService(stores.retention, settings.periods, counts, now=clock)
                running.append(tasks.create_task(erasing.run(), name="retention"))
            running.append(tasks.create_task(lobby_service.tournaments.run(), name="tournaments"))
            running.append(tasks.create_task(lobby_service.notices.run(), name="notices"))
            running.append(tasks.create_task(bots.run(), name="bots"))
            running.append(tasks.create_task(journal.watch(), name="journal watch"))
            leave: Callable[[], Awaitable[None]] = _nothing_to_leave
            if ownership is None and settings.database != MEMORY_DATABASE:
                known = (sign.match, sign.seq) if sign else None
                leave = partial(leave_signs, alive, services.outages, clock, lambda: journal.newest or known)
            signs.append(tasks.create_task(_when_loaded(registry, leave), name="signs of life"))
            if now is None:
                beating = keep_time(services.outages, clock, lambda: owned.lease_age)
                running.append(tasks.create_task(beating, name="heartbeat"))
            log.info("listening", address=address, node=settings.node)
            yield address
        finally:
            ending()
            await _stop(services, lobby_service, gateway, running, keeping, signs, ownership)
            hashing.close()
            if oidc is not None:
                await oidc.close()
    if refused is not None:
        raise refused


def _oidc_visits(settings: Settings, accounts: Accounts, secret: bytes, now: Callable[[], int]) -> OidcVisits | None:
    """Return the visits to the provider of the settings; None without one. Raises SettingsError."""
    provider = new_oidc_provider(settings)
    if provider is None:
        return None
    return OidcVisits(
        provider,
        accounts,
        TextSigner(secret, now=now),
        name=settings.oidc_name,
        creates=settings.oidc_creates_accounts,
        now=now,
    )


async def _clock(ownership: Ownership | None, sign: Sign | None) -> SteadyClock:
    """Return the match clock: it begins with the time of the database that several nodes share, or with this machine's.

    Raises JournalUnavailable.
    """
    if ownership is None:
        return SteadyClock(time.time, time.monotonic, not_before=sign.at if sign else 0)
    shared = await ownership.time() / 1000
    return SteadyClock(lambda: shared, time.monotonic)


async def _nothing_to_leave() -> None:
    """Leave no sign of life."""


def _moderation_service(
    moderation_log: ModerationLog,
    accounts: Accounts,
    secret: bytes,
    now: Callable[[], int],
    words: Callable[[], ChatFilter],
    rights: Rights,
    connected: ConnectedPlayers,
) -> ModerationService:
    return ModerationService(moderation_log, accounts, connected, secret, now=now, words=words, rights=rights)


def _tournament_service(
    settings: Settings,
    streams: EventStreams,
    services: Services,
    accounts: Accounts,
    groups: GroupService,
    secret: bytes,
    orders: Callable[[], OrganiserOrders],
    view: LobbyView,
    peers_of: Peers,
) -> TournamentService:
    return TournamentService(
        streams,
        services,
        accounts,
        view,
        creators=settings.tournaments,
        groups=groups,
        orders=orders,
        peers_of=peers_of,
        secret=secret,
    )


def _lobby_service(
    settings: Settings,
    services: Services,
    accounts: Accounts,
    open_moderation: Callable[[ConnectedPlayers], ModerationService],
    open_tournaments: Callable[[LobbyView, Peers], TournamentService],
    lobby_log: LobbyLog,
    social: SocialStore,
    push: PushSender | None,
    secret: bytes,
    tasks: TaskGroup,
) -> LobbyService:
    """Return the lobby service with its registry, with the limits of the settings."""
    patience = Patience(
        first_move=settings.first_move_seconds * 1000,
        gone=settings.gone_seconds * 1000,
        max_plies=settings.max_plies,
    )
    return LobbyService(
        services,
        accounts,
        partial(MatchRegistry, services, secret, patience, tasks),
        open_moderation,
        open_tournaments,
        lobby_log,
        social,
        tasks,
        bounds=Bounds(
            settings.max_seeks,
            settings.max_seeks_per_address,
            settings.max_challenges,
            settings.max_challenges_per_address,
            settings.max_matches_per_player,
            settings.max_matches_per_address,
            settings.max_pool_entries,
            settings.max_pool_entries_per_address,
        ),
        reserved_names=settings.reserved_names,
        analyst_key=settings.analyst_key.get_secret_value(),
        allows_guests=settings.guests,
        push=push,
        notice_seconds=settings.notice_seconds,
    )


async def _stop(
    services: Services,
    lobby_service: LobbyService,
    gateway: Gateway,
    running: list[asyncio.Task[None]],
    keeping: list[asyncio.Task[None]],
    signs: list[asyncio.Task[None]],
    ownership: Ownership | None,
) -> None:
    """Stop everything in order; each step is taken even where the one before failed.

    From the notice on commands are refused, so no sign of life is left any more. Commands under way are answered before
    the sockets close: first the notice, then the answers, then the sockets.
    """

    async def hand_over() -> None:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        if ownership is not None:
            lobby_service.matches.is_leaving = True
            await ownership.leave()

    # Called in reverse order.
    async with contextlib.AsyncExitStack() as stopping:
        stopping.push_async_callback(services.tracer.close)
        for task in running:
            stopping.callback(task.cancel)
        stopping.push_async_callback(services.bus.close)
        stopping.callback(lobby_service.close)
        stopping.push_async_callback(gateway.close)
        stopping.push_async_callback(lobby_service.matches.close)
        stopping.push_async_callback(hand_over)
        stopping.push_async_callback(lobby_service.drained)
        stopping.callback(services.readiness.close)
        stopping.callback(lobby_service.say_goodbye, "The server restarts. Your games go on in a moment.")
        for task in signs:
            stopping.callback(task.cancel)


async def _admit_players(lobby_service: LobbyService, router: NodeRouter) -> None:
    """Index the matches that go on, then admit players.

    Until the matches are there `/ready` answers 503, and so does the gateway to sockets, as it does while the lobby
    service stops. Raises SettingsError.
    """
    with using_store():
        await lobby_service.recover()
    router.open_lobby()
    lobby_service.is_stopping = False


async def _of_this_store(sign: Sign | None, journal: Journal, file: Path) -> Sign | None:
    """Return the last sign of life if it belongs to this store; another one is removed.

    A restored backup lacks the newest event of the server that left the sign, and is charged no time until then.
    """
    if sign is None or await journal.holds(sign.match, sign.seq):
        return sign
    # The store may come to hold an event of that number before the next sign is left.
    drop_sign(file)
    log.warning("the last sign of life is of a newer or another database: whole turns are refunded")
    return None


def _pages(
    settings: Settings,
    lobby_service: LobbyService,
    groups: GroupService,
    services: Services,
    passwords: Passwords,
    sockets: Callable[[], int],
    oidc: OidcVisits | None,
) -> Pages:
    nodes = services.nodes
    metrics = Metrics(
        services.counts,
        {
            "players": (
                "Players of all nodes, each counted once. The lobby's owner alone tells it; other nodes tell 0.",
                lambda: lobby_service.replication.players,
            ),
            "node_players": ("Players with a connection to this node.", lambda: lobby_service.players),
            "sockets": ("Open TCP connections.", sockets),
            "tasks": ("Tasks of the event loop.", lambda: len(asyncio.all_tasks())),
            "match_tasks": (
                "Matches in memory that this node owns.",
                lambda: len(lobby_service.matches) - lobby_service.matches.mirrors,
            ),
            "analysts": ("Bots that study positions.", lambda: lobby_service.analysis_service.analysts),
            "analyses": ("Positions that wait to be studied, or are.", lambda: lobby_service.analysis_service.jobs),
            "bans": ("Bans and mutes that hold.", lambda: lobby_service.moderation.bans),
            "groups": ("Classes and clubs that are open.", lambda: groups.open),
            "reports_open": ("Reports of players that nobody has closed.", lambda: lobby_service.moderation.reports),
            "tournaments": ("Tournaments that are open or running.", lambda: lobby_service.tournaments.live),
            "tournament_watchers": (
                "Clients of this node that watch a tournament.",
                lambda: lobby_service.tournaments.watchers,
            ),
            "notices_waiting": ("Notices to players that are not sent yet.", lambda: lobby_service.notices.waiting),
            "passwords_waiting": ("Passwords that are hashed, or wait for that.", lambda: passwords.waiting),
            "journal_waiting": ("Appends that wait for a commit to take them.", lambda: services.journal.waiting),
            "ratings_waiting": ("Results that were not rated at the last look.", lambda: services.ratings.waiting),
            "ratings_behind_seconds": (
                "For how long the oldest result that is not rated has waited.",
                lambda: services.ratings.behind,
            ),
            "slots": ("Slots that this node owns.", lambda: nodes.slots),
            "lease_age_seconds": ("Seconds since this node's lease was renewed.", lambda: nodes.lease_age),
            "nodes": ("Living nodes, with this one.", lambda: len(nodes.others()) + 1),
            "links": ("Other living nodes whose messages arrive here.", lambda: nodes.links),
            "mirrors": ("Matches of other nodes that have clients here.", lambda: lobby_service.matches.mirrors),
            "forwards_waiting": (
                "Commands that another node has not answered yet.",
                lambda: len(lobby_service.matches.forwarder),
            ),
        },
        node=settings.node,
        version=VERSION,
    )
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else ""
    return Pages(
        settings.web,
        services.journal,
        metrics,
        lambda: _obstacle(lobby_service, services),
        find_tournament=lobby_service.tournaments.public,
        metrics_token=token,
        oidc=None if oidc is None else OidcRoutes(oidc),
    )


async def _prepare_games(services: Services) -> None:
    """Make all games ready; compiled code is a great many objects, which stay."""
    await services.readiness.prepare()
    settle_memory()


def _obstacle(lobby_service: LobbyService, services: Services) -> str:
    """Return what keeps the server from playing any game at once; empty when nothing does."""
    if lobby_service.is_stopping:
        return "not ready"
    if services.readiness.missing:
        return f"compiling {', '.join(services.readiness.missing)}"
    if services.nodes.lease_age * 1000 > STORE_SILENCE_MS:
        # An idle node tests its store rarely, and renews its lease every second.
        return "the database does not answer"
    return services.journal.obstacle


async def _when_loaded(registry: MatchRegistry, leave: Callable[[], Awaitable[None]]) -> None:
    """Leave signs of life once no match needs the last one of the server before for its refund."""
    while not registry.all_loaded.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FREEZE_SECONDS):
                await registry.all_loaded.wait()
        # Matches stay: a collector that looked through all that were loaded so far would stop the loop for 0.1 s.
        gc.freeze()
    await leave()


async def mint_bot_token(settings: Settings, name: str) -> str:
    """Make a player for a bot and return its token, which is shown this once. Raises SettingsError."""
    async with open_accounts(settings) as accounts:
        _, token = await accounts.create(name, "bot")
    return token


async def revoke_tokens(settings: Settings, name_or_id: str) -> Player:
    """Make all tokens of one player invalid. Servers that run refuse them from then on, and close its connections.

    Raises SettingsError, and a ValueError where not exactly one player with a token has this id or name.
    """
    async with open_accounts(settings, is_made=False) as accounts:
        with using_store():
            known = await accounts.by_id(name_or_id)
            players = [known] if known else await accounts.named(name_or_id, MAX_NAMESAKES)
            is_revoked = len(players) == 1 and await accounts.revoke(players[0].id)
    if len(players) > 1:
        ids = ", ".join(player.id for player in players)
        raise ValueError(f"several players are called {name_or_id}: name one by its id, as {ids}")
    if not is_revoked:
        raise ValueError(f"no player with a token has the id or the name {name_or_id}")
    return players[0]


async def recompute_ratings(settings: Settings, report: Report, *, mends: bool) -> RatingFindings:
    """Compare all ratings with the journal, and mend them where that is wanted. Raises SettingsError, ValueError."""
    async with open_ratings(settings) as ratings:
        with using_store():
            return await recompute(ratings, report, mends=mends)
