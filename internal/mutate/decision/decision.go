// Package decision records which parts of conditions have decided something.
//
// In: calls that `go run ./internal/mutate -decisions` puts into a copy of the sources in place of
// conditions, each with a number. Out: the numbers of what has decided since the last question. A part of a
// condition decides if the whole would be otherwise without it; a comparison, if both sides are equal; the
// condition of an if statement, once for each way. No test misses what nothing decides in a run of tests.
package decision

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Most is the number of decisions that there may be.
const Most = 1 << 17

var (
	seen  [Most]atomic.Bool
	ever  [Most]atomic.Bool
	deep  atomic.Int32 // terms are being computed that the program does not compute
	mu    sync.Mutex
	found []int
	file  = open(os.Getenv("DECIDED_FILE")) // has every decision of a process, and of those that it starts
)

// open returns a file that is appended to, or nil.
func open(name string) *os.File {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	return f
}

// mark records a decision.
func mark(n int) {
	if seen[n].Load() || seen[n].Swap(true) {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	found = append(found, n)
	if file != nil {
		fmt.Fprintln(file, n)
	}
}

// Take returns the decisions since the last call.
func Take() []int {
	mu.Lock()
	defer mu.Unlock()
	list := found
	found = nil
	for _, n := range list {
		seen[n].Store(false)
	}
	return list
}

// And is terms[0]() && terms[1]() and so on, whose decisions begin at n: one for each term that is false
// alone, and one for all that are true.
func And(n int, terms ...func() bool) bool {
	for i, term := range terms {
		if !term() {
			alone(n+i, terms[i+1:], true)
			return false
		}
	}
	mark(n + len(terms))
	return true
}

// Or is terms[0]() || terms[1]() and so on, with decisions like those of And.
func Or(n int, terms ...func() bool) bool {
	for i, term := range terms {
		if term() {
			alone(n+i, terms[i+1:], false)
			return true
		}
	}
	mark(n + len(terms))
	return false
}

// alone marks a decision of a term if the rest leaves it to the term. That is asked until it was so once, and
// not while terms are computed that the program does not compute: their functions may call themselves.
func alone(n int, others []func() bool, want bool) {
	if ever[n].Load() || deep.Load() > 0 {
		return
	}
	deep.Add(1)
	defer deep.Add(-1)
	if rest(others, want) {
		ever[n].Store(true)
		mark(n)
	}
}

// rest reports whether the other terms leave the decision to the one before them: they are all as given, or
// cannot be computed without it.
func rest(terms []func() bool, want bool) (left bool) {
	defer func() {
		if recover() != nil {
			left = true
		}
	}()
	for _, term := range terms {
		if term() != want {
			return false
		}
	}
	return true
}

// If is a condition with a decision for each way.
func If(n int, cond bool) bool {
	if cond {
		mark(n)
	} else {
		mark(n + 1)
	}
	return cond
}

// Less is a < b.
func Less[T cmp.Ordered](n int, a, b T) bool { return equal(n, a, b) < 0 }

// LessOrEqual is a <= b.
func LessOrEqual[T cmp.Ordered](n int, a, b T) bool { return equal(n, a, b) <= 0 }

// Greater is a > b.
func Greater[T cmp.Ordered](n int, a, b T) bool { return Less(n, b, a) }

// GreaterOrEqual is a >= b.
func GreaterOrEqual[T cmp.Ordered](n int, a, b T) bool { return LessOrEqual(n, b, a) }

// equal compares two values; those that are equal decide. One that is no number is greater than all, so that
// no comparison holds.
func equal[T cmp.Ordered](n int, a, b T) int {
	switch {
	case a == b:
		mark(n)
		return 0
	case a < b:
		return -1
	}
	return 1
}
