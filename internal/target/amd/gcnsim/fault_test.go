package gcnsim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
)

// without returns the code object with the n-th instruction of a name replaced by s_nop, nil where there are
// not so many.
func (s sample) without(t *testing.T, kernel, name string, n int) []byte {
	t.Helper()
	hsaco := s.load(t)
	m, err := Load(hsaco)
	if err != nil {
		t.Fatal(err)
	}
	p := m.kernels[kernel]
	for _, step := range p.steps[p.entry:] {
		if step.in.Base != name {
			continue
		}
		if n--; n < 0 {
			at := bytes.Index(hsaco, p.kernel.Code) + int(step.in.Addr-p.kernel.Entry)
			copy(hsaco[at:], bytes.Repeat([]byte{0, 0, 0x80, 0xbf}, step.in.Size/4))
			return hsaco
		}
	}
	return nil
}

// planted runs a sample without each instruction of a name in turn. It returns the faults that were found and
// the number of runs.
func (s sample) planted(t *testing.T, name string) (faults []*Fault, runs int) {
	t.Helper()
	for ; ; runs++ {
		c, l, _ := s.launch(t)
		hsaco := s.without(t, c.Kernel, name, runs)
		if hsaco == nil {
			return faults, runs
		}
		var f *Fault
		if err := Run(context.Background(), hsaco, l); errors.As(err, &f) {
			faults = append(faults, f)
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlanted removes every barrier and every wait of the samples, one at a time. The simulator names kernel
// and line of each fault; what it lets pass is not needed for the result: barriers and waits at the end of a
// loop that runs once, and waits before branches that are not taken.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		sample      sample
		instruction string
		found, of   int
		first       string // the place of the first fault
	}{
		{samples[0], "s_waitcnt", 1, 1, "vector_add.py:12"},
		{samples[1], "s_barrier", 5, 5, "standard.py:191"},
		{samples[1], "s_waitcnt", 9, 9, "softmax.py:11"},
		{samples[2], "s_barrier", 5, 5, "standard.py:293"},
		{samples[2], "s_waitcnt", 12, 13, "standard.py:293"},
		{samples[3], "s_barrier", 4, 4, "matmul.py:41"},
		{samples[3], "s_waitcnt", 6, 7, "matmul.py:40"},
		{samples[4], "s_barrier", 4, 4, "standard.py:293"},
		{samples[4], "s_waitcnt", 7, 7, "reduce.py:13"},
		{samples[5], "s_barrier", 1, 2, "standard.py:293"},
		{samples[5], "s_waitcnt", 4, 6, "standard.py:263"},
	} {
		t.Run(c.sample.name+"/"+c.instruction, func(t *testing.T) {
			faults, runs := c.sample.planted(t, c.instruction)
			for _, f := range faults {
				t.Log(f)
				if !f.Race && !f.Wait || f.Kernel != c.sample.name[5:] {
					t.Errorf("the fault is no race and no missing wait")
				}
				if f.Other.Line == 0 {
					t.Errorf("the other line is not named")
				}
			}
			if len(faults) != c.found || runs != c.of {
				t.Fatalf("%d faults in %d runs, expected %d in %d", len(faults), runs, c.found, c.of)
			}
			if got := line(faults[0]); got != c.first {
				t.Errorf("the first is at %s, expected %s", got, c.first)
			}
		})
	}
}

// line returns the file, without its folder, and the line of a fault.
func line(f *Fault) string { return fmt.Sprintf("%s:%d", path.Base(f.Place.File), f.Place.Line) }

// TestOutOfBounds: a store behind a buffer names the argument, the line and the index.
func TestOutOfBounds(t *testing.T) {
	s := samples[0]
	_, l, _ := s.launch(t)
	mem := NewMemory()
	for i, n := range []int{4000, 4000, 3996} {
		l.Args[i] = mem.Alloc(make([]byte, n))
	}
	l.Memory = mem
	var f *Fault
	if err := Run(context.Background(), s.load(t), l); !errors.As(err, &f) {
		t.Fatalf("%v", err)
	}
	want := "out of bounds store of 4 bytes: index 999 of argument 2, which has 999 elements"
	if f.Msg != want || line(f) != "vector_add.py:12" || f.Access.Word != 2 || f.Program != [3]int{3, 0, 0} {
		t.Errorf("%v, expected %s", f, want)
	}
}

// TestNullPointer: an access below 1 MiB is reported as one through a null pointer, an access elsewhere as
// out of bounds.
func TestNullPointer(t *testing.T) {
	s := samples[0]
	for _, c := range []struct {
		pointer uint64
		null    bool
	}{{0, true}, {4096, true}, {1<<20 - 256, true}, {1 << 20, false}, {1<<21 - 256, false},
		{1 << 33, false}} {
		_, l, _ := s.launch(t)
		l.Args[0] = c.pointer
		var f *Fault
		if err := Run(context.Background(), s.load(t), l); !errors.As(err, &f) {
			t.Fatalf("%#x: %v", c.pointer, err)
		}
		if says := strings.HasSuffix(f.Msg, "through a pointer, which is null"); says != c.null ||
			f.Access.Null != c.null {
			t.Errorf("a load at %#x: %v", c.pointer, f)
		}
	}
}

// TestUninitialised: a kernel that stores a register which nothing wrote is stopped.
func TestUninitialised(t *testing.T) {
	s := samples[0]
	c, l, _ := s.launch(t)
	hsaco := s.without(t, c.Kernel, "global_load_dword", 0)
	var f *Fault
	if err := Run(context.Background(), hsaco, l); !errors.As(err, &f) ||
		!strings.Contains(f.Msg, "which nothing wrote") {
		t.Errorf("without a load, its register is not written: %v", err)
	}
}
