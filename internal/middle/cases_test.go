package middle_test

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/filecheck"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// A case is a file of Triton IR in testdata. Its comments say what is shown, what the output looks like
// (CHECK lines), and how to run the kernel:
//
//	// GRID: 2, 1, 1
//	// ARG: f32[100] normal          a buffer: normal, zero, one, iota, or below N
//	// ARG: i32 42                   a scalar
//	// NORUN: why                    instead of both: MLIR cannot run it
var (
	gridLine = regexp.MustCompile(`(?m)^// GRID: (.*)$`)
	argLine  = regexp.MustCompile(`(?m)^// ARG: (\w+)(?:\[(\d+)\])? (\S+)(?: (\S+))?$`)
	noRun    = regexp.MustCompile(`(?m)^// NORUN: (.*)$`)
)

var elemTypes = map[string]ir.Type{
	"f16": ir.F16, "bf16": ir.BF16, "f32": ir.F32, "f64": ir.F64, "i1": ir.I1, "i8": ir.I8, "i16": ir.I16,
	"i32": ir.I32, "i64": ir.I64,
}

// caseLaunch reads how a case is run.
func caseLaunch(t testing.TB, path string) (l launch, run bool) {
	t.Helper()
	text := txtest.Read(t, path)
	l = launch{name: strings.TrimSuffix(filepath.Base(path), ".mlir"), text: text, grid: [3]int{1, 1, 1}}
	if noRun.MatchString(text) {
		return l, false
	}
	if g := gridLine.FindStringSubmatch(text); g != nil {
		for i, s := range strings.Split(g[1], ",") {
			l.grid[i], _ = strconv.Atoi(strings.TrimSpace(s))
		}
	}
	r := newRandom(uint64(len(text)))
	for _, m := range argLine.FindAllStringSubmatch(text, -1) {
		elem := elemTypes[m[1]]
		if elem == nil {
			t.Fatalf("%s: no type %s", path, m[1])
		}
		if m[2] == "" {
			l.args = append(l.args, arg{elem: elem, bits: scalarBits(t, elem, m[3])})
			continue
		}
		n, _ := strconv.Atoi(m[2])
		l.args = append(l.args, filled(t, r, elem, n, m[3], m[4]))
	}
	if len(l.args) == 0 {
		t.Fatalf("%s: neither arguments nor NORUN", path)
	}
	return l, true
}

func scalarBits(t testing.TB, elem ir.Type, s string) uint64 {
	t.Helper()
	if ft, ok := elem.(*ir.FloatType); ok {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return ft.Format.Encode(v)
	}
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(v) << (64 - ir.BitWidth(elem)) >> (64 - ir.BitWidth(elem))
}

// filled makes a buffer. A boolean takes a byte.
func filled(t testing.TB, r random, elem ir.Type, n int, how, bound string) arg {
	t.Helper()
	mem := elem
	if elem == ir.I1 {
		mem = ir.I8
	}
	number := func(v float64) uint64 {
		if ft, ok := elem.(*ir.FloatType); ok {
			return ft.Format.Encode(v)
		}
		return uint64(int64(v))
	}
	switch how {
	case "normal":
		return r.buffer(mem, n, func(int) uint64 { return number(math.Round(r.r.NormFloat64()*64) / 16) })
	case "zero":
		return zeros(mem, n)
	case "one":
		return r.buffer(mem, n, func(int) uint64 { return number(1) })
	case "iota":
		return r.buffer(mem, n, func(i int) uint64 { return number(float64(i)) })
	case "below":
		top, err := strconv.Atoi(bound)
		if err != nil {
			t.Fatal(err)
		}
		return r.buffer(mem, n, func(int) uint64 { return number(float64(r.r.IntN(top))) })
	}
	t.Fatalf("buffers are not filled with %q", how)
	return arg{}
}

func casePaths(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.mlir")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return paths
}

// categories are what the cases are about, by the first word of their names, and how many there are at least.
var categories = map[string]int{
	"ptr": 30, "block": 5, "descriptor": 4, "for": 14, "while": 4, "if": 4, "wrap": 11, "split": 4,
	"mask": 34, "use": 6, "gather": 6, "scatter": 2, "atomic": 7, "reduce": 7, "scan": 3, "dot": 5,
	"elem": 14, "shape": 6, "pick": 2, "flow": 9,
}

// TestCategories: each category has its cases, and each case a category.
func TestCategories(t *testing.T) {
	n := map[string]int{}
	for _, path := range casePaths(t) {
		word, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".mlir"), "_")
		n[word]++
	}
	for word, least := range categories {
		if n[word] < least {
			t.Errorf("%d cases of %s, fewer than %d", n[word], word, least)
		}
	}
	total := 0
	for word, k := range n {
		total += k
		if categories[word] == 0 {
			t.Errorf("%s is no category", word)
		}
	}
	t.Logf("%d cases: %v", total, n)
}

// TestCasesCheck: the output of each case is as its CHECK lines say.
func TestCasesCheck(t *testing.T) {
	for _, path := range casePaths(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := txtest.Read(t, path)
			m := parse(t, path, text)
			convert(t, m)
			if err := filecheck.Check(text, m.String()); err != nil {
				t.Errorf("%s: %v\n%s", path, err, m)
			}
			again := parse(t, path, text)
			convert(t, again)
			txtest.Equal(t, path+" a second time", m.String(), again.String())
			parse(t, path, m.String())
		})
	}
}

// TestCasesVerify: mlir-opt verifies the output of each case.
func TestCasesVerify(t *testing.T) {
	opt := txtest.MLIROpt(t)
	var all strings.Builder
	for _, path := range casePaths(t) {
		m := parse(t, path, txtest.Read(t, path))
		convert(t, m)
		fmt.Fprintf(&all, "// %s\n%s\n// -----\n", path, m)
	}
	cmd := exec.CommandContext(t.Context(), opt, "-split-input-file", "-o", "/dev/null")
	cmd.Stdin = strings.NewReader(all.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, clip(out))
	}
}

// TestCasesRun: MLIR runs the output of each case to the same end as the interpreter runs the case.
func TestCasesRun(t *testing.T) {
	var ls []launch
	for _, path := range casePaths(t) {
		if l, run := caseLaunch(t, path); run {
			ls = append(ls, l)
		}
	}
	check(t, ls)
}
