"""What every part may use and that uses none: errors, limits, extras, plug-ins, files, statistics."""
