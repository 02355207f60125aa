"""The entries of this package's parts: names, descriptions, and where the parts are."""

from gatree.settings.entries import Entry, EvaluatorEntry, SelectionEntry

WALKING = EvaluatorEntry(
    "walking",
    "gatree_example.walking:WalkingEvaluator",
    "every instance walks on its own",
    label="Walking",
    inherits=False,
    seconds_per_child=5e-5,
    seconds_per_instance=5e-8,
)

WALKING_COMPILED = EvaluatorEntry(
    "walking-compiled",
    "gatree_example.walking:CompiledWalkingEvaluator",
    "every instance walks on its own, in compiled code",
    label="Walking, compiled",
    inherits=False,
    seconds_per_child=3e-5,
    seconds_per_instance=5e-9,
)

LINEAR_RANK = SelectionEntry(
    "linear-rank",
    "gatree_example.linear_rank:linear_rank",
    "any tree, with a probability that falls linearly with its rank",
)

LEAF_PRICE = Entry("leaf-price", "gatree_example.leaf_price:leaf_price", "accuracy, less 0.01 per leaf")
