//go:build unix

package gcnsim

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// processorTime returns the time that the process has had a core, garbage collection included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSamples runs recorded launches, with every check on, and reports lane instructions per second of a
// core: active lanes of vector instructions, and one for each scalar instruction.
func BenchmarkSamples(b *testing.B) {
	for _, s := range samples {
		b.Run(s.name, func(b *testing.B) {
			m, err := Load(s.load(b))
			if err != nil {
				b.Fatal(err)
			}
			_, l, _ := s.launch(b)
			l.Count = &Counts{}
			before := processorTime(b)
			for b.Loop() {
				if err := m.Run(context.Background(), l); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(l.Count.Lanes)/(processorTime(b)-before).Seconds()/1e6, "Mlanes/core-s")
		})
	}
}
