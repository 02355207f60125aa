"""Decision trees in DEAP's typed genetic programming, evaluated with numpy.

As one would write it: a primitive ``branch(test, left, right)``, a terminal per test and per class. A
tree is evaluated in prefix order on whole columns; the tests' masks are computed once.
"""

import operator
import random

import numpy as np
from deap import algorithms, base, creator, gp, tools
from protocol import answer

X_FACTOR = 1e4
MUTATION_RATE = 0.01

creator.create("Payoff", base.Fitness, weights=(1.0,))
creator.create("Tree", gp.PrimitiveTree, fitness=creator.Payoff)


class Test:
    """The type of a test."""


class Label:
    """The type of what a tree returns."""


def primitives(X, y):
    """Return the set of primitives, and the masks of the tests."""
    found = gp.PrimitiveSetTyped("tree", [], Label)
    found.addPrimitive(operator.add, [Test, Label, Label], Label, name="branch")
    masks = {}
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for threshold in values[:-1]:
            name = f"x{j}_at_most_{threshold}".replace("-", "minus")
            masks[name] = X[:, j] <= threshold
            found.addTerminal(name, Test, name=name)
    for label in np.unique(y):
        found.addTerminal(int(label), Label)
    found.addPrimitive(operator.pos, [Test], Test, name="same")  # DEAP wants a way to grow every type
    return found, masks


def n_correct(tree, masks, y):
    """Count the instances that a tree classifies correctly."""
    stack = []
    for node in reversed(tree):
        if node.name == "branch":
            stack.append(np.where(masks[stack.pop()], stack.pop(), stack.pop()))
        elif node.name != "same":
            stack.append(node.value)
    return int(np.count_nonzero(stack[0] == y))


def payoff(tree, masks, y):
    """Return correct^2 * x / (size^2 + x), as the paper does."""
    size = 2 * sum(node.name == "branch" for node in tree) + 1
    return (n_correct(tree, masks, y) ** 2 * X_FACTOR / (size**2 + X_FACTOR),)


def toolbox_for(X, y):
    """Return the operators: stumps to begin with, one-point crossover, tournaments of two."""
    found, masks = primitives(X, y)
    toolbox = base.Toolbox()
    toolbox.register("shape", gp.genFull, pset=found, min_=1, max_=1)
    toolbox.register("tree", tools.initIterate, creator.Tree, toolbox.shape)
    toolbox.register("population", tools.initRepeat, list, toolbox.tree)
    toolbox.register("evaluate", payoff, masks=masks, y=y)
    toolbox.register("select", tools.selTournament, tournsize=2)
    toolbox.register("mate", gp.cxOnePoint)
    toolbox.register("subtree", gp.genFull, min_=0, max_=1)
    toolbox.register("mutate", gp.mutUniform, expr=toolbox.subtree, pset=found)
    return toolbox, masks


def run(X, y, population, generations):
    """Evolve with DEAP's plainest loop; every generation is evaluated as a whole."""
    random.seed(0)
    toolbox, masks = toolbox_for(X, y)
    best = tools.HallOfFame(1)
    trees = toolbox.population(n=population)
    _, log = algorithms.eaSimple(
        trees, toolbox, cxpb=1.0, mutpb=MUTATION_RATE, ngen=generations, halloffame=best, verbose=False
    )
    return sum(log.select("nevals")), n_correct(best[0], masks, y) / len(y)


if __name__ == "__main__":
    answer(run)
