"""Settings and baselines against each other, in the manner of WEKA's Experimenter: `gatree compare`."""
