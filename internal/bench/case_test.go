package bench

import (
	"context"
	"testing"

	"github.com/nereid-lang/nereid"
)

// Every device that is here computes every case of the demo.
func TestDemo(t *testing.T) {
	devices, _ := nereid.Devices()
	for _, dev := range devices {
		if dev.String() == "sim" {
			continue // instruction by instruction, it takes minutes
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
