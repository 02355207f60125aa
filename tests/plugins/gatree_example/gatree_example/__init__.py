"""An example of a package that adds parts to gatree (docs/extending.md)."""
