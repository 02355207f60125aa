"""Renderers that know no experiment: documents in every format, the style of figures, labels of points."""
