"""Readers of public model lists, one a source (SPEC 2.3)."""
