"""What the shipped notebooks show, as blocks: evals, routed tasks, and policies on outcomes.

Figures are worked out elsewhere (``evals``, ``lab``); a view picks columns, formats and captions.
"""
