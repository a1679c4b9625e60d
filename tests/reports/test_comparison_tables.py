"""The summary and the tables of a report."""

from __future__ import annotations

from stsbaselines.reports.comparison_tables import report_tables, summary
from tests.reports.samples import comparison


def test_a_summary_in_sentences() -> None:
    (name, first), (_, second), (_, third) = summary(comparison(("ours", "theirs")))
    assert name == "ours"
    assert first.replace("\xa0", " ") == (
        "reaches Mean = 0.62000 (95 % interval 0.570 to 0.670) on 750 pairs: rank 56 of 74, with"
        " MiniExperts-Run3 (0.6353) above and ASAP-SECONDRUN (0.6152) below. It differs"
        " significantly from Baseline-tokencos (+0.0329, p = .029)."
    )
    assert second.startswith("reaches Mean = 0.30000")
    assert third.replace("\xa0", " ") == (
        "ours is significantly better than theirs (paired bootstrap, p = .012)."
    )


def test_the_tables() -> None:
    found = {each.key: each for each in report_tables(comparison(("ours", "theirs")))}
    assert [*found] == ["overview", "numbers", "published", "systems", "conventions"]
    overview = found["overview"]
    assert overview.header[:3] == ("number", "ours", "theirs")
    assert overview.header[-2:] == ("best run", "agreement")
    assert overview.rows[0][1:3] == ("0.80000", "undefined")
    assert overview.rows[0][-1] == "0.888"
    assert [each for each in overview.alignments if each == "left"] == ["left"]
    assert found["published"].rows == (("ours", "Mean", "+0.0329* (.029)"),)
    assert [row[-1] for row in found["systems"].rows] == [
        "yes (paired bootstrap)",
        "yes (Williams)",
    ]
