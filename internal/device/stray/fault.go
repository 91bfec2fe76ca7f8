package stray

import (
	"fmt"
	"strings"
)

// Fault is the error of a kernel that stopped, or ended, because of a failed assertion or, in checked code,
// an access that the launch does not allow.
type Fault struct {
	Kernel  string
	Program [3]int
	Msg     string
	Op      string   // name of the operation, if known
	Locs    []string // position in the source, then the calls that led there
	Arg     string   // name of the argument through which memory was accessed, or ""
	Index   int64    // position in it, in elements of the accessed size

	Access *Access // the access, if it is one through an argument

	// Explain returns the message once the argument and the element are known, where Access does not say it;
	// may be nil.
	Explain func(argument string, index int64) string `json:"-"`
}

// Reporter is the error of a kernel that was stopped, whatever device stopped it.
type Reporter interface {
	error
	Stray() *Fault
}

// Stray implements Reporter.
func (f *Fault) Stray() *Fault { return f }

// Error returns the position in the kernel's source, the message, and the position in the grid; then the
// calls that led there.
//
//	softmax.py:14:9: out of bounds load of 4 bytes at offset 400 of x_ptr (400 bytes)
//	    bufferization.to_tensor in softmax_kernel, program (3, 0, 0)
func (f *Fault) Error() string {
	var b strings.Builder
	if len(f.Locs) > 0 {
		b.WriteString(f.Locs[0] + ": ")
	}
	b.WriteString(f.Msg + "\n    ")
	if f.Op != "" {
		b.WriteString(f.Op + " ")
	}
	fmt.Fprintf(&b, "in %s, program (%d, %d, %d)", f.Kernel, f.Program[0], f.Program[1], f.Program[2])
	for _, p := range f.Locs[min(1, len(f.Locs)):] {
		b.WriteString("\n    called at " + p)
	}
	return b.String()
}
