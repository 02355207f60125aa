"""`explore` of fitted estimators: the page in a notebook."""

import pytest
from odd_data import odd_frame
from sklearn.datasets import load_diabetes

from gatree import GATreeClassifier, GATreeRegressor


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


def test_the_page_of_a_fitted_regressor():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    fitted = GATreeRegressor("fast", size=6, effort=0.1, random_state=0).fit(X, y)
    text = fitted.explore(X, y)._repr_html_()
    assert "target" in text
    single = GATreeRegressor(population_size=20, n_generations=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="explore needs a size that is chosen or given"):
        single.explore(X, y)
