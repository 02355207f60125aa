"""The settings of an evolution, the presets, and the registry of what can be chosen."""
