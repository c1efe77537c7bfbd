"""Readers of outcome tables that others published; each gives the same checked table."""
