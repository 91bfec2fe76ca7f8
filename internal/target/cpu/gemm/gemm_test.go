package gemm

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device/cpu/cpuid"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// targets are the host's own, and lesser ones that it can run too.
func targets(t testing.TB) map[string]Target {
	t.Helper()
	l := load(t)
	features := l.HostTarget().Features
	all := map[string]Target{"host": Host(features, cpuid.RequestAMX() == nil),
		"host without AMX": Host(features, false), "sse": Host("", false)}
	if strings.Contains(features, "+avx512f") {
		all["avx2"] = Host("+avx2,+fma", false)
	}
	return all
}

func load(t testing.TB) *llvm.Lib {
	t.Helper()
	l := txtest.LLVM(t, llvm.Load)
	return l
}

// compiled is a kernel that can be called.
type compiled struct {
	*Kernel
	spec    Spec
	fn      uintptr
	scratch []byte // and behind it the panels
	flags   uintptr
	words   [14]uintptr
}

func compile(t testing.TB, target Target, specs ...Spec) []*compiled {
	t.Helper()
	l := load(t)
	lib := New(target)
	var list []*compiled
	text := ""
	for _, s := range specs {
		k, err := lib.Kernel(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &compiled{Kernel: k, spec: s})
		text += fmt.Sprintf("define void @\"call.%s\"(%s) {\n  call void @%s(%s)\n  ret void\n}\n", k.Name,
			params, k.Name, strings.ReplaceAll(params, "noalias ", ""))
	}
	out := emit(t, l, text+module(lib), llvm.EmitObj)
	t.Logf("%d kernels: %v", len(specs), out.Times.Total())
	j, err := l.JIT(out.Obj, llvm.JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	for _, c := range list {
		if c.fn, err = j.Lookup("call." + c.Name); err != nil {
			t.Fatal(err)
		}
		c.scratch = make([]byte, c.Panels+c.Scratch+64+16)
	}
	return list
}

// module returns the functions of a library with what they declare.
func module(lib *Lib) string {
	var decls []string
	for _, d := range lib.Declares() {
		decls = append(decls, d)
	}
	sort.Strings(decls)
	return lib.Text() + strings.Join(decls, "\n")
}

func emit(t testing.TB, l *llvm.Lib, text string, form llvm.Emit) *llvm.Output {
	t.Helper()
	return emitFor(t, l, l.HostTarget(), text, form)
}

func emitFor(t testing.TB, l *llvm.Lib, target llvm.Target, text string, form llvm.Emit) *llvm.Output {
	t.Helper()
	out, err := l.Compile(context.Background(), []byte(text),
		llvm.Options{Target: target, Emit: form, Level: llvm.O2, Passes: passes})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// matrix is an operand in memory.
type matrix struct {
	elem       Elem
	mem        []byte
	rs, cs     int
	rows, cols int // that are there
}

func (m *matrix) at(r, c int) float64 {
	if r >= m.rows || c >= m.cols {
		return 0
	}
	b := m.mem[(r*m.rs+c*m.cs)*elems[m.elem].size:]
	switch m.elem {
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case F16:
		return num.F16.Decode(uint64(binary.LittleEndian.Uint16(b)))
	case BF16:
		return num.BF16.Decode(uint64(binary.LittleEndian.Uint16(b)))
	}
	return float64(int8(b[0]))
}

func (m *matrix) set(b []byte, v float64) {
	switch m.elem {
	case F32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case F64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	case F16:
		binary.LittleEndian.PutUint16(b, uint16(num.F16.Encode(v)))
	case BF16:
		binary.LittleEndian.PutUint16(b, uint16(num.BF16.Encode(v)))
	default:
		b[0] = byte(int8(v))
	}
}

// operand is a matrix of random numbers, exactly as large in memory as what is there.
func operand(r *rand.Rand, elem Elem, rows, cols int, order string) *matrix {
	m := &matrix{elem: elem, rows: rows, cols: cols}
	gap := r.IntN(3) * r.IntN(9)
	switch order {
	case "rows":
		m.rs, m.cs = cols+gap, 1
	case "pages":
		m.rs, m.cs = page/elems[elem].size, 1
	case "columns":
		m.rs, m.cs = 1, rows+gap
	case "every second":
		m.rs, m.cs = 2*cols+gap, 2
	}
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*m.rs + (cols-1)*m.cs + 1
	}
	size := elems[elem].size
	m.mem = make([]byte, n*size)
	for i := range n {
		v := r.Float64()*2 - 1
		if elem == I8 {
			v = float64(r.IntN(256) - 128)
		}
		m.set(m.mem[i*size:], v)
	}
	return m
}

func pointer(b []byte) uintptr {
	if len(b) == 0 {
		return 8
	}
	return uintptr(unsafe.Pointer(&b[0]))
}

func (c *compiled) call(acc []byte, a, b *matrix) {
	scratch := (pointer(c.scratch) + 63) &^ 63
	c.words = [14]uintptr{pointer(acc),
		pointer(a.mem), uintptr(a.rs), uintptr(a.cs), uintptr(a.rows), uintptr(a.cols),
		pointer(b.mem), uintptr(b.rs), uintptr(b.cs), uintptr(b.rows), uintptr(b.cols),
		scratch + uintptr(c.Scratch), c.flags, scratch}
	llvm.Call(c.fn, c.words[:]...)
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

// check multiplies random operands and compares with sums in double precision. again is for a product with
// an operand that an earlier one has packed.
func (c *compiled) check(t *testing.T, r *rand.Rand, a, b *matrix, again bool) {
	t.Helper()
	s := c.spec
	sum := &matrix{elem: map[string]Elem{"float": F32, "double": F64, "i32": F32}[s.Acc()]}
	size := elems[sum.elem].size
	acc := make([]byte, s.M*s.N*size)
	before := make([]float64, s.M*s.N)
	for i := range before {
		before[i] = math.Round(r.Float64() * 100)
		if s.Acc() == "i32" {
			binary.LittleEndian.PutUint32(acc[i*4:], uint32(int32(before[i])))
		} else {
			sum.set(acc[i*size:], before[i])
		}
	}
	guard := c.scratch[len(c.scratch)-16:]
	copy(guard, "guard of scratch")
	if again {
		c.call(make([]byte, len(acc)), a, b)
		c.flags |= Packed
		defer func() { c.flags &^= Packed }()
	}
	c.call(acc, a, b)
	if string(guard) != "guard of scratch" {
		t.Fatalf("%v wrote beyond its scratch", s)
	}
	eps := map[string]float64{"float": 0x1p-23, "double": 0x1p-52, "i32": 0}[s.Acc()]
	for i := range s.M {
		for j := range s.N {
			want, weight := before[i*s.N+j], math.Abs(before[i*s.N+j])
			if c.flags&Fresh != 0 {
				want, weight = 0, 0
			}
			for k := range s.K {
				p := a.at(i, k) * b.at(k, j)
				want += p
				weight += math.Abs(p)
			}
			var got float64
			switch s.Acc() {
			case "float":
				got = float64(math.Float32frombits(binary.LittleEndian.Uint32(acc[(i*s.N+j)*4:])))
			case "double":
				got = math.Float64frombits(binary.LittleEndian.Uint64(acc[(i*s.N+j)*8:]))
			default:
				got = float64(int32(binary.LittleEndian.Uint32(acc[(i*s.N+j)*4:])))
			}
			if !(math.Abs(got-want) <= eps*weight*(2+math.Sqrt(float64(s.K)))) {
				t.Fatalf("%v: A %d×%d strides %d,%d; B %d×%d strides %d,%d: C[%d,%d] = %v, want %v", s,
					a.rows, a.cols, a.rs, a.cs, b.rows, b.cols, b.rs, b.cs, i, j, got, want)
			}
		}
	}
}

func TestMultiply(t *testing.T) {
	sizes := [][3]int{{16, 16, 16}, {32, 64, 16}, {64, 32, 64}, {4, 8, 2}, {16, 128, 64}, {128, 16, 8},
		{1, 16, 32}, {16, 1, 16}, {2, 2, 1}}
	for name, target := range targets(t) {
		t.Run(name, func(t *testing.T) {
			var specs []Spec
			some := sizes
			// of which the sizes are tried, so that these have only the vectors to get wrong
			if name != "host" {
				some = sizes[1:4]
			}
			for _, e := range []Elem{F32, F64, F16, BF16, I8} {
				for _, s := range some {
					specs = append(specs, Spec{M: s[0], N: s[1], K: s[2], Elem: e})
				}
			}
			r := rand.New(rand.NewPCG(1, 2))
			for _, c := range compile(t, target, specs...) {
				s := c.spec
				for _, order := range [][2]string{{"rows", "rows"}, {"rows", "columns"}, {"columns", "rows"},
					{"pages", "rows"},
					{"every second", "every second"}} {
					a, b := operand(r, s.Elem, s.M, s.K, order[0]), operand(r, s.Elem, s.K, s.N, order[1])
					c.check(t, r, a, b, false)
					m, n, k, k2 := r.IntN(s.M+1), r.IntN(s.N+1), r.IntN(s.K+1), r.IntN(s.K+1)
					a, b = operand(r, s.Elem, m, k, order[0]), operand(r, s.Elem, k2, n, order[1])
					c.check(t, r, a, b, true)
					c.flags ^= Fresh
				}
			}
		})
	}
}

// TestRegisters: sums, a row of B and the elements of A that are loaded early fit the vector registers of
// every CPU, by whichever model LLVM schedules its instructions.
func TestRegisters(t *testing.T) {
	l := load(t)
	for _, c := range []struct{ features, register, last, cpus string }{
		{"+avx512f,+avx512vl,+avx512bw", "zmm", "%zmm31",
			"skylake-avx512 icelake-server sapphirerapids znver4"},
		{"+avx2,+fma", "ymm", "%ymm15", "haswell alderlake znver2"},
	} {
		stack := regexp.MustCompile(fmt.Sprintf(`.*(%%%s.*\(%%rsp|\(%%rsp.*%%%[1]s).*`, c.register))
		for _, e := range []Elem{F32, F64, F16, BF16, I8} {
			lib := New(Host(c.features, false))
			k, err := lib.Kernel(Spec{M: 256, N: 256, K: 256, Elem: e})
			if err != nil {
				t.Fatal(err)
			}
			for _, cpu := range strings.Fields(c.cpus) {
				target, err := l.Chip("X86", "x86_64-unknown-linux-gnu", cpu, "")
				if err != nil {
					t.Fatal(err)
				}
				code := emitFor(t, l, target, module(lib), llvm.EmitAsm).Asm
				_, body, _ := strings.Cut(string(code), k.Name+":")
				body, _, _ = strings.Cut(body, "Lfunc_end")
				if !strings.Contains(body, c.last) {
					t.Errorf("%s, %s: the loop does not use all registers", e, cpu)
				}
				if at := stack.FindString(body); at != "" {
					t.Errorf("%s, %s: a vector lies on the stack: %s", e, cpu, at)
				}
			}
		}
	}
}

func TestBadSpecs(t *testing.T) {
	lib := New(Target{VectorBytes: 64, Rows: 12, Vectors: 2, Ahead: 1})
	for _, s := range []Spec{{M: 0, N: 16, K: 16, Elem: F32}, {M: 16, N: 24, K: 16, Elem: F32},
		{M: 16, N: 16, K: -16, Elem: F32}, {M: 16, N: 16, K: 16, Elem: "i7"}} {
		if _, err := lib.Kernel(s); err == nil {
			t.Errorf("%v: no error", s)
		}
	}
}

func BenchmarkMultiply(b *testing.B) {
	for name, target := range targets(b) {
		for _, s := range []Spec{{M: 128, N: 128, K: 128, Elem: F32}, {M: 256, N: 256, K: 256, Elem: F32},
			{M: 64, N: 64, K: 64, Elem: F32}, {M: 256, N: 256, K: 256, Elem: F64},
			{M: 256, N: 256, K: 256, Elem: BF16},
			{M: 256, N: 256, K: 256, Elem: I8}, {M: 128, N: 128, K: 64, Elem: F16}} {
			for _, order := range []string{"rows", "columns"} {
				b.Run(fmt.Sprintf("%s/%s/B by %s", name, s.name(), order), func(b *testing.B) {
					c := compile(b, target, s)[0]
					r := rand.New(rand.NewPCG(1, 2))
					x := operand(r, s.Elem, s.M, 1024, "rows")
					y := operand(r, s.Elem, 1024, s.N, order)
					x.rs = 1024
					acc := make([]byte, s.M*s.N*8)
					best := time.Hour // machines are shared: what it takes when nobody disturbs
					for b.Loop() {
						start := time.Now()
						c.call(acc, x, y)
						best = min(best, time.Since(start))
					}
					b.ReportMetric(2*float64(s.M*s.N*s.K)/float64(best.Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}

// passes is the pipeline of the CPU back end, which leaves loops as they are.
const passes = "always-inline,function(sroa,early-cse,simplifycfg,instcombine," +
	"loop-mssa(licm),gvn,instcombine,simplifycfg)"

// TestStreamedA: tiles of a left operand that does not fit into the first-level cache do not displace others
// from there.
func TestStreamedA(t *testing.T) {
	for _, c := range []struct {
		m, n, k  int
		streamed bool
	}{{64, 64, 64, false}, {128, 512, 128, false}, {256, 512, 128, true}, {128, 128, 512, true}} {
		l := New(Target{VectorBytes: 64, AMXBF16: true})
		if _, err := l.Kernel(Spec{M: c.m, N: c.n, K: c.k, Elem: BF16}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(l.Text(), "tileloaddt164"); got != c.streamed {
			t.Errorf("%d×%d×%d: streamed is %v", c.m, c.n, c.k, got)
		}
	}
}
