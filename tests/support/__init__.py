"""Pieces shared by tests."""
