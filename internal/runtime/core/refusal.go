package core

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Refusal is the error of a kernel, an option or a call that is right, but that the compiler or a device
// declines: an operation that a target has no code for, more shared memory than a GPU has, a graph on a
// device without graphs. Faults of the kernel's source are CompileErrors instead.
type Refusal struct {
	Feature string // what is declined: an operation ("tt.dot"), an option ("num_ctas=2"), "shared memory"
	Target  string // who declines it: a target ("cuda:80") or a device; "" if no device takes it
	Reason  string // why
	Remedy  string // what to do instead; may be ""

	File         string // file of the operation; "" if there is none
	Line, Column int    // counted from 1

	err error
}

// Error returns the place, the feature, the reason and the remedy.
func (e *Refusal) Error() string { return e.err.Error() }

// Unwrap returns the compiler's or the device's own error.
func (e *Refusal) Unwrap() error { return e.err }

// RefusalOf returns an error of something that is declined as a Refusal, and any other unchanged.
func RefusalOf(err error) error {
	var r *diag.Refusal
	if !errors.As(err, &r) || errors.As(err, new(*Refusal)) {
		return err
	}
	return &Refusal{
		Feature: r.Feature, Target: r.Target, Reason: r.Reason, Remedy: r.Remedy, File: r.File, Line: r.Line,
		Column: r.Column,
		err:    err,
	}
}

// refuse returns the Refusal of something that a device does not have.
func (d *Device) refuse(feature, reason, remedy string) error {
	return RefusalOf(fmt.Errorf("nereid: %w", diag.Refuse(feature, "%s",
		reason).By(d.String()).Instead(remedy)))
}
