"""SHAP values of an evolved tree, by way of scikit-learn's tree; needs shap (pip install shap)."""

import shap
from sklearn.datasets import load_wine

from gatree import GATreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
evolved = GATreeClassifier(population_size=300, n_generations=60, random_state=0).fit(X, y)
tree = evolved.to_sklearn()
print(f"{type(tree).__name__} agrees on {(tree.predict(X) == evolved.predict(X)).mean():.0%} of the samples")

explained = shap.TreeExplainer(tree)(X)
last = abs(explained.values[:, :, 2]).mean(axis=0)
for name, importance in sorted(zip(X.columns, last, strict=True), key=lambda pair: -pair[1])[:3]:
    print(f"{name:<12} moves the probability of class 2 by {importance:.3f} on average")
