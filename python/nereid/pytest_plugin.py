"""A plug-in of pytest: `pytest --nereid-device interp` runs a project's Triton tests on a device of
Nereid's."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("nereid")
    group.addoption("--nereid-device", default="", metavar="DEVICE",
                    help="run Triton's kernels on a device of Nereid's: cpu, interp, sim:90, cuda")
    group.addoption("--nereid-check", action="store_true",
                    help="check every access of kernels also on devices that do not by themselves")
    _switch(group, "races", "programs that access one place, one of which stores, in no order, are a failure")
    _switch(group, "uninit",
            "a load of what torch.empty or numpy.empty returned, and nobody wrote, is a failure")
    group.addoption("--nereid-as-cuda", action="store_true",
                    help="tensors that tests ask for on cuda are in host memory, and torch.cuda answers for the device")
    group.addoption("--nereid-deep", action="store_true",
                    help="read the source of kernels without Triton's compiler, where possible")


def _switch(group: Any, name: str, text: str) -> None:
    """Adds the two options of a check that is on where the interpreter is the device."""
    dest = f"nereid_{name}"
    group.addoption(f"--nereid-{name}", action="store_true", default=None, dest=dest,
                    help=f"{text} (on with interp)")
    group.addoption(f"--no-nereid-{name}", action="store_false", default=None, dest=dest, help="it is not")


def _is_on(options: Any, name: str) -> bool:
    chosen = getattr(options, f"nereid_{name}")
    return options.nereid_device == "interp" if chosen is None else chosen


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Chooses the device before a project's conftest.py asks what there is."""
    _set_up(early_config.known_args_namespace)


def pytest_configure(config: Any) -> None:
    _set_up(config.option)


_done: list[tuple] = []


def _set_up(options: Any) -> None:
    """Does what the options say, once."""
    asked = (options.nereid_device, options.nereid_check, options.nereid_deep, options.nereid_as_cuda)
    if not (options.nereid_device or options.nereid_check) or asked in _done:
        return
    _done[:] = [asked]
    # Processes that tests start have the same device.
    os.environ["TRITON_DEFAULT_BACKEND"] = "nereid"
    if options.nereid_device:
        os.environ["NEREID_DEVICE"] = options.nereid_device
    if _is_on(options, "races"):
        os.environ["NEREID_CHECK_RACES"] = "1"
    if _is_on(options, "uninit"):
        from . import _uninit
        os.environ["NEREID_CHECK_UNINIT"] = "1"
        _uninit.mark_empty()
    driver = _choose(options.nereid_device, options.nereid_check, options.nereid_deep)
    if options.nereid_as_cuda:
        _as_cuda(driver)


def _choose(device: str, check: bool, deep: bool) -> Any:
    """Makes Triton's kernels run on a device. Tests may run in forks (pytest --forked): the CPU is opened by
    them."""
    from . import _errors
    try:
        from .triton_backend import choose
    except ModuleNotFoundError as e:
        if e.name != "triton":
            raise
        raise pytest.UsageError("nereid: --nereid-device needs Triton, which is not installed: "
                                "pip install triton==3.6.0") from None
    try:
        driver = choose(device, check, deep)
    except _errors.NereidError as e:
        raise pytest.UsageError(str(e)) from None
    _hide_machinery()
    return driver


def _as_cuda(driver: Any) -> None:
    if driver.device.cuda:
        raise pytest.UsageError("nereid: --nereid-as-cuda is for devices that work in host memory")
    from . import _as_cuda
    _as_cuda.stand_in(driver)


def pytest_report_header(config: Any) -> str | None:
    if "triton" not in sys.modules:
        return None
    from .triton_backend import active
    d = active()
    if not d:
        return None
    checked = "accesses" if d.check or d.device.name not in ("cpu", "cuda") else ""
    if _is_on(config.option, "races"):
        checked += ", races"
    if _is_on(config.option, "uninit"):
        checked += ", uninitialized memory"
    return f"nereid: kernels run on {d.device.name}" + (f"; checked: {checked.strip(', ')}"
                                                        if checked else "")


def _hide_machinery() -> None:
    """Leaves in reports of errors the project's own code and the kernel: what lies between, Triton's launch
    and this package, is hidden (pytest --full-trace shows it)."""
    from ._errors import NereidError
    for name, module in list(sys.modules.items()):
        if name.startswith(("nereid.", "triton.runtime.", "triton.compiler.")):
            module.__tracebackhide__ = lambda caught: isinstance(caught.value, NereidError)
