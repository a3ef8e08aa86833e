"""Passkeys verified by the package webauthn, an extra."""

from __future__ import annotations

from typing import Final

from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, parse_client_data_json
from webauthn.helpers.cose import COSEAlgorithmIdentifier

from cornered.protocol.credentials import NewPasskey, PasskeyProof
from cornered.server.passkeys import BadPasskey, Ceremony, VerifiedKey

__all__ = ["WebAuthnVerifier"]

ALGORITHMS: Final = [
    COSEAlgorithmIdentifier.ECDSA_SHA_256,
    COSEAlgorithmIdentifier.EDDSA,
    COSEAlgorithmIdentifier.RSASSA_PKCS1_v1_5_SHA_256,
]
"""What the page asks authenticators for (clients/web/webauthn.js)."""


class WebAuthnVerifier:
    """Implements `PasskeyVerifier`. The user is present in every response; verification is preferred, not required."""

    def challenge_of(self, client_data: str) -> bytes:
        try:
            return bytes(parse_client_data_json(base64url_to_bytes(client_data)).challenge)
        except Exception as error:
            # Parsers of CBOR, ASN.1 and JSON raise what they like for bytes that a stranger made.
            raise BadPasskey(f"the client data cannot be read: {error!r}") from error

    def created(self, passkey: NewPasskey, ceremony: Ceremony) -> VerifiedKey:
        credential = {
            "id": passkey.credential,
            "rawId": passkey.credential,
            "type": "public-key",
            "response": {"clientDataJSON": passkey.client_data, "attestationObject": passkey.attestation},
        }
        try:
            found = verify_registration_response(
                credential=credential,
                expected_challenge=ceremony.challenge,
                expected_rp_id=ceremony.site,
                expected_origin=ceremony.origin,
                supported_pub_key_algs=ALGORITHMS,
            )
        except Exception as error:
            raise BadPasskey(f"the new passkey is not accepted: {error!r}") from error
        if bytes_to_base64url(found.credential_id) != passkey.credential:
            raise BadPasskey("the new passkey is another one than it says")
        return VerifiedKey(bytes(found.credential_public_key), found.sign_count)

    def proven(self, proof: PasskeyProof, ceremony: Ceremony, public_key: bytes, count: int) -> int:
        response = {
            "clientDataJSON": proof.client_data,
            "authenticatorData": proof.authenticator_data,
            "signature": proof.signature,
        }
        credential = {"id": proof.credential, "rawId": proof.credential, "type": "public-key", "response": response}
        try:
            found = verify_authentication_response(
                credential=credential,
                expected_challenge=ceremony.challenge,
                expected_rp_id=ceremony.site,
                expected_origin=ceremony.origin,
                credential_public_key=public_key,
                credential_current_sign_count=count,
            )
        except Exception as error:
            raise BadPasskey(f"the proof is not accepted: {error!r}") from error
        return found.new_sign_count
