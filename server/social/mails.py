"""What e-mails to players say, in the languages of the page. Pure."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cornered.protocol.social import MailLanguage, NoticeKind
from cornered.server.social.notices import PlayerNotice

__all__ = ["Mail", "code_mail", "notice_mail", "stop_mark"]


@dataclass(frozen=True, slots=True)
class Mail:
    """One e-mail. `stop` is the address by which its receiver ends them; empty where there is nothing to end."""

    to: str
    subject: str
    text: str
    stop: str = ""


_NOTICES: Final[dict[MailLanguage, dict[NoticeKind, tuple[str, str]]]] = {
    "en": {
        "turn": ("Your turn in {game}", "It is your turn{by} in {game}."),
        "challenge": ("A challenge in {game}", "You are challenged{by} to a game of {game}."),
        "round": ("A round begins: {game}", "A round begins, and your game of {game} is ready."),
    },
    "de": {
        "turn": ("Du bist am Zug in {game}", "Du bist am Zug{by} in {game}."),
        "challenge": ("Eine Herausforderung in {game}", "Du wirst{by} zu einer Partie {game} herausgefordert."),
        "round": ("Eine Runde beginnt: {game}", "Eine Runde beginnt, und deine Partie {game} ist bereit."),
    },
}
_BY: Final[dict[MailLanguage, dict[NoticeKind, str]]] = {
    "en": {"turn": " against {name}", "challenge": " by {name}", "round": ""},
    "de": {"turn": " gegen {name}", "challenge": " von {name}", "round": ""},
}
_ENDS: Final[dict[MailLanguage, str]] = {
    "en": "You get at most one such mail an hour. To end them: {stop}",
    "de": "Du bekommst höchstens eine solche Mail in der Stunde. So beendest du sie: {stop}",
}
_LINKING: Final = re.compile(r"[./:@\\]")
_CODES: Final[dict[MailLanguage, tuple[str, str]]] = {
    "en": (
        "Your code for Cornered: {code}",
        "Enter {code} at {page} within an hour, and mails about your games come to this address.\n\n"
        "If you have not asked for this, there is nothing to do: nothing more comes.",
    ),
    "de": (
        "Dein Code für Cornered: {code}",
        "Gib {code} innerhalb einer Stunde auf {page} ein; dann kommen Mails zu deinen Partien an diese Adresse.\n\n"
        "Wenn du das nicht warst, ist nichts zu tun: Es kommt nichts weiter.",
    ),
}


def code_mail(to: str, code: str, language: MailLanguage, page: str) -> Mail:
    """Return the mail that asks whether an address is the player's."""
    subject, text = _CODES[language]
    return Mail(to, subject.format(code=code), f"{text.format(code=code, page=page)}\n")


def notice_mail(to: str, notice: PlayerNotice, title: str, language: MailLanguage, page: str, stop: str) -> Mail:
    """Return the mail of a notice about a game called `title`."""
    subject, text = _NOTICES[language][notice.kind]
    by = "" if notice.by is None else _BY[language][notice.kind].format(name=_unlinked(notice.by.name))
    link = f"{page}/#/m/{notice.match}" if notice.match else page
    body = f"{text.format(game=title, by=by)}\n\n{link}\n\n--\n{_ENDS[language].format(stop=stop)}\n"
    return Mail(to, subject.format(game=title), body, stop)


def _unlinked(name: str) -> str:
    """Return a stranger's name without what a mail program could take for an address and make a link."""
    return " ".join(_LINKING.sub(" ", name).split()) or "?"


def stop_mark(secret: bytes, player: str, address: str) -> str:
    """Return what proves that somebody has read a mail to a player's address: it ends them, and does nothing else."""
    return hmac.new(secret, f"end mails {player} {address}".encode(), sha256).hexdigest()[:32]
