"""The public names as type checkers see them; at run time __init__.py imports them on first use."""

from gatree.data.arff import read_arff as read_arff
from gatree.data.arff import write_arff as write_arff
from gatree.data.catalog import load_dataset as load_dataset
from gatree.data.csv_file import read_csv as read_csv
from gatree.data.dataset import Dataset as Dataset
from gatree.data.load import load_data as load_data
from gatree.estimator import GATreeClassifier as GATreeClassifier
from gatree.estimator import J48Classifier as J48Classifier
from gatree.estimator import SmallTreeClassifier as SmallTreeClassifier
from gatree.estimator import SmallTreeRegressor as SmallTreeRegressor
from gatree.evolution.evolve import evolve as evolve
from gatree.settings.evolution_settings import EvolutionSettings as EvolutionSettings
from gatree.smalltree.front import plot_fronts as plot_fronts
from gatree.trees.model import DecisionTree as DecisionTree
from gatree.trees.model import export_text as export_text
from gatree.trees.plot import plot_tree as plot_tree

__version__: str
__all__: list[str]
