"""Changing a good sample into one that is nearly good: bytes, fields, lines, special tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

LARGEST = 1 << 16  # of what a change may make; size alone is tried in the tests of the readers
_FIELD = re.compile(rb"[^\t\n ,:|/<>(){}\[\]\"=]+|[\t\n ,:|/<>(){}\[\]\"=]")
TOKENS = (
    *(b"", b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\x0b", b"\x0c", b"\x1b[2J", b"\x85"),
    *(b"\xff", b"\xc3", b"\xc3\xa9", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xae"),
    *(b"\xd9\xa3", b"\xc2\xa0", b"\xc2\xb2", b"\xf0\x9f\x90\x88", b"I\xcc\x87", b"\xc4\xb0"),
    *(b"nan", b"NaN", b"inf", b"-Infinity", b"1e999", b"-1", b"1_0", b"0x10", b"1e5", b".", b"+"),
    *(b"0", b"5", b"5.0", b"1,5", b"--1", b"1e", b"9" * 30, b"9" * 5000, b"1" + b"0" * 400, b"-0"),
    *(b"true", b"false", b"null", b"None", b"[]", b"{}", b"[[", b"{" * 50, b"[" * 3000, b"~"),
    *(b"<==>", b" // ", b"//", b"</sentence>", b'<sentence id="1" status="">', b"<alignment>"),
    *(b"NIL", b"EQUI", b"----", b"(3, 2)", b"#", b"# ", b"../", b"/etc/passwd", b"%s", b"{{7*7}}"),
    *(b"!!python/object/apply:os.system [id]", b"&a [*a]", b"*a", b"&a", b"<<: *a", b"? [a]\n: b"),
    *(b"---\n", b"!!binary", b"2026-13-45", b"<!DOCTYPE a>", b"&amp;", b"&#0;", b"<![CDATA["),
    *(b'"a": 1, "a": 2', b"\\u0000", b"\\ud800", b"'", b'"', b"`", b"c.", b"or later", b"BC"),
    *(b"between 1500 and ", b"early 19th century", b"12/13/1900", b"1066-", b"Sir ", b" and "),
)  # fmt: skip


def mutated(content: bytes, random: Random) -> bytes:
    """Return `content` after one to four changes."""
    for _ in range(random.randint(1, 4)):
        content = random.choice(_CHANGES)(content, random)
    return content[:LARGEST]


def _place(content: bytes, random: Random) -> int:
    return random.randint(0, len(content))


def _insert_token(content: bytes, random: Random) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice(TOKENS) + content[place:]


def _replace_field(content: bytes, random: Random) -> bytes:
    fields = _FIELD.findall(content)
    if fields:
        fields[random.randrange(len(fields))] = random.choice(TOKENS)
    return b"".join(fields)


def _change_byte(content: bytes, random: Random) -> bytes:
    if not content:
        return content
    place = random.randrange(len(content))
    byte = random.choice([random.randrange(256), content[place] ^ (1 << random.randrange(8))])
    return content[:place] + bytes([byte]) + content[place + 1 :]


def _drop_bytes(content: bytes, random: Random) -> bytes:
    start = _place(content, random)
    return content[:start] + content[start + random.randint(1, 8) :]


def _cut(content: bytes, random: Random) -> bytes:
    return content[: _place(content, random)]


def _repeat_bytes(content: bytes, random: Random) -> bytes:
    start = _place(content, random)
    end = start + random.randint(1, 32)
    return content[:end] + content[start:end] * random.choice([1, 2, 50]) + content[end:]


def _of_parts(split: Callable[[bytes], list[bytes]]) -> Callable[[bytes, Random], bytes]:
    """Return the change that drops, doubles or swaps a line or a field."""

    def change(content: bytes, random: Random) -> bytes:
        parts = split(content)
        if not parts:
            return content
        one, other = random.randrange(len(parts)), random.randrange(len(parts))
        kind = random.randrange(3)
        if kind == 0:
            del parts[one]
        elif kind == 1:
            parts.insert(other, parts[one])
        else:
            parts[one], parts[other] = parts[other], parts[one]
        return b"".join(parts)

    return change


_CHANGES: list[Callable[[bytes, Random], bytes]] = [
    _insert_token,
    _replace_field,
    _replace_field,
    _change_byte,
    _drop_bytes,
    _cut,
    _repeat_bytes,
    _of_parts(lambda content: content.splitlines(keepends=True)),
    _of_parts(_FIELD.findall),
]
