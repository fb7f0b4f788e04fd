#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derives every polynomial of compiler/Kernels/Math and prints Coefficients.inc.

Uses the Remez exchange algorithm in 70-digit decimal arithmetic and only the standard
library, so the numbers are the same on every machine:

    scripts/math_coefficients.py > compiler/Kernels/Math/Coefficients.inc
    scripts/math_coefficients.py --check compiler/Kernels/Math/Coefficients.inc
"""

import decimal
import struct
import sys
from decimal import Decimal as D
from fractions import Fraction

decimal.getcontext().prec = 70
EPS = D(10) ** -68


# Functions that the decimal module lacks, as Taylor series. With 70 digits, they are
# accurate enough on the short intervals used here.
def series(first, ratio):
    total, term, k = D(0), first, 0
    while term != 0 and abs(term) > EPS * max(abs(total), EPS):
        total += term
        k += 1
        term *= ratio(k)
    return total


def sin(x):
    return series(x, lambda k: -x * x / ((2 * k) * (2 * k + 1)))


def cos(x):
    return series(D(1), lambda k: -x * x / ((2 * k - 1) * (2 * k)))


def sinh(x):
    return series(x, lambda k: x * x / ((2 * k) * (2 * k + 1)))


def tanh(x):
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


def atan(x):
    # Halving the angle twice keeps the series short.
    for _ in range(2):
        x = x / (1 + (1 + x * x).sqrt())
    return 4 * series_odd(x, lambda k: (D(-1)) ** k / (2 * k + 1))


def series_odd(x, coefficient):
    total, power, k = D(0), x, 0
    while abs(power) > EPS * max(abs(total), EPS):
        total += power * coefficient(k)
        power *= x * x
        k += 1
    return total


def asin(x):
    return atan(x / (1 - x * x).sqrt())


PI = 16 * atan(D(1) / 5) - 4 * atan(D(1) / 239)
LN2 = D(2).ln()


def erf(x):
    return 2 / PI.sqrt() * series(x, lambda k: -x * x * (2 * k - 1) / (k * (2 * k + 1)))


def log1p_series(s):
    """2 atanh(s) = log((1 + s) / (1 - s))."""
    return ((1 + s) / (1 - s)).ln()


def polynomial(coefficients, x):
    total = D(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def solve(matrix, rhs):
    n = len(rhs)
    rows = [list(row) + [value] for row, value in zip(matrix, rhs)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            if factor != 0:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    out = [D(0)] * n
    for i in reversed(range(n)):
        known = sum((rows[i][j] * out[j] for j in range(i + 1, n)), D(0))
        out[i] = (rows[i][n] - known) / rows[i][i]
    return out


def remez(target, weight, low, high, degree):
    """Returns the polynomial p of `degree` that minimizes max |weight * (p - target)|."""
    count = degree + 2
    grid_size = 40 * count
    mid, half = (low + high) / 2, (high - low) / 2
    grid = [mid - half * cos(PI * i / grid_size) for i in range(grid_size + 1)]
    values = [(x, target(x), weight(x)) for x in grid]
    picks = [round(i * grid_size / (count - 1)) for i in range(count)]
    for _ in range(12):
        matrix, rhs = [], []
        for i, p in enumerate(picks):
            x, f, w = values[p]
            matrix.append([D(1)] + [x ** k for k in range(1, degree + 1)] + [(-1) ** i / w])
            rhs.append(f)
        *coefficients, level = solve(matrix, rhs)
        error = [w * (polynomial(coefficients, x) - f) for x, f, w in values]
        picks_new = alternation(error, count)
        if picks_new == picks:
            break
        picks = picks_new
    return coefficients, max(abs(e) for e in error)


def alternation(error, count):
    """Returns one extremum per run of equal sign; drops the smallest from the ends."""
    runs = []
    for i, e in enumerate(error):
        if runs and (error[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(error[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    while len(runs) > count:
        runs.pop(0 if abs(error[runs[0]]) < abs(error[runs[-1]]) else -1)
    if len(runs) < count:
        raise RuntimeError(f"{len(runs)} of {count} extrema: the grid is too coarse")
    return runs


def to_double(x):
    return float(Fraction(x))  # correctly rounded, unlike a conversion through a string


def to_single(x):
    # The conversion through a double rounds twice. The second rounding matters only for
    # exact ties of the first, which transcendental coefficients never are.
    return struct.unpack("f", struct.pack("f", to_double(x)))[0]


def log2_text(x):
    return f"{float(x.ln() / LN2):.1f}"


def emit_array(name, note, numbers):
    print(f"\n// {note}")
    print(f"inline constexpr double {name}[] = {{")
    for number in numbers:
        print(f"    {number.hex()},")
    print("};")


def emit_parts(name, note, value, bits, last_bits=53):
    """Splits `value` into parts; all parts except the last have only `bits` bits."""
    parts, rest = [], Fraction(value)
    for width in bits:
        exponent = 0
        while abs(rest) / Fraction(2) ** exponent >= 1:
            exponent += 1
        while abs(rest) / Fraction(2) ** exponent < Fraction(1, 2):
            exponent -= 1
        unit = Fraction(2) ** (exponent - width)
        part = (rest / unit).__trunc__() * unit
        parts.append(float(part))
        rest -= part
    parts.append(float(rest) if last_bits == 53 else to_single(D(float(rest))))
    emit_array(name, note, parts)


TINY = D("1e-12")


def at(x, limit, value):
    """Returns `value()` away from zero and the known limit at zero."""
    return limit if abs(x) < TINY else value()


def fit(name, note, target, weight, low, high, degree, single=False):
    coefficients, error = remez(target, weight, D(low), D(high), degree)
    rounded = [to_single(c) if single else to_double(c) for c in coefficients]
    emit_array(name, f"{note}; error 2^{log2_text(error)}.", rounded)


def in_square(f, order, limit):
    """Returns P in f(x) = x + x^order P(x^2), as a function of z = x^2."""
    return lambda z: at(z, limit, lambda: (f(z.sqrt()) - z.sqrt()) / z.sqrt() ** order)


def emit_exp_and_log():
    half = LN2 / 2 * D("1.0001")
    p = lambda r: at(r, D("0.5"), lambda: (r.exp() - 1 - r) / (r * r))
    w = lambda r: r * r / r.exp() + D("1e-9")
    text = "exp(r) = 1 + r + r^2 P(r) on |r| <= ln 2 / 2"
    fit("kExpF32", text, p, w, -half, half, 4, single=True)
    fit("kExpF64", text, p, w, -half, half, 9)
    p = lambda f: at(f, LN2, lambda: (D(2) ** f - 1) / f)
    fit("kExp2F32", "2^f = 1 + f P(f) on |f| <= 1/2", p, lambda f: abs(f) + D("1e-4"), D("-0.5"),
        D("0.5"), 5, single=True)

    low, high = D("0.5").sqrt() - 1, D(2).sqrt() - 1
    p = lambda f: at(f, D("-0.5"), lambda: ((1 + f).ln() - f) / (f * f))
    w = lambda f: at(f, D(0), lambda: abs(f * f / (1 + f).ln())) + D("1e-4")
    fit("kLogF32", "log(1 + f) = f + f^2 P(f) on [sqrt(1/2) - 1, sqrt(2) - 1]", p, w,
        low, high, 8, single=True)

    z_high = (high / (2 + high)) ** 2
    p = lambda z: at(z, D(2) / 5, lambda: ((log1p_series(z.sqrt()) / z.sqrt() - 2) / z
                                           - D(2) / 3) / z)
    fit("kLogF64", "log((1 + s) / (1 - s)) = 2 s + s z (2/3 + z P(z)), z = s^2, |s| <= 0.1716", p,
        lambda z: z * z / 2 + D("1e-7"), D(0), z_high, 7)
    emit_parts("kTwoThirds", "2/3 as an unevaluated sum.", D(2) / 3, [53])


def emit_hyperbolic():
    fit("kTanhF32", "tanh(x) = x + x^3 P(x^2) on |x| <= 0.625", in_square(tanh, 3, D(-1) / 3),
        lambda z: z + D("1e-4"), 0, D("0.625") ** 2, 5, single=True)
    fit("kSinhF64", "sinh(x) = x + x^3 P(x^2) on |x| <= 1", in_square(sinh, 3, D(1) / 6),
        lambda z: z + D("1e-6"), 0, 1, 6)


def emit_erf():
    def fit_erf(suffix, edge, end, degrees, single):
        scale = 2 / PI.sqrt()
        p = lambda z: at(z, scale - 1, lambda: erf(z.sqrt()) / z.sqrt() - 1)
        fit(f"kErfNear{suffix}", f"erf(x) = x + x P(x^2) on |x| <= {edge}", p, lambda z: D(1),
            0, D(edge) ** 2, degrees[0], single)
        q = lambda x: -(1 - erf(x)).ln()
        fit(f"kErfFar{suffix}", f"erf(x) = 1 - exp(-P(x)) on [{edge}, {end}]", q,
            lambda x: 1 - erf(x), edge, end, degrees[1], single)

    fit_erf("F32", "0.875", "4", (6, 6), True)
    fit_erf("F64", "1", "6", (11, 17), False)


def emit_trigonometry():
    quarter = (PI / 4 * D("1.001")) ** 2
    p_sin = in_square(sin, 3, D(-1) / 6)
    p_cos = lambda z: at(z, D(1) / 24, lambda: (cos(z.sqrt()) - 1 + z / 2) / (z * z))
    w = lambda z: z + D("1e-6")
    text_sin = "sin(r) = r + r^3 P(r^2) on |r| <= pi / 4"
    text_cos = "cos(r) = 1 - r^2 / 2 + r^4 P(r^2) on |r| <= pi / 4"
    fit("kSinShort", text_sin + ", for f32 results", p_sin, w, 0, quarter, 3)
    fit("kCosShort", text_cos + ", for f32 results", p_cos, lambda z: z * z + D("1e-6"), 0,
        quarter, 2)
    fit("kSinF64", text_sin, p_sin, w, 0, quarter, 5)
    fit("kCosF64", text_cos, p_cos, lambda z: z * z + D("1e-6"), 0, quarter, 5)

    edge = D(2).sqrt() - 1
    fit("kAtanF64", "atan(x) = x + x^3 P(x^2) on |x| <= tan(pi / 8)",
        in_square(atan, 3, D(-1) / 3), w, 0, edge * edge, 10)
    fit("kAsinF64", "asin(x) = x + x^3 P(x^2) on |x| <= 1/2", in_square(asin, 3, D(1) / 6), w, 0,
        D("0.25"), 12)


def emit_constants():
    emit_parts("kLn2F32", "ln 2; n times the first part is exact in f32 for |n| < 2^9.", LN2, [15],
               last_bits=24)
    emit_parts("kLn2F64", "ln 2; n times the first part is exact in f64 for |n| < 2^12.", LN2, [41])
    emit_parts("kLn2Pair", "ln 2 as an unevaluated sum.", LN2, [53])
    emit_parts("kLog10Of2", "log10(2); n times the first part is exact for |n| < 2^12.",
               LN2 / D(10).ln(), [41])
    emit_parts("kHalfPiShort", "pi / 2; n times all but the last part is exact for |n| <= 2^30.",
               PI / 2, [23, 23])
    emit_parts("kHalfPi", "pi / 2; n times all but the last part is exact for |n| <= 2^30.",
               PI / 2, [23, 23, 23, 23])
    emit_parts("kHalfPiPair", "pi / 2 as an unevaluated sum.", PI / 2, [53])
    emit_array("kReciprocals", "1 / ln 2, 1 / ln 10, 2 / pi.",
               [to_double(1 / LN2), to_double(1 / D(10).ln()), to_double(2 / PI)])


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        import contextlib
        import io
        fresh = io.StringIO()
        with contextlib.redirect_stdout(fresh):
            emit_all()
        with open(sys.argv[2], encoding="utf-8") as committed:
            if committed.read() != fresh.getvalue():
                sys.exit(f"{sys.argv[2]} differs from the output of {sys.argv[0]}; regenerate it")
        return
    emit_all()


def emit_all():
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print("// Minimax polynomials and split constants, lowest power first. Written by")
    print("// scripts/math_coefficients.py; edit that instead.")
    emit_exp_and_log()
    emit_hyperbolic()
    emit_erf()
    emit_trigonometry()
    emit_constants()


if __name__ == "__main__":
    main()
