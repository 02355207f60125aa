"""Trees as flat arrays: their layout, their predictions, and how they are shown."""
