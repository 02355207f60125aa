"""Compare evaluators on your own ARFF file: the same evolution, less work."""

import sys

from gatree import EvolutionSettings, evolve, load_data

data = load_data(sys.argv[1] if len(sys.argv) > 1 else "vote")
print(f"{data.name}: {data.n_instances} instances, {data.n_attributes} attributes")
print(f"{'evaluator':14} {'correct':>8} {'saved':>6} {'seconds':>8}")
for evaluator in ("old", "new", "new-all-nodes", "bitset"):
    settings = EvolutionSettings(evaluator=evaluator, population_size=200, mutation_rate=0.5, seed=1)
    evolve(data, settings)  # the first call compiles
    outcome = evolve(data, settings)
    saved = outcome.ledger.instances_saved
    print(f"{evaluator:14} {outcome.n_correct:8} {saved:6.1%} {outcome.timing.total:8.3f}")
