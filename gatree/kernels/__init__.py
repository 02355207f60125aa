"""Everything that touches numba: the decorators, the compiler, the cache, and its events."""
