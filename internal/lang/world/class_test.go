package world

import "testing"

// TestWithin: an aggregate cannot be put into itself, by whatever way of tuples and other aggregates, and
// keeps its field then. What does not hold it can be put there, also its own fields and aggregates like it.
func TestWithin(t *testing.T) {
	const file = `import triton.language as tl
from typing import NamedTuple

class Pair(NamedTuple):
    x: object
    y: object

@tl.core._aggregate
class A:
    x: object
    y: object

    def __init__(self, x, y):
        self.x = x
        self.y = y

def wrong():
    found = []
    for want, makes in [
            ("A cannot be part of itself, in its field y",
             [lambda a: a, lambda a: (a,), lambda a: (1, a), lambda a: (a, 1), lambda a: ((1, (2, a)), 3),
              lambda a: Pair(1, a), lambda a: tl.tuple([1, a]), lambda a: tl.constexpr((1, a)),
              lambda a: A(1, a), lambda a: (1, A(a, 2)), lambda a: A((1, a), 2),
              lambda a: A(A(1, (2, A(3, a))), 4)]),
            ("accepted",
             [lambda a: (), lambda a: (1, 2), lambda a: (a.x, a.y), lambda a: A(a.x, a.y),
              lambda a: (A(1, 2), A(1, 2)), lambda a: Pair(A(a.x, 1), (a.y,))])]:
        for i, make in enumerate(makes):
            a = A(1, 2)
            v = make(a)
            kept = 2
            try:
                a.y = v
                got = "accepted"
                kept = v
            except TypeError as e:
                got = str(e)
            if got != want or a.y is not kept and a.y != kept:
                found.append((want, i, got))
    # Two that hold each other are found when the second is put into the first.
    a, b = A(1, 2), A(3, 4)
    b.x = (a, a)
    try:
        a.y = (1, b)
        found.append("they hold each other")
    except TypeError:
        pass
    return found
`
	if got := called(t, file, "wrong"); got != "[]" {
		t.Error(got)
	}
}
