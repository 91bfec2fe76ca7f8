"""Prints the coefficients of the polynomials in mathlib: near-minimax fits on Chebyshev nodes, in high precision.

    python3 minimax.py NAME...      (needs mpmath)

Each row of FITS is a function, an interval, and the degrees for single and double precision. What is printed is the polynomial in
powers of the argument, the constant term first, and the largest relative error of the function it stands for.
"""
import sys
from mpmath import mp, mpf, cos, pi, matrix, lu_solve, exp, log, sin, asin, atan, erf, erfc, sqrt, tan, loggamma, besselj, bessely, besseli, quad, inf, tanh

mp.prec = 260


def fit(f, lo, hi, degree):
    n = degree + 1
    nodes = [(mpf(lo) + mpf(hi)) / 2 + (mpf(hi) - mpf(lo)) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    rows = matrix(n, n)
    rhs = matrix(n, 1)
    for i, x in enumerate(nodes):
        for j in range(n):
            rows[i, j] = x**j
        rhs[i] = f(x)
    return list(lu_solve(rows, rhs))


def horner(c, x):
    v = mpf(0)
    for a in reversed(c):
        v = v * x + a
    return v


def error(c, f, whole, lo, hi):
    """whole(x, p) is the function that is wanted, given the polynomial's value p."""
    worst = mpf(0)
    for k in range(400):
        x = mpf(lo) + (mpf(hi) - mpf(lo)) * (k + mpf(1) / 3) / 400
        want, got = whole(x, f(x)), whole(x, horner(c, x))
        if want != 0:
            worst = max(worst, abs(got / want - 1))
    return worst


def series(f, small):
    """f, with a value near 0 where it is 0/0."""
    return lambda x: f(x) if abs(x) > mpf(10)**-30 else small


def erfcx(x):
    return exp(x * x) * erfc(x)


def stirling(t):
    """The rest of log gamma after its leading terms, times x, for t = 1/x²."""
    x = 1 / sqrt(t)
    return x * (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2)


def hankel(n, t, part):
    """P or x·Q of the Bessel functions of order n beyond 8, for t = (8/x)²."""
    x = 8 / sqrt(t)
    chi = x - (2 * n + 1) * pi / 4
    root = sqrt(pi * x / 2)
    j, y = besselj(n, x), bessely(n, x)
    if part == "p":
        return root * (j * cos(chi) + y * sin(chi))
    return x * root * (y * cos(chi) - j * sin(chi))


def z64(t):
    return sqrt(32 * (1 + t))


def y0rest(t):
    x = z64(t)
    return bessely(0, x) - 2 / pi * log(x) * besselj(0, x)


def y1rest(t):
    x = z64(t)
    return (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x


L2 = log(mpf(2)) / 2
E = mpf(10)**-20
same = lambda x, p: p
T8 = tan(pi / 8)
F = sqrt(mpf(2)) - 1
S = (F / (2 + F))**2
FITS = {
    # name: f, what it is for, lo, hi, degree in single, in double
    "exp": (series(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2), lambda r, p: 1 + r + r * r * p, -L2, L2, 5, 10),
    "log": (series(lambda f: (log(1 + f) - f + f * f / 2) / f**3, mpf(1) / 3), lambda f, p: f - f * f / 2 + f**3 * p, 1 / sqrt(mpf(2)) - 1, F, 8, 0),
    "logs": (series(lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z, mpf(2) / 3), lambda z, p: 2 + z * p, mpf(10)**-20, S, 3, 7),
    "sin": (series(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6), lambda z, p: 1 + z * p, mpf(10)**-20, (pi / 4)**2, 3, 6),
    "cos": (series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24), lambda z, p: 1 - z / 2 + z * z * p, mpf(10)**-20, (pi / 4)**2, 3, 6),
    "asin": (series(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, mpf(1) / 6), lambda z, p: 1 + z * p, mpf(10)**-20, mpf(1) / 4, 5, 13),
    "atan": (series(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3), lambda z, p: 1 + z * p, mpf(10)**-20, T8**2, 4, 10),
    "erf": (series(lambda z: erf(sqrt(z)) / sqrt(z), 2 / sqrt(pi)), lambda z, p: p, mpf(10)**-20, 1, 6, 12),
    "tanh": (series(lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3), lambda z, p: 1 + z * p, mpf(10)**-20, (mpf(5) / 8)**2, 5, 0),
    "logerfc": (lambda x: log(erfc(x)), lambda x, p: exp(p), 1, 4, 11, 0),
    "erfcx": (lambda t: erfcx(4 * (1 + t) / (1 - t)) * (1 + 8 * (1 + t) / (1 - t)) if t < 1 else 2 / sqrt(pi), lambda t, p: p, mpf(-7) / 9, mpf(1) - mpf(10)**-6, 0, 25),
    "gamma1": (series(lambda u: loggamma(1 + u) / u, -mp.euler), same, -mpf(1) / 2, mpf(1) / 2, 0, 28),
    "gamma2": (series(lambda u: loggamma(2 + u) / u, 1 - mp.euler), same, -mpf(1) / 2, mpf(1) / 2, 0, 19),
    "stirling": (stirling, same, E, mpf(1) / 64, 0, 8),
    "j0": (lambda t: besselj(0, z64(t)), same, -1 + E, 1, 0, 17),
    "j1": (lambda t: besselj(1, z64(t)) / z64(t), same, -1 + E, 1, 0, 17),
    "y0": (y0rest, same, -1 + E, 1, 0, 17),
    "y1": (y1rest, same, -1 + E, 1, 0, 17),
    "p0": (lambda t: hankel(0, t, "p"), same, E, 1, 0, 15),
    "q0": (lambda t: hankel(0, t, "q"), same, E, 1, 0, 15),
    "p1": (lambda t: hankel(1, t, "p"), same, E, 1, 0, 15),
    "q1": (lambda t: hankel(1, t, "q"), same, E, 1, 0, 15),
    "exp2": (series(lambda r: (mpf(2)**r - 1) / r, log(mpf(2))), lambda r, p: 1 + r * p, -mpf(1) / 2, mpf(1) / 2, 6, 12),
}


def main():
    for name in sys.argv[1:] or FITS:
        f, whole, lo, hi, single, double = FITS[name]
        for bits, degree in ((32, single), (64, double)):
            if degree == 0:
                continue
            c = fit(f, lo, hi, degree)
            e = error(c, f, whole, lo, hi)
            digits = 9 if bits == 32 else 17
            print(f"{name} f{bits}: error 2^{float(log(e, 2)):.1f}")
            print("  " + ", ".join(mp.nstr(a, digits, min_fixed=0, max_fixed=0) for a in c))


main()
