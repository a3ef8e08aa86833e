"""Exports what is stored about one player, in parts of bounded size: each is a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import urlsplit

from cornered.protocol.account import AskExport, Export
from cornered.protocol.events import EVENT
from cornered.server.accounts import Accounts, AccountsUnavailable, Identity, Passkey
from cornered.server.bot.incidents import BotIncidents, IncidentsUnavailable
from cornered.server.moderation.events import Entry, Reported
from cornered.server.moderation.ports import ModerationLog, ModerationUnavailable
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.group_service import GroupService
from cornered.server.social.ports import Relation, SocialStore, SocialUnavailable

__all__ = ["FIRST_MATCHES", "Exports"]

FIRST_MATCHES: Final = "matches"
"""The cursor of the first part with matches. An id of a match is longer."""
MAX_MATCHES: Final = 10
"""Matches of one part."""
MAX_EVENTS: Final = 2_000
"""Events after which a part ends with the match that has them, so that one part takes no longer than a long record."""

_UNAVAILABLE: Final = (
    AccountsUnavailable,
    IncidentsUnavailable,
    JournalUnavailable,
    ModerationUnavailable,
    SocialUnavailable,
)


class Exports:
    """The archives of all players."""

    def __init__(
        self,
        accounts: Accounts,
        journal: Journal,
        social: SocialStore,
        groups: GroupService,
        moderation_log: ModerationLog,
        bot_incidents: BotIncidents,
        *,
        now: Callable[[], int],
    ) -> None:
        """`now` is the time in milliseconds since 1970."""
        self._accounts = accounts
        self._journal = journal
        self._social = social
        self._groups = groups
        self._moderation_log = moderation_log
        self._bot_incidents = bot_incidents
        self._now = now

    async def part(self, identity: Identity, command: AskExport, replayed: Callable[[int], None]) -> Export:
        """Return one part; `replayed` is told the number of events of each match in it. Raises Refusal."""
        try:
            if command.after is None:
                text, more = await self._about(identity), FIRST_MATCHES
                return Export(id=command.id, text=text, more=more)
            after = None if command.after == FIRST_MATCHES else command.after
            return await self._matches(identity.player.id, command.id, after, replayed)
        except _UNAVAILABLE:
            raise Refusal("internal", "what is stored about you cannot be read just now; try again") from None

    async def _about(self, identity: Identity) -> str:
        """Return the player, with all that is stored beside matches, without any secret."""
        player = identity.player
        account = await self._accounts.account(player.id)
        about: dict[str, Any] = {"exported": self._now(), "player": player.model_dump()}
        if account is not None:
            about["account"] = {
                "name": account.player.name,
                "role": account.role,
                "since": account.since,
                "recovery_codes_left": account.codes_left,
                "old_names": [asdict(name) for name in account.old_names],
                "has_password": account.has_password,
                "is_linked": account.is_linked,
            }
            about["passkeys"] = [_written(passkey) for passkey in await self._accounts.passkeys(player.id)]
        relations: tuple[tuple[str, Relation], ...] = (("follows", "follow"), ("blocks", "block"))
        for what, relation in relations:
            since = await self._social.relations(player.id, relation)
            known = await self._accounts.by_ids(tuple(since))
            about[what] = [{**one.model_dump(), "since": since[one.id]} for one in known.values()]
        about["push"] = {
            "kinds": list(await self._social.push_kinds(player.id)),
            "devices": [
                {"label": one.label, "since": one.created, "service": urlsplit(one.endpoint).hostname}
                for one in await self._social.devices(player.id)
            ],
        }
        box = await self._social.mail_box(player.id)
        about["mail"] = None if box is None else asdict(box)
        about["tokens"] = [asdict(record) for record in await self._accounts.tokens(player.id)]
        about["groups"] = [
            {"id": group.id, "name": group.name, "role": member.role, "since": member.since}
            for group, member in self._groups.memberships(player.id)
        ]
        about["incidents"] = [one.model_dump() for one in await self._bot_incidents.newest(player.id)]
        about["reports"] = await self._reports(player.id)
        return json.dumps(about)

    async def _reports(self, player: str) -> list[dict[str, Any]]:
        """Return the reports that a player has made. The chat that is kept with one is that of others."""
        made: list[tuple[Entry, Reported]] = [
            (entry, entry.event)
            for entry in await self._moderation_log.made_by(player)
            if isinstance(entry.event, Reported)
        ]
        texts = await self._moderation_log.texts([entry.number for entry, _ in made])
        known = await self._accounts.by_ids({event.player for _, event in made})
        return [
            {
                "number": entry.number,
                "at": entry.at,
                "player": known[event.player].model_dump() if event.player in known else {"id": event.player},
                "match": event.match,
                "grounds": texts[entry.number].grounds if entry.number in texts else None,
            }
            for entry, event in made
        ]

    async def _matches(
        self, player: str, command_id: str, after: str | None, replayed: Callable[[int], None]
    ) -> Export:
        names = await self._journal.finished(player, MAX_MATCHES + 1, after)
        matches: list[dict[str, Any]] = []
        last, total = None, 0
        for name in names[:MAX_MATCHES]:
            last = name
            try:
                events = await self._journal.read(name)
            except DamagedMatch as damage:
                matches.append({"match": name, "damaged": str(damage)})
                continue
            replayed(len(events))
            total += len(events)
            matches.append({"match": name, "events": [EVENT.dump_python(event, mode="json") for event in events]})
            if total > MAX_EVENTS:
                break
        is_more = bool(names) and last != names[-1]
        return Export(id=command_id, text=json.dumps({"matches": matches}), more=last if is_more else None)


def _written(passkey: Passkey) -> dict[str, object]:
    """Return a passkey as its owner reads it. Its public key is of use to the server alone."""
    kept = ("id", "label", "site", "created", "used", "count")
    return {name: value for name, value in asdict(passkey).items() if name in kept}
