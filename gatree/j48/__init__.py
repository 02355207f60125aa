"""J48: Quinlan's C4.5 as WEKA 3.6 builds it, number for number, without Java.

Start at `classifier`; `settings` are WEKA's options; `build` is the algorithm, `visit` what it does at a
node, `candidates` the search for a test, `tables` what all of them count; `tree` is the result, which can
become a tree of the genetic algorithm, `evaluation` how well it does.
"""

from gatree.j48.classifier import cross_validate, fit, from_decision_tree
from gatree.j48.evaluation import Evaluation, evaluate
from gatree.j48.settings import J48Settings
from gatree.j48.tree import J48Tree

__all__ = ["Evaluation", "J48Settings", "J48Tree", "cross_validate", "evaluate", "fit", "from_decision_tree"]
