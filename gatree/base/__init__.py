"""What every part may use and that uses none: errors, limits, extras, atomic writes, timeouts."""
