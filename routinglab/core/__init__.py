"""The words every other room uses: ids, efforts, needs, constraints. Imports only ``errors``."""
