package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/replay"
)

// TestRace races three cases on the CPU: one that was timed, one that gives another result, and one whose
// kernel is not there.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p):\n" +
		"    tl.store(p, tl.load(p) + 1)\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []map[string]any{recordedTensor("p", "s0", "i32", 1)}
	record := func(name, file string, after int32) string {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		return writeCase(t, sub, file, 1, args, map[string][]byte{"in/s0": i32s(6), "out/s0": i32s(after)})
	}
	timed := record("timed", "k.py", 7)
	data, err := os.ReadFile(timed)
	if err != nil {
		t.Fatal(err)
	}
	options, timing := `\"options\":{\"num_warps\":4}`, `\"triton\":{\"ms\":2}`
	timing += strings.Repeat(" ", len(options)-len(timing)) // the header's length stays as it is
	data = bytes.Replace(data, []byte(options), []byte(timing), 1)
	if err := os.WriteFile(timed, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd, out := newRaceCmd(), &bytes.Buffer{}
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetOut(out)
	cmd.SetArgs([]string{"--device", "interp", "--json", "--rep", "1ms", "--warmup", "0", "--root",
		dir, timed, record("wrong", "k.py", 8), record("missing", "none.py", 7)})
	if err := cmd.Execute(); err != errReported {
		t.Errorf("a race with failures ended with %v", err)
	}
	var rows []raceRow
	for line := range strings.Lines(out.String()) {
		var r raceRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 3 {
		t.Fatalf("%d rows: %s", len(rows), out)
	}
	if x, ok := rows[0].ratio(); !ok || rows[0].Triton.Milliseconds != 2 || x <= 0 {
		t.Errorf("the timed case: %+v", rows[0])
	}
	if !strings.Contains(rows[1].Failed, "got 7, want 8") {
		t.Errorf("the wrong case: %q", rows[1].Failed)
	}
	if !strings.Contains(rows[2].Failed, "none.py") {
		t.Errorf("the missing case: %q", rows[2].Failed)
	}
}

// TestRacePointers: addresses in a recorded tensor become addresses of the storages here.
func TestRacePointers(t *testing.T) {
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(ps):\n" +
		"    for i in range(2):\n        p = tl.load(ps + i).to(tl.pointer_type(tl.int32))\n" +
		"        tl.store(p, tl.load(p) + i + 1)\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	table := recordedTensor("ps", "s0", "i64", 2)
	second := recordedTensor("", "s1", "i32", 1)
	second["offset"] = 4
	table["items"] = []any{recordedTensor("", "s1", "i32", 1), second}
	path := writeCase(t, dir, "k.py", 1, []map[string]any{table},
		map[string][]byte{"in/s0": make([]byte, 16), "in/s1": i32s(10, 20), "out/s1": i32s(11, 22)})
	for _, cmd := range []*cobra.Command{newRaceCmd(), newReplayCmd()} {
		out := &bytes.Buffer{}
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetOut(out)
		cmd.SetErr(out)
		args := []string{"--device", "cpu", "--root", dir, path}
		race := cmd.Name() == "race"
		if race {
			args = append(args, "--rep", "1ms", "--warmup", "0")
		}
		cmd.SetArgs(args)
		if err := cmd.Execute(); (err == nil) != race {
			t.Errorf("%s: %v\n%s", cmd.Name(), err, out)
		}
		if !race && !strings.Contains(out.String(), "nereid race") {
			t.Errorf("replay does not name the remedy: %s", out)
		}
	}
}

// TestRaceSummary: means are geometric, and only cases with both times count.
func TestRaceSummary(t *testing.T) {
	out := &bytes.Buffer{}
	table := &raceTable{out: out}
	for _, ms := range []float64{1, 4, 0} {
		table.add(raceRow{Case: "c", Class: "scans", Nereid: replay.Timing{Milliseconds: 2},
			Triton: replay.Timing{Milliseconds: ms}})
	}
	if err := table.end(); err != nil {
		t.Fatal(err)
	}
	if got := geometricMean([]float64{0.5, 2}); math.Abs(got-1) > 1e-12 {
		t.Errorf("the mean of 0.5 and 2 is %v", got)
	}
	want := "scans                         2    1.000    0.500        1        1"
	if !strings.Contains(out.String(), want) {
		t.Errorf("no line %q in\n%s", want, out)
	}
}

// TestRaceInfinite: a result in the place of a zero has an infinite error, for which JSON has no number. Its
// row must be there all the same.
func TestRaceInfinite(t *testing.T) {
	out := &bytes.Buffer{}
	table := &raceTable{out: out, json: true}
	for _, e := range []float64{math.Inf(1), math.NaN(), 0.5} {
		table.add(raceRow{Case: "c", Failed: "y: 1 element differs", Error: relativeError(e)})
	}
	var got []any
	for line := range strings.Lines(out.String()) {
		var row struct {
			Case  string
			Error any
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Case != "c" {
			t.Errorf("%q: %v", line, err)
		}
		got = append(got, row.Error)
	}
	if !slices.Equal(got, []any{nil, nil, 0.5}) {
		t.Errorf("errors %v", got)
	}
}

// TestRaceAhead runs a recorded launch in all ways: one that gives what was recorded, and one that does not.
func TestRaceAhead(t *testing.T) {
	needLLVM(t)
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, N: tl.constexpr):\n" +
		"    tl.store(p, tl.load(p) + N)\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []map[string]any{recordedTensor("p", "s0", "i32", 1),
		{"name": "N", "kind": "int", "value": 1, "constexpr": true}}
	var cases []string
	for name, after := range map[string]int32{"right": 7, "wrong": 8} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, writeCase(t, sub, "k.py", 1, args,
			map[string][]byte{"in/s0": i32s(6), "out/s0": i32s(after)}))
	}
	slices.Sort(cases)
	for _, lines := range []bool{true, false} {
		cmd, out := newRaceCmd(), &bytes.Buffer{}
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetOut(out)
		cmd.SetArgs(append([]string{"--ahead", "--device", "cpu", "--rep", "1ms", "--warmup", "0", "--loads",
			"2", fmt.Sprintf("--json=%v", lines), "--root", dir}, cases...))
		if err := cmd.Execute(); err != errReported {
			t.Errorf("a race with a failure ended with %v: %s", err, out)
		}
		if !lines {
			if text := out.String(); !strings.Contains(text, "1 passed, 1 failed") ||
				!strings.Contains(text, "bundles: ") {
				t.Error(text)
			}
			continue
		}
		var rows [2]aheadRow
		for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			if err := json.Unmarshal([]byte(line), &rows[i%2]); err != nil {
				t.Fatal(err)
			}
		}
		if r := rows[0]; r.Failed != "" || r.JIT <= 0 || r.Strict <= 0 || r.Bundle <= 0 || r.Bytes == 0 {
			t.Errorf("the right case: %+v", r)
		}
		if !strings.Contains(rows[1].Failed, "got 7, want 8") {
			t.Errorf("the wrong case: %q", rows[1].Failed)
		}
	}
}

// TestRaceReleases runs recorded launches by the rules of two releases: one whose result changes, which is
// told, and one that the other release refuses.
func TestRaceReleases(t *testing.T) {
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p, N: tl.constexpr):\n" +
		"    x = (tl.load(p) * 0.1).to(tl.bfloat16)\n" +
		"    if N == 1:\n        x = tl.load(tl.make_block_ptr(p, (1,), (1,), (0,), (1,), (0,)))\n" +
		"    tl.store(p, tl.sum(x == 0.1) if N == 1 else (x == 0.1).to(tl.int32))\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	record := func(n int) string {
		sub := filepath.Join(dir, fmt.Sprint(n))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		return writeCase(t, sub, "k.py", 1, []map[string]any{recordedTensor("p", "s0", "i32", 1),
			{"name": "N", "kind": "int", "value": n, "constexpr": true}},
			map[string][]byte{"in/s0": i32s(1), "out/s0": i32s(0)})
	}
	cases := []string{record(0), record(1)}
	for _, lines := range []bool{true, false} {
		cmd, out := newRaceCmd(), &bytes.Buffer{}
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetOut(out)
		cmd.SetArgs(append([]string{"--to", "3.9", "--device", "interp", "--rep", "1ms", "--warmup", "0",
			"--loads", "2", fmt.Sprintf("--json=%v", lines), "--root", dir}, cases...))
		if err := cmd.Execute(); err != errReported {
			t.Errorf("a race with a failure ended with %v: %s", err, out)
		}
		if !lines {
			if text := out.String(); !strings.Contains(text, "1 passed, 1 failed") ||
				!strings.Contains(text, "other results: ") {
				t.Error(text)
			}
			continue
		}
		var rows [2]releaseRow
		for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			if err := json.Unmarshal([]byte(line), &rows[i%2]); err != nil {
				t.Fatal(err)
			}
		}
		if r := rows[0]; r.Failed != "" || r.ratio() <= 0 || r.From.Differs != "" ||
			!strings.Contains(r.To.Differs, "got 1, want 0") {
			t.Errorf("the launch whose result changes: %+v", r)
		}
		if !strings.Contains(rows[1].Failed, "3.9: ") || !strings.Contains(rows[1].Failed, "make_block_ptr") {
			t.Errorf("the launch that 3.9 refuses: %q", rows[1].Failed)
		}
	}
}
