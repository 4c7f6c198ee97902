"""The command line: one thin file per command.

Nothing here imports torch, scikit-learn or pandas at start-up: a command imports its work when it runs, so that
`--help` answers at once.
"""
