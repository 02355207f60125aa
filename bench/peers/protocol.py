"""How a learner is asked and answers: arguments in, one line of JSON out.

Runs inside the learners' own environments, so it needs nothing but numpy, and any Python from 3.8 on.
"""

import json
import sys
import time

import numpy as np


def answer(run):
    """Time ``run(X, y, population, generations) -> (evaluations, accuracy)`` and print what it took.

    Arguments of the process: the data (CSV of integers, the class last), the population, the
    generations, how often to run at most, and the seconds after which no further run is started.
    """
    data, population, generations, repeats, budget = sys.argv[1:6]
    table = np.loadtxt(data, delimiter=",", dtype=np.int64)
    X, y = table[:, :-1], table[:, -1]
    run(X, y, 10, 1)  # loads and compiles what there is to load and compile
    seconds, evaluations, accuracy = [], 0, 0.0
    while len(seconds) < int(repeats) and sum(seconds) < float(budget):
        started = time.process_time()
        evaluations, accuracy = run(X, y, int(population), int(generations))
        seconds.append(time.process_time() - started)
    print(json.dumps({"evaluations": int(evaluations), "accuracy": float(accuracy), "seconds": seconds}))
