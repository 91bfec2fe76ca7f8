package tunable

import (
	"errors"
	"fmt"
	"strings"
)

// Reason says why a candidate does not run.
type Reason struct {
	Candidate string // its name
	Err       error  // what its Supports, its device or its run returned
}

// UnsupportedError is the error of parameters that no candidate of an op supports.
type UnsupportedError struct {
	Op      string   // name of the op
	Key     string   // key of the parameters
	Reasons []Reason // one for each candidate
}

// Error returns the op, the key and the reason of each candidate.
func (e *UnsupportedError) Error() string {
	return describe(fmt.Sprintf("tunable: no candidate of %s supports %s", e.Op, e.Key), e.Reasons)
}

// Unwrap returns the candidates' errors.
func (e *UnsupportedError) Unwrap() []error { return errorsOf(e.Reasons) }

// FailedError is the error of a tuning in which every candidate that supports the parameters failed.
type FailedError struct {
	Op      string   // name of the op
	Key     string   // key of the parameters
	Reasons []Reason // one for each candidate that was tried
}

// Error returns the op, the key and the error of each candidate.
func (e *FailedError) Error() string {
	return describe(fmt.Sprintf("tunable: every candidate of %s fails for %s", e.Op, e.Key), e.Reasons)
}

// Unwrap returns the candidates' errors.
func (e *FailedError) Unwrap() []error { return errorsOf(e.Reasons) }

func describe(head string, list []Reason) string {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range list {
		fmt.Fprintf(&b, "\n  %s: %s", r.Candidate, firstLine(r.Err))
	}
	return b.String()
}

func errorsOf(list []Reason) []error {
	out := make([]error, len(list))
	for i, r := range list {
		out[i] = r.Err
	}
	return out
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

var (
	errNil       = errors.New("tunable: the op is nil or empty: New makes one")
	errNilStream = errors.New("tunable: a call needs a stream: Device.NewStream makes one")
)
