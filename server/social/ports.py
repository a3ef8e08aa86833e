"""The store of relations between players and of their notifications, and how notices leave the server, as protocols."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

from cornered.protocol.social import MailLanguage, NoticeKind
from cornered.server.social.mails import Mail
from cornered.server.social.notices import PlayerNotice

__all__ = [
    "CODE_TRIES",
    "HOUR_MS",
    "Device",
    "MailBox",
    "Mailer",
    "Notifier",
    "PushOutcome",
    "PushSender",
    "Relation",
    "SocialStore",
    "SocialUnavailable",
    "TooManyRelations",
    "TooSoon",
    "UnknownPerson",
]

HOUR_MS: Final = 60 * 60 * 1000
"""The least time between two e-mails to a player, between two codes to an address, and how long a code holds."""
CODE_TRIES: Final = 5
"""How often a code may be entered wrongly."""

Relation: TypeAlias = Literal["follow", "block"]
PushOutcome: TypeAlias = Literal["sent", "gone", "failed"]
"""What became of a push message: `gone` is a subscription that the push service does not know any more."""


class SocialUnavailable(Exception):
    """The store is unreachable, or was lost before it confirmed."""


class UnknownPerson(LookupError):
    """One of the two players does not exist, or is deleted."""


class TooManyRelations(Exception):
    """The player has as many relations of this kind as one may have."""


class TooSoon(Exception):
    """The player, or the address, got a code a short while ago."""


@dataclass(frozen=True, slots=True)
class MailBox:
    """Where a player's e-mails go, once the address `is_confirmed`, and of what."""

    address: str = field(repr=False)
    language: MailLanguage
    is_confirmed: bool
    kinds: tuple[NoticeKind, ...]


@dataclass(frozen=True, slots=True)
class Device:
    """A browser that gets push messages, as its `PushSubscription` says. `created` is in milliseconds since 1970."""

    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    label: str
    created: int


class SocialStore(Protocol):
    """Relations and notifications of all players. Every method raises SocialUnavailable.

    The deletion of a player deletes all of this in its own transaction, with the relations of others to the player.
    """

    # Relations

    async def add_relation(self, player: str, relation: Relation, other: str, at: int, most: int) -> None:
        """Add a relation; harmless where it is there. A block ends the following of the same player.

        Raises UnknownPerson, and TooManyRelations where the player has `most` of them.
        """

    async def remove_relation(self, player: str, relation: Relation, other: str) -> None:
        """Remove a relation; harmless where there is none."""

    async def relations(self, player: str, relation: Relation) -> Mapping[str, int]:
        """Return the players with whom a player has a relation, and since when."""

    async def blocks_of(self, players: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Return whom each of `players` blocks; those who block nobody are left out."""

    # Notifications

    async def push_kinds(self, player: str) -> Sequence[NoticeKind]:
        """Return of what a player is notified by push messages: of everything, until the player chooses."""

    async def choose_push(self, player: str, kinds: Collection[NoticeKind]) -> None:
        """Set of what a player is notified by push messages. Raises UnknownPerson."""

    async def devices(self, player: str) -> Sequence[Device]:
        """Return the browsers of a player that get push messages, the newest first."""

    async def add_device(self, player: str, device: Device, most: int) -> None:
        """Add a browser, or replace what is known of it; it is no other player's any more.

        Of more than `most` the oldest is forgotten. Raises UnknownPerson.
        """

    async def remove_device(self, player: str, endpoint: str | None) -> None:
        """Forget a browser, or all of a player's for None."""

    async def mail_box(self, player: str) -> MailBox | None:
        """Return where a player's e-mails go."""

    async def set_mail(self, player: str, address: str, language: MailLanguage, code: str, at: int) -> None:
        """Set an address that is not confirmed, with the digest of its code.

        Raises UnknownPerson, and TooSoon where the player or the address had a code less than an hour before `at`.
        """

    async def confirm_mail(self, player: str, code: str, at: int) -> bool:
        """Confirm the address whose code has this digest; False for a wrong or old one, or too many attempts."""

    async def choose_mail(self, player: str, kinds: Collection[NoticeKind]) -> None:
        """Set of what a player with an address gets e-mails."""

    async def forget_mail(self, player: str) -> None:
        """Forget a player's address."""

    async def claim_mail(self, player: str, kind: NoticeKind, at: int) -> MailBox | None:
        """Return where an e-mail of this kind goes, and note its time; None where none does, or one did this hour."""

    async def claim_turn(self, match: str, seq: int) -> bool:
        """Return whether the turn that began with event `seq` is announced by nobody yet; from now on it is.

        Turns of a match are claimed in their order: an earlier one than the newest is claimed already.
        """

    async def forget_turns(self, match: str) -> None:
        """Forget which turns of a match were claimed: it is over."""

    async def push_secret(self, new: bytes) -> bytes:
        """Return the private key of push messages, which is `new` where the store has none."""


class Notifier(Protocol):
    """Where parts of the server leave word that something awaits a player."""

    def notify(self, notice: PlayerNotice) -> None:
        """Queue a notice, without waiting; a full queue drops it."""


class Mailer(Protocol):
    """Sends e-mails."""

    async def send(self, mail: Mail) -> bool:
        """Send one, within a time limit; return whether the mail server has taken it."""


class PushSender(Protocol):
    """Encrypts push messages and hands them to the push services."""

    @property
    def public_key(self) -> str:
        """The key with which browsers subscribe, in base64url."""

    def check(self, device: Device) -> None:
        """Raise a ValueError with a sentence where no message can be sent to a browser."""

    async def send(self, device: Device, payload: bytes, *, topic: str, ttl: int) -> PushOutcome:
        """Send one message, within a time limit.

        It takes the place of an undelivered one with the same `topic`, and waits at most `ttl` seconds for the browser.
        """
