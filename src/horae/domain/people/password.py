"""Password policy: long, and not easy to guess. Length is what helps; there are no rules about characters."""

from __future__ import annotations

import re

from horae.domain.errors import InvalidInput
from horae.domain.text.checks import plain_text

SHORTEST, LONGEST = 12, 200

# What people choose when they must choose something. Digits and punctuation around one of these add little, and so does
# writing it twice: cracking tools find `Password1234!` and `adminadminadmin` first.
_WORDS = """
    abc abcd abcde abcdef access account admin administrator alexander amanda andrea andrew angel anonymous apple
    arsenal asdf asdfgh asdfghjkl ashley autumn azerty azertyuiop baby babygirl bailey banana baseball basketball
    batman biteme blink blue brandon buster butterfly cambiame changeit changeme changethis changepassword charlie
    cheese chelsea chocolate christmas claudia computer cookie corvette cowboy dallas daniel database default
    dragon eagle elizabeth example facebook family ferrari flower football forever freedom friends gandalf
    george ginger goodluck google guest hallo hammer hannah harley hello helloworld hockey horae hunter iceman
    iloveu iloveyou internet jennifer jessica jordan joshua justin killer kitty letmein letmeinnow liverpool
    london love lovely loveme lover maggie manchester mariposa marina martin master matrix matthew merlin metallica
    michael michelle mickey monkey monster mustang mypassword nicole nothing ninja nopassword oracle orange
    p passw passwd password passwort pepper phoenix pokemon postgres princess purple qazwsx qazwsxedc qwer qwert
    qwerty qwertyu qwertyui qwertyuiop qwertz qwertzuiop rainbow ranger robert rockyou root samantha samsung scheduler
    schedule secret secretpassword security sekret server shadow silver slipknot snoopy soccer soleil something
    sophie spiderman spring starwars summer sunday sunflower sunshine superman supersecret superuser system taylor
    temp temporary tennis test testing testtest thomas tigger tinkerbell toor trustno trustnoone user username
    vampire victoria welcome whatever winter wordpass x xxx yankees yellow zaq zaqxsw zxcv zxcvbn zxcvbnm
"""
_COMMON = frozenset(_WORDS.split())
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
)
_LETTERS = str.maketrans("014358@$!", "oiaesbasi")
_REST = re.compile(r"[^a-z]+")


def check_password(password: str, username: str, field: str = "password") -> str:
    """Raises InvalidInput, which never contains the password; `field` is the input field."""
    try:
        plain_text(password)
    except ValueError as error:
        raise InvalidInput(field, str(error)) from None
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(field, f"must have {SHORTEST} to {LONGEST} characters")
    folded = password.casefold()
    if username and _without(folded, username.casefold()):
        raise InvalidInput(field, "must not be the username")
    if _common(folded):
        raise InvalidInput(field, "is easy to guess; use a few unrelated words")
    return password


def _without(password: str, word: str) -> bool:
    """Whether only digits and punctuation remain without this word."""
    return word in password and not _REST.sub("", password.replace(word, ""))


def _common(password: str) -> bool:
    if _repeated(password) in _COMMON or len(_repeated(password)) <= 4 or _straight(password):
        return True
    # `p4ssw0rd` is read as `password`, but the `2024!` after a word is cut off, not read.
    bare = password.strip("0123456789!?.,;:*#_-+=$@&%/ ")
    return any(_repeated(_REST.sub("", word)) in _COMMON for word in (bare, bare.translate(_LETTERS)))


def _repeated(text: str) -> str:
    """The shortest text that this is a repetition of: `abab` is `ab`."""
    return text[: (text + text).find(text, 1)] if text else text


def _straight(text: str) -> bool:
    """Whether it follows the alphabet, the digits or a keyboard row, in either direction."""
    return any(text in row * 2 or text[::-1] in row * 2 for row in _ROWS)
