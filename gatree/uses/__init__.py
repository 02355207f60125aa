"""What the engine is used for beside plain evolutions: cross-validation, the paper's example, its theory."""
