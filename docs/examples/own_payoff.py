"""Write your own payoff for an evolution; and let mistakes of small trees cost more than others."""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score

from gatree import GATreeClassifier, SmallTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)


def price_per_leaf(trees):
    """Return one payoff per tree of a generation, from arrays of an entry per tree."""
    return trees.n_correct / trees.n_instances - 0.01 * trees.n_leaves


for price, payoff in (("Eq. 1", "eq-1"), ("balanced", "balanced"), ("0.01 per leaf", price_per_leaf)):
    own = {"payoff": payoff, "selection": "tournament"}
    classifier = GATreeClassifier(**own, mutation_rate=0.5, leaf_class="majority", random_state=0).fit(X, y)
    print(f"{price:14} accuracy {classifier.score(X, y):.3f} with {classifier.get_n_leaves()} leaves")

# To overlook a malignant case (class 0) costs five times as much as a false alarm.
for weights in (None, {0: 5, 1: 1}):
    classifier = SmallTreeClassifier(class_weight=weights, random_state=0).fit(X, y)
    found = recall_score(y, classifier.predict(X), pos_label=0)
    print(f"weights {weights}: {found:.1%} of the malignant cases found")
