"""``python -m routinglab``: the same as the ``routinglab`` command."""

from routinglab.cli import main

main()
