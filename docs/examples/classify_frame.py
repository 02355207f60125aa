"""Classify a DataFrame with categories and missing values, and show the tree."""

import numpy as np
import pandas as pd

from gatree import SmallTreeClassifier, plot_tree

rng = np.random.default_rng(0)
n = 400
frame = pd.DataFrame(
    {
        "income": rng.normal(3000, 900, n).round(),
        "job": pd.Categorical(rng.choice(["office", "shop", "none"], n)),
        "owner": rng.random(n) < 0.4,
    }
)
pays_back = np.where((frame["job"] != "none") & ((frame["income"] > 2500) | frame["owner"]), "yes", "no")
frame.loc[rng.random(n) < 0.1, "income"] = np.nan  # holes are no trouble
frame.loc[rng.random(n) < 0.05, "job"] = None

classifier = SmallTreeClassifier(random_state=1).fit(frame, pays_back)
print(classifier.tree_.to_text())
print(f"accuracy {classifier.score(frame, pays_back):.3f}, {classifier.get_n_leaves()} leaves")

newcomers = pd.DataFrame({"income": [4000.0, np.nan], "job": ["office", "astronaut"], "owner": [True, False]})
print(classifier.predict(newcomers))  # an unknown job, like a missing value, fails every test

plot_tree(classifier, file="loans.png")
