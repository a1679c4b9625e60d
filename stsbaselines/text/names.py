"""Names in English text: persons, places and organisations by a conditional random field.

A small model comes with the package. It looks words up in lists of first names, surnames, places
and nationalities (gazetteers), and some rules correct what it finds. The creators of a catalogue
record are found by rules alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stsbaselines.io.files import read_whole, to_displayable
from stsbaselines.text.chunker import (
    chunk_spans,
    encodable,
    open_model,
    read_card,
    tag_features,
    word_shape,
)
from stsbaselines.text.words import has_letter

SHIPPED = Path(__file__).parent / "models" / "names"
MODEL = "names.crfsuite"
GAZETTEERS = ("first-names.txt", "surnames.txt", "places.txt", "nationality-adjectives.txt")
PERSON, PLACE, ORGANISATION = "PER", "LOC", "ORG"


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


TITLES = _set_of(
    "Mr Mrs Ms Miss Master Dr Doctor Prof Professor Sir Dame Lord Lady Hon Rev Revd Reverend "
    "Capt Captain Col Colonel Maj Major Gen General Lt Lieutenant Sgt Sergeant Admiral Cdr "
    "Commander Madame Mme Monsieur"
)
DEGREES = _set_of(
    "BA MA BSc MSc PhD DPhil MD OBE MBE CBE KBE DBE OM CH KC QC FRS FSA FBA RA ARA PRA RSA RHA "
    "RIBA FRIBA AIA MP Bt Bart Esq"
)
FACILITIES = _set_of(
    "abbey academy airport arcade avenue barracks basilica bridge canal castle cathedral "
    "cemetery chapel church court crescent docks factory farm fort gallery garden gardens gate "
    "hall harbor harbour hospital hotel house inn lane library lighthouse market mill mine "
    "monument museum palace park pier priory quay road school square stadium station street studio "
    "temple terrace theater theatre tower viaduct wharf"
)
_ALSO_SURNAMES = _set_of("hall lane park")
PARTICLES = _set_of(
    "af al bin da dal de degli dei del della den der des di do dos du e el ibn la las le les lo "
    "los of ten ter the van von vom y zu zum"
)
_LONGEST_PLACE = 6
_WORDS_BEFORE_FACILITY = 2

_BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_DEEPEST_BRACKETS = 10  # so that the time is linear whatever the text
_LABEL = re.compile(r"\A\s*\w+\s*:\s+")
_NOBODY = re.compile(
    r"\W*(?:unknown|anon(?:ymous)?|unidentified|not known|various|none)\b", re.IGNORECASE
)
_QUALIFIER = re.compile(
    r"\A\s*(?:(?:possibly|probably)\s+)?(?:after|by|attributed to|the(?=\s+(?:hon|rev)\b)"
    r"|(?:school|circle|follower|pupil|workshop|studio|manner|style|copy|imitator)s? (?:of|after))"
    r"\s+",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:agency|architects|archives?|associates|association|brothers|bros|cie|co|collective"
    r"|college|company|corp|corporation|council|department|division|factory|firm|foundation|gallery|gmbh|group"
    r"|inc|incorporated|industries|institut(?:e|ion)|library|limited|ltd|manufactory"
    r"|manufacturing|museum|office|pottery|press|publish(?:ers|ing)|school|society|sons"
    r"|studios?|university|works|workshops?)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:\b(?:born|died|active|about|circa|between|before|after|ca?|b|d|fl)\b\.?\s*){0,3}[\d?].*"
)
_AND = re.compile(r"\s+(?:and|&|with)\s+")
_NOBLE = _set_of(
    "Duke Duchess Duchess-Countess Earl Count Countess Marquess Marquis Marchioness Viscount "
    "Viscountess Baron Baroness Bishop Archbishop Prince Princess Lord First Second Third "
    "Fourth Fifth Sixth Seventh Eighth Ninth Tenth Jr Jnr Junior Sr Snr Senior"
)
_ROLES = _set_of(
    "architect artist author cartographer ceramicist composer craftsman designer draughtsman "
    "editor engraver etcher illustrator lithographer maker painter photographer potter printer "
    "printmaker publisher sculptor writer"
)
_NATIONALITIES = _set_of(
    "Bulgarian Cornish Ghanaian Iraqi Kenyan Latvian Lebanese Saudi Senegalese Slovak Slovenian "
    "Welsh"
)
_NAME_WORD = re.compile(r"[\"'`\u2018\u201c]?[^\W\d_][\w.'`\u2019\-]*[\"'\u2019\u201d]?")
_SHOUTED = re.compile(r"(?![IVX]+\b)[^\W\d_]{3,}")
_CAPITAL = re.compile(r"[\"'`\u2018\u201c]?(?:[a-z]{1,2}['\u2019])?(?![a-z\u00df-\u00ff])")
_INNER = PARTICLES.union(("elder", "younger"))
_LONGEST_PERSON = 7


class Name(NamedTuple):
    """A name: the tokens from `start` on and before `end`, and PER, LOC or ORG."""

    start: int
    end: int
    kind: str


class Gazetteers(NamedTuple):
    """Lists of names; a place is its words with single blanks between them."""

    first_names: frozenset[str]
    surnames: frozenset[str]
    places: frozenset[str]
    nationalities: frozenset[str]


class NamesTagger:
    """A trained tagger of names, a conditional random field (Lafferty et al. 2001)."""

    def __init__(self, folder: str | Path) -> None:
        self.card = read_card(Path(folder), (MODEL, *GAZETTEERS), "a tagger of names")
        self._tagger = open_model(Path(folder, MODEL))
        self.gazetteers = read_gazetteers(Path(folder))

    def names(self, tokens: Sequence[str]) -> list[Name]:
        """Return the names in a sentence, in order, without overlap."""
        if not tokens:
            return []
        words = encodable(tokens)
        labels = self._tagger.tag(name_features(words, self.gazetteers))
        names = [Name(start, end, kind) for (start, end), kind in chunk_spans(labels)]
        return corrected(words, names)


@functools.cache
def load_names_tagger() -> NamesTagger:
    """Return the tagger of names that comes with the package, loaded once."""
    return NamesTagger(SHIPPED)


def read_gazetteers(folder: Path) -> Gazetteers:
    """Read the gazetteers in a folder: one entry per line, in UTF-8."""
    return Gazetteers(*(_entries(folder / name) for name in GAZETTEERS))


def _entries(path: Path) -> frozenset[str]:
    lines = read_whole(path).decode("utf-8", "replace").replace("'s", " 's").splitlines()
    return frozenset(" ".join(line.split()) for line in lines if line.strip())


def name_features(tokens: Sequence[str], gazetteers: Gazetteers) -> list[list[str]]:
    """Return the features of each token.

    They are those of the part-of-speech tagger, the shapes of the words two away, and the lists
    that the word and its neighbours are in.
    """
    shapes = ["", "", *map(word_shape, tokens), "", ""]
    lists = ["", *_lists(tokens, gazetteers), ""]
    features = tag_features(tokens)
    for i, of_token in enumerate(features):
        before, mine, after = lists[i : i + 3]
        of_token += [f"h-2={shapes[i]}", f"h+2={shapes[i + 4]}"]
        of_token += [f"g={mine}", f"g-1={before}", f"g+1={after}"]
        of_token += [f"g-1,0={before} {mine}", f"g0,1={mine} {after}"]
    return features


def _lists(tokens: Sequence[str], gazetteers: Gazetteers) -> list[str]:
    """Return the letters of the lists that each token is in; places can have several tokens."""
    words = [word.capitalize() if len(word) > 1 and word.isupper() else word for word in tokens]
    lists = [
        "F" * (word in gazetteers.first_names)
        + "S" * (word in gazetteers.surnames)
        + "N" * (word in gazetteers.nationalities)
        for word in words
    ]
    end = 0
    for start, word in enumerate(words):
        if start < end or not word[:1].isupper():
            continue
        for length in range(min(_LONGEST_PLACE, len(words) - start), 0, -1):
            if " ".join(words[start : start + length]) in gazetteers.places:
                end = start + length
                lists[start] += "P"
                for place in range(start + 1, end):
                    lists[place] += "p"
                break
    return lists


def corrected(tokens: Sequence[str], names: Sequence[Name]) -> list[Name]:
    """Correct names by rules for catalogue records and for running text.

    Names are split at commas and semicolons, unless the whole text is "Surname, Forename";
    persons lose their titles and degrees; a place is extended by the noun of a building or a
    street that follows it, and a person with such a noun becomes a place.
    """
    pieces = [piece for name in names for piece in _split(tokens, name)]
    kept = [piece for piece in pieces if any(map(has_letter, tokens[piece.start : piece.end]))]
    if list(names) == [Name(0, len(tokens), PERSON)] and len(kept) == len(pieces) == 2:
        return list(names)
    limits = [*(name.start for name in kept[1:]), len(tokens)]
    return [_with_facility(tokens, name, limit) for name, limit in zip(kept, limits, strict=False)]


def _split(tokens: Sequence[str], name: Name) -> Iterator[Name]:
    """Yield the parts of a name between commas, without titles and degrees."""
    start = name.start
    for end in range(name.start, name.end + 1):
        if end == name.end or tokens[end] in (",", ";"):
            if name.kind == PERSON:
                first, last = _untitled(tokens[start:end])
                yield Name(start + first, start + last, PERSON)
            else:
                yield Name(start, end, name.kind)
            start = end + 1


def _untitled(words: Sequence[str]) -> tuple[int, int]:
    """Return where the name of a person begins and ends among its titles and degrees."""
    start, end = 0, len(words)
    while end > start and words[end - 1].replace(".", "") in DEGREES:
        end -= 1
    while end > start + 1 and _is_title(words[start]) and words[start + 1] != "of":
        start += 1
    return start, end


def _is_title(word: str) -> bool:
    return word.rstrip(".").capitalize() in TITLES and word[:1].isupper()


def _with_facility(tokens: Sequence[str], name: Name, limit: int) -> Name:
    """Extend a name by capitalised words up to the noun of a facility, if one follows."""
    if name.kind == ORGANISATION:
        return name
    last = tokens[name.end - 1].lower()
    if name.end - name.start > 1 and last in FACILITIES - _ALSO_SURNAMES:
        return name._replace(kind=PLACE)
    for end in range(name.end, min(limit, name.end + _WORDS_BEFORE_FACILITY + 1)):
        if not tokens[end][:1].isupper():
            return name
        if tokens[end].lower() in FACILITIES:
            return Name(name.start, end + 1, PLACE)
    return name


def creator_names(creator: str) -> list[str]:
    """Return the names of the persons in the creator field of a catalogue record.

    "Surname, Forename" becomes "Forename Surname". Brackets, dates, nationalities, roles, titles
    and qualifiers ("attributed to", "school of") are dropped; companies, schools and unknown
    creators have no name. Several creators are separated by ";", "and" or "&".
    """
    text = " ".join(to_displayable(creator).split())
    for _ in range(_DEEPEST_BRACKETS):
        text = _BRACKETED.sub(" ", text)
    fields = [field.strip() for field in _LABEL.sub("", text, count=1).split(";")]
    if len(fields) == 2 and fields[0].isupper() and not any(" " in each for each in fields):
        fields = [", ".join(fields)]
    names = [name for field in fields for name in _persons(field)]
    return list(dict.fromkeys(names))


def _persons(field: str) -> list[str]:
    """Return the persons in a field; a firm ("Smith and Doe") has none."""
    field = _QUALIFIER.sub("", field, count=1)
    if _NOBODY.match(field) or _COMPANY.search(field):
        return []
    creators = [each for each in _AND.split(field) if each.strip(" ,")]
    persons = [_persons_between_commas(each) for each in creators]
    names = [name for each in persons for name in each]
    are_full_names = all(" " in name and not name.endswith(".") for name in names)
    return names if len(creators) < 2 or (all(persons) and are_full_names) else []


def _persons_between_commas(creator: str) -> list[str]:
    """Return one person, described between commas, or several with a forename each."""
    lists = load_names_tagger().gazetteers
    parts = [_DATE.sub("", part).split() for part in creator.split(",")]
    parts = [_without_titles(words) for words in parts if not _is_remark(words, lists)]
    parts = [words for words in parts if words]
    if len(parts) > 1 and _is_surname(parts[0], parts[1], lists):
        parts = [[*parts[1], *parts[0]]]
    elif not all(len(words) > 1 for words in parts):
        del parts[1:]
    names = [" ".join(words) for words in parts if _is_person(words)]
    return [
        _SHOUTED.sub(_capitalized, name)
        for name in names
        if name in lists.surnames or name not in lists.places
    ]


def _is_remark(words: list[str], lists: Gazetteers) -> bool:
    """Return whether a part between commas is blank, a nationality, a role or a title."""
    return (
        all(word in lists.nationalities or word in _NATIONALITIES for word in words)
        or (words[0].islower() and words[0] not in PARTICLES)
        or (words[0].rstrip(".") in _NOBLE and (len(words) == 1 or "of" in words))
        or words[-1] in _ROLES
        or (len(words) == 1 and words[0].lower() in _ROLES and words[0] not in lists.surnames)
    )


def _without_titles(words: list[str]) -> list[str]:
    """Return the words of a name without titles; none if a title is all there is."""
    start, end = _untitled(words)
    if start < end and words[start] in _NOBLE:
        start += 1
    is_title = start < end and _is_title(words[start])
    return [] if is_title else words[start:end]


def _is_surname(first: list[str], second: list[str], lists: Gazetteers) -> bool:
    """Return whether two parts between commas are a surname and a forename."""
    if len(first) == 1 or first[0] in PARTICLES:
        return True
    if first[0] in lists.first_names or "." in first[0]:
        return False
    if second[0] in lists.first_names:
        return True
    return len(second) == 1 and second[0] not in lists.places


def _is_person(words: list[str]) -> bool:
    capitalized = [word for word in words if word not in _INNER]
    return (
        0 < len(capitalized) <= len(words) <= _LONGEST_PERSON
        and words[0] != "The"
        and all(map(_NAME_WORD.fullmatch, words))
        and all(map(_CAPITAL.match, capitalized))
    )


def _capitalized(word: re.Match[str]) -> str:
    return word[0].capitalize() if word[0].isupper() else word[0]
