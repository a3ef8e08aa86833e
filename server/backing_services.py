"""The backing services that the settings name: stores, the ownership of slots, buses, and the collector of traces.

The only module that chooses adapters; `app.py` uses what it returns through the ports.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.bot_incidents_memory import MemoryBotIncidents
from cornered.server.adapters.bot_incidents_sql import SqlBotIncidents
from cornered.server.adapters.broker import Broker
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.bus_mqtt import MqttBus
from cornered.server.adapters.database import (
    STORE_ERRORS,
    Database,
    address_of,
    is_away,
    open_engine,
    reason_of,
    require_store,
)
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lease import StoreTaken, lease
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.adapters.lobby_log_sql import SqlLobbyLog
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.moderation_sql import SqlModerationLog
from cornered.server.adapters.nodes_local import SingleNodeBus
from cornered.server.adapters.ownership_local import LocalOwnership
from cornered.server.adapters.private_files import NotPrivate, files_of_database, make_private
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.adapters.retention_sql import SqlRetention
from cornered.server.adapters.social_memory import MemorySocialStore
from cornered.server.adapters.social_sql import SqlSocialStore
from cornered.server.adapters.streams_memory import MemoryStreams
from cornered.server.adapters.streams_sql import SqlStreams
from cornered.server.adapters.word_file import WordFile
from cornered.server.bot.incidents import BotIncidents, IncidentsUnavailable
from cornered.server.cluster.envelope import node_key
from cornered.server.cluster.ports import (
    LobbyLog,
    Node,
    NodeBus,
    NodesUnlinked,
    NodeTaken,
    Ownership,
    OwnershipObserver,
)
from cornered.server.metrics import Counts
from cornered.server.moderation.chat_filter import NO_FILTER, ChatFilter
from cornered.server.moderation.ports import ModerationLog, ModerationUnavailable
from cornered.server.moderation.retention import RetentionStore, RetentionUnavailable
from cornered.server.oidc import OidcProvider
from cornered.server.passkeys import PasskeyVerifier
from cornered.server.passwords import Passwords
from cornered.server.ports import Accounts, AccountsUnavailable, Bus, Journal, JournalUnavailable
from cornered.server.rating.ports import Ratings, RatingsUnavailable
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError
from cornered.server.social.ports import Mailer, PushSender, SocialStore, SocialUnavailable
from cornered.server.streams.ports import EventStreams, StreamsUnavailable
from cornered.server.tracing import NO_TRACER, Tracer

__all__ = [
    "Stores",
    "join_as_node",
    "new_bus",
    "new_local_ownership",
    "new_mailer",
    "new_node_bus",
    "new_oidc_provider",
    "new_passkeys",
    "new_passwords",
    "new_push_sender",
    "new_tracer",
    "new_word_list",
    "open_accounts",
    "open_journal",
    "open_moderation",
    "open_ratings",
    "open_retention",
    "open_stores",
    "using_store",
]


log = structlog.get_logger("store")

AWAY_POLL_SECONDS: Final = 0.5
"""Between two looks whether the database is back."""
_UNAVAILABLE: Final = (
    JournalUnavailable,
    AccountsUnavailable,
    IncidentsUnavailable,
    RatingsUnavailable,
    ModerationUnavailable,
    RetentionUnavailable,
    SocialUnavailable,
    StreamsUnavailable,
)
MAX_FLUSH_SECONDS: Final = 2.0
"""How long a server that stops may deliver its last traces."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The ports of one database, or of storage in memory; `ownership` is None where no other node may use it."""

    journal: Journal
    accounts: Accounts
    lobby_log: LobbyLog
    ratings: Ratings
    moderation_log: ModerationLog
    streams: EventStreams
    social: SocialStore
    bot_incidents: BotIncidents
    ownership: Ownership | None
    retention: RetentionStore | None = None
    """None for a store in memory, which is lost with its server."""


@contextlib.asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open the stores inside the block, with sole use of an SQLite database. Raises SettingsError.

    A PostgreSQL server that is away is waited for, so that a node plays again as soon as it is back.
    """
    _prepare(settings)
    with _sole_use(settings):
        async with _database(settings, is_awaited=True) as database:
            ownership = _ownership(settings, database)
            async with _stores(database, ownership) as stores:
                yield stores


@contextlib.asynccontextmanager
async def open_accounts(settings: Settings, *, is_made: bool = True) -> AsyncIterator[Accounts]:
    """Open the accounts inside the block, also beside a server that has them open. Raises SettingsError.

    Without `is_made` a store that is missing is an error.
    """
    opened = _stores_beside_others(settings) if is_made else _existing_stores(settings)
    async with opened as stores:
        yield stores.accounts


@contextlib.asynccontextmanager
async def open_moderation(settings: Settings) -> AsyncIterator[tuple[ModerationLog, Accounts]]:
    """Open the log of moderation and the accounts inside the block, also beside a server. Raises SettingsError."""
    async with _existing_stores(settings) as stores:
        yield stores.moderation_log, stores.accounts


@contextlib.asynccontextmanager
async def open_ratings(settings: Settings) -> AsyncIterator[Ratings]:
    """Open the ratings of a store inside the block, also beside a server that has them open. Raises SettingsError."""
    async with _existing_stores(settings) as stores:
        yield stores.ratings


@contextlib.asynccontextmanager
async def open_journal(settings: Settings) -> AsyncIterator[tuple[Journal, Accounts]]:
    """Open the journal, to be read, and the accounts inside the block, also beside a server. Raises SettingsError."""
    async with _existing_stores(settings) as stores:
        yield stores.journal, stores.accounts


@contextlib.asynccontextmanager
async def open_retention(settings: Settings) -> AsyncIterator[RetentionStore]:
    """Open what erases within a store inside the block, also beside a server. Raises SettingsError."""
    async with _existing_stores(settings) as stores:
        assert stores.retention is not None, "a store in memory has no address"
        yield stores.retention


def new_local_ownership(settings: Settings, now: Callable[[], int], *, alive_ms: int) -> Ownership:
    """Return the ownership of all slots by a server that is alone with its store.

    `now` is the match clock in milliseconds, and `alive_ms` its last sign of life before this start, 0 for none.
    """
    return LocalOwnership(_this_node(settings), now, alive_ms=alive_ms)


def new_node_bus(settings: Settings, ownership: Ownership, secret: bytes, counts: Counts) -> NodeBus:
    """Return the bus between nodes; without a broker there are no other nodes. Raises SettingsError."""
    if not settings.mqtt or isinstance(ownership, LocalOwnership):
        return SingleNodeBus()
    from cornered.server.adapters.nodes_mqtt import MqttNodeBus

    return MqttNodeBus(_broker(settings), ownership.here, node_key(secret), lambda: ownership.nodes, counts)


def new_bus(settings: Settings) -> Bus:
    """Return the bus that publishes stored events; without a broker they are dropped. Raises SettingsError."""
    if not settings.mqtt:
        return LocalBus(node=settings.node)
    return MqttBus(_broker(settings), settings.node)


def new_passwords() -> Passwords:
    """Return the hashing of passwords."""
    from cornered.server.adapters.passwords_argon2 import Argon2Passwords

    return Argon2Passwords()


def new_passkeys() -> PasskeyVerifier | None:
    """Return the verification of passkeys; None where the package for it is not installed."""
    try:
        from cornered.server.adapters.passkeys_webauthn import WebAuthnVerifier
    except ModuleNotFoundError:
        return None
    return WebAuthnVerifier()


def new_oidc_provider(settings: Settings) -> OidcProvider | None:
    """Return the provider at which players may sign in; None without one. Raises SettingsError."""
    if not settings.oidc_issuer:
        return None
    try:
        from cornered.server.adapters.oidc_provider import HttpOidcProvider, OidcClient
    except ModuleNotFoundError as error:
        text = f"this needs {error.name}, which is not installed: pip install 'cornered[oidc]', or leave this out"
        raise SettingsError(f"CORNERED_OIDC_ISSUER: {text}") from None
    if not settings.oidc_client_id:
        raise SettingsError("CORNERED_OIDC_CLIENT_ID: the provider knows this server by an id; name it")
    client = OidcClient(
        settings.oidc_issuer,
        settings.oidc_client_id,
        settings.oidc_client_secret.get_secret_value(),
        tuple(domain.lower() for domain in settings.oidc_domains),
        settings.oidc_claim,
    )
    try:
        return HttpOidcProvider(client)
    except ValueError as error:
        raise SettingsError(f"CORNERED_OIDC_ISSUER: {error}") from None


async def new_push_sender(settings: Settings, store: SocialStore) -> PushSender | None:
    """Return the sender of push messages, with the store's key; None without it or without its extra.

    Raises SettingsError, SocialUnavailable.
    """
    if not settings.push:
        return None
    try:
        from cornered.server.adapters.push_web import WebPush, new_private_key
    except ModuleNotFoundError:
        return None
    private_key = await store.push_secret(new_private_key())
    try:
        return WebPush(
            private_key,
            contact=settings.push_contact,
            hosts=settings.push_hosts,
            origins=settings.push_origins,
        )
    except ValueError as error:
        raise SettingsError(f"CORNERED_PUSH_{error}") from None


def new_mailer(settings: Settings) -> Mailer | None:
    """Return the sender of e-mails; None without a mail server. Raises SettingsError."""
    if not settings.smtp.get_secret_value():
        return None
    from cornered.server.adapters.mail_smtp import SmtpMailer

    if not settings.page_url.startswith(("https://", "http://")):
        raise SettingsError("CORNERED_PAGE_URL: mails need the page's public address, such as https://play.example.org")
    try:
        return SmtpMailer(settings.smtp.get_secret_value(), settings.mail_from)
    except ValueError as error:
        raise SettingsError(f"CORNERED_{error}") from None


def new_tracer(settings: Settings) -> Tracer:
    """Return the tracer of commands, which records nothing without a collector. Raises SettingsError."""
    if not settings.otlp:
        return NO_TRACER
    try:
        from cornered.server.adapters.tracer_otel import connect
    except ModuleNotFoundError as error:
        text = f"this needs {error.name}, which is not installed: pip install 'cornered[otel]', or leave this out"
        raise SettingsError(f"CORNERED_OTLP: {text}") from None
    try:
        return connect(
            settings.otlp,
            settings.node,
            settings.otlp_share,
            flush_seconds=min(MAX_FLUSH_SECONDS, settings.stop_seconds / 4),
        )
    except ValueError as error:
        raise SettingsError(f"CORNERED_OTLP: {error}") from None


def new_word_list(settings: Settings) -> Callable[[], ChatFilter]:
    """Return the list of forbidden words, which may change. Raises SettingsError."""
    if settings.chat_filter is None:
        return lambda: NO_FILTER
    try:
        return WordFile(settings.chat_filter, masks=settings.chat_filter_action == "mask")
    except ValueError as error:
        raise SettingsError(f"CORNERED_CHAT_FILTER: {error}") from None


async def join_as_node(ownership: Ownership, observer: OwnershipObserver, address: str) -> None:
    """Become a node that listens at `address`; `keep` of the ownership must follow at once.

    Raises SettingsError where other servers use the store in a way that excludes this one.
    """
    try:
        with using_store():
            await ownership.join(observer, _seen_from_elsewhere(address))
    except NodeTaken as error:
        raise SettingsError(
            f"CORNERED_NODE: another server has this database and this name ({error}); stop it, or choose another"
        ) from None
    except NodesUnlinked as error:
        raise SettingsError(
            f"CORNERED_MQTT: another server has this database ({error}); stop it, or name the same broker on both"
        ) from None


def _seen_from_elsewhere(address: str) -> str:
    """Return `address` with this machine's name instead of a wildcard, which is no destination for other machines."""
    host = f"//{socket.gethostname()}:"
    return address.replace("//0.0.0.0:", host).replace("//[::]:", host)


@contextlib.contextmanager
def using_store() -> Iterator[None]:
    """Turn an error of the database into one line for the operator. Raises SettingsError."""
    try:
        yield
    except ValueError as error:
        raise SettingsError(f"CORNERED_DATABASE: {error}") from None
    except (*_UNAVAILABLE, *STORE_ERRORS) as error:
        raise SettingsError(f"CORNERED_DATABASE: the database cannot be opened: {reason_of(error)}") from None


def _prepare(settings: Settings) -> None:
    """Make the data directory, and make sure that no other user reads what is in it. Raises SettingsError."""
    if settings.database == MEMORY_DATABASE:
        return
    with using_store():
        database = address_of(settings.database_url)
    path = database.database if database.get_backend_name() == "sqlite" else None
    try:
        make_private(settings.data, files_of_database(Path(path)) if path else ())
    except NotPrivate as error:
        raise SettingsError(f"CORNERED_DATA: {error}") from None
    except OSError as error:
        raise SettingsError(f"CORNERED_DATA: {settings.data} cannot be made: {error.strerror}") from None


@contextlib.contextmanager
def _sole_use(settings: Settings) -> Iterator[None]:
    """Hold the lease of an SQLite database inside the block. Raises SettingsError where another server holds it."""
    with contextlib.ExitStack() as stack:
        if settings.database != MEMORY_DATABASE:
            try:
                with using_store():
                    stack.enter_context(lease(settings.database_url))
            except StoreTaken:
                what = "database" if settings.database else f"data directory, {settings.data}"
                name = "CORNERED_DATABASE" if settings.database else "CORNERED_DATA"
                raise SettingsError(f"{name}: another server uses this {what}; stop it, or choose another") from None
        yield


@contextlib.asynccontextmanager
async def _database(settings: Settings, *, is_awaited: bool = False) -> AsyncIterator[Database | None]:
    """Open the database inside the block; None is storage in memory."""
    if settings.database == MEMORY_DATABASE:
        yield None
        return
    with using_store():
        if is_awaited and address_of(settings.database_url).get_backend_name() == "postgresql":
            await _until_there(settings.database_url)
        database = await Database.open(settings.database_url, durability=settings.durability)
    try:
        yield database
    finally:
        await database.close()


async def _until_there(url: str) -> None:
    """Return when a PostgreSQL server lets a client in. Raises one of STORE_ERRORS where no wait helps."""
    engine, said = open_engine(address_of(url), "full"), ""
    try:
        while True:
            try:
                await (await engine.connect()).close()
            except STORE_ERRORS as error:
                if not is_away(error):
                    raise
                if (why := reason_of(error)) != said:
                    log.warning("the database is away; this server starts when it is back", why=why)
                    said = why
            else:
                return
            await asyncio.sleep(AWAY_POLL_SECONDS)
    finally:
        await engine.dispose()


@contextlib.asynccontextmanager
async def _stores_beside_others(settings: Settings) -> AsyncIterator[Stores]:
    """Open the stores inside the block, also beside a server; a store that is missing is made. Raises SettingsError."""
    _prepare(settings)
    async with _database(settings) as database, _stores(database, None) as stores:
        yield stores


@contextlib.asynccontextmanager
async def _existing_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open stores that are there inside the block, also beside a server. Raises SettingsError."""
    with using_store():
        require_store(address_of(settings.database_url))
    async with _stores_beside_others(settings) as stores:
        yield stores


@contextlib.asynccontextmanager
async def _stores(database: Database | None, ownership: Ownership | None) -> AsyncIterator[Stores]:
    if database is None:
        in_memory, accounts = MemoryJournal(), MemoryAccounts()
        yield Stores(
            in_memory,
            accounts,
            MemoryLobbyLog(),
            MemoryRatings(in_memory),
            MemoryModerationLog(),
            MemoryStreams(),
            MemorySocialStore(accounts),
            MemoryBotIncidents(accounts),
            ownership,
        )
        return
    journal = SqlJournal(database, ownership)
    try:
        yield Stores(
            journal,
            SqlAccounts(database),
            SqlLobbyLog(database, ownership),
            SqlRatings(database),
            SqlModerationLog(database),
            SqlStreams(database),
            SqlSocialStore(database),
            SqlBotIncidents(database),
            ownership,
            SqlRetention(database),
        )
    finally:
        await journal.close()


def _ownership(settings: Settings, database: Database | None) -> Ownership | None:
    """Return the ownership of a node on PostgreSQL; None where this server is alone with its store."""
    if database is None or database.is_sqlite:
        return None
    from cornered.server.adapters.ownership_sql import SqlOwnership

    return SqlOwnership(settings.database_url, _this_node(settings))


def _this_node(settings: Settings) -> Node:
    """Return this process as a node, without the address that it gets when its port is open."""
    return Node(settings.node, secrets.token_hex(8), "")


def _broker(settings: Settings) -> Broker:
    try:
        return Broker.parse(settings.mqtt)
    except ValueError as error:
        raise SettingsError(f"CORNERED_MQTT: {error}") from None
