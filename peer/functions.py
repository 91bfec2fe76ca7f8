"""What mathematical functions of fp64 are, from mpmath: the reference for the interpreter's.

    python -m pip install mpmath
    python peer/functions.py internal/target/interp/testdata/functions.txt.gz

Each line of the file has a function of libdevice's, the bits of its arguments (an int is written as one), and
the bits of the result, computed with 400 bits, or 1600, and rounded once. Arguments are drawn at random, over
all magnitudes, and beside the places where digits are easily lost: zeros of the function, poles, ends of its
range.
"""

import gzip
import math
import random
import struct
import sys

import mpmath as mp
from mpmath import mpf

PLAIN = 48  # random arguments of each function


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))


def rounded(v):
    """The double that is nearest to an exact value, subnormal ones too; NaN outside of a function's range."""
    if mp.isnan(v) or mp.im(v) != 0:
        return math.nan
    v = mp.re(v)
    if mp.isinf(v) or v == 0:
        return float(v)
    e = max(int(mp.floor(mp.log(abs(v), 2))), -1022) - 52
    n = mp.nint(mp.ldexp(v, -e))  # ties to even
    try:
        return math.ldexp(int(n), e)
    except OverflowError:
        return math.copysign(math.inf, v)


def normcdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def inverse(f, slope, start, y):
    """Newton's method."""
    x = start
    for _ in range(60):
        step = (f(x) - y) / slope(x)
        x -= step
        if step == 0 or abs(step) < abs(x) * mpf(2) ** -300:
            break
    return x


def erfcinv(y):
    y = mpf(y)
    start = mp.sqrt(-mp.log(y)) if y < 0.1 else mpf(mp.erfinv(1 - y)) if y < 1.9 else -mp.sqrt(-mp.log(2 - y))
    return inverse(mp.erfc, lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x), start, y)


def magnitudes(r, lo, hi, signed=True):
    """A number whose exponent is uniform between lo and hi."""
    v = math.ldexp(r.uniform(1, 2), r.randint(lo, hi))
    return -v if signed and r.random() < 0.5 else v


def near(r, x):
    """A double next to a real number, some places away."""
    d = float(x)
    for _ in range(r.choice([0, 0, 1, 2, 5, 100])):
        d = math.nextafter(d, r.choice([-math.inf, math.inf]))
    return d


def anywhere(lo=-1074, hi=1022, signed=True):
    return lambda r: magnitudes(r, lo, hi, signed)


def beside(*points):
    return lambda r: near(r, r.choice(points))


def between(lo, hi):
    return lambda r: r.uniform(lo, hi)


def multiples(step):
    """Doubles next to multiples of a real number."""
    return lambda r: near(r, r.choice([1, 1, 1, 1e3, 1e6, 1e15]) // 1 * r.randint(1, 40) * step)


def zeros(f):
    points = [f(n) for n in range(1, 9)]
    return lambda r: near(r, r.choice(points))


small, positive = anywhere(-40, 8), anywhere(signed=False)

# function: how to compute it, and from where its arguments are drawn
ONE = {
    "exp": (mp.exp, [small, between(-745, 710), anywhere(-1074, -20), beside(709.78, -745.1, -708.4)]),
    "exp2": (lambda x: mpf(2) ** x, [small, between(-1074, 1024), beside(0.5, -1022.5, 1023.9)]),
    "exp10": (lambda x: mpf(10) ** x, [small, between(-323, 308), beside(0.5, -307.6, 308.2)]),
    "expm1": (mp.expm1, [small, anywhere(-1074, 3), between(-40, 709)]),
    "log": (mp.log, [positive, beside(1), between(0.5, 2)]),
    "log2": (lambda x: mp.log(x) / mp.log(2), [positive, beside(1, 2, 8), between(0.5, 2)]),
    "log10": (mp.log10, [positive, beside(1, 10, 1000), between(0.5, 2)]),
    "log1p": (mp.log1p, [anywhere(-1074, -1), positive, beside(-0.999)]),
    "sin": (mp.sin, [small, anywhere(-1074, 1022), multiples(mp.pi)]),
    "cos": (mp.cos, [small, anywhere(-1074, 1022), multiples(mp.pi / 2)]),
    "tan": (mp.tan, [small, anywhere(-1074, 1022), multiples(mp.pi / 2)]),
    "sinpi": (mp.sinpi, [small, anywhere(-60, 50), beside(1, 2, 0.5, 100)]),
    "cospi": (mp.cospi, [small, anywhere(-60, 50), beside(1, 1.5, 0.5, 100.5)]),
    "asin": (mp.asin, [anywhere(-1074, -1), beside(1, -1, 0.5)]),
    "acos": (mp.acos, [anywhere(-1074, -1), beside(1, -1, 0.5)]),
    "atan": (mp.atan, [small, anywhere()]),
    "sinh": (mp.sinh, [small, anywhere(-1074, 8), beside(710, -709)]),
    "cosh": (mp.cosh, [small, between(-710, 710)]),
    "tanh": (mp.tanh, [small, anywhere(-1074, 4)]),
    "asinh": (mp.asinh, [small, anywhere()]),
    "acosh": (mp.acosh, [lambda r: 1 + magnitudes(r, -50, 40, False), positive]),
    "atanh": (mp.atanh, [anywhere(-1074, -1), beside(1, -1)]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [anywhere()]),
    "rcbrt": (lambda x: mp.sign(x) / mp.cbrt(abs(x)), [anywhere(-1022, 1022)]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), [positive]),
    "erf": (mp.erf, [small, anywhere(-1074, 2), between(-6, 6)]),
    "erfc": (mp.erfc, [small, between(-6, 27)]),
    "erfinv": (mp.erfinv, [anywhere(-1022, -1), beside(0.99999, -0.9999999)]),
    "erfcinv": (erfcinv, [anywhere(-1022, -1, False), between(0.01, 1.99)]),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [small, between(-26, 100)]),
    "normcdf": (normcdf, [small, between(-38, 9)]),
    "normcdfinv": (lambda x: -mp.sqrt(2) * erfcinv(2 * mpf(x)),
                   [anywhere(-1021, -2, False), between(0.01, 0.99)]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))) if x < 1e5 else mp.loggamma(x),
               [positive, between(0, 30), between(-20, 0), beside(1, 2, 1.5)]),
    "tgamma": (mp.gamma, [between(0, 171), between(-20, 0), anywhere(-1000, -10)]),
    "j0": (lambda x: mp.besselj(0, x), [between(-50, 50), anywhere(-60, 20),
                                        zeros(lambda n: mp.besseljzero(0, n))]),
    "j1": (lambda x: mp.besselj(1, x), [between(-50, 50), anywhere(-60, 20),
                                        zeros(lambda n: mp.besseljzero(1, n))]),
    "y0": (lambda x: mp.bessely(0, x), [between(0, 50), anywhere(-60, 20, False),
                                        zeros(lambda n: mp.besselyzero(0, n))]),
    "y1": (lambda x: mp.bessely(1, x), [between(0, 50), anywhere(-60, 20, False),
                                        zeros(lambda n: mp.besselyzero(1, n))]),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), [small, between(-700, 700)]),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), [small, between(-700, 700)]),
}

TWO = {
    "atan2": (mp.atan2, anywhere(-300, 300), anywhere(-300, 300)),
    "hypot": (mp.hypot, anywhere(-1022, 1022), anywhere(-1022, 1022)),
    "rhypot": (lambda x, y: 1 / mp.hypot(x, y), anywhere(-1000, 1000), anywhere(-1000, 1000)),
    "pow": (mp.power, anywhere(-60, 60, False), anywhere(-20, 4)),
}

INTEGER = {
    "jn": (mp.besselj, [-3, 2, 3, 5, 11], between(0.5, 60)),
    "yn": (mp.bessely, [-3, 2, 3, 5, 11], between(0.5, 60)),
}


def lines():
    r = random.Random(31)
    for name, (f, draws) in ONE.items():
        # arguments up to 2**1023 lose a thousand bits
        mp.mp.prec = 1600 if name in ("sin", "cos", "tan") else 400
        for n in range(PLAIN):
            for draw in draws:
                x = draw(r)
                yield name, bits(x), bits(rounded(f(mpf(x))))
    for name, (f, first, second) in TWO.items():
        for n in range(2 * PLAIN):
            x, y = first(r), second(r)
            if name == "pow" and n % 2:
                x = 1 + magnitudes(r, -40, -2)
                y = magnitudes(r, 0, 30)
            yield name, bits(x), bits(y), bits(rounded(f(mpf(x), mpf(y))))
    for name, (f, orders, draw) in INTEGER.items():
        for n in range(PLAIN):
            order, x = r.choice(orders), draw(r)
            yield name, str(order), bits(x), bits(rounded(f(order, mpf(x))))


def main():
    mp.mp.prec = 400
    with open(sys.argv[1], "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as out:
        for line in lines():
            out.write((" ".join(line) + "\n").encode())


main()
