package llvm

import (
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// linkedIR has what kernels have, and a variable.
var linkedIR = txtest.ObjectIR("@count = global i64 5", `%old = load i64, ptr @count
  %g = add i64 %old, 1
  store i64 %g, ptr @count`)

var ours = sync.OnceValue(func() uintptr { return NewCallback(func() uintptr { return 1000 }) })

func link(t testing.TB, lib *Lib, obj []byte, entry string) *Code {
	t.Helper()
	c, err := lib.Link(obj, entry, JITOptions{Symbols: map[string]uintptr{"ours": ours()}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLink(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		obj := compile(t, lib, linkedIR, Options{Target: lib.HostTarget(), Emit: EmitObj}).Obj
		c := link(t, lib, obj, "entry")
		defer c.Close()
		for round := range uintptr(2) {
			if got := Call(c.Entry, 1); got != 20+2+1+6+round+1000 {
				t.Errorf("got %d", got)
			}
		}
		if _, err := lib.Link(obj, "nowhere",
			JITOptions{Symbols: map[string]uintptr{"ours": ours()}}); err == nil ||
			!strings.Contains(err.Error(), "nowhere") {
			t.Errorf("an entry that is not there: %v", err)
		}
		if _, err := lib.Link(obj, "entry", JITOptions{}); err == nil ||
			!strings.Contains(err.Error(), "ours") {
			t.Errorf("a symbol that is not there: %v", err)
		}
		if _, err := lib.Link([]byte("no object file"), "entry", JITOptions{}); err == nil {
			t.Error("no object file, no error")
		}
	})
}

// maps are the process's memory maps: how many there are, and those that are writable and executable.
func maps(t testing.TB) (n int, both []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		txtest.NotHere(t, "%v", err)
	}
	for line := range strings.Lines(string(text)) {
		n++
		if fields := strings.Fields(line); strings.Contains(fields[1], "w") &&
			strings.Contains(fields[1], "x") {
			both = append(both, line)
		}
	}
	return n, both
}

// constIR has the sections of a kernel: code and constants.
const constIR = `
@table = private unnamed_addr constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@one = constant double 1.0

define i64 @entry(i64 %i) {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %a = load i64, ptr %p
  %x = load volatile double, ptr @one
  %y = fptosi double %x to i64
  %s = add i64 %a, %y
  ret i64 %s
}
`

// Live code shares memory maps, whatever order it comes and goes in; none of it can be written to, and all of
// it runs.
func TestLinkShares(t *testing.T) {
	if !sharesCode {
		txtest.NotHere(t, "code shares no memory here")
	}
	lib := load(t)
	obj := compile(t, lib, constIR, Options{Target: lib.HostTarget(), Emit: EmitObj}).Obj
	live := make([]*Code, 400)
	before, _ := maps(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 1200 {
		i := rng.IntN(len(live))
		if round < len(live) {
			i = round
		}
		if live[i] != nil {
			live[i].Close()
		}
		live[i] = link(t, lib, obj, "entry")
	}
	after, both := maps(t)
	if after > before+40 {
		t.Errorf("%d live pieces of code take %d maps", len(live), after-before)
	}
	if len(both) > 0 {
		t.Errorf("memory that can be written and executed:\n%s", strings.Join(both, ""))
	}
	for i, c := range live {
		if got := Call(c.Entry, uintptr(i%4)); got != uintptr(i%4*10+11) {
			t.Fatalf("code %d: %d", i, got)
		}
		c.Close()
	}
}

// Goroutines link, run and free code at once.
func TestLinkConcurrently(t *testing.T) {
	lib := load(t)
	obj := compile(t, lib, addIR, Options{Target: lib.HostTarget(), Emit: EmitObj}).Obj
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 60 {
				c := link(t, lib, obj, "add")
				if got := Call(c.Entry, uintptr(g), uintptr(i)); got != uintptr(g+i) {
					t.Errorf("%d", got)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkLink(b *testing.B) {
	lib := load(b)
	out, err := lib.Compile(b.Context(), []byte(addIR), Options{Target: lib.HostTarget(), Emit: EmitObj})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		link(b, lib, out.Obj, "add").Close()
	}
}
