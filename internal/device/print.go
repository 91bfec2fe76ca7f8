package device

import (
	"io"
	"os"
	"sync"
)

// Print receives the output of device_print on the CPU, the interpreter and simulated GPUs.
var Print io.Writer = &output

// PrintTo sets the writer behind Print; nil means standard output.
func PrintTo(w io.Writer) {
	output.mu.Lock()
	defer output.mu.Unlock()
	output.w = w
}

// output writes to the writer that PrintTo was given, one call at a time.
var output printer

type printer struct {
	mu sync.Mutex
	w  io.Writer // nil: standard output
}

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return os.Stdout.Write(b)
	}
	return p.w.Write(b)
}
