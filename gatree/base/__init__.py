"""What every part may use and that uses none: errors, limits, plug-ins, files, statistics, the machine."""
