"""The server's settings: environment variables that begin with CORNERED_, and the same names in a TOML file."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import secrets
import socket
import sys
import tomllib
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import platformdirs
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from cornered.engine.records.files import read_text
from cornered.server.moderation.retention import Periods

__all__ = ["MEMORY_DATABASE", "Settings", "SettingsError", "load_settings", "machine_name", "with_analyst_key"]

MEMORY_DATABASE: Final = "memory"
"""The value of `database` for a store in memory, which is lost when the server ends."""
_PREFIX: Final = "CORNERED_"
_OTHER_VARIABLES: Final = ("CONFIG", "KERNELS", "SERVER", "TOKEN", "SITE")
"""Variables with the same prefix that are no settings of the server."""
_MAX_DAYS: Final = 36_500
_MIN_UNUSED_DAYS: Final = 7
"""The use of a token is recorded when a connection begins, and one may last for days."""
PUSH_HOSTS: Final = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",
)
"""The push services of Chrome and the browsers made from it, of Firefox, of Safari and of Edge."""
_MIN_KEY: Final = 20
_MAX_KEY: Final = 100
"""Characters of a key, as of a token (`cornered.protocol.values.Token`)."""
_MAX_NODE: Final = 32
_DIGEST_CHARS: Final = 8
_DEFAULT_WEB: Final = Path(__file__).resolve().parent.parent / "clients" / "web"


class SettingsError(ValueError):
    """An invalid setting; the text is one line with its name."""


def _split(given: object) -> object:
    """Parse a list in its textual form `one, two`, as environment variables have it."""
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    return tuple(given) if isinstance(given, list) else given


def _networks(given: object) -> object:
    parts = _split(given)
    return tuple(_network(part) for part in parts) if isinstance(parts, tuple) else parts


def _network(given: object) -> object:
    try:
        return ip_network(given) if isinstance(given, str) else given
    except ValueError as error:
        raise ValueError(f"{given!r} is no address (10.0.0.7) and no network (10.0.0.0/8): {error}") from None


_Names: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
_Networks: TypeAlias = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_networks)]


_Days: TypeAlias = Annotated[int, Field(ge=1, le=_MAX_DAYS)]


def _config_file(given: Mapping[str, Any]) -> Path:
    named = os.environ.get(f"{_PREFIX}CONFIG")
    if named:
        if not Path(named).is_file():
            raise SettingsError(f"{_PREFIX}CONFIG: there is no file {named}")
        return Path(named)
    data = given.get("data") or os.environ.get(f"{_PREFIX}DATA") or _default_data()
    return Path(data) / "cornered.toml"


def _default_data() -> Path:
    return platformdirs.user_data_path("cornered")


def machine_name(hostname: str | None = None) -> str:
    """Return the name of this machine, or `hostname`, as a node may be called.

    The end of a long one is replaced by a digest, since hosts of one group often differ there alone.
    """
    full = socket.gethostname() if hostname is None else hostname
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", full).strip("-")
    if len(name) > _MAX_NODE:
        digest = hashlib.sha256(full.encode()).hexdigest()[:_DIGEST_CHARS]
        name = f"{name[: _MAX_NODE - _DIGEST_CHARS - 1]}-{digest}"
    return name or "node"


class Settings(BaseSettings):
    """All settings, with defaults for a machine at home.

    The docstring of a field is its line in docs/settings.md, which `cornered.server.settings_reference` generates.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, extra="forbid", frozen=True, env_ignore_empty=True, use_attribute_docstrings=True
    )

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 is every IPv4 address of this machine, :: every IPv6 address."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8420
    """The port to listen on; 0 takes any free one."""
    data: Path = Field(default_factory=_default_data)
    """The directory of the database."""
    database: str = ""
    """An SQLAlchemy URL such as postgresql+asyncpg://user@host/name, or `memory`; empty is SQLite in `data`. With
    ?ssl=verify-full&sslrootcert=/path/ca.pem PostgreSQL is reached by TLS only, and its certificate is verified."""
    durability: Literal["full", "normal"] = "full"
    """`full`: an acknowledged move survives a power cut. `normal`: it survives a crash of the server."""
    mqtt: str = ""
    """The MQTT broker for the feed of public matches and between several nodes, such as mqtt://user:password@host:1883;
    empty for none. With TLS mqtts://host:8883?ca=/path/ca.pem; without `ca` the system's authorities are trusted."""
    node: Annotated[str, Field(pattern=rf"^[A-Za-z0-9_-]{{1,{_MAX_NODE}}}$")] = Field(default_factory=machine_name)
    """This server's name in MQTT topics and among the nodes of one database, in which no two have the same."""
    web: Path = _DEFAULT_WEB
    """The page's files."""
    origins: _Names = ()
    """Allowed origins beside the server's own page, such as https://example.org."""
    hosts: _Names = ()
    """Host names of this server, such as play.example.org, beside localhost, this machine's name, every IP address, and
    the hosts of `origins`. A request for another host is answered 421."""
    proxies: _Networks = ()
    """Addresses or networks (10.0.0.0/8) of the proxies in front of this server, whose X-Forwarded-For is trusted."""
    metrics_token: SecretStr | None = None
    """The bearer token that `/metrics` requires. Without one, `/metrics` answers only this machine itself."""
    otlp: str = ""
    """Where traces of commands go by OTLP over HTTP, such as http://collector:4318; empty for nowhere. A path replaces
    /v1/traces. Needs the extra `otel`."""
    otlp_share: Annotated[float, Field(ge=0, le=1)] = 0.01
    """The share of the commands of matches that are traced, at most 50 a second at each node."""

    max_connections: Annotated[int, Field(ge=1)] = 20_000
    """Concurrent connections; fewer where the system lets the server open fewer files."""
    max_per_address: Annotated[int, Field(ge=1)] = 1_000
    """Concurrent connections from one address, which may be a whole school; HTTP requests count too."""
    max_per_player: Annotated[int, Field(ge=1, le=64)] = 8
    """Concurrent connections of one player."""
    message_rate: Annotated[float, Field(gt=0)] = 100
    """Rate limit of one player, in tokens a second. A plain message costs one, others more, and a legal move none."""
    message_burst: Annotated[float, Field(ge=1)] = 400
    """Token bucket of one player."""
    address_rate: Annotated[float, Field(gt=0)] = 1_000
    """Rate limit of one address, in tokens a second, shared fairly by its players and pages; excess messages wait."""
    address_burst: Annotated[float, Field(ge=1)] = 10_000
    """Token bucket of one address."""
    server_rate: Annotated[float, Field(gt=0)] = 12_000
    """Rate limit of all clients, in tokens a second, shared fairly by addresses. A token is 40 us of CPU: the default
    leaves half a core."""
    server_burst: Annotated[float, Field(ge=1)] = 200
    """Token bucket of all clients, which bounds how long other commands delay a move."""
    arrival_rate: Annotated[float, Field(gt=0)] = 200
    """New connections a second from one address."""
    arrival_burst: Annotated[float, Field(ge=1)] = 4_000
    """Burst of new connections from one address."""
    guest_rate: Annotated[float, Field(gt=0)] = 5
    """New players a second from one address, each of which costs a write to the disk."""
    guest_burst: Annotated[float, Field(ge=1)] = 300
    """Burst of new players from one address."""
    hello_seconds: Annotated[float, Field(gt=0, le=600)] = 10
    """Seconds until a socket must have sent `hello`."""
    ping_seconds: Annotated[float, Field(gt=0, le=600)] = 20
    """Seconds between pings of an idle socket, and until its pong is due."""
    playing_ping_seconds: Annotated[float, Field(gt=0, le=600)] = 4
    """The same for a person in a live match. Bots, watchers and games by days keep `ping_seconds`."""

    stop_seconds: Annotated[float, Field(ge=1, le=600)] = 20
    """Time limit of a graceful stop in seconds, after which the server ends; acknowledged moves are stored before."""

    max_seeks: Annotated[int, Field(ge=1)] = 2_000
    """Open tables of all players."""
    max_seeks_per_address: Annotated[int, Field(ge=1)] = 100
    """Open tables of all players of one address."""
    max_challenges: Annotated[int, Field(ge=1)] = 2_000
    """Unanswered challenges of all players."""
    max_challenges_per_address: Annotated[int, Field(ge=1)] = 200
    """Unanswered challenges of all players of one address."""
    max_matches_per_player: Annotated[int, Field(ge=1)] = 50
    """Live matches of one player. A bot may declare more, up to 200."""
    max_matches_per_address: Annotated[int, Field(ge=1)] = 500
    """Live matches of all players of one address, as of each match's start."""
    max_pool_entries: Annotated[int, Field(ge=1)] = 2_000
    """Players who wait to be paired, in all pools together."""
    max_pool_entries_per_address: Annotated[int, Field(ge=1)] = 200
    """The same of one address."""
    reserved_names: _Names = ("champion", *(f"level-{level}" for level in range(1, 11)))
    """Names for bots with the analyst key, the house bots by default; any other player with such a name gets a number
    beside it."""

    guests: bool = True
    """Whether one may play without an account. Bots with a token of the operator's, or the analyst key, always may."""
    registration: Literal["open", "invitation", "closed"] = "open"
    """Who may make an account: everybody, everybody with an invitation (`cornered admin accounts invite`), or only the
    operator."""
    tournaments: Literal["everybody", "accounts", "admins"] = "everybody"
    """Who may create tournaments: everybody, players with an account, or administrators."""
    chat: Literal["everybody", "accounts", "nobody"] = "everybody"
    """Who may write chat lines: everybody, players with an account, or nobody but the operator's bots."""
    chat_filter: Path | None = None
    """A file of words that chat lines and names may not hold, one a line; `word*` also forbids longer words that begin
    so. Letters that look alike make no difference. It is read again when it changes."""
    chat_filter_action: Literal["refuse", "mask"] = "refuse"
    """Whether a line with such a word is refused, or told with asterisks in its place. Names are always refused."""

    keep_chat_days: _Days = 30
    """Days after a report is closed until the chat that was kept with it is erased. Other chat is not stored."""
    keep_reports_days: _Days = 365
    """Days after a report is closed until its words are erased; the log keeps who reported whom, by ids."""
    keep_addresses_days: _Days = 180
    """Days after a sign-in until the digest of its address is erased."""
    keep_incidents_days: _Days = 30
    """Days until a failure or disconnect of a bot is erased, which its owner reads on the bot's page."""
    keep_sessions_days: Annotated[int, Field(ge=_MIN_UNUSED_DAYS, le=_MAX_DAYS)] | None = None
    """Days without use after which a session of an account ends, and its times are erased; empty for never."""
    keep_guests_days: Annotated[int, Field(ge=_MIN_UNUSED_DAYS, le=_MAX_DAYS)] | None = None
    """Days without a visit after which a guest becomes "deleted"; the matches stay. Empty for never."""

    push: bool = True
    """Whether browsers may ask for push messages, which go through the service of the browser's maker. Needs the extra
    `push`."""
    push_contact: str = ""
    """How push services reach the operator: mailto:operator@example.org, or an https address. Some require it."""
    push_hosts: _Names = PUSH_HOSTS
    """Hosts of push services to which messages are sent; a leading dot stands for any host below it."""
    push_origins: _Names = ()
    """Push services of one's own, such as http://127.0.0.1:9000, which need neither HTTPS nor a public address."""
    smtp: SecretStr = SecretStr("")
    """The mail server for e-mails to players who ask for them, such as smtps://user:password@host:465; smtp://host:587
    uses STARTTLS. Empty: no e-mails."""
    mail_from: str = ""
    """The sender of e-mails, such as Cornered <games@example.org>; `smtp` needs it."""
    page_url: str = ""
    """The page's public address, such as https://play.example.org, for links in e-mails; `smtp` needs it."""
    notice_seconds: Annotated[float, Field(ge=0, le=3_600)] = 10
    """Seconds that a player has to look at a game by days before the turn is announced."""

    oidc_issuer: str = ""
    """The issuer of a school's or company's OpenID Connect, such as https://login.example.org, at which players may
    sign in; empty for none. Its client's redirect address is /oidc/return of this server. Needs the extra `oidc`."""
    oidc_client_id: str = ""
    """The id under which the provider knows this server."""
    oidc_client_secret: SecretStr = SecretStr("")
    """The secret of that client."""
    oidc_name: Annotated[str, Field(max_length=40)] = "OpenID"
    """The provider's name on the button of the page."""
    oidc_domains: _Names = ()
    """Domains of verified e-mail addresses that are accepted, such as school.example.org; empty for everybody whom the
    provider knows."""
    oidc_claim: Annotated[str, Field(pattern=r"^$|^[^=]+=.+$")] = ""
    """A claim that the id token must have, as name=value: the claim has this value, or is a list with it."""
    oidc_creates_accounts: bool = True
    """Whether who is new becomes an account by signing in at the provider, whatever `registration` says. Otherwise a
    player links an account first."""

    analyst_key: SecretStr = SecretStr("")
    """The key that a bot needs for a reserved name and for analyses, 20 to 100 characters. Empty: `serve` generates one
    at each start for its own house bots."""

    first_move_seconds: Annotated[int, Field(ge=1)] = 60
    """Seconds for a player's first move in a game with short clocks."""
    gone_seconds: Annotated[int, Field(ge=1)] = 30
    """Seconds of a player's absence after which the others may claim victory."""
    max_plies: Annotated[int, Field(ge=100, le=10_000)] = 2_000
    """Moves and rolls, including those that were taken back, after which a match is a draw."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages that are logged."""
    log_format: Literal["console", "json"] = "console"
    """The form of the log: lines for people, or one JSON object a line."""

    @field_validator("analyst_key")
    @classmethod
    def _check_key_length(cls, key: SecretStr) -> SecretStr:
        if key.get_secret_value() and not _MIN_KEY <= len(key.get_secret_value()) <= _MAX_KEY:
            raise ValueError(f"a key has {_MIN_KEY} to {_MAX_KEY} characters; leave it out for a random one")
        return key

    @field_validator("data", "web", "chat_filter")
    @classmethod
    def _expand_user(cls, path: Path | None) -> Path | None:
        return path and path.expanduser()

    @property
    def periods(self) -> Periods:
        """For how long what is stored about people is kept."""
        return Periods(
            self.keep_chat_days,
            self.keep_reports_days,
            self.keep_addresses_days,
            self.keep_incidents_days,
            self.keep_sessions_days,
            self.keep_guests_days,
        )

    @property
    def database_url(self) -> str:
        """The SQLAlchemy URL of the database."""
        return self.database or f"sqlite+aiosqlite:///{self.data.resolve() / 'cornered.db'}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources by precedence: arguments, the environment, the file."""
        return init_settings, env_settings, _read(settings_cls, _config_file(init_settings()))


def _read(settings_cls: type[BaseSettings], path: Path) -> InitSettingsSource:
    """Return the settings of the file. Raises SettingsError with the file's name."""
    try:
        given = tomllib.loads(read_text(path)) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    for key in given:
        if key not in settings_cls.model_fields:
            hint = _hint(key, list(settings_cls.model_fields))
            raise SettingsError(f"{path}: there is no setting {key!r}{hint}")
    return InitSettingsSource(settings_cls, given)


def _hint(name: str, known: Sequence[str]) -> str:
    """Return a suffix for an error that suggests the closest known names; empty where none is close."""
    close = difflib.get_close_matches(name.lower(), [one.lower() for one in known], n=2)
    found = [one for one in known if one.lower() in close]
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _warn_of_unknown_variables() -> None:
    """Warn on standard error about variables with our prefix that are no settings."""
    known = [*(name.upper() for name in Settings.model_fields), *_OTHER_VARIABLES]
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX)
        if name not in known and name != variable:
            sys.stderr.write(f"warning: {variable} sets nothing{_hint(name, known)}\n")


def load_settings(**given: object) -> Settings:
    """Return the settings; `given` has precedence over the environment. Raises SettingsError.

    Warns about unknown variables with our prefix.
    """
    _warn_of_unknown_variables()
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        # Messages of our own validators quote the input already.
        is_ours = first["type"] in ("extra_forbidden", "value_error")
        shown = "" if is_ours else f", not {first['input']!r}"
        text = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{_PREFIX}{name.upper()}: {text}{shown}") from None
    except SettingsError:
        raise
    except ValueError as error:
        raise SettingsError(f"the settings cannot be read: {error}") from None


def with_analyst_key(settings: Settings) -> Settings:
    """Return the settings with a random analyst key where none is set."""
    if settings.analyst_key.get_secret_value():
        return settings
    return settings.model_copy(update={"analyst_key": SecretStr(secrets.token_urlsafe(32))})
