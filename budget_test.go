package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const jitHead = "import triton\nimport triton.language as tl\n"

// greedyKernel is a file with a kernel k(x, n) of the given body.
func greedyKernel(before, body string) string {
	return before + jitHead + "@triton.jit\ndef k(x, n):\n" + body
}

// doubling has n helpers that each call the one before twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(jitHead + "@triton.jit\ndef f0(a):\n    return a * 3 + 1\n")
	for i := range n {
		fmt.Fprintf(&b, "@triton.jit\ndef f%d(a):\n    return f%d(a) + f%d(a + %d)\n", i+1, i, i, i)
	}
	fmt.Fprintf(&b, "@triton.jit\ndef k(x, n):\n    tl.store(x, f%d(n))\n", n)
	return b.String()
}

// attacks are sources that cost far more than their text, and what the error must say: the limit, and the
// function or line.
var attacks = []struct {
	name, src string
	want      []string
}{
	{"helpers that call each other twice", doubling(40),
		[]string{"operations in t.f1", "at t.py:", "NEREID_MAX_OPS"}},
	{"static_range(10**9)",
		greedyKernel("", "    for i in tl.static_range(10**9):\n        n += i\n    tl.store(x, n)\n"),
		[]string{"t.py:6:", "k takes the kernel over its budget"}},
	{"nested static_range",
		greedyKernel("", "    for i in tl.static_range(1000):\n        for j in tl.static_range(1000):\n"+
			"            for l in tl.static_range(1000):\n                n += i * j\n    tl.store(x, n)\n"),
		[]string{"t.py:8:", "k takes the kernel over"}},
	{"too much text", strings.Repeat("x=1;", 1<<20) + "\n" + greedyKernel("", "    tl.store(x, n)\n"),
		[]string{"bytes of source text in t.py"}},
	{"a line of statements",
		greedyKernel("", "    "+strings.Repeat("n+=1;", 300_000)+"\n    tl.store(x, n)\n"),
		[]string{"t.py:5:", "k takes the kernel over"}},
	{"characters that are none", strings.Repeat("?", 4<<20),
		[]string{"t.py:1:1: error: unexpected character '?'"}},
	{"a sum of a million terms", greedyKernel("", "    y = n"+strings.Repeat("+n", 1_000_000)+"\n"),
		[]string{"t.py:5:", "nested too deeply"}},
	{"brackets", greedyKernel("", "    y = "+strings.Repeat("(", 100_000)+"1\n"),
		[]string{"t.py:5:", "nested brackets"}},
	{"an unknown name of a million letters",
		greedyKernel("", "    tl.store(x, "+strings.Repeat("a", 1_000_000)+")\n"),
		[]string{"t.py:5:17", "is not defined"}},
	{"a string of 10**12", greedyKernel("y = 'x' * 10**12\n", "    tl.store(x, y)\n"),
		[]string{"t.py:1:5", "bytes"}},
	{"2**(10**9)", greedyKernel("y = 2**(10**9)\n", "    tl.store(x, y)\n"), []string{"t.py:1:5", "bits"}},
	{"a tuple that doubles",
		greedyKernel("y = (1,)\n"+strings.Repeat("y = y + y\n", 60), "    tl.store(x, y[0])\n"),
		[]string{"t.py:", "bytes"}},
	{"tuples of tuples in a kernel",
		greedyKernel("", "    y = (n, n)\n"+strings.Repeat("    y = (y, y)\n", 60)),
		[]string{"t.py:", "steps"}},
	{"tl.arange(0, 2**30)", greedyKernel("", "    tl.store(x + tl.arange(0, 2**30), n)\n"),
		[]string{"t.py:5:", "more than 1048576 elements"}},
	{"recursion", jitHead + "@triton.jit\ndef f(a, i: tl.constexpr):\n    return f(a, i + 1) + f(a, i + " +
		"2)\n" +
		"@triton.jit\ndef k(x, n):\n    tl.store(x, f(n, 0))\n", []string{"nested more than 200 deep at f"}},
}

// TestAttacks: no source text takes the machine. Each attack ends soon, in an error that is short and says
// where.
func TestAttacks(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range attacks {
		conf := nereid.Config{Budget: nereid.Budget{Ops: 50_000}} // the same as with the defaults, sooner
		if i == 0 {
			conf = nereid.Config{}
		}
		t.Run(a.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := within(t, 60*time.Second, func() error {
				return compileText(context.Background(), dev, a.src, conf)
			})
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range a.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error does not say %q: %.1500s", w, err)
				}
			}
			if len(err.Error()) > 8000 {
				t.Errorf("the error has %d bytes: %.300s", len(err.Error()), err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 3<<30 {
				t.Errorf("allocated %d MiB", n>>20)
			}
		})
	}
}

// within runs f and fails the test when that takes longer than d, which is far more than it takes on a
// machine that is busy.
func within(t *testing.T, d time.Duration, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		t.Fatalf("not done after %v", d)
		return nil
	}
}

func compileText(ctx context.Context, dev *nereid.Device, src string, conf nereid.Config) error {
	m, err := nereid.Parse("t.py", []byte(src), nereid.With(conf))
	if err != nil {
		return err
	}
	k, err := m.Kernel("k")
	if err != nil {
		return err
	}
	_, err = k.Compile(ctx, dev, "*i32, i32", nereid.Options{})
	return err
}

// TestCompileCancelled: a compilation without a limit on operations, which would take all memory, ends with
// its context.
func TestCompileCancelled(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]string{
		"passes":    doubling(40),
		"front end": greedyKernel("", "    for i in tl.static_range(10**6):\n        tl.store(x + i, n)\n"),
		"host": greedyKernel("def f():\n    while True: pass\ny: tl.constexpr = f()\n",
			"    tl.store(x, y)\n"),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			err := within(t, 30*time.Second, func() error {
				return compileText(ctx, dev, src, nereid.Config{Budget: nereid.Budget{Ops: -1, Memory: -1}})
			})
			if !errors.Is(err, context.DeadlineExceeded) && !(name == "host" && err != nil) {
				t.Errorf("%v", err)
			}
			t.Logf("after %v: %.200v", time.Since(start), err)
		})
	}
}

// TestBudgetTime: the time of a compilation is bounded, and the error says by which limit.
func TestBudgetTime(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	conf := nereid.Config{Budget: nereid.Budget{Ops: -1, Memory: -1, Time: 50 * time.Millisecond}}
	err = within(t, 30*time.Second, func() error {
		return compileText(context.Background(), dev, doubling(40), conf)
	})
	var over *nereid.BudgetError
	if !errors.As(err, &over) || over.Field != "Time" ||
		!strings.Contains(err.Error(), "more than 50ms of time") {
		t.Errorf("%v", err)
	}
}
