"""SHAP values of a small tree, by way of scikit-learn's tree; needs shap (pip install shap)."""

import shap
from sklearn.datasets import load_wine

from gatree import SmallTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
found = SmallTreeClassifier(random_state=0).fit(X, y)
tree = found.to_sklearn()
print(f"{type(tree).__name__} agrees on {(tree.predict(X) == found.predict(X)).mean():.0%} of the samples")

explained = shap.TreeExplainer(tree)(X)
last = abs(explained.values[:, :, 2]).mean(axis=0)
for name, importance in sorted(zip(X.columns, last, strict=True), key=lambda pair: -pair[1])[:3]:
    print(f"{name:<12} moves the probability of class 2 by {importance:.3f} on average")
