"""Sends e-mails through an SMTP server, a few at a time in threads of their own."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Final
from urllib.parse import unquote, urlsplit

import structlog

from cornered.server.social.mails import Mail

__all__ = ["SmtpMailer"]

TIMEOUT_S: Final = 15.0
"""The time limit of each step of a delivery."""
SEND_SECONDS: Final = 30.0
"""The time limit of a delivery, with the wait for a thread. One whose thread is at it may still arrive afterwards."""
THREADS: Final = 3
"""Deliveries at once. Others wait: a mail server that answers nothing takes no threads of other work."""

log = structlog.get_logger("mail")


class SmtpMailer:
    """Implements `Mailer`."""

    def __init__(self, server: str, sender: str) -> None:
        """`server` is smtps://user:password@host:465, or smtp://... with STARTTLS. Raises ValueError.

        A server on this machine needs no TLS.
        """
        try:
            parts = urlsplit(server)
            port = parts.port
        except ValueError:
            raise ValueError("SMTP: this is no address, such as smtps://user:password@host:465") from None
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError("SMTP: name a server, such as smtps://user:password@host:465")
        if "@" not in sender or any(character in sender for character in "\r\n"):
            raise ValueError("MAIL_FROM: name the sender of mails, such as Cornered <games@example.org>")
        self._is_tls = parts.scheme == "smtps"
        self._host = parts.hostname
        self._port = port or (465 if self._is_tls else 587)
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._sender = sender
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mails")

    async def send(self, mail: Mail) -> bool:
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await asyncio.get_running_loop().run_in_executor(self._threads, self._deliver, self._message(mail))
        except (OSError, smtplib.SMTPException, ValueError) as error:
            # The text of an error may have the receiver's address.
            log.warning("a mail was not sent", reason=type(error).__name__)
            return False
        return True

    def _message(self, mail: Mail) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, mail.to, mail.subject
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain="cornered.invalid")
        message["Auto-Submitted"] = "auto-generated"
        if mail.stop:
            message["List-Unsubscribe"] = f"<{mail.stop}>"
        message.set_content(mail.text)
        return message

    def _deliver(self, message: EmailMessage) -> None:
        context = ssl.create_default_context()
        if self._is_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self._host, self._port, timeout=TIMEOUT_S, context=context)
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=TIMEOUT_S)
        with server:
            if not self._is_tls and self._host not in ("localhost", "127.0.0.1", "::1"):
                server.starttls(context=context)
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message)
