"""The evaluators: alternative ways to count the instances that trees classify correctly.

`EVALUATORS` in settings/registry.py lists them. All implement contract.py and return the same integers.
"""
