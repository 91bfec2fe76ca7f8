package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// sharedFolders are the folders of triton-shared's tests of its single passes, and how many files there are
// at the commit that docs/TRITON_SHARED.md is about.
var sharedFolders = []string{"TritonToStructured", "TritonToUnstructured", "TritonArithToLinalg"}

// TestTritonSharedSteps converts triton-shared's inputs for its single passes by ours of the same names, has
// both verifiers look at the results, and compares them with the CHECK lines: by FileCheck, file by file, and
// line by line, where names of values and the order do not count. TRITON_SHARED names a checkout of
// microsoft/triton-shared, and TRITON_SHARED_TABLE a file for the table, beside which TABLE.missing has the
// lines that the output lacks.
func TestTritonSharedSteps(t *testing.T) {
	root := txtest.LongForm(t, "TRITON_SHARED", "it names a checkout of microsoft/triton-shared")
	judge, check := txtest.MLIROpt(t), txtest.LLVMTool(t, "FileCheck")
	var table, missing strings.Builder
	for _, folder := range sharedFolders {
		files, err := filepath.Glob(filepath.Join(root, "test/Conversion", folder, "*.mlir"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no inputs of %s below %s: %v", folder, root, err)
		}
		var sum tally
		for _, file := range files {
			f := &sharedFile{t: t, judge: judge, check: check, path: file, text: txtest.Read(t, file)}
			n := f.run()
			sum.add(n)
			fmt.Fprintf(&missing, "== %s\n%s", file, &f.missing)
			name := strings.TrimSuffix(filepath.Base(file), ".mlir")
			fmt.Fprintf(&table, "| %s/%s | %s |\n", folder, name, n)
		}
		t.Logf("%s: %d files, %d converted, %d verified by mlir-opt, %d as FileCheck wants them; %d of %d CHECK "+
			"lines, %d of %d of those with tts", folder, sum.files, sum.converted, sum.verified, sum.same,
			sum.lines[1], sum.lines[0], sum.tts[1], sum.tts[0])
		if sum.converted != sum.files || sum.verified != sum.files {
			t.Errorf("%s: not all files convert and verify", folder)
		}
	}
	if name := os.Getenv("TRITON_SHARED_TABLE"); name != "" {
		if err := os.WriteFile(name, []byte(table.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".missing", []byte(missing.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// tally is what was found of some files: lines are all of a kind, then those that the output has.
type tally struct {
	files, converted, verified, same int
	lines, tts                       [2]int
	why                              map[string]int // lines that the output lacks, by reason
}

// sharedReasons say by what a CHECK line has why the output lacks it; docs/TRITON_SHARED.md explains the
// letters. The first that fits counts.
var sharedReasons = []struct{ letter, pattern string }{
	{"D", `broadcastDims`},
	{"G", `gather_scatter|collapse_shape`},
	{"R", `linalg\.|alloc_tensor|tensor\.|\bit\b|it: |\]\]it|0xFF|: (b?f16|f32)$|affine_map|\^bb0|func\.func`},
	{"P", `get_structured_state`},
	{"B", `order: \[1, 0\]|!tt\.ptr<tensor<|make_tensor_ptr`},
	{"G", `tensor<\d+(x1)?xi(1|32|64)>`},
	{"C", `arith\.constant -?\d+ : index`},
	{"L", `scf\.(for|yield|if|while)|\} else|tensor<\d+x\d+xi32>|#\d`},
	{"S", `: index$|: i(32|64) to index|index to i|: i(32|64)$|: i32 to i64`},
	{"M", `"tts\.(load|store)"|tts\.make_tptr|tt\.(load|store|addptr)`},
}

// lacks says that the output lacks a line.
func (a *tally) lacks(line string) {
	if a.why == nil {
		a.why = map[string]int{}
	}
	for _, r := range sharedReasons {
		if regexp.MustCompile(r.pattern).MatchString(line) {
			a.why[r.letter]++
			return
		}
	}
	a.why["O"]++
}

func (a *tally) add(b tally) {
	a.files += b.files
	a.converted += b.converted
	a.verified += b.verified
	a.same += b.same
	for letter, k := range b.why {
		if a.why == nil {
			a.why = map[string]int{}
		}
		a.why[letter] += k
	}
	for i := range a.lines {
		a.lines[i] += b.lines[i]
		a.tts[i] += b.tts[i]
	}
}

func (a tally) String() string {
	yes := map[bool]string{true: "yes", false: "no"}
	var why []string
	for _, letter := range slices.Sorted(maps.Keys(a.why)) {
		why = append(why, fmt.Sprint(letter, a.why[letter]))
	}
	return fmt.Sprintf("%s | %d of %d | %d of %d | %s", yes[a.same == 1], a.lines[1], a.lines[0], a.tts[1],
		a.tts[0], strings.Join(why, " "))
}

// sharedFile is one of triton-shared's tests.
type sharedFile struct {
	t            *testing.T
	judge, check string
	path, text   string
	missing      strings.Builder // CHECK lines that the output lacks
}

var (
	runLine    = regexp.MustCompile(`(?m)^// RUN:.*$`)
	passOption = regexp.MustCompile(`--[\w-]+(?:="[^"]*")?`)
	prefixFlag = regexp.MustCompile(`--check-prefix=(\w+)`)
)

// passesOf returns the flags of ours that stand for a RUN line: ours carry nothing through loops that is dead
// once canonicalized, offsets have the width of theirs, and sums of small floats are widened as theirs.
func passesOf(run string) []string {
	run, _, _ = strings.Cut(run, "|")
	args := []string{"opt", "--split-input-file"}
	for _, flag := range passOption.FindAllString(run, -1) {
		flag = strings.ReplaceAll(flag, `"`, "")
		switch {
		case flag == "--split-input-file":
			continue
		case flag == "--remove-dead-values":
			flag = "--canonicalize"
		case strings.Contains(flag, "run-prepass-only"):
			flag = "--triton-to-structured"
		case flag == "--triton-to-unstructured":
			flag += "=offset-bit-width=32"
		case flag == "--triton-arith-to-linalg":
			flag += "=widen-sums=true"
		}
		args = append(args, flag)
	}
	return args
}

func (f *sharedFile) run() tally {
	n := tally{files: 1, converted: 1, verified: 1, same: 1}
	for _, run := range runLine.FindAllString(f.text, -1) {
		prefix := "CHECK"
		if m := prefixFlag.FindStringSubmatch(run); m != nil {
			prefix = m[1]
		}
		var out, errs bytes.Buffer
		if code := Main(append(passesOf(run), f.path), nil, &out, &errs); code != 0 {
			f.t.Errorf("%s: %s", f.path, &errs)
			return tally{files: 1}
		}
		f.verify(out.String(), &n)
		cmd := exec.Command(f.check, f.path, "--check-prefix="+prefix)
		cmd.Stdin = strings.NewReader(out.String())
		if cmd.Run() != nil {
			n.same = 0
		}
		f.lines(prefix, out.String(), &n)
	}
	return n
}

// verify has mlir-opt read the result in the generic form, once ours has read it back.
func (f *sharedFile) verify(text string, n *tally) {
	var generic, errs bytes.Buffer
	args := []string{"opt", "--split-input-file", "--generic", "-"}
	if code := Main(args, strings.NewReader(text), &generic, &errs); code != 0 {
		n.verified = 0
		f.t.Errorf("%s: not read back: %s", f.path, &errs)
		return
	}
	cmd := exec.Command(f.judge, "--split-input-file", "--allow-unregistered-dialect", "-o", os.DevNull)
	cmd.Stdin = &generic
	if msg, err := cmd.CombinedOutput(); err != nil {
		n.verified = 0
		f.t.Errorf("%s: MLIR refuses the result: %s", f.path, msg)
	}
}

// lines counts the CHECK lines that the output has, each of its lines used once.
func (f *sharedFile) lines(prefix, text string, n *tally) {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	m := &checkLines{consts: map[string]string{}}
	wanted := regexp.MustCompile(`(?m)^\s*//\s*` + prefix + `(-DAG|-NEXT|-SAME|-LABEL)?:\s*(.*)$`)
	last := ""
	for _, c := range wanted.FindAllStringSubmatch(f.text, -1) {
		want := m.pattern(strings.Join(strings.Fields(c[2]), " "))
		isTTS := strings.Contains(c[2], "tts.")
		n.lines[0]++
		if isTTS {
			n.tts[0]++
		}
		i := slices.IndexFunc(out, want.MatchString)
		switch {
		case c[1] == "-SAME" && want.MatchString(last):
		case c[1] == "-SAME" || i < 0:
			fmt.Fprintln(&f.missing, c[2])
			n.lacks(c[2])
			continue
		default:
			last, out[i] = out[i], "\x00"
		}
		n.lines[1]++
		if isTTS {
			n.tts[1]++
		}
	}
}

// checkLines turns CHECK lines into patterns in which a value is any value, and a constant index its number
// or a value named after it.
type checkLines struct{ consts map[string]string }

var (
	checkPart  = regexp.MustCompile(`\{\{.*?\}\}|%?\[\[\w+:[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\]\]|%?\[\[\w+\]\]`)
	checkName  = regexp.MustCompile(`\w+`)
	checkConst = regexp.MustCompile(`^%?\[\[(\w+):.*\]\] = arith\.constant (-?\d+) : index$`)
)

var mapNumber = regexp.MustCompile(`#map\d*`)

// quoted is a literal part of a CHECK line; the numbers of maps do not count.
func quoted(s string) string { return mapNumber.ReplaceAllString(regexp.QuoteMeta(s), `#map\d*`) }

func (m *checkLines) pattern(line string) *regexp.Regexp {
	if c := checkConst.FindStringSubmatch(line); c != nil {
		m.consts[c[1]] = c[2]
	}
	var b strings.Builder
	rest := line
	for {
		at := checkPart.FindStringIndex(rest)
		if at == nil {
			break
		}
		b.WriteString(quoted(rest[:at[0]]))
		part := rest[at[0]:at[1]]
		switch c := m.consts[checkName.FindString(part)]; {
		case strings.HasPrefix(part, "{{"):
			b.WriteString("(?:" + strings.Trim(part, "{}") + ")")
		case c != "" && !strings.Contains(part, ":"):
			b.WriteString(`(?:` + c + `|%c` + c + `(?:_\d+)?)`)
		default:
			b.WriteString(`[%#][\w.$#-]+`)
		}
		rest = rest[at[1]:]
	}
	b.WriteString(quoted(rest))
	re, err := regexp.Compile(b.String())
	if err != nil {
		return regexp.MustCompile(`\A\z.`) // something that Go's patterns do not have
	}
	return re
}
