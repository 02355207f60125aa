"""The claims of Section 5: the published counts, and ours judged by numbers."""

import printed_equations as printed
import pytest
from records import a_record, results_of, seconds

from gatree.paper import theory
from gatree.paper.claims import claims
from gatree.paper.published import SAVINGS


def by_text(results):
    return {claim.text: claim for claim in claims(results)}


def found(results, part):
    (claim,) = (claim for text, claim in by_text(results).items() if part in text)
    return claim


def test_the_published_evidence_is_counted():
    nothing = results_of([])
    assert found(nothing, "mutation rate").paper == "140 of 210, 48 the other way"
    assert found(nothing, "slower").paper == "slower in 6 of 288 cells"
    assert found(nothing, "savings of time").paper == "12 of 12 data sets"
    assert found(nothing, "mutation rate").holds is None


def test_the_footnote_is_about_the_printed_equations():
    claim = found(results_of([]), "Footnote 3")
    error = 100 * float(printed.eq_7(8) / printed.eq_6(8) - 1)
    assert claim.ours.startswith(f"{error:.1f} %")
    assert f"R itself is {float(theory.linear_from_root(8)):.3f}" in claim.ours
    assert claim.holds is False


@pytest.mark.parametrize(("new", "holds"), [(1.0, True), (3.0, False)])
def test_a_claim_holds_if_our_numbers_show_it(new, holds):
    setting = SAVINGS[4]
    cell = {"mutation_rate": float(setting.mutation), "x_factor": setting.x}
    results = results_of([a_record(timing={"old": seconds(2.0), "new": seconds(new)}, **cell)])
    assert found(results, "savings of time").holds is holds
    assert found(results, "slower").holds is holds
