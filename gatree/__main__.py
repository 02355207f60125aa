"""`python -m gatree`."""

from gatree.cli.main import main

main()
