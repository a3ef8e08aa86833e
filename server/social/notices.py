"""Of what players are notified, and what push messages say. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from cornered.protocol.social import NoticeKind
from cornered.protocol.values import Player

__all__ = ["LIFETIME_S", "PlayerNotice", "payload_of", "topic_of"]

LIFETIME_S: Final[dict[NoticeKind, int]] = {"turn": 24 * 60 * 60, "challenge": 60 * 60, "round": 10 * 60}
"""How long a push service keeps a message for a browser that is switched off."""


@dataclass(frozen=True, slots=True)
class PlayerNotice:
    """Something awaits `player`. Of a turn `seq` is the event with which it began, 0 of anything else."""

    kind: NoticeKind
    player: str
    game: str
    by: Player | None = None
    match: str | None = None
    seq: int = 0


def payload_of(notice: PlayerNotice) -> bytes:
    """Return what a push message carries: the browser writes the sentence, in its language. It has no secret."""
    by = None if notice.by is None else notice.by.name
    return json.dumps({"kind": notice.kind, "game": notice.game, "by": by, "match": notice.match}).encode()


def topic_of(notice: PlayerNotice) -> str:
    """Return what makes a newer message replace an older one that was not delivered (RFC 8030, section 5.4)."""
    return f"{notice.kind}-{notice.match or ''}"[:32]
