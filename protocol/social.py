"""Commands and answers about following, blocking and notifications."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import ONE_LINE, Command, CommandId, Key, Made, Player

__all__ = [
    "MAX_BLOCKED",
    "MAX_DEVICES",
    "MAX_FOLLOWED",
    "NOTICE_KINDS",
    "AskBlocked",
    "AskFriends",
    "AskNotices",
    "BlockPlayer",
    "Blocked",
    "ConfirmMail",
    "EndMails",
    "FollowPlayer",
    "Friend",
    "Friends",
    "MailLanguage",
    "NoticeKind",
    "Notices",
    "Notified",
    "SetMail",
    "SetNotices",
    "SocialAnswer",
    "SocialCommand",
    "SubscribePush",
    "UnblockPlayer",
    "UnfollowPlayer",
    "UnsubscribePush",
]

MAX_FOLLOWED: Final = 200
"""Players whom one player may follow."""
MAX_BLOCKED: Final = 200
"""Players whom one player may block."""
MAX_DEVICES: Final = 8
"""Browsers of one player that get push messages; a further one takes the place of the oldest."""

NoticeKind: TypeAlias = Literal["turn", "challenge", "round"]
"""What a player is notified of: `turn`, a move in a correspondence game; `challenge`; `round`, a game of a
tournament."""
MailLanguage: TypeAlias = Literal["en", "de"]
"""The language of e-mails."""
MailAddress: TypeAlias = Annotated[str, Field(max_length=254, pattern=r"^[!#-'*+.\-/0-9=?A-Z^-~]+@[A-Za-z0-9.-]+$")]
"""An e-mail address without quotes or comments."""
Endpoint: TypeAlias = Annotated[str, Field(min_length=12, max_length=1_000, pattern=r"^https?://[!-~]+$")]
"""The address to which a push service takes a browser's messages."""
NOTICE_KINDS: Final[tuple[NoticeKind, ...]] = ("turn", "challenge", "round")


Kinds: TypeAlias = Annotated[tuple[NoticeKind, ...], Field(max_length=len(NOTICE_KINDS))]


class FollowPlayer(Command):
    """Follow a player, of whom `ask_friends` tells from then on. The player is not told."""

    type: Literal["follow_player"] = "follow_player"
    player: Key


class UnfollowPlayer(Command):
    """Follow a player no more."""

    type: Literal["unfollow_player"] = "unfollow_player"
    player: Key


class BlockPlayer(Command):
    """Block a player, and follow that player no more.

    The player's challenges and lines of chat do not reach the sender, the pools do not pair the two, and neither sits
    down at the other's table. The player is not told: a challenge looks like one that stays unanswered.
    """

    type: Literal["block_player"] = "block_player"
    player: Key


class UnblockPlayer(Command):
    """Block a player no more."""

    type: Literal["unblock_player"] = "unblock_player"
    player: Key


class AskFriends(Command, json_schema_extra={"answers": ["friends"]}):
    """Ask for the players whom one follows, and which of them are here and play."""

    type: Literal["ask_friends"] = "ask_friends"


class AskBlocked(Command, json_schema_extra={"answers": ["blocked"]}):
    """Ask for the players whom one blocks."""

    type: Literal["ask_blocked"] = "ask_blocked"


class AskNotices(Command, json_schema_extra={"answers": ["notices"]}):
    """Ask of what one is notified by push messages, and with which key a browser subscribes."""

    type: Literal["ask_notices"] = "ask_notices"


class SetNotices(Command):
    """Choose of what one is notified by push messages, and by e-mails; null leaves a choice as it is."""

    type: Literal["set_notices"] = "set_notices"
    push: Kinds | None = None
    mail: Kinds | None = None


class SetMail(Command):
    """Have e-mails sent to an address, to which a code is sent first; for players with an account. Null ends them."""

    type: Literal["set_mail"] = "set_mail"
    address: MailAddress | None = Field(repr=False)
    language: MailLanguage = "en"


class ConfirmMail(Command):
    """Enter the code that was sent to one's address; then e-mails are sent to it."""

    type: Literal["confirm_mail"] = "confirm_mail"
    code: Annotated[str, Field(min_length=6, max_length=6, pattern=r"^[0-9]{6}$")] = Field(repr=False)


class EndMails(Command):
    """End the e-mails to a player, by the `mark` in the link of one of them; whoever has the link may."""

    type: Literal["end_mails"] = "end_mails"
    player: Key
    mark: Annotated[str, Field(min_length=32, max_length=32, pattern=r"^[0-9a-f]{32}$")] = Field(repr=False)


class SubscribePush(Command):
    """Have push messages sent to a browser: the values of its `PushSubscription`.

    The endpoint must be that of a push service which the server knows.
    """

    type: Literal["subscribe_push"] = "subscribe_push"
    endpoint: Endpoint = Field(repr=False)
    p256dh: Annotated[str, Field(min_length=87, max_length=88, pattern=r"^[A-Za-z0-9_-]{87}=?$")] = Field(repr=False)
    """The browser's public key, 65 bytes in base64url."""
    auth: Annotated[str, Field(min_length=22, max_length=24, pattern=r"^[A-Za-z0-9_-]{22}={0,2}$")] = Field(repr=False)
    """The browser's authentication secret, 16 bytes in base64url."""
    label: Annotated[str, ONE_LINE, Field(max_length=60)] = ""
    """What the browser is called in lists."""


class UnsubscribePush(Command):
    """Have no more push messages sent to a browser; to none of one's browsers without an `endpoint`."""

    type: Literal["unsubscribe_push"] = "unsubscribe_push"
    endpoint: Endpoint | None = Field(default=None, repr=False)


class Friend(Made):
    """A player whom one follows. `match` is a live game of the player's that may be watched."""

    player: Player
    is_here: bool
    playing: int
    """The number of the player's live games."""
    match: Key | None


class Friends(Made):
    """The answer to `ask_friends`: those who are here first, then by name."""

    type: Literal["friends"] = "friends"
    id: CommandId
    friends: tuple[Friend, ...]


class Blocked(Made):
    """The answer to `ask_blocked`, by name."""

    type: Literal["blocked"] = "blocked"
    id: CommandId
    players: tuple[Player, ...]


class Notices(Made):
    """The answer to `ask_notices`."""

    type: Literal["notices"] = "notices"
    id: CommandId
    push_key: str | None
    """The server's public key, 65 bytes in base64url, with which a browser subscribes; null where the server sends no
    push messages."""
    push: tuple[NoticeKind, ...]
    devices: tuple[str, ...]
    """The labels of the browsers that get push messages, the newest first."""
    has_mail: bool = False
    """Whether this server sends e-mails."""
    mail: tuple[NoticeKind, ...] = ()
    address: str | None = Field(default=None, repr=False)
    """Where e-mails go."""
    is_confirmed: bool = False
    """Whether the address is the player's: its code was entered."""


class Notified(Made):
    """Something awaits the player elsewhere: in the match `match`, if it is in one."""

    type: Literal["notified"] = "notified"
    kind: NoticeKind
    game: Key
    by: Player | None
    """The player who moved or challenges."""
    match: Key | None


SocialCommand: TypeAlias = (
    FollowPlayer
    | UnfollowPlayer
    | BlockPlayer
    | UnblockPlayer
    | AskFriends
    | AskBlocked
    | AskNotices
    | SetNotices
    | SubscribePush
    | UnsubscribePush
    | SetMail
    | ConfirmMail
    | EndMails
)
SocialAnswer: TypeAlias = Friends | Blocked | Notices
