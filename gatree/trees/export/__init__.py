"""Trees for other programs: rules, SQL, Python, ONNX and scikit-learn, one file per target.

Whatever the target, an instance gets the class that the tree gives it, missing values included: a missing
value, and a category that the tree does not know, fails every test. `registry` lists all targets by name.
"""
