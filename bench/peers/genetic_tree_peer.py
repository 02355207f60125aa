"""The package `genetic-tree` of PyPI, with its own rates of crossover and mutation."""

import numpy as np
from genetic_tree import GeneticTree
from protocol import answer


def run(X, y, population, generations):
    """Evolve, counting the trees that are evaluated."""
    learner = GeneticTree(n_trees=population, max_iter=generations, random_state=0, save_metrics=False)
    evaluate, evaluated = learner.evaluator.evaluate, []

    def counting(trees):
        evaluated.append(len(trees))
        return evaluate(trees)

    learner.evaluator.evaluate = counting
    learner.fit(X.astype(np.float32), y)
    return sum(evaluated), np.mean(learner.predict(X.astype(np.float32)) == y)


answer(run)
