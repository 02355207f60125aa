"""The package `gatree` of PyPI (another project of the same name), with its own defaults."""

import numpy as np
import pandas as pd
from gatree.methods.gatreeclassifier import GATreeClassifier
from protocol import answer


def run(X, y, population, generations):
    """Evolve; every generation is evaluated as a whole, and so is the first."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    learner = GATreeClassifier(random_state=0)
    learner.fit(frame, pd.Series(y), population_size=population, max_iter=generations)
    best = learner._tree
    return population * (generations + 1), np.mean(np.equal(best.y_true, best.y_pred))


answer(run)
