"""`GATreeClassifier.explore`: the page in a notebook."""

import pytest
from odd_data import odd_frame

from gatree import GATreeClassifier


@pytest.mark.parametrize("options", [{"preset": "fast"}, {"preset": "fast", "n_generations": 5}])
def test_the_page_of_a_fitted_classifier(tmp_path, options):
    frame = odd_frame()
    X, y = frame.drop(columns=["y"]), frame["y"].rename("who & what")
    shown = GATreeClassifier(random_state=0, **options).fit(X, y).explore(X, y)
    assert shown._repr_html_().startswith("<iframe srcdoc=")
    shown.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "Predicting <bdi>who &amp; what</bdi>" in text
    assert text.count("</script>") == 2
