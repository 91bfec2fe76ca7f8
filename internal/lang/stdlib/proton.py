"""triton.profiler.language: scopes that a profiler records, if one asks for them. Otherwise they do nothing, as in
Triton without the profiler.
"""
from triton.language.core import builtin, _record_scope


@builtin
def enter_scope(name, _semantic=None):
    """Begins a scope."""
    _record_scope(True, name, _semantic=_semantic)


@builtin
def exit_scope(name, _semantic=None):
    """Ends a scope."""
    _record_scope(False, name, _semantic=_semantic)


class scope:
    """A scope for a with statement."""

    def __init__(self, name, _semantic=None):
        """Takes the name under which the scope is recorded."""
        self.label = name
        self.semantic = _semantic

    def __enter__(self):
        """Begins the scope."""
        _record_scope(True, self.label, _semantic=self.semantic)

    def __exit__(self, exc_type, exc_value, traceback):
        """Ends the scope, and lets exceptions pass."""
        _record_scope(False, self.label, _semantic=self.semantic)


def enable_semantic(semantic_name):
    """Would have scopes recorded in the operations of a semantic: here they are recorded in kernels of Triton."""


def disable_semantic(semantic_name):
    """Would have scopes recorded there no longer."""
