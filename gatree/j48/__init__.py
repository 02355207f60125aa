"""J48: Quinlan's C4.5 as WEKA 3.6 builds it, number for number, without Java.

Start at `classifier`; `settings` are WEKA's options; `build` is the algorithm, `entering` and `leaving` a
node its parts, `candidates` the search for a test, `tables` what all of them count; `tree` is the result,
`evaluation` how well it does; `convert` and `weighed` lead to the trees of the genetic algorithm and back.
"""

from gatree.j48.classifier import cross_validate, fit
from gatree.j48.evaluation import Evaluation, evaluate
from gatree.j48.settings import J48Settings
from gatree.j48.tree import J48Tree
from gatree.j48.weighed import from_decision_tree

__all__ = ["Evaluation", "J48Settings", "J48Tree", "cross_validate", "evaluate", "fit", "from_decision_tree"]
