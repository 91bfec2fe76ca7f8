x = = 1
---
x =
---
= 1
---
(a, b) += 1
---
a + b = c
---
f() = 1
---
f(a)(b) = c
---
"a" = b
---
f"{a}" = b
---
None = 1
---
True: int
---
x = (y = 1)
---
a := 1
---
(a.b := 1)
---
(a[b] := 1)
---
((a, b) := 1)
---
f(a.b=1)
---
f(a=1, b)
---
f(**a, b)
---
f(**a, *b)
---
f(a for a in b, c)
---
f(c, a for a in b)
---
f(a for a in b,)
---
f(a=b for a in c)
---
f(*a for a in b)
---
f(a b)
---
class A(a for a in b): pass
---
lambda x: int: 1
---
lambda (x): 1
---
lambda *: 1
---
lambda **a, b: 1
---
def f(a=1, b): pass
---
def f(a, a=1, /, b): pass
---
def f(*): pass
---
def f(*,): pass
---
def f(*, **a): pass
---
def f(/): pass
---
def f(a, /, b, /): pass
---
def f(*a, /): pass
---
def f(*a, *b): pass
---
def f(**a, *b): pass
---
def f(**a, **b): pass
---
def f(*a=1): pass
---
def f(**a=1): pass
---
def f((a, b)): pass
---
def f(a.b): pass
---
def f(1): pass
---
def f(a: *b): pass
---
def f(None): pass
---
def f() pass
---
def f:
    pass
---
def f(a
    pass
---
def (): pass
---
class: pass
---
class A.b: pass
---
if a
    b
---
if a:
b
---
if a:
---
  a
---
if a:
        b
    c
---
if a:
    b
  c
---
if a:
	b
        c
---
else: a
---
if a: b
  else: c
---
for a b in c: d
---
for a: b
---
for f() in a: b
---
for 1 in a: b
---
for a in: b
---
for a in b
    c
---
for in a: b
---
[a for b]
---
[a for b in]
---
[a for b in c if]
---
[*a for a in b]
---
{**a for a in b}
---
{a: *b}
---
{*a: b}
---
{a: b, c}
---
{a, b: c}
---
{a:}
---
{**}
---
(*a)
---
(**a)
---
[**a]
---
*a += 1
---
del *a
---
del f()
---
del a + b
---
del (a, f())
---
del
---
del a b
---
with a as f(): b
---
with a as 1: b
---
with (a as b, c) as d: e
---
with a
    b
---
with: a
---
try: a
---
try: a
else: b
---
try: a
except: b
except* A: c
---
try: a
except* : b
---
try: a
except A, B: c
---
try: a
except A as b.c: d
---
import
---
import a.
---
import a as
---
import a as b.c
---
import .a
---
from a import
---
from a import b,
---
from a import (b, c
---
from a import ()
---
from a import (b),
---
from a import *, b
---
from a import b.c
---
from import a
---
from .
---
global
---
global a.b
---
global a,
---
raise a, b
---
raise from a
---
return = 1
---
assert
---
assert a,
---
print a
---
exec a
---
a b
---
a 1
---
1 a
---
a..b
---
a.
---
a.1
---
a[
---
a[]
---
a[:,
---
a[b c]
---
a[b:c:d:e]
---
a[*b:c]
---
a[**b]
---
(a
---
(a]
---
a)
---
[a)
---
{a]
---
"a
---
'''a
---
"\x"
---
"\xg0"
---
"\u123"
---
"\U00110000"
---
"\N{no such}"
---
"\N"
---
b"é"
---
b"\x"
---
"a" b"b"
---
ub"a"
---
bu"a"
---
fb"a"
---
0777
---
0b2
---
0o8
---
0x
---
0xg
---
1_
---
1__0
---
_1 2
---
1.5.5
---
1e
---
1e+
---
1a
---
1_a
---
0_7
---
1.__0
---
0b
---
12ab
---
a $ b
---
a ? b
---
a ! b
---
!a
---
a <> b
---
a && b
---
a ++
---
a € b
---
a \ b
---
a \
---
@a
---
@a
b
---
@
def f(): pass
---
@a b
def f(): pass
---
async a
---
async def f
---
async if a: b
---
await
---
yield = 1
---
a = 1 + yield
---
f(yield)
---
[yield]
---
a if b
---
a if b else
---
if a else b
---
not
---
a not b
---
a is
---
a in
---
not in a
---
a or
---
and a
---
a = *b + c d
---
match a:
    b
---
match a:
---
match a:
case b: c
---
match a:
    case: b
---
match a:
    case b
---
match a:
    case f(): pass
    case a.b = c: d
---
match a:
    case {b: c}: d
---
match a:
    case {**b, "c": d}: e
---
match a:
    case {**_}: b
---
match a:
    case b(c=d, e): f
---
match a:
    case b as _: c
---
match a:
    case b as c.d: e
---
match a:
    case 1 + 2: b
---
match a:
    case 1 + a: b
---
match a:
    case -a: b
---
match a:
    case +1: b
---
match a:
    case *b: c
---
match a:
    case (*b): c
---
match a:
    case b, c as d, *e as f: g
---
type A
---
type A[] = int
---
type A[T = int
---
type 1 = a
---
type a.b = c
---
def f[](): pass
---
a[b := c:d]
---
{a := b: c}
---
{a: b := c}
---
class A[1]: pass
---
class A[T.a]: pass
---
a: b: c
---
a, b: c
---
[a]: b
---
f(): a
---
(a, b): c
---
a: b += c
---
a = b += c
---
a += b += c
---
a += b = c
---
a += *b
---
x = if
---
else
---
elif a: b
---
except: a
---
finally: a
---
;
---
a;;b
---
; a
---
if a: if b: c
---
if a: def f(): pass
---
while a: for b in c: d
---
a: 
---
nonlocal
---
pass pass
---
break 1
---
.
---
..
---
....
---
,
---
*
---
**
---
->
---
:=
---
:
---
lambda
---
lambda:
---
lambda a
---
lambda a=: b
---
lambda a, a b: c
---
f(a=)
---
f(=a)
---
f(a, , b)
---
f(, a)
---
f(,)
---
[,]
---
(,)
---
{,}
---
[a,, b]
---
(a,, b)
---
f(None=1)
---
f(1=2)
---
f(a.b)=c
---
(a for b in c for d)
---
(a async for)
---
a = b if c else
---
for a, b, in c: pass
else pass
