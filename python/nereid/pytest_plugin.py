"""A plug-in of pytest: `pytest --nereid-device interp` runs a project's Triton tests on a device of Nereid's."""

from __future__ import annotations

import os
import sys
from typing import Any


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("nereid")
    group.addoption("--nereid-device", default="", metavar="DEVICE",
                    help="run Triton's kernels on a device of Nereid's: cpu, interp, sim:90, cuda")
    group.addoption("--nereid-check", action="store_true",
                    help="check every access of kernels also on devices that do not by themselves")
    group.addoption("--nereid-races", action="store_true",
                    help="two programs that store different values to one place are a failure (interp)")
    group.addoption("--nereid-uninit", action="store_true",
                    help="a load of what torch.empty or numpy.empty returned, and nobody wrote, is a failure (interp)")
    group.addoption("--nereid-deep", action="store_true",
                    help="read the source of kernels without Triton's compiler, where possible")


def pytest_configure(config: Any) -> None:
    device = config.getoption("--nereid-device")
    if device or config.getoption("--nereid-check"):
        # Processes that tests start have the same device.
        os.environ["TRITON_DEFAULT_BACKEND"] = "nereid"
        if device:
            os.environ["NEREID_DEVICE"] = device
        if config.getoption("--nereid-races"):
            os.environ["NEREID_CHECK_RACES"] = "1"
        if config.getoption("--nereid-uninit"):
            from . import _uninit
            os.environ["NEREID_CHECK_UNINIT"] = "1"
            _uninit.mark_empty()
        _choose(device, config.getoption("--nereid-check"), config.getoption("--nereid-deep"))


def _choose(device: str, check: bool, deep: bool) -> None:
    """Makes Triton's kernels run on a device. Tests may run in forks (pytest --forked): the CPU is opened by them."""
    import pytest

    from . import _errors
    try:
        from .triton_backend import choose
    except ModuleNotFoundError as e:
        if e.name != "triton":
            raise
        raise pytest.UsageError("nereid: --nereid-device needs Triton, which is not installed: "
                                "pip install triton==3.6.0") from None
    try:
        choose(device, check, deep)
    except _errors.NereidError as e:
        raise pytest.UsageError(str(e)) from None


def pytest_report_header(config: Any) -> str | None:
    if "triton" not in sys.modules:
        return None
    from .triton_backend import active
    d = active()
    return f"nereid: kernels run on {d.device.name}" + (", checked" if d.check else "") if d else None
