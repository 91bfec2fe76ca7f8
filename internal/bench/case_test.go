package bench

import (
	"context"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Every device that is here computes every case of the demo; of the simulated GPUs one at each commit.
func TestDemo(t *testing.T) {
	devices, _ := nereid.Devices()
	sims := 0
	for _, dev := range devices {
		if strings.HasPrefix(dev.String(), "sim") {
			sims++
		}
	}
	chosen := txtest.Sample(t, max(sims, 1))
	for i, dev := range devices {
		if strings.HasPrefix(dev.String(), "sim") && !chosen(i) {
			continue
		}
		for _, c := range Demo() {
			t.Run(dev.String()+"/"+c.Name, func(t *testing.T) {
				k, err := c.Load()
				if err != nil {
					t.Fatal(err)
				}
				s, err := dev.NewStream(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if err := k.Launch(s, c.Grid, c.Args...); err != nil {
					t.Fatal(err)
				}
				if err := s.Sync(); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Check(2000); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
