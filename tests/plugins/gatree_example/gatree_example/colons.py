"""A data format: values that colons separate."""

from gatree import read_csv
from gatree.data.formats import Format


def read(path, class_name, drop_strings):
    """Return the data set in a file."""
    return read_csv(path, class_name, separator=":")


COLONS = Format("colons", (".colons",), read)
