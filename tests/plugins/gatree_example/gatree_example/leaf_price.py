"""A payoff: accuracy, less a price for every leaf."""


def leaf_price(trees):
    """Return a payoff per tree; more is better, and a roulette wheel takes none below 0."""
    return (trees.n_correct / trees.n_instances - 0.01 * trees.n_leaves).clip(0)
