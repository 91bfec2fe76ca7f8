"""Writes mathref.txt: functions at random arguments, computed to many digits and rounded to double precision.

    python3 mathref.py > mathref.txt      (needs mpmath)

Each line: name, arguments, value, as hexadecimal floats.
"""
import random
import sys
from mpmath import mp, mpf, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh, exp, expm1, log, log1p, pi, erf, erfc, erfinv, loggamma, gamma, besselj, bessely, besseli, cbrt, sqrt, findroot, fabs, sign, hypot

mp.prec = 1300
random.seed(1)


def root3(x):
    return sign(x) * cbrt(fabs(x))


def inverse(x):
    """erfcinv by Newton's method, from erfinv where that is exact enough."""
    x = mpf(x)
    y = erfinv(1 - x) if x > mpf(10)**-15 else sqrt(-log(x))
    for _ in range(12):
        y += (erfc(y) - x) * sqrt(pi) / 2 * exp(y * y)
    return y


ONE = {
    "exp": ((-745, 709), exp), "exp2": ((-1000, 1000), lambda x: mpf(2)**x), "exp10": ((-300, 300), lambda x: mpf(10)**x),
    "expm1": ((-5, 5), expm1), "log": ((0, 5), log), "log2": ((0, 5), lambda x: log(x, 2)), "log10": ((0, 5), lambda x: log(x, 10)),
    "log1p": ((-0.9, 2), log1p), "sin": ((-1e4, 1e4), sin), "cos": ((-1e4, 1e4), cos), "tan": ((-1e4, 1e4), tan),
    "sin ": ((-1e300, 1e300), sin), "cos ": ((-1e20, 1e20), cos),
    "sinpi": ((-50, 50), lambda x: sin(pi * x)), "cospi": ((-50, 50), lambda x: cos(pi * x)), "asin": ((-1, 1), asin), "acos": ((-1, 1), acos),
    "atan": ((-5, 5), atan), "sinh": ((-10, 10), sinh), "cosh": ((-10, 10), cosh), "tanh": ((-3, 3), tanh), "asinh": ((-10, 10), asinh),
    "acosh": ((1, 10), acosh), "atanh": ((-1, 1), atanh), "cbrt": ((-1e5, 1e5), root3), "rcbrt": ((-1e5, 1e5), lambda x: 1 / root3(x)),
    "rsqrt": ((0, 1e5), lambda x: 1 / sqrt(x)), "erf": ((-4, 4), erf), "erfc": ((-3, 20), erfc), "erfcx": ((-3, 30), lambda x: exp(x * x) * erfc(x)),
    "erfinv": ((-1, 1), erfinv), "erfcinv": ((0, 2), inverse), "normcdf": ((-10, 5), lambda x: erfc(-x / sqrt(mpf(2))) / 2),
    "normcdfinv": ((0, 1), lambda x: -sqrt(mpf(2)) * inverse(2 * mpf(x))),
    "lgamma": ((0, 50), loggamma), "tgamma": ((0, 100), gamma), "tgamma ": ((-20, 0), gamma),
    "j0": ((-60, 60), lambda x: besselj(0, x)), "j1": ((-60, 60), lambda x: besselj(1, x)), "y0": ((0, 60), lambda x: bessely(0, x)),
    "y1": ((0, 60), lambda x: bessely(1, x)), "cyl_bessel_i0": ((-60, 60), lambda x: besseli(0, x)), "cyl_bessel_i1": ((-60, 60), lambda x: besseli(1, x)),
}
TWO = {
    "pow": ((0, 30), (-50, 50), lambda x, y: x**y), "pow ": ((0.9, 1.1), (-3000, 3000), lambda x, y: x**y), "atan2": ((-5, 5), (-5, 5), atan2),
    "hypot": ((-5, 5), (-5, 5), hypot), "fmod": ((-1e6, 1e6), (-3, 3), lambda x, y: sign(x) * (fabs(x) % fabs(y))),
    "fmod ": ((-1e200, 1e200), (-3, 3), lambda x, y: sign(x) * (fabs(x) % fabs(y))),
    "remainder": ((-1e6, 1e6), (-3, 3), lambda x, y: x - y * mp.nint(x / y)),
}
N = 40


def emit(name, args, value):
    print(name.strip(), *(float(a).hex() for a in args), float(value).hex())


for name, ((lo, hi), f) in ONE.items():
    for _ in range(N):
        x = random.uniform(lo, hi)
        if abs(x) > 1e12:
            x = 2.0**random.uniform(10, 990 if hi > 1e100 else 60)
        emit(name, [x], f(mpf(x)))
for name, ((lo, hi), (lo2, hi2), f) in TWO.items():
    for _ in range(N):
        x, y = random.uniform(lo, hi), random.uniform(lo2, hi2)
        emit(name, [x, y], f(mpf(x), mpf(y)))
