package jit

import (
	"cmp"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// printer returns where tl.static_print of a kernel writes.
func (c *Config) printer(kernel string) io.Writer {
	if c.Print == nil {
		return &printLog{log: cmp.Or(c.Logger, slog.Default()), kernel: kernel}
	}
	return lockedWriter{c.Print}
}

// lockedWriter serializes the writes of compilations, which run at the same time.
type lockedWriter struct{ w io.Writer }

var printing sync.Mutex

func (l lockedWriter) Write(p []byte) (int, error) {
	printing.Lock()
	defer printing.Unlock()
	return l.w.Write(p)
}

// printLog logs each line that a kernel prints.
type printLog struct {
	log    *slog.Logger
	kernel string
	begun  string // text of a line without its end
}

func (p *printLog) Write(b []byte) (int, error) {
	lines := strings.SplitAfter(p.begun+string(b), "\n")
	p.begun = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		p.log.Info("nereid: static_print", "kernel", p.kernel, "text", strings.TrimSuffix(line, "\n"))
	}
	return len(b), nil
}
