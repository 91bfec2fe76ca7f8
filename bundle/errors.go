package bundle

import (
	"errors"
	"fmt"
	"strings"

	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/run"
)

// Errors for errors.Is.
var (
	// ErrNotFound is matched by every NotFoundError.
	ErrNotFound = errors.New("not in the bundle")
	// ErrFormat is wrapped by the errors of Open for data that is no bundle, or one of another version.
	ErrFormat = format.ErrFormat
)

var (
	errClosed = fmt.Errorf("bundle: the bundle is closed: %w", run.ErrClosed)
	errNil    = errors.New("bundle: there is no bundle: Open, OpenFS and OpenBytes return one")
)

// NotFoundError is the error of a variant or a group that a bundle does not have.
type NotFoundError struct {
	What string   // "variant" or "group"
	Name string   // what was asked for
	Have []string // what there is, sorted
}

// maxListed bounds the names that a message lists.
const maxListed = 12

// Error returns the missing name, the nearest one and the names that there are.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("bundle: there is no %s %q", e.What, e.Name)
	if best := diag.Nearest(e.Name, e.Have); best != "" {
		text += fmt.Sprintf(": did you mean %q?", best)
	}
	if len(e.Have) == 0 {
		return text + "; there are none"
	}
	list := e.Have[:min(len(e.Have), maxListed)]
	text += "; here: " + strings.Join(list, ", ")
	if more := len(e.Have) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Is reports whether the target is ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// TargetError is the error of a variant whose code a device does not run.
type TargetError struct {
	Variant string   // name of the variant
	Device  string   // name of the device
	Targets []string // targets that the variant was compiled for
	Reasons []string // for each, why the device does not run it
}

// Error returns the variant, the device and the reason for each target.
func (e *TargetError) Error() string {
	return fmt.Sprintf("bundle: %s has no code for %s: %s; add a target to the bundle (nereid aot --targets)",
		e.Variant, e.Device, strings.Join(e.Reasons, "; "))
}

// DamageError is the error of a bundle that is not as it was written: cut short, overwritten, mixed up.
type DamageError struct {
	Entry string // the entry at fault: "softmax_fp32_1024 for cuda:90"; "" if the index is damaged
	Part  string // its part: "cubin", "meta"
	err   error
}

// Error returns the entry, its part and the damage.
func (e *DamageError) Error() string { return e.err.Error() }

// Unwrap returns the reader's error.
func (e *DamageError) Unwrap() error { return e.err }

// damage returns an error of the reader's that says that a bundle is damaged as a DamageError.
func damage(err error) error {
	var d *format.Damage
	if errors.As(err, &d) {
		return &DamageError{d.Entry, d.Part, err}
	}
	return err
}
