package lang_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// FuzzFrontEnd compiles mutated kernels. The fuzzer changes the text; a seed other than zero changes the
// tree as well: expressions trade places, statements go or come twice, constants and names become others.
// Nothing panics or hangs, every error has a place, and what compiles verifies and goes through the TTIR
// passes.
func FuzzFrontEnd(f *testing.F) {
	for i, s := range frontEndSeeds(f) {
		f.Add(s.text, s.kernel, s.signature, uint64(0))
		f.Add(s.text, s.kernel, s.signature, uint64(i+1))
	}
	f.Fuzz(func(t *testing.T, text, kernel, signature string, seed uint64) {
		if len(text) > 40_000 {
			txtest.LeftOut(t, "too long")
		}
		if seed != 0 {
			text = mutateTree(text, seed)
		}
		start := time.Now()
		_, err := compileAnything(t, text, kernel, signature)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v (%v):\n%s", took, err, text)
		}
	})
}

// compileAnything takes a text as far as it goes and returns the IR before and after passes, or the user's
// error; any other is the test's.
func compileAnything(t *testing.T, text, kernel, signature string) (string, error) {
	t.Helper()
	m, err := frontEnd(text, kernel, signature)
	if err != nil {
		checkDiagnostics(t, text, err)
		return "", err
	}
	if err := ir.Verify(m.Op); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	before := m.String()
	if err := pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIRFor(chip.CUDA(90)))); err != nil {
		t.Fatalf("passes: %v\n%s", err, text)
	}
	if err := ir.Verify(m.Op); err != nil {
		t.Fatalf("after the passes: %v\n%s", err, text)
	}
	return before + m.String(), nil
}

// frontEnd compiles a kernel to TTIR, before any pass.
func frontEnd(text, kernel, signature string) (*ir.Module, error) {
	fs := fstest.MapFS{"helper.py": {Data: []byte(helperModule)}}
	src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{FS: fs})
	if err != nil {
		return nil, err
	}
	params, err := src.Params(kernel, lang.DefaultTarget)
	if err != nil {
		return nil, err
	}
	args, err := lang.ParseSignature(params, signature)
	if err != nil {
		return nil, err
	}
	return src.Compile(kernel, args, lang.Options{MaxSteps: 50_000})
}

// checkDiagnostics makes sure that an error is the user's, says something, and says where; a kernel that is
// not there is nowhere.
func checkDiagnostics(t *testing.T, text string, err error) {
	t.Helper()
	var list *diag.List
	if !errors.As(err, &list) {
		t.Fatalf("not a diagnostic: %v\n%s", err, text)
	}
	for _, d := range list.Diags {
		if d.Msg == "" || !d.Span.Start.IsValid() && d.Code != "no-kernel" {
			t.Fatalf("no message or no place: %+v\n%v\n%s", d, err, text)
		}
	}
}

const helperModule = `import triton
import triton.language as tl

SCALE = tl.constexpr(2.0)


@triton.jit
def double(v):
    return v * SCALE
`

type frontEndSeed struct{ text, kernel, signature string }

// frontEndSeeds are the shared kernels, the wrong kernels, the cases of this package, the library, and a
// few kernels that use much of the language.
func frontEndSeeds(t testing.TB) (seeds []frontEndSeed) {
	for _, s := range specsFile(t) {
		seeds = append(seeds, frontEndSeed{txtest.Read(t, txtest.Path(t, "kernels", s.File)), s.Kernel,
			s.Signature})
	}
	for _, path := range globHere(t, wrongKernels) {
		c := txtest.Load(t, path)
		kernel, signature, _ := strings.Cut(strings.TrimSpace(section(t, c, "compile")), " ")
		seeds = append(seeds, frontEndSeed{c.Text(t, "k.py"), kernel, signature})
	}
	for _, path := range globHere(t, "testdata/*.txtar") {
		c := txtest.Load(t, path)
		for line := range strings.Lines(c.Text(t, "specs")) {
			if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) == 3 {
				seeds = append(seeds, frontEndSeed{c.Text(t, "k.py"), f[1], f[2]})
			}
		}
	}
	for _, f := range [][2]string{{"cdiv", "i32, i32"}, {"sigmoid", "fp32"},
		{"swizzle2d", "i32, i32, i32, i32, i32"}, {"zeros_like", "fp32"}} {
		text := txtest.Read(t, filepath.Join("stdlib", "standard.py"))
		seeds = append(seeds, frontEndSeed{text, f[0], f[1]})
	}
	seeds = append(seeds, frontEndSeed{txtest.Read(t, filepath.Join("stdlib", "random.py")), "philox",
		"u32, u32, u32, u32, u32, 10"})
	for _, c := range languageTour {
		seeds = append(seeds, frontEndSeed{tourHead + c.text, "kernel", c.signature})
	}
	return seeds
}

// specsFile are the compilations that the shared kernels come with.
func specsFile(t testing.TB) (specs []spec) {
	t.Helper()
	if err := json.Unmarshal([]byte(txtest.Read(t, txtest.Path(t, "kernels", "specs.json"))),
		&specs); err != nil {
		t.Fatal(err)
	}
	return specs
}

func section(t testing.TB, c *txtest.Case, name string) string {
	t.Helper()
	return c.Text(t, name)
}

func globHere(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: nothing there (%v)", pattern, err)
	}
	slices.Sort(paths)
	return paths
}

const tourHead = "import triton\nimport triton.language as tl\nfrom helper import double, SCALE\n\n\n"

// languageTour are kernels that go through much of the language in few lines.
var languageTour = []struct{ text, signature string }{
	{`@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, MODE: tl.constexpr = "sum"):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs, mask=mask, other=0.0)
    if MODE == "sum":
        r = tl.sum(v, axis=0)
    elif MODE == "max":
        r = tl.max(v, axis=0)
    else:
        r = tl.sum(tl.sort(v), axis=0)
    tl.atomic_add(out, r, sem="relaxed")
    tl.store(out + 1 + offs, tl.where(mask, double(v), SCALE), mask=mask)
`, `*fp32:16, *fp32:16, i32, 64, "max"`},
	{`@triton.jit
def combine(a, ia, b, ib):
    better = (a > b) | ((a == b) & (ia < ib))
    return tl.where(better, a, b), tl.where(better, ia, ib)


@triton.jit
def kernel(x, out, n):
    i = 0
    total = 0.0
    while i < n:
        v = tl.load(x + i + tl.arange(0, 16))
        best, at = tl.reduce((v, tl.arange(0, 16)), 0, combine)
        total += best if at > 3 else -best
        i += 16
    s = tl.associative_scan(tl.arange(0, 8), 0, tl.standard._sum_combine)
    tl.store(out, total + tl.sum(s))
`, `*fp32, *fp32, i32`},
	{`@triton.jit
def kernel(a, b, c, M, N, K, BM: tl.constexpr, BK: tl.constexpr):
    pa = tl.make_block_ptr(a, shape=(M, K), strides=(K, 1), offsets=(0, 0),
                             block_shape=(BM, BK), order=(1, 0))
    pb = tl.make_block_ptr(b, shape=(K, N), strides=(N, 1), offsets=(0, 0),
                             block_shape=(BK, BM), order=(1, 0))
    acc = tl.zeros((BM, BM), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=2, loop_unroll_factor=2):
        acc = tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(1, )), acc)
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    rows = tl.arange(0, BM)
    tl.store(c + rows[:, None] * N + rows[None, :], acc.to(tl.float16),
                 mask=(rows[:, None] < M) & (rows[None, :] < N))
`, `*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, 16, 32`},
	{`@triton.jit
def helper(v, K: tl.constexpr):
    if K == 0:
        return v
    return helper(v + K, K - 1)


@triton.jit
def kernel(x, out, n, seed, OPT: tl.constexpr):
    offs = tl.arange(0, 32)
    r = tl.rand(seed, offs)
    for j in tl.static_range(3):
        r = helper(r, 2) * (j + 1)
    t = (r, offs)
    u = [k * 2 for k in (1, 2, 3) if k != 2]
    lo, hi = tl.split(tl.reshape(t[0], (16, 2)))
    y = tl.join(lo, hi).reshape(32)
    if n > 4 and OPT is not None:
        y = tl.flip(y)
        if n > 5:
            return
    elif not (0 < n <= 3):
        y = y + u[1]
    z = tl.cat(offs, offs, can_reorder=True)
    tl.static_assert(z.shape[0] == 64, f"64, not {z.shape[0]}")
    assert n < 100, "n"
    tl.store(out + offs, y.to(tl.float32) +
                 tl.load(x + offs, mask=offs < n, other=1).to(tl.float32, bitcast=True))
`, `*i32, *fp32, i32, i32, None`},
}

// mutateTree changes a text a few times at places that its syntax tree gives: the result is mostly still
// Python.
func mutateTree(text string, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, seed>>7))
	for range 1 + rng.IntN(3) {
		files := diag.NewFileSet()
		m, err := python.Parse(files, "m.py", []byte(text))
		if err != nil {
			return text
		}
		p := collect(m, text)
		if next := p.mutate(rng, text); len(next) < 40_000 {
			text = next
		}
	}
	return text
}

// pieces are the parts of a text, as offsets.
type pieces struct{ exprs, stmts, names, constants [][2]int }

func collect(m *python.Module, text string) *pieces {
	p := &pieces{}
	python.Inspect(m, func(n python.Node) bool {
		if n == nil || n == python.Node(m) {
			return n != nil
		}
		s := n.Span()
		at := [2]int{m.File.Offset(s.Start), m.File.Offset(s.End)}
		if at[0] < 0 || at[1] > len(text) || at[0] >= at[1] {
			return true
		}
		switch n.(type) {
		case *python.Name:
			p.names = append(p.names, at)
		case *python.Constant:
			p.constants = append(p.constants, at)
		}
		switch n.(type) {
		case python.Expr:
			p.exprs = append(p.exprs, at)
		case python.Stmt:
			p.stmts = append(p.stmts, at)
		}
		return true
	})
	return p
}

var fuzzConstants = []string{"0", "1", "-1", "2", "3", "16", "32", "1.5", "None", "True", "False", `"x"`,
	"()", "(0, 1)", "1 << 40", "2**70", "float('inf')", "tl.float16", "tl.int64", "[]"}

var fuzzExprs = []string{"tl.arange(0, 16)", "tl.program_id(0)", "tl.zeros((16, 16), tl.float32)",
	"tl.full((4, ), 1, tl.int8)", "tl.constexpr(3)", "lambda v: v", "{1: 2}", "x for x in (1, 2)", "f'{1}'",
	"(yield)", "tl", "triton", "range(3)", "len((1, 2))", "not 1", "tl.max_constancy", "1 if 2 else 3"}

func (p *pieces) mutate(rng *rand.Rand, text string) string {
	pick := func(list [][2]int) [2]int { return list[rng.IntN(len(list))] }
	replace := func(at [2]int, with string) string { return text[:at[0]] + with + text[at[1]:] }
	cut := func(at [2]int) string { return text[at[0]:at[1]] }
	switch k := rng.IntN(8); {
	case k == 0 && len(p.exprs) > 0: // one expression in the place of another
		return replace(pick(p.exprs), cut(pick(p.exprs)))
	case k == 1 && len(p.constants) > 0:
		return replace(pick(p.constants), fuzzConstants[rng.IntN(len(fuzzConstants))])
	case k == 2 && len(p.names) > 0:
		return replace(pick(p.names), cut(pick(p.names)))
	case k == 3 && len(p.stmts) > 0:
		return replace(pick(p.stmts), "pass")
	case k == 4 && len(p.stmts) > 0: // a statement again, on its own indentation
		at := pick(p.stmts)
		line := strings.LastIndexByte(text[:at[0]], '\n') + 1
		indent := text[line:at[0]]
		if strings.TrimSpace(indent) != "" {
			return text
		}
		return text[:at[1]] + "\n" + indent + cut(pick(p.stmts)) + text[at[1]:]
	case k == 5 && len(p.exprs) > 0:
		return replace(pick(p.exprs), fuzzExprs[rng.IntN(len(fuzzExprs))])
	case k == 6 && len(p.exprs) > 0: // an expression inside another
		at := pick(p.exprs)
		wrap := []string{"(%s)", "-%s", "(%s)[0]", "(%s, %s)", "(%s if n > 0 else 0)", "tl.sum(%s)",
			"(%s).to(tl.int8)", "(%s)[:, None]", "~(%s)"}[rng.IntN(9)]
		return replace(at, strings.ReplaceAll(wrap, "%s", cut(at)))
	case len(p.stmts) > 1: // two statements trade places
		a, b := pick(p.stmts), pick(p.stmts)
		if a[0] > b[0] {
			a, b = b, a
		}
		if a[1] <= b[0] {
			return text[:a[0]] + cut(b) + text[a[1]:b[0]] + cut(a) + text[b[1]:]
		}
	}
	return text
}

// TestMutatedKernels does what FuzzFrontEnd does, to every seed a few times over; NEREID_MUTATIONS says how
// often. What comes of each mutation is compared with a table: a hash of the IR before and after the passes,
// or the message. A seed's mutations follow from its text, so that a new one changes no line of the others.
func TestMutatedKernels(t *testing.T) {
	rounds := uint64(4)
	if n, err := strconv.ParseUint(os.Getenv("NEREID_MUTATIONS"), 10, 64); err == nil {
		rounds = n
	}
	compiled, lines := 0, []string{}
	for _, s := range frontEndSeeds(t) {
		sum := sha256.Sum256([]byte(s.text + s.kernel + s.signature))
		for round := range rounds {
			name := fmt.Sprintf("%s-%x/%d", s.kernel, sum[:3], round)
			text := mutateTree(s.text, binary.LittleEndian.Uint64(sum[:])<<8|round+1)
			start := time.Now()
			t.Run(name, func(t *testing.T) {
				line := name + " refused: "
				ir, err := compileAnything(t, text, s.kernel, s.signature)
				if err != nil {
					message, _, _ := strings.Cut(err.Error(), "\n")
					line += message
				} else {
					compiled++
					line = fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(ir)))[:len(name)+17]
				}
				lines = append(lines, line)
			})
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v:\n%s", took, text)
			}
		}
	}
	if compiled == 0 {
		t.Error("nothing compiled")
	}
	t.Logf("%d compiled", compiled)
	if rounds == 4 && !t.Failed() {
		slices.Sort(lines)
		txtest.Golden(t, "testdata/mutated.txt", strings.Join(slices.Compact(lines), "\n")+"\n")
	}
}
