"""J48, WEKA 3.6's implementation of Quinlan's C4.5, reproduced number for number, without Java.

Start with `classifier`. `settings` are WEKA's options; `build` is the algorithm, `candidates` the search for
a test, `tables` the contingency tables, and `estimates` what they are worth; `problem` has the data and
`growing` the tree under construction; `tree` is the result, which can be converted to a `DecisionTree`, and
`evaluation` its accuracy.
"""

from gatree.j48.classifier import cross_validate, fit
from gatree.j48.evaluation import Evaluation, evaluate
from gatree.j48.settings import J48Settings
from gatree.j48.tree import J48Tree

__all__ = ["Evaluation", "J48Settings", "J48Tree", "cross_validate", "evaluate", "fit"]
