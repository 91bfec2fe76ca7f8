type A = int
type A[T] = list[T]
type A[T: int, *Ts, **P] = int
type A[T,] = int
type type = type
type match[T] = case
---
def f[T](a: T) -> T: pass
def f[T: int](a): pass
def f[T: (int, str)](): pass
def f[*Ts](*a: *Ts): pass
def f[**P](): pass
def f[T, *Ts, **P,](): pass
class A[T]: pass
class A[T: int](B[T]): pass
async def f[T](): pass
