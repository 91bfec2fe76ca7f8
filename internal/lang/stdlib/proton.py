"""triton.profiler.language: scopes that a profiler records. Nobody records here, so they are nothing, as in Triton without the profiler."""
from triton.language import core


@core.builtin
def enter_scope(name, _semantic=None):
    return None


@core.builtin
def exit_scope(name, _semantic=None):
    return None


class scope:

    def __init__(self, name, _semantic=None):
        self.name = name

    def __enter__(self):
        return None

    def __exit__(self, exc_type, exc_value, traceback):
        return None


def enable_semantic(semantic_name):
    return None


def disable_semantic(semantic_name):
    return None
