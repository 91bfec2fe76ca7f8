if a: b
elif c: d
else: e
---
if a:
    b
elif c:
    d
elif e: f; g
else:
    h
---
if a := b: pass
while a := b: pass
---
while a: b
else: c
---
for a in b: c
for a, in b: c
for a, b in c, d: e
for *a, b in c: d
for (a, b), c in d: e
for a.b in c: d
for a[b] in c: d
for a in *b, c: d
else: e
for a in lambda: 1, 2: b
for (a) in b: c
for [a, b] in c: d
---
try: a
except: b
---
try:
    a
except A:
    b
except (A, B) as c:
    d
else:
    e
finally:
    f
---
try:
    a
finally:
    b
---
try:
    a
except* A:
    b
except* (A, B) as c:
    d
---
try:
    a
except *A:
    b
---
with a: b
with a as b: c
with a, b: c
with a as b, c as d: e
with (a): b
with (a, b): c
with (a, b) as c: d
with (a as b): c
with (a as b, c as d): e
with (a as b, c,): d
with (a, b,): c
with (a), (b): c
with (a) as b: c
with (a).b: c
with (a) + b: c
with (a, b).c: d
with (yield a): b
with (a for a in b): c
with (a := b): c
with (a := b, c): d
with (*a, b): c
with (): a
with a as (b, c): d
with a as [b, c]: d
with a as (b): c
with a as b.c: d
with a as b[c]: d
with (a as b[c], d as (e, f)): g
with (a) as (b): c
with (a if b else c) as d: e
with (lambda: 1): a
with (open(a) as b,): c
with ((a, b) as c): d
with ((a, b), c): d
with ((a)): b
---
def f(): pass
def f(a): pass
def f(a,): pass
def f(a, b=1): pass
def f(a, /): pass
def f(a, /, b): pass
def f(a, b=1, /, c=2): pass
def f(*a): pass
def f(*a,): pass
def f(*, a): pass
def f(*, a, b=1, c): pass
def f(*a, b, c=1, **d): pass
def f(**a): pass
def f(**a,): pass
def f(a: int, *b: str, c: float = 1, **d: bytes) -> None: pass
def f(*a: *b): pass
def f(a=1, *, b): pass
def f() -> (yield): pass
def f(a: lambda: 1 = lambda: 2): pass
---
def f():
    """doc"""
---
def f(
    a,  # first
    b,
):
    return


---
@a
def f(): pass
@a.b
@c(d)
@e[f]
@g := h
@(i + j)
class A: pass
@a
async def f(): pass
---
class A: pass
class A(): pass
class A(B, C): pass
class A(B, metaclass=C, **D): pass
class A(*B): pass
class A:
    x = 1

    def f(self): pass
---
async def f():
    async for a in b: c
    async with a as b, c: d
    async with (a as b, c as d): e
    await a
    await a.b(c)[d]
    -await a ** await b
    return [a async for a in b]
---
return_ = 1
def f():
    return
    return a
    return a, b
    return *a, b
    return (yield)
---
raise
raise a
raise a from b
assert a
assert a, b
assert (a, b)
del a
del a,
del a, b
del (a), (b)
del (a, b)
del [a, b]
del a.b, a[b]
del ()
global a
global a, b
pass; break; continue
---
import a
import a.b.c
import a as b
import a.b as c, d
from a import b
from a import b as c, d
from a import (b)
from a import (b, c,)
from a import (
    b as c,
    d,
)
from a import *
from . import a
from .. import a
from ... import a
from .... import a
from .a import b
from ...a.b import c
from . . import a
from.a import b
from .import a
---
match a:
    case 1: pass
    case -1: pass
    case 1.5: pass
    case 1j: pass
    case 1 + 2j: pass
    case -1 - 2j: pass
    case "a": pass
    case "a" "b": pass
    case b"a": pass
    case None: pass
    case True: pass
    case False: pass
    case a: pass
    case _: pass
    case a.b: pass
    case a.b.c: pass
    case (a): pass
    case (a, b): pass
    case (a,): pass
    case (): pass
    case []: pass
    case [a]: pass
    case [a, b, *c]: pass
    case [*_]: pass
    case a, b: pass
    case a,: pass
    case *a, b: pass
    case *_,: pass
    case {}: pass
    case {"a": b}: pass
    case {"a": b, **c}: pass
    case {"a": b, **c,}: pass
    case {1: a, -1: b, 1+2j: c, None: d, a.b: e}: pass
    case {**a}: pass
    case A(): pass
    case A(a): pass
    case A(a, b): pass
    case A(a, b=c): pass
    case A(a=b, c=d,): pass
    case a.B(c): pass
    case a | b: pass
    case 1 | 2 | 3: pass
    case (1 | 2): pass
    case a as b: pass
    case 1 | 2 as b: pass
    case (1 as a) | 2: pass
    case [1 as a, 2]: pass
    case A(1 as a): pass
    case a if b: pass
    case a if b := c: pass
    case a, b if c: pass
    case (a as b), c: pass
---
match a, b:
    case c: pass
match a,:
    case c: pass
match *a, b:
    case c: pass
match (a):
    case b: pass
match (a, b):
    case c: pass
match [a]:
    case b: pass
match {a: b}:
    case c: pass
match -a:
    case b: pass
match not a:
    case b: pass
match lambda: a:
    case b: pass
match a := b:
    case c: pass
match match:
    case case: pass
match a[b:c]:
    case d: pass
match "a":
    case b: pass
match f(a):
    case b:
        pass
---
match = 1
match: int = 1
match.a
match(a)
match[a]
match[a:b]
match * a, b
match - a
match in a
match not in a
match is a
match or a
match if a else b
match, case = 1, 2
match += 1
match(a)(b)
match == 1
print(match)
case = 1
case(a)
_ = 1
type = 1
type(a)
type: int = 1
type.a
type[a]
type == 1
type in a
type, a = b
---
match x:
    case case if case: case
---
x = 1
	
 
# comment
    # indented comment
y = 2
---
if a:
    # comment
    b
    # comment
# comment
c
---
if a:
	b
	if c:
		d
e
---
if a:
  b
  if c:
       d
  e
else:
         f
---
x = 1; y = 2;
if a: b; c;
---
x = a + \
    b
if a and \
   b: c
---
\
x = 1
---
if a:
    b
\
c
---
class C:
    def f(self):
        if x:
            return 1
        # comment

    def g(self):
        return 2


x = 1
---
x = [
    1,
  2,
       3,
]
if a:
    f(
1,
    )
---
def f():
    nonlocal a, b
---
def f(): return 1
def g(): yield
def h(): x: int
---
pass
