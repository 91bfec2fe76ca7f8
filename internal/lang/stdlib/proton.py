"""triton.profiler.language: scopes that a profiler records. Nobody records here, so they do nothing, as in Triton
without the profiler.
"""
from triton.language.core import builtin


@builtin
def enter_scope(name, _semantic=None):
    """Begins a scope."""


@builtin
def exit_scope(name, _semantic=None):
    """Ends a scope."""


class scope:
    """A scope for a with statement."""

    def __init__(self, name, _semantic=None):
        """Takes a name, which nobody asks for."""

    def __enter__(self):
        """Begins the scope."""

    def __exit__(self, exc_type, exc_value, traceback):
        """Ends the scope, and lets exceptions pass."""


def enable_semantic(semantic_name):
    """Would have scopes recorded in the operations of a semantic."""


def disable_semantic(semantic_name):
    """Would have scopes recorded there no longer."""
