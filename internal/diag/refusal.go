package diag

import (
	"errors"
	"fmt"
)

// Refusal is the error of a kernel, an option or a call that is right, but that the compiler or a device
// declines.
type Refusal struct {
	Feature string // what is declined: an operation, an option with its value, an ability of a device
	Target  string // who declines it: "cuda:80", "cpu"; "" if the one who found out does not know
	Reason  string
	Remedy  string // what to do instead; may be ""

	File         string // place of the operation; "" if there is none
	Line, Column int    // counted from 1
}

// Refuse returns a refusal of a feature. The rest is the reason, as for fmt.Sprintf.
func Refuse(feature, format string, args ...any) *Refusal {
	return &Refusal{Feature: feature, Reason: fmt.Sprintf(format, args...)}
}

// By sets the target and returns r.
func (r *Refusal) By(target string) *Refusal {
	r.Target = target
	return r
}

// Instead sets the remedy and returns r.
func (r *Refusal) Instead(remedy string) *Refusal {
	r.Remedy = remedy
	return r
}

// Error returns the place, the feature, the reason and the remedy.
func (r *Refusal) Error() string {
	text := r.Feature + ": " + r.Reason
	if r.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", r.File, r.Line, r.Column, text)
	}
	if r.Remedy != "" {
		text += ": " + r.Remedy
	}
	return text
}

// RefusedBy names the target in a refusal that names none, and returns err.
func RefusedBy(err error, target string) error {
	var r *Refusal
	if errors.As(err, &r) && r.Target == "" {
		r.Target = target
	}
	return err
}
