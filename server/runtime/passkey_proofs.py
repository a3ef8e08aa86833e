"""Challenges for passkeys, and what authenticators answer to them: each answer is accepted once."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Final

import structlog

from cornered.protocol.credentials import NewPasskey, PasskeyProof
from cornered.protocol.passkeys import AskPasskeyChallenge, PasskeyChallenge, PasskeyPurpose
from cornered.server.accounts import Accounts, NewKey, Passkey
from cornered.server.passkeys import BadPasskey, Ceremony, PasskeyVerifier
from cornered.server.refusal import Refusal
from cornered.server.runtime.signed_texts import BadSignature, SignedText, TextSigner
from cornered.server.runtime.used_texts import spend
from cornered.server.runtime.visits import Visit, passkey_site

__all__ = ["CHALLENGE_SECONDS", "PasskeyProofs"]

CHALLENGE_SECONDS: Final = 300
"""How long a challenge is good: people look for their telephone first."""
HANDLE_BYTES: Final = 16
log = structlog.get_logger("passkeys")


class PasskeyProofs:
    """The challenges and proofs of one node. A challenge is a signed text, so any node may accept the answer to it."""

    def __init__(
        self, accounts: Accounts, verifier: PasskeyVerifier | None, signer: TextSigner, *, now: Callable[[], int]
    ) -> None:
        """Without a `verifier` there are no passkeys here. `now` is the time in milliseconds since 1970."""
        self._accounts = accounts
        self._verifier = verifier
        self._signer = signer
        self._now = now

    def are_offered(self, visit: Visit) -> bool:
        """Return whether passkeys work at the address of the visitor's page."""
        return self._verifier is not None and passkey_site(visit.origin) != ""

    async def challenge(self, command: AskPasskeyChallenge, visit: Visit) -> PasskeyChallenge:
        """Return a challenge for a purpose. Raises Refusal."""
        self._require()
        site = self._site(visit)
        player = self._subject(command.purpose, visit)
        known = await self._accounts.passkeys(player) if command.purpose in ("add", "confirm") else ()
        handle = ""
        if command.purpose in ("register", "add"):
            # One handle for all passkeys of an account: an authenticator replaces what it has for the handle.
            handle = known[-1].handle if known else _encoded(secrets.token_bytes(HANDLE_BYTES))
        facts = {"player": player, "session": _session(visit), "site": site, "handle": handle}
        return PasskeyChallenge(
            id=command.id,
            challenge=self._signer.sign(f"passkey {command.purpose}", facts, seconds=CHALLENGE_SECONDS),
            site=site,
            user=handle,
            passkeys=tuple(one.credential for one in known if one.site == site),
        )

    async def created(self, passkey: NewPasskey, purpose: PasskeyPurpose, visit: Visit, label: str) -> NewKey:
        """Return a new passkey to store. Raises Refusal."""
        verifier = self._require()
        try:
            signed, ceremony = self._ceremony(passkey.client_data, purpose, visit)
            verified = verifier.created(passkey, ceremony)
        except (BadPasskey, BadSignature) as error:
            raise self._refusal(error, "this passkey could not be made; try again") from None
        await self._spend(signed, visit)
        handle = signed.facts["handle"]
        return NewKey(
            passkey.credential, verified.public_key, verified.count, handle, ceremony.site, label, self._now()
        )

    async def proven(self, proof: PasskeyProof, purpose: PasskeyPurpose, visit: Visit) -> tuple[Passkey, int]:
        """Return the passkey that a proof is of, and its new counter. Every failure is refused in the same words."""
        verifier = self._require()
        known = await self._accounts.passkey(proof.credential)
        try:
            if known is None:
                raise BadPasskey("the passkey is unknown")
            if proof.user not in (None, known.handle):
                raise BadPasskey("the user handle is another one")
            if purpose == "confirm" and known.player != self._subject(purpose, visit):
                raise BadPasskey("the passkey is another account's")
            signed, ceremony = self._ceremony(proof.client_data, purpose, visit)
            count = verifier.proven(proof, ceremony, known.public_key, known.count)
        except (BadPasskey, BadSignature) as error:
            text = "this passkey is not known here, or the attempt took too long; try again, or sign in another way"
            raise self._refusal(error, text) from None
        await self._spend(signed, visit)
        return known, count

    def _ceremony(self, client_data: str, purpose: PasskeyPurpose, visit: Visit) -> tuple[SignedText, Ceremony]:
        """Return what a response has to be for. Raises BadPasskey, BadSignature, Refusal."""
        verifier, site = self._require(), self._site(visit)
        challenge = verifier.challenge_of(client_data)
        signed = self._signer.verify(f"passkey {purpose}", challenge.decode("ascii", "replace"))
        expected = (self._subject(purpose, visit), _session(visit), site)
        if purpose == "sign_in":
            # Whoever shows it: the socket may have connected again, as another guest even.
            expected = ("", signed.facts["session"], site)
        if (signed.facts["player"], signed.facts["session"], signed.facts["site"]) != expected:
            raise BadPasskey("the challenge is for another player, session or site")
        return signed, Ceremony(challenge, site, visit.origin)

    async def _spend(self, signed: SignedText, visit: Visit) -> None:
        """Record that a challenge is used. Raises Refusal and TooMany."""
        if not await spend(self._accounts, signed, visit.address, self._now()):
            raise self._refusal(BadSignature("the challenge was used before"), "this was used already; try again")

    def _subject(self, purpose: PasskeyPurpose, visit: Visit) -> str:
        if purpose == "sign_in":
            return ""
        if visit.identity is None:
            if purpose == "register":
                return ""
            raise Refusal("hello_first", "the first message must be `hello`")
        return visit.identity.player.id

    def _site(self, visit: Visit) -> str:
        site = passkey_site(visit.origin)
        if not site:
            text = "passkeys work by https and on localhost, at an address that is a name; use a password here"
            raise Refusal("no_passkeys", text)
        return site

    def _require(self) -> PasskeyVerifier:
        if self._verifier is None:
            raise Refusal("no_passkeys", "this server has no passkeys; use a password here")
        return self._verifier

    def _refusal(self, error: Exception, text: str) -> Refusal:
        log.info("a passkey was refused", reason=str(error))
        return Refusal("bad_credentials", text)


def _session(visit: Visit) -> str:
    return "" if visit.identity is None else visit.identity.session


def _encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")
