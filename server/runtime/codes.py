"""Makes the codes that people type: recovery codes and invitations; and checks the passwords that they choose."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

from cornered.protocol.account import CODE_COUNT
from cornered.protocol.text import fold_name
from cornered.server.refusal import Refusal

__all__ = ["check_password", "code_digest", "invitation_digest", "new_code", "new_codes"]

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits of which no two look the same."""
GROUPS: Final = 4
GROUP_LETTERS: Final = 5
"""20 letters have 99 random bits, which nobody tries all of: a fast hash of them is enough, as for a token."""
LEAST_DIFFERENT: Final = 4
COMMON: Final = frozenset(
    """
    password passwort passw0rd password1 password123 12345678 123456789 1234567890 87654321 11223344
    qwertyui qwertyuiop qwerty123 asdfghjk asdfghjkl 1q2w3e4r 1qaz2wsx iloveyou sunshine princess football
    baseball superman trustno1 starwars welcome1 letmein1 computer internet whatever michelle jennifer
    liverpool abcdefgh abcd1234 cornered trapgrid quoridor isolation administrator changeme hallo123
    schatzi1 fussball
    """.split()  # noqa: SIM905 - a list of words
)
"""The passwords that are tried first, of those that are long enough."""


def new_code() -> str:
    """Return a random code in groups of letters."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LETTERS)) for _ in range(GROUPS))
    return "-".join(groups)


def new_codes() -> tuple[str, ...]:
    """Return the recovery codes of one account."""
    return tuple(new_code() for _ in range(CODE_COUNT))


def code_digest(code: str) -> str:
    """Return the digest by which a recovery code is stored, however it was typed."""
    return sha256(f"recovery {_plain(code)}".encode("utf-8", "surrogatepass")).hexdigest()


def invitation_digest(code: str) -> str:
    """Return the digest by which an invitation is stored, however it was typed."""
    return sha256(f"invitation {_plain(code)}".encode("utf-8", "surrogatepass")).hexdigest()


def _plain(code: str) -> str:
    return "".join(char for char in code.casefold() if char not in " -\t")


def check_password(password: str, name: str) -> None:
    """Refuse a password that is guessed within a few attempts: the name, or one of the commonest. Raises Refusal."""
    if fold_name(password) == fold_name(name):
        raise Refusal("weak_password", "your name is the first thing to be tried; choose another password")
    if password.casefold() in COMMON or len(set(password)) < LEAST_DIFFERENT:
        raise Refusal("weak_password", "this password is among the first to be tried; take a few random words")
