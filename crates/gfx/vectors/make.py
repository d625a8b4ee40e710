#!/usr/bin/env python3
"""Writes the instruction vectors: scalar.txt, integer.txt, float.txt, compare.txt, lanes.txt, lds.txt.

Usage: crates/gfx/vectors/make.py    (needs llvm-mc-19; run when an instruction is added)

A line is the instruction, its dwords, registers before, registers after; see `read` in
src/exec/tests/vectors.rs for the syntax. Results are computed here, in exact integer and rational
arithmetic, from the definitions in the RDNA3.5 manual; floats are rounded once, by the rules of IEEE 754.
Nothing is shared with the implementation. Encodings are llvm-mc's.
"""

import itertools
import os
import random
import re
import subprocess
from fractions import Fraction
from math import isqrt

HERE = os.path.dirname(os.path.abspath(__file__))
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


# Numbers.

def s(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


class Float:
    """A binary format: width, bits of the exponent and of the mantissa field."""

    def __init__(self, width, exponent, mantissa):
        self.width, self.exponent, self.mantissa = width, exponent, mantissa
        self.bias = (1 << (exponent - 1)) - 1
        self.inf = ((1 << exponent) - 1) << mantissa
        self.quiet = 1 << (mantissa - 1)
        self.sign = 1 << (width - 1)

    def nan(self, x):
        return x & (self.sign - 1) > self.inf

    def signalling(self, x):
        return self.nan(x) and not x & self.quiet

    def is_inf(self, x):
        return x & (self.sign - 1) == self.inf

    def neg(self, x):
        return bool(x & self.sign)

    def value(self, x):
        field = x >> self.mantissa & ((1 << self.exponent) - 1)
        fraction = x & ((1 << self.mantissa) - 1)
        unit = Fraction(2) ** (max(field, 1) - self.bias - self.mantissa)
        value = (fraction | (1 << self.mantissa if field else 0)) * unit
        return -value if self.neg(x) else value

    def round(self, value, negative_zero=False):
        """Nearest even; a zero has the given sign."""
        if value == 0:
            return self.sign if negative_zero else 0
        sign = self.sign if value < 0 else 0
        value = abs(value)
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if Fraction(2) ** exponent > value:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        units = value / Fraction(2) ** (exponent - self.mantissa)
        whole = units.numerator // units.denominator
        rest = units - whole
        if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
            whole += 1
        # A carry runs into the exponent field, and a subnormal into the first normal.
        bits = (exponent + self.bias - 1 << self.mantissa) + whole
        return sign | min(bits, self.inf)

    def fma(self, a, b, c):
        if self.nan(a) or self.nan(b) or self.nan(c):
            return "nan"
        product_sign = self.neg(a) != self.neg(b)
        if self.is_inf(a) or self.is_inf(b):
            if self.value(a) == 0 and not self.is_inf(a) or self.value(b) == 0 and not self.is_inf(b):
                return "nan"
            if self.is_inf(c) and self.neg(c) != product_sign:
                return "nan"
            return self.inf | (self.sign if product_sign else 0)
        if self.is_inf(c):
            return c
        total = self.value(a) * self.value(b) + self.value(c)
        if total == 0:
            both = product_sign and self.neg(c) and self.value(c) == 0
            cancel = self.value(c) != 0
            return self.sign if both and not cancel else 0
        return self.round(total)

    def one(self):
        return self.bias << self.mantissa

    def add(self, a, b):
        return self.fma(a, self.one(), b)

    def mul(self, a, b):
        return self.fma(a, b, self.sign)

    def negate(self, a):
        return a ^ self.sign

    def order(self, a):
        """A key in which -0 is below +0."""
        if self.is_inf(a):
            return (-1 if self.neg(a) else 1) * Fraction(2) ** 3000, 0
        return self.value(a), 0 if self.neg(a) else 1

    def min(self, a, b, pick=min):
        if self.signalling(a):
            return a | self.quiet
        if self.signalling(b):
            return b | self.quiet
        if self.nan(b):
            return a
        if self.nan(a):
            return b
        return pick(a, b, key=self.order)

    def max(self, a, b):
        return self.min(a, b, max)

    def med3(self, a, b, c):
        if self.nan(a) or self.nan(b) or self.nan(c):
            return self.min(self.min(a, b), c)
        top = self.max(self.max(a, b), c)
        same = lambda x, y: x == y or (not self.is_inf(x) and not self.is_inf(y)
                                       and self.value(x) == self.value(y))
        if same(top, a):
            return self.max(b, c)
        if same(top, b):
            return self.max(a, c)
        return self.max(a, b)

    def unary(self, a, function):
        """A function of a finite number that keeps its sign when it gives zero."""
        if self.nan(a):
            return "nan"
        if self.is_inf(a):
            return a
        return self.round(function(self.value(a)), self.neg(a))

    def sqrt(self, a):
        if self.nan(a) or (self.neg(a) and self.value(a) != 0):
            return "nan"
        if self.is_inf(a) or self.value(a) == 0:
            return a
        value = self.value(a)
        # More than twice as many bits as the format has; the last one remembers what is below.
        scale = 4 ** 600
        root = isqrt(value.numerator * scale // value.denominator)
        exact = Fraction(root * root, scale) == value
        return self.round(Fraction(2 * root + (0 if exact else 1), 2 * 2 ** 600))

    def rcp(self, a):
        if self.nan(a):
            return "nan"
        if self.is_inf(a):
            return a & self.sign
        if self.value(a) == 0:
            return self.inf | a & self.sign
        return self.round(1 / self.value(a))

    def to_int(self, a, low, high, rounding=None):
        if self.nan(a):
            return 0
        if self.is_inf(a):
            return low if self.neg(a) else high
        value = self.value(a)
        whole = rounding(value) if rounding else trunc(value)
        return min(max(whole, low), high)

    def convert(self, a, other):
        if self.nan(a):
            return "nan"
        if self.is_inf(a):
            return other.inf | (other.sign if self.neg(a) else 0)
        return other.round(self.value(a), self.neg(a))

    def frexp(self, a):
        if self.nan(a):
            return "nan", 0
        if self.is_inf(a) or self.value(a) == 0:
            return a, 0
        value, exponent = self.value(a), 0
        while abs(value) >= 1:
            value, exponent = value / 2, exponent + 1
        while abs(value) < Fraction(1, 2):
            value, exponent = value * 2, exponent - 1
        return self.round(value), exponent

    def klass(self, a):
        negative, magnitude = self.neg(a), a & (self.sign - 1)
        if self.nan(a):
            return 1 if self.signalling(a) else 2
        kind = (0 if magnitude == self.inf else 3 if magnitude == 0
                else 2 if magnitude < 1 << self.mantissa else 1)
        return 1 << (2 + kind if negative else 9 - kind)


def trunc(value):
    return -(-value.numerator // value.denominator) if value < 0 else value.numerator // value.denominator


def floor(value):
    return value.numerator // value.denominator


def ceil(value):
    return -floor(-value)


def rndne(value):
    whole = floor(value)
    rest = value - whole
    return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1))


F16, F32, F64 = Float(16, 5, 10), Float(32, 8, 23), Float(64, 11, 52)

EDGES = {
    "i32": [0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, M32, 0xfffffffe, 0x12345678, 0xdeadbeef, 0xffff,
            0x10000, 0x00ffffff, 0x80808080],
    "i16": [0, 1, 2, 15, 16, 0x7fff, 0x8000, 0xffff, 0x1234, 0xbeef],
    "i64": [0, 1, 63, 64, M64, 1 << 63, M64 >> 1, 0x123456789abcdef0, 0xffffffff, 1 << 32,
            0xdeadbeefcafebabe],
    "f32": [0, 0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x00000001, 0x807fffff, 0x00800000,
            0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc01234, 0x7f801234, 0x40490fdb, 0x0da24260,
            0x7149f2ca, 0x4b000001, 0xcb7fffff, 0x3f000000, 0xbfc00000, 0x40200000, 0x4f000000, 0xcf000001],
    "f16": [0, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
            0x7e12, 0x7c12, 0x4248, 0x6401, 0x3800, 0xb800, 0x4100],
    "f64": [0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000, 1, 0x800fffffffffffff,
            0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
            0x7ff8000000001234, 0x7ff0000000001234, 0x400921fb54442d18, 0x4330000000000001,
            0x3fe0000000000000, 0x41dfffffffc00000, 0xc1e0000000200000, 0x36a0000000000001],
}
for kind, same in (("u32", "i32"), ("b32", "i32"), ("u16", "i16"), ("u64", "i64")):
    EDGES[kind] = EDGES[same]
WIDE = {"i64", "u64", "f64"}
FORMATS = {"f16": F16, "f32": F32, "f64": F64}
RANDOM = random.Random(1151)


def combinations(kinds, count):
    """Edge values against each other, then random ones."""
    lists = [EDGES[kind] for kind in kinds]
    if len(kinds) == 1:
        chosen = [(value,) for value in lists[0]]
    else:
        everything = list(itertools.product(*lists))
        RANDOM.shuffle(everything)
        chosen = everything[:count - 4]
    while len(chosen) < count:
        values = []
        for kind in kinds:
            bits = 64 if kind in WIDE else 16 if kind.endswith("16") else 32
            values.append(RANDOM.getrandbits(bits))
        chosen.append(tuple(values))
    return chosen[:count]


# Lines.

class File:
    def __init__(self, name, about):
        self.name, self.about, self.cases = name, about, []

    def case(self, text, before, after):
        self.cases.append((text, before, after))

    def write(self):
        source = "\n".join(text for text, _, _ in self.cases) + "\n"
        out = subprocess.run(
            ["llvm-mc-19", "-triple=amdgcn", "-mcpu=gfx1151", "-show-encoding"],
            input=source, capture_output=True, text=True, check=False)
        if out.returncode != 0:
            raise SystemExit(out.stderr)
        codes = re.findall(r"encoding: \[(.*?)\]", out.stdout)
        assert len(codes) == len(self.cases), (len(codes), len(self.cases))
        with open(os.path.join(HERE, self.name), "w") as file:
            file.write(f"# {self.about}\n#\n"
                       "# Source of the expected values: make.py beside this file, which computes them in exact\n"
                       "# arithmetic from the definitions of the RDNA3.5 manual. Encodings: llvm-mc 19.\n"
                       "# instruction ; dwords ; registers before ; registers after\n")
            for (text, before, after), code in zip(self.cases, codes):
                data = bytes(int(byte, 16) for byte in code.split(","))
                dwords = " ".join(f"{int.from_bytes(data[n:n + 4], 'little'):08x}"
                                  for n in range(0, len(data), 4))
                file.write(f"{text} ; {dwords} ; {before} ; {after}\n")


def number(value, kind):
    if value == "nan":
        return "nan" + {"f16": "16", "f32": "32", "f64": "64"}[kind]
    digits = 16 if kind in WIDE else 4 if kind.endswith("16") else 8
    return f"{value & ((1 << 4 * digits) - 1):0{digits}x}"


def register(first, kind):
    return f"v[{first}:{first + 1}]" if kind in WIDE else f"v{first}"


def lane_list(values, kind):
    return ",".join(number(value, kind) for value in values)


def vector(file, name, kinds, result, function, suffix="", count=32, accumulate=False):
    """An instruction on vector registers: one line, one case in each lane."""
    cases = combinations(kinds, count)
    sources = [2, 4, 6][:len(kinds)]
    if accumulate:
        sources[-1] = 10
    named = sources[:-1] if accumulate else sources
    text = f"{name}{suffix} {register(10, result)}, " + ", ".join(
        register(first, kind) for first, kind in zip(named, kinds))
    before = " ".join(f"{register(first, kind)}={lane_list([case[n] for case in cases], kind)}"
                      for n, (first, kind) in enumerate(zip(sources, kinds)))
    after = f"{register(10, result)}={lane_list([function(*case) for case in cases], result)}"
    file.case(text, before, after)


def scalar(file, name, kinds, result, function, scc_in=False):
    """An instruction on scalar registers: one line a case. The function gives what it writes: the number,
    or None, and SCC, or None."""
    for case in combinations(kinds, 12):
        for scc in ((0, 1) if scc_in else (0,)):
            value, scc_out = function(*case, scc) if scc_in else function(*case)
            places = [4, 8][:len(kinds)]
            name_of = lambda first, kind: (f"s[{first}:{first + 1}]" if kind in WIDE else f"s{first}")
            sources = ", ".join(name_of(p, k) for p, k in zip(places, kinds))
            dest = f"{name_of(12, result)}, " if result else ""
            before = " ".join(f"{name_of(p, k)}={number(v, k)}" for p, k, v in zip(places, kinds, case))
            if scc_in:
                before += f" scc={scc}"
            after = []
            if result and value is not None:
                after.append(f"{name_of(12, result)}={number(value, result)}")
            if scc_out is not None:
                after.append(f"scc={int(scc_out)}")
            file.case(f"{name} {dest}{sources}", before, " ".join(after))


# Scalar instructions.

def scalars():
    f = File("scalar.txt", "Scalar arithmetic")
    nz = lambda x, mask=M32: (x & mask, (x & mask) != 0)
    over = lambda x: not -(1 << 31) <= x < 1 << 31
    two = lambda name, kinds, result, function, **kw: scalar(f, name, kinds, result, function, **kw)
    u = ("u32", "u32")
    two("s_add_u32", u, "u32", lambda a, b: (a + b, a + b > M32))
    two("s_sub_u32", u, "u32", lambda a, b: (a - b, b > a))
    two("s_add_i32", u, "u32", lambda a, b: (a + b, over(s(a) + s(b))))
    two("s_sub_i32", u, "u32", lambda a, b: (a - b, over(s(a) - s(b))))
    two("s_addc_u32", u, "u32", lambda a, b, c: (a + b + c, a + b + c > M32), scc_in=True)
    two("s_subb_u32", u, "u32", lambda a, b, c: (a - b - c, b + c > a), scc_in=True)
    two("s_absdiff_i32", u, "u32", lambda a, b: nz(abs(s(s(a) - s(b)))))
    for n in (1, 2, 3, 4):
        two(f"s_lshl{n}_add_u32", u, "u32", lambda a, b, n=n: ((a << n) + b, (a << n) + b > M32))
    two("s_min_i32", u, "u32", lambda a, b: (min(s(a), s(b)), s(a) < s(b)))
    two("s_max_i32", u, "u32", lambda a, b: (max(s(a), s(b)), s(a) >= s(b)))
    two("s_min_u32", u, "u32", lambda a, b: (min(a, b), a < b))
    two("s_max_u32", u, "u32", lambda a, b: (max(a, b), a >= b))
    logic = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
             "nand": lambda a, b: ~(a & b), "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
             "and_not1": lambda a, b: a & ~b, "or_not1": lambda a, b: a | ~b}
    for name, function in logic.items():
        two(f"s_{name}_b32", u, "u32", lambda a, b, g=function: nz(g(a, b)))
        two(f"s_{name}_b64", ("u64", "u64"), "u64", lambda a, b, g=function: nz(g(a, b), M64))
    two("s_lshl_b32", u, "u32", lambda a, b: nz(a << (b & 31)))
    two("s_lshr_b32", u, "u32", lambda a, b: nz(a >> (b & 31)))
    two("s_ashr_i32", u, "u32", lambda a, b: nz(s(a) >> (b & 31)))
    two("s_lshl_b64", ("u64", "u32"), "u64", lambda a, b: nz(a << (b & 63), M64))
    two("s_lshr_b64", ("u64", "u32"), "u64", lambda a, b: nz(a >> (b & 63), M64))
    two("s_ashr_i64", ("u64", "u32"), "u64", lambda a, b: nz(s(a, 64) >> (b & 63), M64))
    two("s_bfm_b32", u, "u32", lambda a, b: (((1 << (a & 31)) - 1) << (b & 31), None))
    two("s_bfm_b64", u, "u64", lambda a, b: (((1 << (a & 63)) - 1) << (b & 63), None))
    two("s_mul_i32", u, "u32", lambda a, b: (a * b, None))
    two("s_mul_hi_u32", u, "u32", lambda a, b: (a * b >> 32, None))
    two("s_mul_hi_i32", u, "u32", lambda a, b: (s(a) * s(b) >> 32, None))
    two("s_cselect_b32", u, "u32", lambda a, b, c: (a if c else b, None), scc_in=True)
    two("s_cselect_b64", ("u64", "u64"), "u64", lambda a, b, c: (a if c else b, None), scc_in=True)
    two("s_pack_ll_b32_b16", u, "u32", lambda a, b: (a & 0xffff | (b & 0xffff) << 16, None))
    two("s_pack_lh_b32_b16", u, "u32", lambda a, b: (a & 0xffff | (b >> 16) << 16, None))
    two("s_pack_hh_b32_b16", u, "u32", lambda a, b: (a >> 16 | (b >> 16) << 16, None))
    two("s_pack_hl_b32_b16", u, "u32", lambda a, b: (a >> 16 | (b & 0xffff) << 16, None))

    def field(bits, signed):
        def extract(a, b):
            offset, width = b & (bits - 1), min(b >> 16 & 0x7f, bits)
            value = (s(a, bits) if signed else a) >> offset & ((1 << width) - 1)
            if signed and width and value >> (width - 1):
                value -= 1 << width
            return nz(value, M32 if bits == 32 else M64)
        return extract
    fields = [0, 0x00050003, 0x00200000, 0x0020001f, 0x00010000, 0x0040003f, 0x00100020, 0x001f0001]
    for name, kind, bits, signed in (("u32", "u32", 32, False), ("i32", "u32", 32, True),
                                     ("u64", "u64", 64, False), ("i64", "u64", 64, True)):
        for a, b in zip(EDGES[kind][2:], fields):
            value, scc = field(bits, signed)(a, b)
            pair = lambda first: f"s[{first}:{first + 1}]" if bits == 64 else f"s{first}"
            f.case(f"s_bfe_{name} {pair(12)}, {pair(4)}, s8",
                   f"{pair(4)}={number(a, kind)} s8={b:08x}",
                   f"{pair(12)}={number(value, kind)} scc={int(scc)}")

    one = lambda name, kind, result, function, **kw: scalar(f, name, (kind,), result, function, **kw)
    reverse = lambda a, n: int(f"{a:0{n}b}"[::-1], 2)
    lead = lambda a, n: n - a.bit_length() if a else M32
    trail = lambda a: (a & -a).bit_length() - 1 if a else M32

    def cls(a, n):
        a = s(a, n)
        other = ~a if a < 0 else a
        return n - other.bit_length() if other else M32
    for name, kind, n in (("b32", "u32", 32), ("b64", "u64", 64)):
        mask = (1 << n) - 1
        one(f"s_mov_{name}", kind, kind, lambda a: (a, None))
        one(f"s_not_{name}", kind, kind, lambda a, mask=mask: nz(~a, mask))
        one(f"s_brev_{name}", kind, kind, lambda a, n=n: (reverse(a, n), None))
        one(f"s_ctz_i32_{name}", kind, "u32", lambda a: (trail(a), None))
        one(f"s_bcnt1_i32_{name}", kind, "u32", lambda a: nz(bin(a).count("1")))
        one(f"s_bcnt0_i32_{name}", kind, "u32", lambda a, n=n: nz(n - bin(a).count("1")))

        def quad(a, n=n):
            return sum(bool(a >> 4 * q & 15) << q for q in range(n // 4))
        one(f"s_quadmask_{name}", kind, kind, lambda a, q=quad: nz(q(a), M64))
        one(f"s_wqm_{name}", kind, kind,
            lambda a, q=quad, n=n: nz(sum((q(a) >> i & 1) * 15 << 4 * i for i in range(n // 4)), M64))
    one("s_clz_i32_u32", "u32", "u32", lambda a: (lead(a, 32), None))
    one("s_clz_i32_u64", "u64", "u32", lambda a: (lead(a, 64), None))
    one("s_cls_i32", "u32", "u32", lambda a: (cls(a, 32), None))
    one("s_cls_i32_i64", "u64", "u32", lambda a: (cls(a, 64), None))
    one("s_sext_i32_i8", "u32", "u32", lambda a: (s(a, 8), None))
    one("s_sext_i32_i16", "u32", "u32", lambda a: (s(a, 16), None))
    one("s_abs_i32", "u32", "u32", lambda a: nz(abs(s(a))))
    one("s_bitreplicate_b64_b32", "u32", "u64", lambda a: (sum((a >> i & 1) * 3 << 2 * i for i in range(32)), None))
    one("s_cmov_b32", "u32", "u32", lambda a, c: (a if c else None, None), scc_in=True)

    for name, function in {"and": lambda a, e: a & e, "or": lambda a, e: a | e, "xor": lambda a, e: a ^ e,
                           "nand": lambda a, e: ~(a & e), "nor": lambda a, e: ~(a | e),
                           "xnor": lambda a, e: ~(a ^ e), "and_not0": lambda a, e: ~a & e,
                           "or_not0": lambda a, e: ~a | e, "and_not1": lambda a, e: a & ~e,
                           "or_not1": lambda a, e: a | ~e}.items():
        for a, e in ((0x0f0f1234, 0xffff0000), (0, M32), (M32, M32), (0x1234, 0x1234)):
            new = function(a, e) & M32
            f.case(f"s_{name}_saveexec_b32 s12, s4", f"s4={a:08x} exec={e:08x}",
                   f"s12={e:08x} exec={new:08x} scc={int(new != 0)}")
    for name, function in (("and_not0", lambda a, e: ~a & e), ("and_not1", lambda a, e: a & ~e)):
        for a, e in ((0x0f0f1234, 0xffff0000), (0, M32)):
            new = function(a, e) & M32
            f.case(f"s_{name}_wrexec_b32 s12, s4", f"s4={a:08x} exec={e:08x}",
                   f"s12={new:08x} exec={new:08x} scc={int(new != 0)}")

    import operator
    relations = {"eq": operator.eq, "lg": operator.ne, "gt": operator.gt, "ge": operator.ge,
                 "lt": operator.lt, "le": operator.le}
    for name, relation in relations.items():
        scalar(f, f"s_cmp_{name}_i32", u, None, lambda a, b, r=relation: (None, r(s(a), s(b))))
        scalar(f, f"s_cmp_{name}_u32", u, None, lambda a, b, r=relation: (None, r(a, b)))
    for name in ("eq", "lg"):
        scalar(f, f"s_cmp_{name}_u64", ("u64", "u64"), None,
               lambda a, b, r=relations[name]: (None, r(a, b)))
    for n, mask, kind in ((32, 31, "u32"), (64, 63, "u64")):
        scalar(f, f"s_bitcmp0_b{n}", (kind, "u32"), None, lambda a, b, m=mask: (None, not a >> (b & m) & 1))
        scalar(f, f"s_bitcmp1_b{n}", (kind, "u32"), None, lambda a, b, m=mask: (None, a >> (b & m) & 1))
    for a in (0, 5, M32, 0x7fff, 0xffff8000, 0x8000, 0xffff):
        for b in (0, 5, 0x7fff, -0x8000, -1):
            for name, relation in relations.items():
                f.case(f"s_cmpk_{name}_i32 s4, {b}", f"s4={a:08x}", f"scc={int(relation(s(a), b))}")
                f.case(f"s_cmpk_{name}_u32 s4, {b & 0xffff}", f"s4={a:08x}",
                       f"scc={int(relation(a, b & 0xffff))}")
            total = s(a) + b
            f.case(f"s_addk_i32 s4, {b}", f"s4={a:08x}", f"s4={total & M32:08x} scc={int(over(total))}")
            f.case(f"s_mulk_i32 s4, {b}", f"s4={a:08x}", f"s4={s(a) * b & M32:08x}")
    f.case("s_movk_i32 s12, -2", "scc=1", "s12=fffffffe")
    f.case("s_cmovk_i32 s12, 77", "scc=1", "s12=0000004d")
    f.case("s_cmovk_i32 s12, 77", "scc=0", "")
    f.case("s_bitset1_b32 s4, s8", "s4=00000000 s8=00000025", "s4=00000020")
    f.case("s_bitset0_b32 s4, s8", "s4=ffffffff s8=0000001f", "s4=7fffffff")
    f.case("s_bitset1_b64 s[4:5], s8", "s[4:5]=0000000000000000 s8=0000003f", "s[4:5]=8000000000000000")
    f.case("s_bitset0_b64 s[4:5], s8", "s[4:5]=ffffffffffffffff s8=00000020", "s[4:5]=fffffffeffffffff")
    f.case("s_movrels_b32 s12, s4", "m0=00000003 s7=12345678", "s12=12345678")
    f.case("s_movrels_b64 s[12:13], s[4:5]", "m0=00000002 s[6:7]=123456789abcdef0",
           "s[12:13]=123456789abcdef0")
    f.case("s_movreld_b32 s4, s12", "m0=00000003 s12=12345678", "s7=12345678")
    # Constants, literals and special registers.
    f.case("s_mov_b32 s12, 0x12345678", "", "s12=12345678")
    f.case("s_mov_b32 s12, 64", "", "s12=00000040")
    f.case("s_mov_b32 s12, -16", "", "s12=fffffff0")
    f.case("s_mov_b32 s12, 0.15915494", "", "s12=3e22f983")
    f.case("s_mov_b64 s[12:13], -4.0", "", "s[12:13]=c010000000000000")
    f.case("s_mov_b64 s[12:13], -1", "", "s[12:13]=ffffffffffffffff")
    f.case("s_mov_b64 s[12:13], src_shared_base", "", "s[12:13]=0001000000000000")
    f.case("s_mov_b64 s[12:13], src_private_base", "", "s[12:13]=0002000000000000")
    f.case("s_mov_b32 s12, null", "", "s12=00000000")
    f.case("s_mov_b32 null, s12", "s12=12345678", "")
    f.case("s_add_u32 null, s4, s8", "s4=ffffffff s8=00000001", "scc=1")
    f.case("s_mov_b32 m0, s12", "s12=12345678", "m0=12345678")
    f.case("s_mov_b32 vcc_hi, s12", "s12=12345678", "vcc_hi=12345678")
    f.case("s_mov_b32 exec_hi, s12", "s12=12345678", "exec_hi=12345678")
    f.case("s_mov_b32 s12, src_scc", "scc=1", "s12=00000001")

    for fmt, kind, suffix in ((F32, "f32", "f32"), (F16, "f16", "f16")):
        pair = (kind, kind)
        # f16 results leave zeros above: the register is written as a whole.
        wide = "f32" if kind == "f32" else "u32"
        as_wide = lambda x: x if x == "nan" else x
        result = kind if kind == "f32" else "f16"
        two = lambda name, function: scalar(f, f"s_{name}_{suffix}", pair, result,
                                            lambda a, b: (function(a, b), None))
        two("add", fmt.add)
        two("sub", lambda a, b, fmt=fmt: "nan" if fmt.nan(b) else fmt.add(a, fmt.negate(b)))
        two("mul", fmt.mul)
        two("min", fmt.min)
        two("max", fmt.max)
        for name, function in (("ceil", ceil), ("floor", floor), ("trunc", trunc), ("rndne", rndne)):
            scalar(f, f"s_{name}_{suffix}", (kind,), result,
                   lambda a, g=function, fmt=fmt: (fmt.unary(a, lambda v: Fraction(g(v))), None))
        floats = float_relations(fmt)
        for name in ("lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt"):
            scalar(f, f"s_cmp_{name}_{suffix}", pair, None, lambda a, b, r=floats[name]: (None, r(a, b)))
    scalar(f, "s_cvt_f32_i32", ("u32",), "f32", lambda a: (F32.round(Fraction(s(a))), None))
    scalar(f, "s_cvt_f32_u32", ("u32",), "f32", lambda a: (F32.round(Fraction(a)), None))
    scalar(f, "s_cvt_i32_f32", ("f32",), "u32", lambda a: (F32.to_int(a, -1 << 31, (1 << 31) - 1), None))
    scalar(f, "s_cvt_u32_f32", ("f32",), "u32", lambda a: (F32.to_int(a, 0, M32), None))
    scalar(f, "s_cvt_f16_f32", ("f32",), "f16", lambda a: (F32.convert(a, F16), None))
    scalar(f, "s_cvt_f32_f16", ("f16",), "f32", lambda a: (F16.convert(a, F32), None))
    f.case("s_cvt_hi_f32_f16 s12, s4", "s4=3c00c000", "s12=3f800000")
    f.case("s_fmac_f32 s12, s4, s8", "s12=3f800000 s4=40000000 s8=40400000", "s12=40e00000")
    f.case("s_fmac_f16 s12, s4, s8", "s12=00003c00 s4=00004000 s8=00004200", "s12=00004700")
    f.case("s_fmaak_f32 s12, s4, s8, 0x3f800000", "s4=40000000 s8=40400000", "s12=40e00000")
    f.case("s_fmamk_f32 s12, s4, 0x40400000, s8", "s4=40000000 s8=3f800000", "s12=40e00000")
    f.case("s_cvt_pk_rtz_f16_f32 s12, s4, s8", "s4=477fffff s8=bf801fff", "s12=bc007bff")
    f.case("s_getpc_b64 s[12:13]", "", "s[12:13]=pc+4")
    f.case("s_sendmsg_rtn_b32 s12, sendmsg(MSG_RTN_GET_DOORBELL)", "", "s12=00000005")
    return f


def float_relations(fmt):
    def value(x):
        return fmt.order(x)[0]
    u = lambda a, b: fmt.nan(a) or fmt.nan(b)
    lt = lambda a, b: not u(a, b) and value(a) < value(b)
    eq = lambda a, b: not u(a, b) and value(a) == value(b)
    gt = lambda a, b: not u(a, b) and value(a) > value(b)
    table = {"f": lambda a, b: False, "lt": lt, "eq": eq, "le": lambda a, b: lt(a, b) or eq(a, b), "gt": gt,
             "lg": lambda a, b: lt(a, b) or gt(a, b), "ge": lambda a, b: gt(a, b) or eq(a, b),
             "o": lambda a, b: not u(a, b), "u": u, "t": lambda a, b: True}
    for name, opposite in (("nge", "ge"), ("nlg", "lg"), ("ngt", "gt"), ("nle", "le"), ("neq", "eq"),
                           ("nlt", "lt")):
        table[name] = lambda a, b, o=opposite: not table[o](a, b)
    return table


# Vector instructions on integers.

def integers():
    f = File("integer.txt", "Vector instructions on integers and bits")
    v = lambda name, kinds, result, function, **kw: vector(f, name, kinds, result, function, **kw)
    u2, u3 = ("u32",) * 2, ("u32",) * 3
    lead = lambda a: 32 - a.bit_length() if a else M32
    v("v_mov_b32", ("u32",), "u32", lambda a: a)
    v("v_not_b32", ("u32",), "u32", lambda a: ~a)
    v("v_bfrev_b32", ("u32",), "u32", lambda a: int(f"{a:032b}"[::-1], 2))
    v("v_clz_i32_u32", ("u32",), "u32", lead)
    v("v_ctz_i32_b32", ("u32",), "u32", lambda a: (a & -a).bit_length() - 1 if a else M32)

    def cls(a):
        other = ~s(a) if s(a) < 0 else a
        return 32 - other.bit_length() if other else M32
    v("v_cls_i32", ("u32",), "u32", cls)
    i24, u24 = lambda a: s(a, 24), lambda a: a & 0xffffff
    v("v_mul_i32_i24", u2, "u32", lambda a, b: i24(a) * i24(b))
    v("v_mul_hi_i32_i24", u2, "u32", lambda a, b: i24(a) * i24(b) >> 32)
    v("v_mul_u32_u24", u2, "u32", lambda a, b: u24(a) * u24(b))
    v("v_mul_hi_u32_u24", u2, "u32", lambda a, b: u24(a) * u24(b) >> 32)
    v("v_min_i32", u2, "u32", lambda a, b: min(s(a), s(b)))
    v("v_max_i32", u2, "u32", lambda a, b: max(s(a), s(b)))
    v("v_min_u32", u2, "u32", min)
    v("v_max_u32", u2, "u32", max)
    v("v_lshlrev_b32", u2, "u32", lambda a, b: b << (a & 31))
    v("v_lshrrev_b32", u2, "u32", lambda a, b: b >> (a & 31))
    v("v_ashrrev_i32", u2, "u32", lambda a, b: s(b) >> (a & 31))
    v("v_and_b32", u2, "u32", lambda a, b: a & b)
    v("v_or_b32", u2, "u32", lambda a, b: a | b)
    v("v_xor_b32", u2, "u32", lambda a, b: a ^ b)
    v("v_xnor_b32", u2, "u32", lambda a, b: ~(a ^ b))
    v("v_add_nc_u32", u2, "u32", lambda a, b: a + b)
    v("v_sub_nc_u32", u2, "u32", lambda a, b: a - b)
    v("v_subrev_nc_u32", u2, "u32", lambda a, b: b - a)
    v("v_mad_i32_i24", u3, "u32", lambda a, b, c: i24(a) * i24(b) + c)
    v("v_mad_u32_u24", u3, "u32", lambda a, b, c: u24(a) * u24(b) + c)
    v("v_bfe_u32", u3, "u32", lambda a, b, c: a >> (b & 31) & ((1 << (c & 31)) - 1))

    def bfe(a, b, c):
        width = c & 31
        return s(s(a) >> (b & 31), width) if width else 0
    v("v_bfe_i32", u3, "u32", bfe)
    v("v_bfi_b32", u3, "u32", lambda a, b, c: a & b | ~a & c)
    byte = lambda a, n: a >> 8 * n & 0xff
    v("v_lerp_u8", u3, "u32",
      lambda a, b, c: sum((byte(a, n) + byte(b, n) + (byte(c, n) & 1) >> 1) << 8 * n for n in range(4)))
    v("v_alignbit_b32", u3, "u32", lambda a, b, c: (a << 32 | b) >> (c & 31))
    v("v_alignbyte_b32", u3, "u32", lambda a, b, c: (a << 32 | b) >> 8 * (c & 3))
    three = {"min3": min, "max3": max, "med3": lambda *x: sorted(x)[1]}
    for name, function in three.items():
        v(f"v_{name}_i32", u3, "u32", lambda a, b, c, g=function: g(s(a), s(b), s(c)))
        v(f"v_{name}_u32", u3, "u32", lambda a, b, c, g=function: g(a, b, c))
        v(f"v_{name}_i16", ("i16",) * 3, "u16", lambda a, b, c, g=function: g(s(a, 16), s(b, 16), s(c, 16)))
        v(f"v_{name}_u16", ("i16",) * 3, "u16", lambda a, b, c, g=function: g(a, b, c))
    sad = lambda a, b: sum(abs(byte(a, n) - byte(b, n)) for n in range(4))
    v("v_sad_u8", u3, "u32", lambda a, b, c: sad(a, b) + c)
    v("v_sad_hi_u8", u3, "u32", lambda a, b, c: (sad(a, b) << 16) + c)
    v("v_sad_u16", u3, "u32", lambda a, b, c: abs((a >> 16) - (b >> 16)) + abs((a & 0xffff) - (b & 0xffff)) + c)
    v("v_sad_u32", u3, "u32", lambda a, b, c: abs(a - b) + c)
    v("v_msad_u8", u3, "u32",
      lambda a, b, c: sum(abs(byte(a, n) - byte(b, n)) for n in range(4) if byte(b, n)) + c)
    v("v_xor3_b32", u3, "u32", lambda a, b, c: a ^ b ^ c)

    def perm(a, b, c):
        pair, out = a << 32 | b, 0
        for n in range(4):
            sel = byte(c, n)
            if sel < 8:
                value = byte(pair, sel)
            elif sel < 12:
                value = 0xff if pair >> {8: 15, 9: 31, 10: 47, 11: 63}[sel] & 1 else 0
            else:
                value = 0 if sel == 12 else 0xff
            out |= value << 8 * n
        return out
    v("v_perm_b32", u3, "u32", perm)
    for selector in (0x03020100, 0x07060504, 0x0b0a0908, 0x0dff0c00):
        values = combinations(u2, 32)
        f.case(f"v_perm_b32 v10, v2, v4, 0x{selector:x}",
               f"v2={lane_list([x for x, _ in values], 'u32')} v4={lane_list([x for _, x in values], 'u32')}",
               f"v10={lane_list([perm(x, y, selector) for x, y in values], 'u32')}")
    v("v_xad_u32", u3, "u32", lambda a, b, c: (a ^ b) + c)
    v("v_lshl_add_u32", u3, "u32", lambda a, b, c: (a << (b & 31)) + c)
    v("v_add_lshl_u32", u3, "u32", lambda a, b, c: (a + b & M32) << (c & 31))
    v("v_add3_u32", u3, "u32", lambda a, b, c: a + b + c)
    v("v_lshl_or_b32", u3, "u32", lambda a, b, c: a << (b & 31) | c)
    v("v_and_or_b32", u3, "u32", lambda a, b, c: a & b | c)
    v("v_or3_b32", u3, "u32", lambda a, b, c: a | b | c)
    v("v_maxmin_u32", u3, "u32", lambda a, b, c: min(max(a, b), c))
    v("v_minmax_u32", u3, "u32", lambda a, b, c: max(min(a, b), c))
    v("v_maxmin_i32", u3, "u32", lambda a, b, c: min(max(s(a), s(b)), s(c)))
    v("v_minmax_i32", u3, "u32", lambda a, b, c: max(min(s(a), s(b)), s(c)))
    v("v_bfm_b32", u2, "u32", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31))
    v("v_bcnt_u32_b32", u2, "u32", lambda a, b: bin(a).count("1") + b)
    clip = lambda x, low, high: min(max(x, low), high)
    v("v_cvt_pk_u16_u32", u2, "u32", lambda a, b: clip(a, 0, 0xffff) | clip(b, 0, 0xffff) << 16)
    v("v_cvt_pk_i16_i32", u2, "u32",
      lambda a, b: clip(s(a), -0x8000, 0x7fff) & 0xffff | (clip(s(b), -0x8000, 0x7fff) & 0xffff) << 16)
    v("v_add_nc_i32", u2, "u32", lambda a, b: a + b)
    v("v_sub_nc_i32", u2, "u32", lambda a, b: a - b)
    v("v_mul_lo_u32", u2, "u32", lambda a, b: a * b)
    v("v_mul_hi_u32", u2, "u32", lambda a, b: a * b >> 32)
    v("v_mul_hi_i32", u2, "u32", lambda a, b: s(a) * s(b) >> 32)
    v("v_lshlrev_b64", ("u32", "u64"), "u64", lambda a, b: b << (a & 63))
    v("v_lshrrev_b64", ("u32", "u64"), "u64", lambda a, b: b >> (a & 63))
    v("v_ashrrev_i64", ("u32", "u64"), "u64", lambda a, b: s(b, 64) >> (a & 63))
    # 16 bits: the other half of the destination stays, which the runner checks.
    h2, h3 = ("i16",) * 2, ("i16",) * 3
    v("v_mad_u16", h3, "u16", lambda a, b, c: a * b + c)
    v("v_mad_i16", h3, "u16", lambda a, b, c: a * b + c)
    v("v_mad_u32_u16", ("u16", "u16", "u32"), "u32", lambda a, b, c: a * b + c)
    v("v_mad_i32_i16", ("i16", "i16", "i32"), "u32", lambda a, b, c: s(a, 16) * s(b, 16) + c)
    v("v_add_nc_u16", h2, "u16", lambda a, b: a + b)
    v("v_sub_nc_u16", h2, "u16", lambda a, b: a - b)
    v("v_mul_lo_u16", h2, "u16", lambda a, b: a * b)
    v("v_add_nc_i16", h2, "u16", lambda a, b: a + b)
    v("v_sub_nc_i16", h2, "u16", lambda a, b: a - b)
    for name, function in (("min", min), ("max", max)):
        v(f"v_{name}_u16", h2, "u16", function)
        v(f"v_{name}_i16", h2, "u16", lambda a, b, g=function: g(s(a, 16), s(b, 16)))
    v("v_lshlrev_b16", h2, "u16", lambda a, b: b << (a & 15))
    v("v_lshrrev_b16", h2, "u16", lambda a, b: b >> (a & 15))
    v("v_ashrrev_i16", h2, "u16", lambda a, b: s(b, 16) >> (a & 15))
    v("v_cvt_i32_i16", ("i16",), "u32", lambda a: s(a, 16))
    v("v_cvt_u32_u16", ("i16",), "u32", lambda a: a)
    # Clamp of integers saturates.
    clamped = [
        ("v_add_nc_u32", u2, "u32", lambda a, b: clip(a + b, 0, M32)),
        ("v_sub_nc_u32", u2, "u32", lambda a, b: clip(a - b, 0, M32)),
        ("v_subrev_nc_u32", u2, "u32", lambda a, b: clip(b - a, 0, M32)),
        ("v_add_nc_i32", u2, "u32", lambda a, b: clip(s(a) + s(b), -1 << 31, (1 << 31) - 1)),
        ("v_sub_nc_i32", u2, "u32", lambda a, b: clip(s(a) - s(b), -1 << 31, (1 << 31) - 1)),
        ("v_add_nc_u16", h2, "u16", lambda a, b: clip(a + b, 0, 0xffff)),
        ("v_sub_nc_u16", h2, "u16", lambda a, b: clip(a - b, 0, 0xffff)),
        ("v_add_nc_i16", h2, "u16", lambda a, b: clip(s(a, 16) + s(b, 16), -0x8000, 0x7fff)),
        ("v_sub_nc_i16", h2, "u16", lambda a, b: clip(s(a, 16) - s(b, 16), -0x8000, 0x7fff)),
    ]
    for name, kinds, result, function in clamped:
        cases = combinations(kinds, 32)
        f.case(f"{name} v10, v2, v4 clamp",
               f"v2={lane_list([a for a, _ in cases], kinds[0])} v4={lane_list([b for _, b in cases], kinds[1])}",
               f"v10={lane_list([function(a, b) for a, b in cases], result)}")
    # Carries: a mask in, a mask out, bits of inactive lanes 0.
    for name, function in (("add", lambda a, b, c: a + b + c), ("sub", lambda a, b, c: a - b - c),
                           ("subrev", lambda a, b, c: b - a - c)):
        cases = combinations(u2, 24)
        v2 = f"v2={lane_list([a for a, _ in cases], 'u32')} v4={lane_list([b for _, b in cases], 'u32')}"
        out = lambda mask: [function(a, b, mask >> n & 1) for n, (a, b) in enumerate(cases)]
        carry = lambda results: sum((not 0 <= r <= M32) << n for n, r in enumerate(results))
        plain = out(0)
        f.case(f"v_{name}_co_u32 v10, s20, v2, v4", v2,
               f"v10={lane_list(plain, 'u32')} s20={carry(plain):08x}")
        with_carry = out(0x5a5a5a5a)
        f.case(f"v_{name}_co_ci_u32 v10, vcc_lo, v2, v4, vcc_lo", v2 + " vcc=5a5a5a5a",
               f"v10={lane_list(with_carry, 'u32')} vcc={carry(with_carry):08x}")
        f.case(f"v_{name}_co_ci_u32_e64 v10, s20, v2, v4, s21", v2 + " s21=5a5a5a5a",
               f"v10={lane_list(with_carry, 'u32')} s20={carry(with_carry):08x}")
    for signed in (False, True):
        cases = combinations(("u32", "u32", "u64"), 24)
        number_of = (lambda a, n: s(a, n)) if signed else (lambda a, n: a)
        total = [number_of(a, 32) * number_of(b, 32) + number_of(c, 64) for a, b, c in cases]
        bounds = (-1 << 63, (1 << 63) - 1) if signed else (0, M64)
        mask = sum((not bounds[0] <= t <= bounds[1]) << n for n, t in enumerate(total))
        name = "v_mad_i64_i32" if signed else "v_mad_u64_u32"
        before = " ".join(f"{r}={lane_list([c[n] for c in cases], k)}"
                          for n, (r, k) in enumerate((("v2", "u32"), ("v4", "u32"), ("v[6:7]", "u64"))))
        f.case(f"{name} v[10:11], s20, v2, v4, v[6:7]", before,
               f"v[10:11]={lane_list(total, 'u64')} s20={mask:08x}")
        f.case(f"{name} v[10:11], null, v2, v4, v[6:7]", before, f"v[10:11]={lane_list(total, 'u64')}")
    # Packed: a pair of halves in a register.
    packed = {
        "v_pk_mul_lo_u16": lambda a, b: a * b, "v_pk_add_i16": lambda a, b: a + b,
        "v_pk_sub_i16": lambda a, b: a - b, "v_pk_add_u16": lambda a, b: a + b,
        "v_pk_sub_u16": lambda a, b: a - b, "v_pk_lshlrev_b16": lambda a, b: b << (a & 15),
        "v_pk_lshrrev_b16": lambda a, b: b >> (a & 15), "v_pk_ashrrev_i16": lambda a, b: s(b, 16) >> (a & 15),
        "v_pk_max_i16": lambda a, b: max(s(a, 16), s(b, 16)), "v_pk_min_i16": lambda a, b: min(s(a, 16), s(b, 16)),
        "v_pk_max_u16": max, "v_pk_min_u16": min,
    }
    both = lambda g, *x: (g(*(y & 0xffff for y in x)) & 0xffff) | (g(*(y >> 16 for y in x)) & 0xffff) << 16
    for name, function in packed.items():
        v(name, u2, "u32", lambda a, b, g=function: both(g, a, b))
    for name in ("v_pk_mad_i16", "v_pk_mad_u16"):
        v(name, u3, "u32", lambda a, b, c: both(lambda x, y, z: x * y + z, a, b, c))
    cases = combinations(u2, 32)
    swap = lambda x: x >> 16 | (x & 0xffff) << 16
    f.case("v_pk_add_u16 v10, v2, v4 op_sel:[1,0] op_sel_hi:[0,1]",
           f"v2={lane_list([a for a, _ in cases], 'u32')} v4={lane_list([b for _, b in cases], 'u32')}",
           f"v10={lane_list([both(lambda x, y: x + y, swap(a), b) for a, b in cases], 'u32')}")
    return f


# Vector instructions on floats.

def floats():
    f = File("float.txt", "Vector instructions on floats, and conversions")
    v = lambda name, kinds, result, function, **kw: vector(f, name, kinds, result, function, **kw)
    for fmt, kind in ((F32, "f32"), (F16, "f16"), (F64, "f64")):
        k2, k3 = (kind,) * 2, (kind,) * 3
        suffix = "_" + kind
        v("v_add" + suffix, k2, kind, fmt.add)
        v("v_mul" + suffix, k2, kind, fmt.mul)
        v("v_min" + suffix, k2, kind, fmt.min)
        v("v_max" + suffix, k2, kind, fmt.max)
        v("v_fma" + suffix, k3, kind, fmt.fma)
        v("v_fma" + suffix, k3, kind, fmt.fma)
        v("v_rcp" + suffix, (kind,), kind, fmt.rcp)
        v("v_sqrt" + suffix, (kind,), kind, fmt.sqrt)
        for name, function in (("ceil", ceil), ("floor", floor), ("trunc", trunc), ("rndne", rndne)):
            v(f"v_{name}{suffix}", (kind,), kind,
              lambda a, g=function: fmt.unary(a, lambda value: Fraction(g(value))))
        v(f"v_frexp_mant{suffix}", (kind,), kind, lambda a: fmt.frexp(a)[0])
        exponent = "v_frexp_exp_i16_f16" if kind == "f16" else f"v_frexp_exp_i32{suffix}"
        v(exponent, (kind,), "u16" if kind == "f16" else "u32", lambda a: fmt.frexp(a)[1])
        if kind != "f64":
            minus = lambda a, b: "nan" if fmt.nan(a) or fmt.nan(b) else fmt.add(a, fmt.negate(b))
            v("v_sub" + suffix, k2, kind, minus)
            v("v_subrev" + suffix, k2, kind, lambda a, b: minus(b, a))
            v("v_min3" + suffix, k3, kind, lambda a, b, c: fmt.min(fmt.min(a, b), c))
            v("v_max3" + suffix, k3, kind, lambda a, b, c: fmt.max(fmt.max(a, b), c))
            v("v_med3" + suffix, k3, kind, fmt.med3)
            v("v_maxmin" + suffix, k3, kind, lambda a, b, c: fmt.min(fmt.max(a, b), c))
            v("v_minmax" + suffix, k3, kind, lambda a, b, c: fmt.max(fmt.min(a, b), c))
            v("v_fmac" + suffix, k3, kind, fmt.fma, accumulate=True)
            literal = 0x4248 if kind == "f16" else 0x40490fdb
            cases = combinations(k2, 32)
            before = (f"v2={lane_list([a for a, _ in cases], kind)} "
                      f"v4={lane_list([b for _, b in cases], kind)}")
            f.case(f"v_fmaak{suffix} v10, v2, v4, 0x{literal:x}", before,
                   f"v10={lane_list([fmt.fma(a, b, literal) for a, b in cases], kind)}")
            f.case(f"v_fmamk{suffix} v10, v2, 0x{literal:x}, v4", before,
                   f"v10={lane_list([fmt.fma(a, literal, b) for a, b in cases], kind)}")
        # Modifiers: negation, absolute value, clamp into 0 to 1.
        cases = combinations(k3, 32)
        before = " ".join(f"{register(first, kind)}={lane_list([case[n] for case in cases], kind)}"
                          for n, first in enumerate((2, 4, 6)))

        def modified(a, b, c):
            a, c = fmt.negate(a), fmt.negate(c & (fmt.sign - 1))
            return fmt.fma(a, b, c)
        f.case(f"v_fma{suffix} {register(10, kind)}, -{register(2, kind)}, {register(4, kind)}, "
               f"-|{register(6, kind)}|", before,
               f"{register(10, kind)}={lane_list([modified(*case) for case in cases], kind)}")

        def clamped(a, b, c):
            result = fmt.fma(a, b, c)
            if result == "nan" or fmt.neg(result) or fmt.order(result)[0] == 0:
                return 0
            return fmt.one() if fmt.order(result)[0] > 1 else result
        f.case(f"v_fma{suffix} {register(10, kind)}, {register(2, kind)}, {register(4, kind)}, "
               f"{register(6, kind)} clamp", before,
               f"{register(10, kind)}={lane_list([clamped(*case) for case in cases], kind)}")
        # Constants have the operand's type.
        f.case(f"v_add{suffix} {register(10, kind)}, 0.5, {register(2, kind)}",
               f"{register(2, kind)}={lane_list(EDGES[kind], kind)}",
               f"{register(10, kind)}="
               f"{lane_list([fmt.add(fmt.round(Fraction(1, 2)), x) for x in EDGES[kind]], kind)}")

    zero = lambda a: not F32.nan(a) and not F32.is_inf(a) and F32.value(a) == 0
    dx9 = lambda a, b: zero(a) or zero(b)
    v("v_mul_dx9_zero_f32", ("f32",) * 2, "f32", lambda a, b: 0 if dx9(a, b) else F32.mul(a, b))
    v("v_fma_dx9_zero_f32", ("f32",) * 3, "f32", lambda a, b, c: c if dx9(a, b) else F32.fma(a, b, c))
    v("v_fmac_dx9_zero_f32", ("f32",) * 3, "f32", lambda a, b, c: c if dx9(a, b) else F32.fma(a, b, c),
      accumulate=True)

    # Cube maps: face, coordinates on it, twice the major axis.
    finite = [x for x in EDGES["f32"] if not F32.nan(x) and not F32.is_inf(x)]
    directions = [tuple(RANDOM.choice(finite) for _ in range(3)) for _ in range(32)]

    def cube(x, y, z):
        ax, ay, az = (abs(F32.value(c)) for c in (x, y, z))
        minus, twice = F32.negate, lambda c: F32.mul(F32.round(Fraction(2)), c)
        below = lambda c: F32.value(c) < 0
        if az >= ax and az >= ay:
            return 5 if below(z) else 4, minus(x) if below(z) else x, minus(y), twice(z)
        if ay >= ax:
            return 3 if below(y) else 2, x, minus(z) if below(y) else z, twice(y)
        return 1 if below(x) else 0, z if below(x) else minus(z), minus(y), twice(x)
    before = " ".join(f"v{2 + 2 * n}={lane_list([d[n] for d in directions], 'f32')}" for n in range(3))
    for n, name in enumerate(("id", "sc", "tc", "ma")):
        out = [cube(*d)[n] for d in directions]
        if n == 0:
            out = [F32.round(Fraction(face)) for face in out]
        f.case(f"v_cube{name}_f32 v10, v2, v4, v6", before, f"v10={lane_list(out, 'f32')}")

    def ldexp(fmt, a, exponent):
        if fmt.nan(a):
            return "nan"
        if fmt.is_inf(a):
            return a
        return fmt.round(fmt.value(a) * Fraction(2) ** exponent, fmt.neg(a))
    exponents = [0, 1, 5, 127, 300, -1, -24, -126, -149, -300, 2000, -2000]
    for fmt, kind in ((F32, "f32"), (F64, "f64")):
        pairs = [(a, e) for a in EDGES[kind] for e in exponents]
        RANDOM.shuffle(pairs)
        pairs = pairs[:32]
        f.case(f"v_ldexp_{kind} {register(10, kind)}, {register(2, kind)}, v4",
               f"{register(2, kind)}={lane_list([a for a, _ in pairs], kind)} "
               f"v4={lane_list([e & M32 for _, e in pairs], 'u32')}",
               f"{register(10, kind)}={lane_list([ldexp(fmt, a, e) for a, e in pairs], kind)}")
    pairs = [(a, e) for a in EDGES["f16"] for e in (0, 1, -1, 15, -14, 40, -40)][:32]
    f.case("v_ldexp_f16 v10, v2, v4",
           f"v2={lane_list([a for a, _ in pairs], 'f16')} v4={lane_list([e & 0xffff for _, e in pairs], 'u16')}",
           f"v10={lane_list([ldexp(F16, a, e) for a, e in pairs], 'f16')}")

    # Conversions.
    i32 = (-1 << 31, (1 << 31) - 1)
    half_up = lambda value: floor(value + Fraction(1, 2))
    v("v_cvt_f32_i32", ("u32",), "f32", lambda a: F32.round(Fraction(s(a))))
    v("v_cvt_f32_u32", ("u32",), "f32", lambda a: F32.round(Fraction(a)))
    v("v_cvt_f64_i32", ("u32",), "f64", lambda a: F64.round(Fraction(s(a))))
    v("v_cvt_f64_u32", ("u32",), "f64", lambda a: F64.round(Fraction(a)))
    v("v_cvt_i32_f32", ("f32",), "u32", lambda a: F32.to_int(a, *i32))
    v("v_cvt_u32_f32", ("f32",), "u32", lambda a: F32.to_int(a, 0, M32))
    v("v_cvt_floor_i32_f32", ("f32",), "u32", lambda a: F32.to_int(a, *i32, floor))
    v("v_cvt_nearest_i32_f32", ("f32",), "u32", lambda a: F32.to_int(a, *i32, half_up))
    v("v_cvt_i32_f64", ("f64",), "u32", lambda a: F64.to_int(a, *i32))
    v("v_cvt_u32_f64", ("f64",), "u32", lambda a: F64.to_int(a, 0, M32))
    v("v_cvt_f16_f32", ("f32",), "f16", lambda a: F32.convert(a, F16))
    v("v_cvt_f32_f16", ("f16",), "f32", lambda a: F16.convert(a, F32))
    v("v_cvt_f32_f64", ("f64",), "f32", lambda a: F64.convert(a, F32))
    v("v_cvt_f64_f32", ("f32",), "f64", lambda a: F32.convert(a, F64))
    v("v_cvt_f16_u16", ("i16",), "f16", lambda a: F16.round(Fraction(a)))
    v("v_cvt_f16_i16", ("i16",), "f16", lambda a: F16.round(Fraction(s(a, 16))))
    v("v_cvt_u16_f16", ("f16",), "u16", lambda a: F16.to_int(a, 0, 0xffff))
    v("v_cvt_i16_f16", ("f16",), "u16", lambda a: F16.to_int(a, -0x8000, 0x7fff))
    v("v_cvt_off_f32_i4", ("u32",), "f32", lambda a: F32.round(Fraction(s(a, 4), 16)))
    for n in range(4):
        v(f"v_cvt_f32_ubyte{n}", ("u32",), "f32", lambda a, n=n: F32.round(Fraction(a >> 8 * n & 0xff)))

    def toward_zero(a):
        if F32.nan(a):
            return None
        nearest = F32.convert(a, F16)
        if F32.is_inf(a):
            return nearest
        if F16.is_inf(nearest) or abs(F16.value(nearest)) > abs(F32.value(a)):
            nearest -= 1
        return nearest
    pairs = [(a, b) for a, b in combinations(("f32", "f32"), 60) if not F32.nan(a) and not F32.nan(b)][:32]
    before = f"v2={lane_list([a for a, _ in pairs], 'f32')} v4={lane_list([b for _, b in pairs], 'f32')}"
    f.case("v_cvt_pk_rtz_f16_f32 v10, v2, v4", before,
           f"v10={lane_list([toward_zero(a) | toward_zero(b) << 16 for a, b in pairs], 'u32')}")
    short = lambda a: F32.to_int(a, -0x8000, 0x7fff) & 0xffff
    f.case("v_cvt_pk_i16_f32 v10, v2, v4", before,
           f"v10={lane_list([short(a) | short(b) << 16 for a, b in pairs], 'u32')}")
    ushort = lambda a: F32.to_int(a, 0, 0xffff)
    f.case("v_cvt_pk_u16_f32 v10, v2, v4", before,
           f"v10={lane_list([ushort(a) | ushort(b) << 16 for a, b in pairs], 'u32')}")

    def norm(a, low, scale):
        value = Fraction(low) if F32.is_inf(a) and F32.neg(a) else Fraction(1) if F32.is_inf(a) else F32.value(a)
        value = min(max(value, Fraction(low)), Fraction(1)) * scale
        # The product is rounded to f32 first.
        return rndne(F32.value(F32.round(value))) & 0xffff
    f.case("v_cvt_pk_norm_i16_f32 v10, v2, v4", before,
           f"v10={lane_list([norm(a, -1, 32767) | norm(b, -1, 32767) << 16 for a, b in pairs], 'u32')}")
    f.case("v_cvt_pk_norm_u16_f32 v10, v2, v4", before,
           f"v10={lane_list([norm(a, 0, 65535) | norm(b, 0, 65535) << 16 for a, b in pairs], 'u32')}")
    v("v_pack_b32_f16", ("f16", "f16"), "u32", lambda a, b: a | b << 16)

    # Packed halves; a NaN of unknown bits would need a token of its own, so none come in.
    finite = [x for x in EDGES["f16"] if not F16.nan(x)]
    pair = lambda: RANDOM.choice(finite) | RANDOM.choice(finite) << 16

    def packed(name, function, count):
        lanes = []
        while len(lanes) < 32:
            case = [pair() for _ in range(count)]
            low = function(*(x & 0xffff for x in case))
            high = function(*(x >> 16 for x in case))
            if "nan" not in (low, high):
                lanes.append((case, low | high << 16))
        before = " ".join(f"v{2 + 2 * n}={lane_list([case[n] for case, _ in lanes], 'u32')}"
                          for n in range(count))
        sources = ", ".join(f"v{2 + 2 * n}" for n in range(count))
        f.case(f"{name} v10, {sources}", before, f"v10={lane_list([r for _, r in lanes], 'u32')}")
    packed("v_pk_add_f16", F16.add, 2)
    packed("v_pk_mul_f16", F16.mul, 2)
    packed("v_pk_min_f16", F16.min, 2)
    packed("v_pk_max_f16", F16.max, 2)
    packed("v_pk_fma_f16", F16.fma, 3)
    # Mixed: a is f16 from the high half, b is f32, c is f16 from the low half and negated.
    lanes = []
    while len(lanes) < 32:
        a, b, c = pair(), RANDOM.choice([x for x in EDGES["f32"] if not F32.nan(x)]), pair()
        result = F32.fma(F16.convert(a >> 16, F32), b, F32.negate(F16.convert(c & 0xffff, F32)))
        lanes.append((a, b, c, result))
    before = " ".join(f"v{2 + 2 * n}={lane_list([lane[n] for lane in lanes], 'u32')}" for n in range(3))
    f.case("v_fma_mix_f32 v10, v2, v4, -v6 op_sel:[1,0,0] op_sel_hi:[1,0,1]", before,
           f"v10={lane_list([lane[3] for lane in lanes], 'f32')}")
    f.case("v_fma_mixlo_f16 v10, v2, v4, -v6 op_sel:[1,0,0] op_sel_hi:[1,0,1]", before,
           f"v10={lane_list(['nan' if r == 'nan' else F32.convert(r, F16) for *_, r in lanes], 'f16')}")
    return f


# Comparisons.

def compares():
    f = File("compare.txt", "Vector comparisons")
    import operator
    integer = {"lt": operator.lt, "eq": operator.eq, "le": operator.le, "gt": operator.gt,
               "ne": operator.ne, "ge": operator.ge}

    def case(name, kinds, holds):
        cases = combinations(kinds, 28)
        mask = sum(bool(holds(*c)) << n for n, c in enumerate(cases))
        sources = f"{register(2, kinds[0])}, {register(4, kinds[1])}"
        before = (f"{register(2, kinds[0])}={lane_list([a for a, _ in cases], kinds[0])} "
                  f"{register(4, kinds[1])}={lane_list([b for _, b in cases], kinds[1])}")
        # VCC and EXEC had bits for the lanes above, which are inactive.
        f.case(f"v_cmp_{name} vcc_lo, {sources}", before + " vcc=ffffffff", f"vcc={mask:08x}")
        f.case(f"v_cmp_{name}_e64 s20, {sources}", before, f"s20={mask:08x}")
        f.case(f"v_cmpx_{name} {sources}", before, f"exec={mask:08x}")
    for kind, bits, signed in (("i16", 16, True), ("u16", 16, False), ("i32", 32, True), ("u32", 32, False),
                               ("i64", 64, True), ("u64", 64, False)):
        relations = dict(integer)
        if bits > 16:
            relations |= {"f": lambda a, b: False, "t": lambda a, b: True}
        for name, relation in relations.items():
            number_of = (lambda x, bits=bits: s(x, bits)) if signed else (lambda x: x)
            case(f"{name}_{kind}", (kind, kind), lambda a, b, r=relation, n=number_of: r(n(a), n(b)))
    for fmt, kind in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        for name, relation in float_relations(fmt).items():
            case(f"{name}_{kind}", (kind, kind), relation)
        masks = "u16" if kind == "f16" else "u32"
        case(f"class_{kind}", (kind, masks), lambda a, b, fmt=fmt: fmt.klass(a) & b)
    # Modifiers on a comparison.
    cases = combinations(("f32", "f32"), 32)
    lt = float_relations(F32)["lt"]
    mask = sum(bool(lt(F32.negate(a), b & 0x7fffffff)) << n for n, (a, b) in enumerate(cases))
    f.case("v_cmp_lt_f32_e64 s20, -v2, |v4|",
           f"v2={lane_list([a for a, _ in cases], 'f32')} v4={lane_list([b for _, b in cases], 'f32')}",
           f"s20={mask:08x}")
    return f


# Operands of every kind, and instructions between lanes.

def lanes():
    f = File("lanes.txt", "Kinds of operands, and instructions between lanes and with scalars")
    numbers = [0x100 + n for n in range(32)]
    n32 = lane_list(numbers, "u32")
    all_lanes = lambda function: lane_list([function(n) for n in range(32)], "u32")
    f.case("v_add_nc_u32 v10, s4, v2", f"s4=00000010 v2={n32}", f"v10={all_lanes(lambda n: numbers[n] + 16)}")
    f.case("v_sub_nc_u32 v10, 5, v2", f"v2={n32}", f"v10={all_lanes(lambda n: 5 - numbers[n])}")
    f.case("v_sub_nc_u32 v10, 0x12345, v2", f"v2={n32}", f"v10={all_lanes(lambda n: 0x12345 - numbers[n])}")
    f.case("v_sub_nc_u32_e64 v10, v2, s4", f"s4=00000010 v2={n32}",
           f"v10={all_lanes(lambda n: numbers[n] - 16)}")
    f.case("v_sub_nc_u32_e64 v10, s5, s4", f"s4=00000010 s5=00000030 v2={n32}",
           f"v10={all_lanes(lambda n: 0x20)}")
    f.case("v_add3_u32 v10, s4, v2, 7", f"s4=00000010 v2={n32}", f"v10={all_lanes(lambda n: numbers[n] + 23)}")
    f.case("v_add3_u32 v10, v2, s4, s5", f"s4=00000010 s5=00000100 v2={n32}",
           f"v10={all_lanes(lambda n: numbers[n] + 0x110)}")
    f.case("v_add_nc_u32 v2, v2, v2", f"v2={n32}", f"v2={all_lanes(lambda n: 2 * numbers[n])}")
    f.case("v_mov_b32 v10, exec_lo", f"v2={n32}", f"v10={all_lanes(lambda n: M32)}")
    f.case("v_cndmask_b32 v10, v2, v4, vcc_lo", f"v2={n32} v4={all_lanes(lambda n: n)} vcc=0000ffff",
           f"v10={all_lanes(lambda n: n if n < 16 else numbers[n])}")
    f.case("v_cndmask_b32 v10, 0, -1, s20", f"s20=f0f0f0f0 v2={n32}",
           f"v10={all_lanes(lambda n: M32 if 0xf0f0f0f0 >> n & 1 else 0)}")
    f.case("v_cndmask_b32 v10, -v2, |v4|, s20", f"s20=ffff0000 v2={n32} v4={all_lanes(lambda n: n | 1 << 31)}",
           f"v10={all_lanes(lambda n: n if n >= 16 else numbers[n] | 1 << 31)}")
    # Part of the lanes active: the others keep what they have.
    for exec_mask in (0, 1, 0x80000000, 0x00ff00f0, 0x7fffffff):
        f.case("v_add_nc_u32 v2, 1, v2", f"v2={n32} exec={exec_mask:08x}",
               f"v2={all_lanes(lambda n: numbers[n] + (exec_mask >> n & 1))}")
    # Lane 0 if none is active.
    for exec_mask, lane in ((M32, 0), (0x80000000, 31), (0x00000040, 6), (0, 0)):
        f.case("v_readfirstlane_b32 s12, v2", f"v2={n32} exec={exec_mask:08x}", f"s12={numbers[lane]:08x}")
    for lane in (0, 5, 31, 37, M32):
        f.case("v_readlane_b32 s12, v2, s4", f"v2={n32} s4={lane:08x} exec=00000000",
               f"s12={numbers[lane & 31]:08x}")
        f.case("v_writelane_b32 v2, s5, s4", f"v2={n32} s4={lane:08x} s5=12345678 exec=00000000",
               f"v2={all_lanes(lambda n: 0x12345678 if n == lane & 31 else numbers[n])}")
    f.case("v_writelane_b32 v2, 0x77, 3", f"v2={n32}", f"v2={all_lanes(lambda n: 0x77 if n == 3 else numbers[n])}")
    f.case("v_mbcnt_lo_u32_b32 v10, -1, 0", f"v2={n32}", f"v10={all_lanes(lambda n: n)}")
    f.case("v_mbcnt_lo_u32_b32 v10, s4, v2", f"s4=0f0f0f0f v2={n32}",
           f"v10={all_lanes(lambda n: numbers[n] + bin(0x0f0f0f0f & ((1 << n) - 1)).count('1'))}")
    f.case("v_mbcnt_hi_u32_b32 v10, -1, v2", f"v2={n32}", f"v10={n32}")
    f.case("v_swap_b32 v2, v4", f"v2={n32} v4={all_lanes(lambda n: n)} exec=ffff0000",
           f"v2={all_lanes(lambda n: n if n >= 16 else numbers[n])} "
           f"v4={all_lanes(lambda n: numbers[n] if n >= 16 else n)}")
    f.case("v_movrels_b32 v10, v2", f"m0=00000002 v4={n32} v2={all_lanes(lambda n: 0)}", f"v10={n32}")
    f.case("v_movreld_b32 v8, v4", f"m0=00000002 v4={n32}", f"v10={n32}")
    # DPP: what has no source lane keeps the old value, or is 0 with bound_ctrl.
    def dpp(control, source, masks="row_mask:0xf bank_mask:0xf", bound=False, written=lambda n: True):
        old = 0x7000
        def result(n):
            if not written(n):
                return old + n
            lane = source(n)
            return numbers[lane] if lane is not None else 0 if bound else old + n
        f.case(f"v_mov_b32_dpp v10, v2 {control} {masks}{' bound_ctrl:1' if bound else ''}",
               f"v2={n32} v10={all_lanes(lambda n: old + n)}", f"v10={all_lanes(result)}")
    row, column = lambda n: n & 16, lambda n: n & 15
    inside = lambda n, c: row(n) | c if 0 <= c < 16 else None
    dpp("quad_perm:[3,0,2,1]", lambda n: n & ~3 | [3, 0, 2, 1][n & 3])
    for amount in (1, 8, 15):
        for bound in (False, True):
            dpp(f"row_shl:{amount}", lambda n, a=amount: inside(n, column(n) + a), bound=bound)
            dpp(f"row_shr:{amount}", lambda n, a=amount: inside(n, column(n) - a), bound=bound)
        dpp(f"row_ror:{amount}", lambda n, a=amount: row(n) | column(n) - a & 15)
        dpp(f"row_share:{amount}", lambda n, a=amount: row(n) | a)
        dpp(f"row_xmask:{amount}", lambda n, a=amount: row(n) | column(n) ^ a)
    dpp("row_mirror", lambda n: row(n) | 15 - column(n))
    dpp("row_half_mirror", lambda n: n & ~7 | 7 - (n & 7))
    dpp("row_mirror", lambda n: row(n) | 15 - column(n), "row_mask:0x1 bank_mask:0xc",
        written=lambda n: n < 16 and column(n) >= 8)
    f.case("v_add_nc_u32_dpp v10, v2, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
           f"v2={n32} v4={all_lanes(lambda n: 1000)} v10={all_lanes(lambda n: n)}",
           f"v10={all_lanes(lambda n: numbers[n - 1] + 1000 if n & 15 else n)}")
    f.case("v_mov_b32_dpp v10, v2 dpp8:[7,6,5,4,3,2,1,0]", f"v2={n32}",
           f"v10={all_lanes(lambda n: numbers[n & ~7 | 7 - (n & 7)])}")
    # An inactive source lane.
    f.case("v_mov_b32_dpp v10, v2 row_ror:1 row_mask:0xf bank_mask:0xf",
           f"v2={n32} v10={all_lanes(lambda n: n)} exec=fffffffe",
           f"v10={all_lanes(lambda n: n if n in (0, 1) else numbers[n & 16 | n - 1 & 15])}")
    f.case("v_mov_b32_dpp v10, v2 row_ror:1 row_mask:0xf bank_mask:0xf fi:1",
           f"v2={n32} v10={all_lanes(lambda n: n)} exec=fffffffe",
           f"v10={all_lanes(lambda n: n if n == 0 else numbers[n & 16 | n - 1 & 15])}")
    selectors = 0xfedcba9876543210 ^ 0x3333333333333333
    for name, other in (("v_permlane16_b32", 0), ("v_permlanex16_b32", 16)):
        f.case(f"{name} v10, v2, s4, s5",
               f"v2={n32} s4={selectors & M32:08x} s5={selectors >> 32:08x}",
               f"v10={all_lanes(lambda n: numbers[n & 16 ^ other | selectors >> 4 * (n & 15) & 15])}")
    # VOPD: both halves read before either writes.
    v = lambda function: all_lanes(function)
    f.case("v_dual_mov_b32 v2, v5 :: v_dual_mov_b32 v5, v2", f"v2={n32} v5={v(lambda n: n)}",
           f"v2={v(lambda n: n)} v5={n32}")
    f.case("v_dual_mov_b32 v2, v5 :: v_dual_add_nc_u32 v7, v2, v5", f"v2={n32} v5={v(lambda n: n)}",
           f"v2={v(lambda n: n)} v7={v(lambda n: numbers[n] + n)}")
    f.case("v_dual_add_f32 v2, v5, v4 :: v_dual_mul_f32 v5, 2.0, v3",
           f"v5={v(lambda n: 0x3f800000)} v4={v(lambda n: 0x40000000)} v3={v(lambda n: 0x40400000)}",
           f"v2={v(lambda n: 0x40400000)} v5={v(lambda n: 0x40c00000)}")
    f.case("v_dual_fmac_f32 v2, v5, v4 :: v_dual_fmaak_f32 v5, v2, v3, 0x3f800000",
           f"v2={v(lambda n: 0x40000000)} v5={v(lambda n: 0x40400000)} v4={v(lambda n: 0x3f800000)} "
           f"v3={v(lambda n: 0x40800000)}",
           f"v2={v(lambda n: 0x40a00000)} v5={v(lambda n: 0x41100000)}")
    f.case("v_dual_cndmask_b32 v2, v4, v5 :: v_dual_lshlrev_b32 v3, 4, v2",
           f"vcc=ff00ff00 v4={n32} v5={v(lambda n: n)} v2={v(lambda n: 3)}",
           f"v2={v(lambda n: n if 0xff00ff00 >> n & 1 else numbers[n])} v3={v(lambda n: 48)}")
    f.case("v_dual_sub_f32 v2, v4, v5 :: v_dual_subrev_f32 v3, v6, v7",
           f"v4={v(lambda n: 0x40400000)} v5={v(lambda n: 0x3f800000)} v6={v(lambda n: 0x40400000)} "
           f"v7={v(lambda n: 0x3f800000)}",
           f"v2={v(lambda n: 0x40000000)} v3={v(lambda n: 0xc0000000)}")
    f.case("v_dual_max_f32 v2, v4, v5 :: v_dual_min_f32 v3, v6, v7",
           f"v4={v(lambda n: 0x40400000)} v5={v(lambda n: 0x3f800000)} v6={v(lambda n: 0x40400000)} "
           f"v7={v(lambda n: 0x3f800000)}",
           f"v2={v(lambda n: 0x40400000)} v3={v(lambda n: 0x3f800000)}")
    f.case("v_dual_mul_dx9_zero_f32 v2, v4, v5 :: v_dual_and_b32 v3, v6, v7",
           f"v4={v(lambda n: 0x7f800000)} v5={v(lambda n: 0)} v6={n32} v7={v(lambda n: 0xf0)}",
           f"v2={v(lambda n: 0)} v3={v(lambda n: numbers[n] & 0xf0)}")
    # Halves of registers by op_sel.
    f.case("v_add_nc_u16 v10, v2, v4 op_sel:[1,0,1]",
           f"v2={v(lambda n: 0x50000 * (n + 1))} v4={v(lambda n: n)} v10={v(lambda n: 0xaaaabbbb)}",
           f"v10={v(lambda n: (5 * (n + 1) + n) << 16 | 0xbbbb)}")
    return f


# LDS.

def lds():
    f = File("lds.txt", "LDS: loads, stores, atomics and permutations; the group has 512 bytes, byte n is n mod 251")
    memory = [n % 251 for n in range(512)]
    word = lambda address, size: (int.from_bytes(bytes(memory[address:address + size]), "little")
                                  if 0 <= address and address + size <= 512 else 0)
    spread = [(37 * n) % 500 for n in range(30)] + [508, 512]
    aligned = [8 * ((11 * n) % 60) for n in range(32)]
    listing = lambda values, kind="u32": lane_list(values, kind)
    load = lambda name, kind, read: f.case(f"{name} v10, v2", f"v2={listing(spread)}",
                                           f"v10={listing([read(a) for a in spread], kind)}")
    load("ds_load_b32", "u32", lambda a: sum((memory[a + n] if a + n < 512 else 0) << 8 * n for n in range(4)))
    load("ds_load_u8", "u32", lambda a: word(a, 1))
    load("ds_load_i8", "u32", lambda a: s(word(a, 1), 8))
    load("ds_load_u16", "u32", lambda a: word(a, 2))
    load("ds_load_i16", "u32", lambda a: s(word(a, 2), 16))
    for name, size in (("ds_load_b64", 2), ("ds_load_b96", 3), ("ds_load_b128", 4)):
        spread16 = [a for a in spread if a < 490][:28]
        f.case(f"{name} v[10:{9 + size}], v2 offset:4", f"v2={listing(spread16)}",
               " ".join(f"v{10 + n}={listing([word(a + 4 + 4 * n, 4) for a in spread16])}" for n in range(size)))
    f.case("ds_load_2addr_b32 v[10:11], v2 offset0:1 offset1:5", f"v2={listing(aligned)}",
           f"v10={listing([word(a + 4, 4) for a in aligned])} v11={listing([word(a + 20, 4) for a in aligned])}")
    f.case("ds_load_2addr_b64 v[10:13], v2 offset0:1 offset1:2", f"v2={listing(aligned)}",
           " ".join(f"v{10 + n}={listing([word(a + 8 + 4 * n, 4) for a in aligned])}" for n in range(4)))
    f.case("ds_load_2addr_stride64_b32 v[10:11], v2 offset0:0 offset1:1", f"v2={listing(aligned[:20])}",
           f"v10={listing([word(a, 4) for a in aligned[:20]])} "
           f"v11={listing([word(a + 256, 4) for a in aligned[:20]])}")
    f.case("ds_load_u8_d16 v10, v2", f"v2={listing(aligned)} v10={listing([0xaaaabbbb] * 32)}",
           f"v10={listing([0xaaaa0000 | word(a, 1) for a in aligned])}")
    f.case("ds_load_u16_d16_hi v10, v2", f"v2={listing(aligned)} v10={listing([0xaaaabbbb] * 32)}",
           f"v10={listing([word(a, 2) << 16 | 0xbbbb for a in aligned])}")
    # Stores come back by a load of the whole; mem[...] names bytes.
    f.case("ds_store_b32 v2, v4 offset:8", "v2=00000010,00000020 v4=11223344,55667788",
           "mem[24]=44332211 mem[40]=88776655")
    f.case("ds_store_b8 v2, v4", "v2=00000010,00000020 v4=11223344,55667788", "mem[16]=44 mem[32]=88")
    f.case("ds_store_b16 v2, v4", "v2=00000011,00000020 v4=11223344,55667788", "mem[17]=4433 mem[32]=8877")
    f.case("ds_store_b8_d16_hi v2, v4", "v2=00000010 v4=11223344", "mem[16]=22")
    f.case("ds_store_b16_d16_hi v2, v4", "v2=00000010 v4=11223344", "mem[16]=2211")
    f.case("ds_store_b64 v2, v[4:5]", "v2=00000010 v[4:5]=1122334455667788", "mem[16]=8877665544332211")
    f.case("ds_store_b128 v2, v[4:7]", "v2=00000010 v4=00000001 v5=00000002 v6=00000003 v7=00000004",
           "mem[16]=01000000020000000300000004000000")
    f.case("ds_store_2addr_b32 v2, v4, v5 offset0:0 offset1:3", "v2=00000010 v4=11223344 v5=55667788",
           "mem[16]=44332211 mem[28]=88776655")
    f.case("ds_store_b32 v2, v4", "v2=000001fe,00000200,ffffffff v4=11223344,11223344,11223344",
           "mem[510]=4433")
    start = word(16, 4)
    atomics = {
        "add_u32": lambda o, d: o + d, "sub_u32": lambda o, d: o - d, "rsub_u32": lambda o, d: d - o,
        "inc_u32": lambda o, d: 0 if o >= d else o + 1,
        "dec_u32": lambda o, d: d if o == 0 or o > d else o - 1,
        "min_i32": lambda o, d: min(s(o), s(d)), "max_i32": lambda o, d: max(s(o), s(d)),
        "min_u32": min, "max_u32": max, "and_b32": lambda o, d: o & d, "or_b32": lambda o, d: o | d,
        "xor_b32": lambda o, d: o ^ d,
    }
    data = [0x13121110, 5, 0x80000000, M32, 0x13121112]
    for name, function in atomics.items():
        value, old = start, []
        for d in data:
            old.append(value)
            value = function(value, d) & M32
        stored = value.to_bytes(4, "little").hex()
        f.case(f"ds_{name} v2, v4", f"v2={listing([16] * 5)} v4={listing(data)}", f"mem[16]={stored}")
        base, kind = name.rsplit("_", 1)
        f.case(f"ds_{base}_rtn_{kind} v10, v2, v4", f"v2={listing([16] * 5)} v4={listing(data)}",
               f"v10={listing(old)} mem[16]={stored}")
    f.case("ds_storexchg_rtn_b32 v10, v2, v4", "v2=00000010,00000010 v4=11223344,55667788",
           f"v10={start:08x},11223344 mem[16]=88776655")
    f.case("ds_cmpstore_rtn_b32 v10, v2, v4, v5",
           f"v2=00000010,00000010 v4=11223344,55667788 v5={start:08x},00000000",
           f"v10={start:08x},11223344 mem[16]=44332211")
    f.case("ds_add_f32 v2, v4", "v2=00000010 v4=3f800000 mem[16]=0000803f", "mem[16]=00000040")
    f.case("ds_add_u64 v2, v[4:5]", "v2=00000010 v[4:5]=0000000100000001 mem[16]=ffffffff00000000",
           "mem[16]=0000000002000000")
    # Permutations: no LDS is touched.
    numbers = [0x100 + n for n in range(32)]
    for pattern in ([4 * ((n * 7) % 32) for n in range(32)], [4 * n + 2 for n in range(32)],
                    [M32 - 4 * n for n in range(32)]):
        f.case("ds_bpermute_b32 v10, v2, v4 offset:4", f"v2={listing(pattern)} v4={listing(numbers)}",
               f"v10={listing([numbers[(a + 4 >> 2) % 32] for a in pattern])}")
    forward = [4 * ((n * 7) % 32) for n in range(32)]
    inverse = [0] * 32
    for n, a in enumerate(forward):
        inverse[a // 4] = numbers[n]
    f.case("ds_permute_b32 v10, v2, v4", f"v2={listing(forward)} v4={listing(numbers)}",
           f"v10={listing(inverse)}")
    f.case("ds_permute_b32 v10, v2, v4", f"v2={listing([12] * 32)} v4={listing(numbers)}",
           f"v10={listing([numbers[31] if n == 3 else 0 for n in range(32)])}")
    f.case("ds_bpermute_b32 v10, v2, v4", f"v2={listing([4 * (31 - n) for n in range(32)])} "
           f"v4={listing(numbers)} exec=0000ffff v10={listing([n for n in range(32)])}",
           f"v10={listing([0 if n < 16 else n for n in range(32)])}")
    def swizzle(offset, source):
        f.case(f"ds_swizzle_b32 v10, v4 offset:0x{offset:x}", f"v4={listing(numbers)}",
               f"v10={listing([numbers[source(n)] for n in range(32)])}")
    swizzle(0x041f, lambda n: n ^ 1)
    swizzle(0x401f, lambda n: n ^ 16)
    swizzle(0x01e0, lambda n: 15)
    swizzle(0x7c1f, lambda n: n ^ 31)
    swizzle(0x801b, lambda n: n & ~3 | 3 - (n & 3))
    swizzle(0x80e4, lambda n: n)
    return f


def main():
    for make in (scalars, integers, floats, compares, lanes, lds):
        make().write()


if __name__ == "__main__":
    main()
