package middle_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// onCPU runs a launch on the CPU and returns what is in its buffers then.
func onCPU(t testing.TB, d *cpu.Device, l launch) [][]byte {
	t.Helper()
	m := parse(t, l.name, l.text)
	k, err := d.Compile(t.Context(), &target.Input{Module: m, Kernel: kernelOf(m),
		Options: target.Options{}.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var bufs [][]byte
	var words []uint64
	var mem []target.Memory
	for _, a := range l.args {
		if a.data == nil {
			words = append(words, a.bits)
			continue
		}
		b, err := d.Alloc(len(a.data))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		copy(b.Host(), a.data)
		end := b.Addr() + uint64(b.Size())
		mem = append(mem, target.Memory{Word: len(words), Lo: b.Addr(), Hi: end, Base: b.Addr(), End: end})
		bufs, words = append(bufs, b.Host()), append(words, b.Addr())
	}
	if b, ok := k.(target.Bounded); ok && b.Bounded() {
		err = b.LaunchBounded(t.Context(), nil, l.grid, words, mem)
	} else {
		err = k.Launch(t.Context(), nil, l.grid, words)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufs
}

// compareCPU runs a launch on the CPU and in the interpreter.
func compareCPU(t *testing.T, d *cpu.Device, l launch) {
	t.Helper()
	got, want := onCPU(t, d, l), interpret(t, l)
	i := 0
	for _, a := range l.args {
		if a.data == nil {
			continue
		}
		if diff := difference(a.elem, bitsOf(a.elem, want[i]), bitsOf(a.elem, got[i]), l.tol); diff != "" {
			t.Errorf("buffer %d: %s", i, diff)
		}
		i++
	}
}

// TestRandomCPU: random kernels do the same on the CPU as in the interpreter; see TestRandom.
func TestRandomCPU(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	d := cpu.New(lib, cpu.Compiler{})
	n, first := randoms(60)
	for seed := first; seed < first+n; seed++ {
		l := randomLaunch(uint64(seed))
		t.Run(l.name, func(t *testing.T) { compareCPU(t, d, l) })
	}
}

// TestCasesCPU: the CPU runs each case to the same end as the interpreter, with vectors and with every
// access checked.
func TestCasesCPU(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	for mode, c := range map[string]cpu.Compiler{"plain": {}, "checked": {Check: true, Lines: true}} {
		d := cpu.New(lib, c)
		t.Run(mode, func(t *testing.T) {
			for _, path := range casePaths(t) {
				l, run := caseLaunch(t, path)
				if !run {
					continue
				}
				t.Run(l.name, func(t *testing.T) {
					compareCPU(t, d, l)
				})
			}
		})
	}
}
