"""Notebook to page: execute a parametrised notebook and write one self-contained HTML file.

:func:`routinglab.report.build.build_report` is the way in.
"""
