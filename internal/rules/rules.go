// Package rules is the one table of thresholds by which the GPU compiler chooses between two correct ways to
// compile a kernel: register goals, merged programs, persistent kernels, ping-pong warp groups, depths of
// pipelines, tile loads by TMA, early loads. Each row has a name, a value, a unit, its reason in terms of the
// machine, and the test that names it. Limits of the hardware (registers of an SM, rows of a warp group) and
// Triton's own numbers are no rules.
//
// In: a quantity of a kernel, such as the registers of its accumulators. Out: a decision. A rule never makes
// a kernel wrong, whatever its value: a threshold that correctness needs does not belong here.
//
// The values of one compilation are a Set. It travels with the module as the text of an attribute (Attr), so
// that it is part of the IR, of reproducers and of the key of the cache; without overrides there is no
// attribute. A Set may have a Trace, which records each decision with the quantities that it saw.
package rules

import "slices"

// Kind says how a rule compares a quantity n with its value.
type Kind int

const (
	AtMost  Kind = iota // holds if n <= value
	AtLeast             // holds if n >= value
	Below               // holds if n < value
	Above               // holds if n > value
	Share               // holds if n is at most one value-th of another quantity
	Cap                 // bounds n by the value
	Number              // is an operand of an estimate; decides nothing by itself
)

var kindNames = [...]string{"at most", "at least", "below", "above", "share", "cap", "number"}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

// Rule is a row of the table.
type Rule struct {
	Name  string // in NEREID_RULES and in data files
	Area  string // group of rows
	Value int
	Unit  string
	Kind  Kind
	// Off is the value with which the optimization that the rule guards is never applied; NoOff if the rule
	// guards none, but tunes one.
	Off     int
	Decides string // what happens if the rule holds
	Reason  string // why, in terms of the machine
	Test    string // the test that fails if the value is not read, as package.Test
}

const (
	// NoOff is the Off of rules that cannot be switched off.
	NoOff = -1 << 31
	// never and always are thresholds that no quantity of a kernel reaches from one side.
	never  = -1
	always = 1 << 30
)

var table []*Rule

// add adds a row. Rows are declared in table_*.go.
func add(r Rule) *Rule {
	table = append(table, &r)
	return &r
}

// All returns the table, in the order of the files.
func All() []*Rule { return slices.Clone(table) }

// Lookup returns the rule of a name, nil if there is none.
func Lookup(name string) *Rule {
	i := slices.IndexFunc(table, func(r *Rule) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return table[i]
}

// Names returns the names of all rules.
func Names() []string {
	names := make([]string, len(table))
	for i, r := range table {
		names[i] = r.Name
	}
	return names
}

// Integer is a quantity of a kernel.
type Integer interface{ ~int | ~int64 | ~uint64 }

// Holds reports whether a quantity of a kernel satisfies the rule. The features tell the reader of a trace
// what kind of kernel it was.
func Holds[T Integer](s *Set, r *Rule, n T, also ...Feature) bool {
	d := Decision{Rule: r.Name, N: int64(n), Value: s.value(r)}
	return s.decided(r, d, also)
}

// HoldsShare reports whether n is at most one value-th of all, for rules of the kind Share.
func HoldsShare[T Integer](s *Set, r *Rule, n, all T, also ...Feature) bool {
	d := Decision{Rule: r.Name, N: int64(n), All: int64(all), Value: s.value(r)}
	return s.decided(r, d, also)
}

// Capped returns n or, if that is less, the rule's value.
func Capped[T Integer](s *Set, r *Rule, n T, also ...Feature) T {
	d := Decision{Rule: r.Name, N: int64(n), Value: s.value(r)}
	s.decided(r, d, also)
	return min(n, T(d.Value))
}

// Get returns the rule's value, as an operand of an estimate.
func Get(s *Set, r *Rule, also ...Feature) int {
	d := Decision{Rule: r.Name, Value: s.value(r)}
	s.decided(r, d, also)
	return d.Value
}

// Feature is a quantity of a kernel beside the one that a rule compares.
type Feature struct {
	Name  string
	Value int64
}

// F returns a feature.
func F[T Integer](name string, v T) Feature { return Feature{name, int64(v)} }

// holds evaluates the rule for the quantities of a decision, with its value.
func (r *Rule) holds(d Decision) bool {
	v := int64(d.Value)
	switch r.Kind {
	case AtMost:
		return d.N <= v
	case AtLeast:
		return d.N >= v
	case Below:
		return d.N < v
	case Above:
		return d.N > v
	case Share:
		return d.N*v <= d.All
	case Cap:
		return d.N <= v
	}
	return true
}
