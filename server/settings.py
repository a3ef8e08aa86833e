"""What a host may set: environment variables that begin with CORNERED_, and the same names in a TOML file."""

from __future__ import annotations

import difflib
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import platformdirs
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

__all__ = ["MEMORY", "Settings", "SettingsError", "load_settings", "with_analyst_key"]

MEMORY: Final = "memory"
"""The `database` that forgets everything when the server ends."""
_PREFIX: Final = "CORNERED_"
_ELSEWHERE: Final = ("CONFIG", "KERNELS", "SERVER", "TOKEN", "SITE")
"""What follows the prefix in the names of variables that other parts read."""
_MIN_KEY: Final = 20
_MAX_KEY: Final = 100
"""Characters of a key, as of a token (`cornered.protocol.values.Token`)."""
_WEB: Final = Path(__file__).resolve().parent.parent / "clients" / "web"


class SettingsError(ValueError):
    """A setting that the server cannot start with. The text is one line that names it."""


def _split(given: object) -> object:
    """Return the parts of a list written as `one, two`, which is what an environment variable can hold."""
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


class Settings(BaseSettings):
    """Everything that can be set, with the value that a machine at home wants.

    The docstring of a field is its line in docs/settings.md, which `cornered.server.settings_reference` writes.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, extra="forbid", frozen=True, env_ignore_empty=True, use_attribute_docstrings=True
    )

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 is every IPv4 address of this machine, :: every IPv6 address."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8420
    """The port to listen on; 0 takes any free one."""
    data: Path = Field(default_factory=_default_data)
    """The directory where matches are kept."""
    database: str = ""
    """An SQLAlchemy address such as postgresql+asyncpg://user@host/name, `memory`, or nothing: SQLite in `data`."""
    durability: Literal["full", "normal"] = "full"
    """`full`: an acknowledged move survives a power cut. `normal`: it survives a crash of the server."""
    mqtt: str = ""
    """A broker that public matches are told to, mqtt://host:1883, or nothing."""
    node: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")] = "home"
    """This server's name on the bus."""
    web: Path = _WEB
    """The page's files."""
    origins: _Names = ()
    """Other pages, such as https://example.org, whose scripts may connect. This server's own page always may."""
    hosts: _Names = ()
    """Names that this server is reached by, such as play.example.org, beside localhost, this machine's own name, every
    IP address, and the hosts of `origins`. A request for another host is answered 421."""
    proxies: _Networks = ()
    """Addresses or networks (10.0.0.0/8) of proxies in front of this server, whose X-Forwarded-For is believed."""
    metrics_token: SecretStr | None = None
    """The bearer token that `/metrics` asks for. Without one, `/metrics` answers only to this machine itself."""

    max_connections: Annotated[int, Field(ge=1)] = 20_000
    """Connections at once."""
    max_per_address: Annotated[int, Field(ge=1)] = 1_000
    """Connections at once from one address, which may be a whole school: pages that load count too."""
    max_per_player: Annotated[int, Field(ge=1, le=64)] = 8
    """Connections at once of one player."""
    message_rate: Annotated[float, Field(gt=0)] = 100
    """Tokens a second of one player. A plain message takes one, others what they cost; legal moves take none."""
    message_burst: Annotated[float, Field(ge=1)] = 400
    """Tokens of one player at once."""
    address_rate: Annotated[float, Field(gt=0)] = 1_000
    """Tokens a second of one address, shared fairly among its players and pages: what is beyond waits its turn."""
    address_burst: Annotated[float, Field(ge=1)] = 10_000
    """Tokens of one address at once."""
    server_rate: Annotated[float, Field(gt=0)] = 12_000
    """Tokens a second of all clients together, shared fairly among addresses. One is 40 us: half a core is left."""
    server_burst: Annotated[float, Field(ge=1)] = 200
    """Tokens of all clients at once: how long commands may keep a move waiting."""
    arrival_rate: Annotated[float, Field(gt=0)] = 200
    """New connections a second from one address."""
    arrival_burst: Annotated[float, Field(ge=1)] = 4_000
    """New connections of one address at once."""
    guest_rate: Annotated[float, Field(gt=0)] = 5
    """New players a second from one address, who each cost a write to the disk."""
    guest_burst: Annotated[float, Field(ge=1)] = 300
    """New players of one address at once."""
    hello_seconds: Annotated[float, Field(gt=0, le=600)] = 10
    """How long a socket may stay silent before it says hello."""
    ping_seconds: Annotated[float, Field(gt=0, le=600)] = 20
    """How often a silent socket is asked whether it is alive, and how long it has to answer."""

    stop_seconds: Annotated[float, Field(ge=1, le=600)] = 20
    """How long the server may take to stop. After that it ends anyway; every acknowledged move is stored before."""

    max_seeks: Annotated[int, Field(ge=1)] = 2_000
    """Open tables in all."""
    max_seeks_per_address: Annotated[int, Field(ge=1)] = 100
    """Open tables of all players of one address."""
    max_challenges: Annotated[int, Field(ge=1)] = 2_000
    """Challenges that wait for an answer, in all."""
    max_challenges_per_address: Annotated[int, Field(ge=1)] = 200
    """Challenges of all players of one address that wait for an answer."""
    max_matches_per_player: Annotated[int, Field(ge=1)] = 50
    """Live matches of one player. A bot that declares more has as many, up to 200."""
    max_matches_per_address: Annotated[int, Field(ge=1)] = 500
    """Live matches of all players that came from one address when they began."""
    reserved_names: _Names = ("champion", *(f"level-{level}" for level in range(1, 11)))
    """Names for the operator's bots, those of the house by default: who does not show the analyst key and asks for one
    gets a number beside it."""

    analyst_key: SecretStr = SecretStr("")
    """What a bot must show to have a reserved name or to study positions for players, 20 to 100 characters. Nothing:
    `serve` makes one at each start, which only its own house bots get."""

    first_move_seconds: Annotated[int, Field(ge=1)] = 60
    """How long a player may take for a first move in a game with short clocks."""
    gone_seconds: Annotated[int, Field(ge=1)] = 30
    """How long a player may be away before the others may claim victory."""
    max_plies: Annotated[int, Field(ge=100, le=10_000)] = 2_000
    """Moves and rolls, those that were taken back included, after which a match is a draw."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages that are logged."""
    log_format: Literal["console", "json"] = "console"
    """The form of the log: lines for people, or one JSON object a line."""

    @field_validator("analyst_key")
    @classmethod
    def _long_enough(cls, key: SecretStr) -> SecretStr:
        if key.get_secret_value() and not _MIN_KEY <= len(key.get_secret_value()) <= _MAX_KEY:
            raise ValueError(f"a key has {_MIN_KEY} to {_MAX_KEY} characters; leave it out for a random one")
        return key

    @field_validator("data", "web")
    @classmethod
    def _home(cls, path: Path) -> Path:
        return path.expanduser()

    @property
    def database_url(self) -> str:
        """The address that the journal opens."""
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
        """Arguments win over the environment, and the environment over the file."""
        return init_settings, env_settings, _read(settings_cls, _config_file(init_settings()))


def _read(settings_cls: type[BaseSettings], path: Path) -> TomlConfigSettingsSource:
    """Return what the file sets. Raises SettingsError, which names the file."""
    try:
        file = TomlConfigSettingsSource(settings_cls, toml_file=path)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    for key in file.toml_data:
        if key not in settings_cls.model_fields:
            hint = _hint(key, list(settings_cls.model_fields))
            raise SettingsError(f"{path}: there is no setting {key!r}{hint}")
    return file


def _hint(name: str, known: Sequence[str]) -> str:
    """Return the known names that `name` may be a slip for, as words to follow an error."""
    close = difflib.get_close_matches(name.lower(), [one.lower() for one in known], n=2)
    found = [one for one in known if one.lower() in close]
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _warn_of_strange_variables() -> None:
    """Say on the standard error output which variables have our prefix and are read by nobody."""
    known = [*(name.upper() for name in Settings.model_fields), *_ELSEWHERE]
    for variable in sorted(os.environ):
        name = variable.removeprefix(_PREFIX)
        if name not in known and name != variable:
            sys.stderr.write(f"warning: {variable} sets nothing{_hint(name, known)}\n")


def load_settings(**given: object) -> Settings:
    """Return the settings; `given` wins over the environment. Raises SettingsError.

    Variables that begin like ours and mean nothing are named in a warning.
    """
    _warn_of_strange_variables()
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        # What we check ourselves names what is wrong in its own words.
        is_ours = first["type"] in ("extra_forbidden", "value_error")
        shown = "" if is_ours else f", not {first['input']!r}"
        text = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{_PREFIX}{name.upper()}: {text}{shown}") from None
    except SettingsError:
        raise
    except ValueError as error:
        raise SettingsError(f"the settings cannot be read: {error}") from None


def with_analyst_key(settings: Settings) -> Settings:
    """Return the settings with a random key for analysts where none is set."""
    if settings.analyst_key.get_secret_value():
        return settings
    return settings.model_copy(update={"analyst_key": SecretStr(secrets.token_urlsafe(32))})
