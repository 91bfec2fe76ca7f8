a if b else c if d else e
---
lambda: (yield)
---
lambda x, /, y=1, *z, k, w=2, **q: x
---
lambda *, k: k
---
lambda x=lambda: 1: x
---
not not a and b or not c
---
a < b <= c != d is not e not in f in g is h == i >= j > k
---
-a ** -b ** +c
---
await_ = 1
---
a @ b % c // d
---
~a | b ^ c & d << e >> f + g - h
---
(a)
(a,)
()
(a, b,)
((a), (b))
(yield)
(yield a, b)
(yield from a)
(a := b)
(a := b, c := d)
---
[a, *b, c := d]
[]
[a for a in b if c if d for e in f async for g in h]
[(yield) for a in b]
---
{}
{a}
{a, *b}
{*a}
{a: b, **c, d: e}
{**a}
{a: b for a, b in c}
{a for a in b}
{a: b if c else d for a in b}
{lambda: 1: lambda: 2}
---
f()
f(a, *b, c, *d, e=f, **g, h=i, **j)
f(a for a in b)
f((a for a in b), c)
f(a := b)
f(a, b := c)
f(*a or b)
f(**a or b)
f(a,)
f(*a, **b,)
f(a)(b)[c].d(e)
f(lambda x: x, key=lambda x: x)
f(a if b else c)
f(x for x in (yield))
f(a=1, *b)
f(
    a  # comment
    ,
    b
)
---
a[b]
a[b, c]
a[b,]
a[b:c]
a[b:c:d]
a[:]
a[::]
a[::b]
a[:b:]
a[b:, ::c, d]
a[*b]
a[*b, c]
a[b, *c]
a[b := c]
a[b := c, d]
a[lambda: 1:2]
a[(b, c)]
a[b][c][:d]
---
a.b.c
a . b
1 .real
1..real
1.0.real
1.e5
1j .imag
"a".b
(a).b
[a].b
{a}.b
f"x".y
...
....__class__
---
0 00 0_0
---
0
00
0_0
0x_ff
0XFF
0o17
0O17
0b1010
0B_1
1_000_000
1.5
.5
5.
1e10
1E-10
1e+1_0
1_0.0_1
1j
1.5J
1e10j
00j
00.5
09.5
09e1
09j
1e400
1e-400
123456789012345678901234567890
0xffffffffffffffffffffff
1if 2else 3
0x1for x in y
---
[0x1for x in y]
1or 2
1and 2
1in x
1is x
0xfor 1
---
"a" 'b' """c""" '''d'''
'a' "b" \
    'c'
('a'
 'b'  # comment
 'c')
r'\n' R"\d" u'a' U'b' b'c' B"d" rb'\e' Rb'f' bR'g' BR'h' br'i'
---
('a'
 'b'  # comment
 'c')
r'\n'
R"\d"
u'a'
U'b'
u'a' 'b'
'a' u'b'
b'c' B"d" rb'\e' Rb'f' bR'g' BR'h' br'i'
'\a\b\f\n\r\t\v\\\'\"'
'\0\01\012\0123\777\400'
b'\0\01\012\377\400'
'\x41\u0041\U00000041\N{LATIN SMALL LETTER A}\N{latin small letter a}'
'\N{HANGUL SYLLABLE GAG}\N{CJK UNIFIED IDEOGRAPH-4E00}\N{NBSP}\N{LF}'
b'\x41\u0041\N{x}'
'\ud800\udc00'
'\
a'
'\z\8\9'
'''a
b\
c'''
"""a"b""c\""""
'é' '日本' '😀'
''
""""""
b''
r'\''
r"\\"
'\x00'
'\x7f\x80\xa0\xad'
'\u200b\u2028\ue000\U000e0001'
'"' "'" '\'"'
---
x
y ; z
a ; b ;
---
é = 1
ñandú.ß
ﬁ = ﬀ
ℌ + 𝐱 + x́ + ª
한글 = 1
变量 = 2
a·b
℘ = ℮
---
a = b = c, d = *e, f
---
x = yield
x = yield y
x += yield z
x: int = yield
---
x = *a, b
x = *a,
*a, b = c
*a, = b
[*a, b] = c
(*a, b) = c
[a, [b, c]] = d
(a) = b
(a.b) = c
(a[b]) = c
() = a
[] = a
a.b, c[d] = e
---
x: int
x: int = 1
(x): int = 1
a.b: int
a[b]: int = c
(a.b): int
x: "str"
x: tuple[int, ...] = 1, 2
x: tuple = *a, b
---
a += 1
a -= 1
a *= 1
a @= 1
a /= 1
a %= 1
a **= 1
a <<= 1
a >>= 1
a |= 1
a ^= 1
a &= 1
a //= 1
a.b += c
a[b] += c, d
(a) += 1
(a.b) += 1
