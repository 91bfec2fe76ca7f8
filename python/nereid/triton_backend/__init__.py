"""The back end of Triton: kernels of existing programs, compiled by Triton's front end, run on Nereid's
devices.

    compiler.py   options, stages
    driver.py     devices, benchmarks
    launcher.py   arguments of launches
    quick.py      launches that repeat
    deep.py       kernels read without Triton's compiler
    patches.py    what Triton has no hook for
"""

from __future__ import annotations

from .. import _device


def activate(device: str = "", check: bool = False, deep: bool = False) -> None:
    """Makes Triton's kernels run on a device: "cpu", "interp", "sim:90", "cuda:0"; "" means the best there
    is.

    check makes every launch check its accesses; interp and the simulators do anyway. deep reads the source of
    kernels itself, without Triton's compiler, where they are functions of a file.
    """
    d = choose(device, check, deep)
    open_device(d.device.name)  # a device that cannot be opened is reported now


def choose(device: str = "", check: bool = False, deep: bool = False):
    """Does what activate does, and returns the driver. The CPU is opened by the first launch: until then the
    process may fork."""
    from . import driver
    d = driver.NereidDriver(device, check=check, deep=deep)
    triton.runtime.driver.set_active(d)
    return d


def register() -> None:
    """Tells Triton of the back end where it did not find it: the package is on the path, but not
    installed."""
    from triton.backends import Backend, backends

    from . import compiler, driver
    if "nereid" not in backends:
        backends["nereid"] = Backend(compiler.NereidBackend, driver.NereidDriver)


def deactivate() -> None:
    """Gives Triton's kernels back to the driver that Triton chooses."""
    triton.runtime.driver._active = None


def active():
    """Returns the active driver if it is Nereid's, else None."""
    import sys
    module = sys.modules.get("triton.runtime.driver")
    d = getattr(getattr(module, "driver", None), "_active", None)
    return d if getattr(d, "nereid", False) else None


def default_device() -> str:
    """Returns the device where nothing else is said: $NEREID_DEVICE, or a GPU that PyTorch sees, or the
    CPU."""
    import os
    if name := os.environ.get("NEREID_DEVICE"):
        return name
    try:
        import torch
        return "cuda" if torch.cuda.is_available() else "cpu"
    except ImportError:
        return "cpu"


open_device, open_later = _device.open, _device.later

# Triton imports compiler.py and driver.py, which need it: whoever imports one of them first imports Triton
# first.
import triton  # noqa: E402, F401
