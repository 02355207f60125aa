"""Share the fixtures of sample results with the tests of this folder."""

from sample_results import (  # noqa: F401
    found,
    matches_golden,
    odd_page,
    odd_results,
    own_page,
    own_results,
    records,
    sample,
)
