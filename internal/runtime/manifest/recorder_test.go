package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func variantOf(i int) code.Variant {
	return code.Variant{File: "k.py", Kernel: fmt.Sprintf("k%d", i), Signature: "*fp32:16, \"i32\"\n"}
}

// manifestOf reads the kernels of a manifest, in order.
func manifestOf(t *testing.T, file string) (names []string) {
	t.Helper()
	m, err := Read(file)
	if err != nil {
		data, _ := os.ReadFile(file)
		t.Fatalf("%v\n%s", err, data)
	}
	for _, v := range m.Variants {
		names = append(names, v.Kernel)
	}
	slices.Sort(names)
	return names
}

func record(t *testing.T, r *Recorder, list ...int) {
	t.Helper()
	for _, i := range list {
		if err := r.Add(variantOf(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// What a variant costs does not grow with the file, though each is in it at once and others write to it.
func TestRecordLinear(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	a, b := &Recorder{File: file}, &Recorder{File: file}
	const n = 3000
	begin := time.Now()
	for i := range n {
		record(t, a, 2*i)
		record(t, b, 2*i+1, 2*i)
	}
	if took := time.Since(begin); took > 20*time.Second { // written anew for each: minutes
		t.Errorf("%d variants took %v", 2*n, took)
	} else {
		t.Logf("%d variants took %v", 2*n, took)
	}
	if got := manifestOf(t, file); len(got) != 2*n || len(slices.Compact(got)) != 2*n {
		t.Errorf("%d variants", len(got))
	}
	data, err := os.ReadFile(file)
	if err != nil || !json.Valid(data) {
		t.Error("no JSON", err)
	}
}

// Any text that a killed process may leave is read up to the last whole variant, and mended by the next that
// records.
func TestRecordTorn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	record(t, &Recorder{File: file}, 1, 2)
	before, _ := os.ReadFile(file)
	record(t, &Recorder{File: file}, 3)
	after, _ := os.ReadFile(file)
	at := len(before) - len(textTail)
	for k := range len(after) - at {
		text := append(slices.Clone(after[:at+k]), before[min(at+k, len(before)):]...)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(manifestOf(t, file), " ")
		if whole := at+k >= len(after)-len(textTail); got != "k1 k2" && !(whole && got == "k1 k2 k3") {
			t.Fatalf("after %d bytes: %s\n%s", k, got, text)
		}
		record(t, &Recorder{File: file}, 4)
		if now := strings.Join(manifestOf(t, file), " "); now != got+" k4" {
			t.Fatalf("after %d bytes, %s becomes %s", k, got, now)
		}
		if data, _ := os.ReadFile(file); !json.Valid(data) {
			t.Fatalf("after %d bytes, not mended:\n%s", k, data)
		}
	}
}

// Manifests of any form are added to, and what is none is left alone.
func TestRecordForms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	indented, _ := json.MarshalIndent(Manifest{1, []code.Variant{variantOf(1), variantOf(2)}}, "", "  ")
	short, _ := json.Marshal(Manifest{1, []code.Variant{variantOf(1), variantOf(2)}})
	none, _ := json.Marshal(Manifest{1, nil})
	for _, c := range []struct {
		text string
		want string
	}{
		{string(indented) + "\n", "k1 k2 k3 k4"}, {string(indented), "k1 k2 k3 k4"},
		{string(short), "k1 k2 k3 k4"}, {string(none), "k3 k4"},
		{textHead + textTail, "k3 k4"}, {textHead + "]}", "k3 k4"},
		{"", ""}, {"{", ""}, {textHead + `{"file"`, ""}, {textHead + "\n    {\"fi\n", ""},
		{`{"version": 2}`, ""}, {"package x", ""},
		{strings.Replace(string(short), "options", "option", 1), ""}, {string(indented) + "x", ""},
		{string(indented) + "\n\n" + string(short), ""},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := &Recorder{File: file}
		err := r.Add(variantOf(3))
		if c.want == "" {
			if data, _ := os.ReadFile(file); err == nil || string(data) != c.text {
				t.Errorf("%q is overwritten: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		record(t, r, 4)
		if got := strings.Join(manifestOf(t, file), " "); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// A file that is removed or replaced meanwhile gets all that was noted.
func TestRecordReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	r := &Recorder{File: file}
	record(t, r, 1, 2, 3)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	record(t, r, 4)
	if got := fmt.Sprint(manifestOf(t, file)); got != "[k1 k2 k3 k4]" {
		t.Error(got)
	}
	if err := writeFile(file, []code.Variant{variantOf(9)}); err != nil {
		t.Fatal(err)
	}
	record(t, r, 5)
	if got := fmt.Sprint(manifestOf(t, file)); got != "[k1 k2 k3 k4 k5 k9]" {
		t.Error(got)
	}
}

// Somebody who holds the lock for good costs half a second once, and what could not be written comes with the
// next.
func TestRecordBusy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	r := &Recorder{File: file}
	record(t, r, 1)
	unlock, err := cache.LockFolder(filepath.Dir(file), 0)
	if err != nil {
		txtest.NotHere(t, "no locks: %v", err)
	}
	begin := time.Now()
	for i := 2; i < 30; i++ {
		if r.Add(variantOf(i)) == nil {
			t.Error("written under somebody else's lock")
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("waited for %v", took)
	}
	unlock()
	record(t, r, 30)
	if n := len(manifestOf(t, file)); n != 30 {
		t.Errorf("%d variants", n)
	}
}

// recordChild is the environment's way to have the test program record until it is killed.
const recordChild = "NEREID_TEST_RECORD"

func init() {
	file := os.Getenv(recordChild)
	if file == "" {
		return
	}
	r := &Recorder{File: file}
	for i := range 100_000 {
		r.Add(variantOf(i))
	}
	os.Exit(0)
}

// Processes that record to one file are killed at any moment: what was recorded stays, each variant once.
func TestRecordKill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	last := 0
	for round := range 4 {
		var wg sync.WaitGroup
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), recordChild+"="+file)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				time.Sleep(time.Duration(100+37*round) * time.Millisecond)
				cmd.Process.Kill()
				cmd.Wait()
			})
		}
		wg.Wait()
		if _, err := os.Stat(file); err != nil {
			continue // killed before the first: the machine is busy
		}
		got := manifestOf(t, file)
		if len(got) < last || len(slices.Compact(got)) != len(got) {
			t.Fatalf("%d variants after %d", len(got), last)
		}
		last = len(got)
	}
	t.Logf("%d variants", last)
}

// A text of any kind is refused or read, and what is read can be added to.
func FuzzManifest(f *testing.F) {
	whole, _ := textOf([]code.Variant{variantOf(1), variantOf(2)})
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add([]byte(`{"version": 1, "variants": [{"file": "k.py", "kernel": "k", "options": {"num_warps": 8}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, end, err := parse(data)
		if err != nil || end < 0 {
			return
		}
		next, _ := textOf([]code.Variant{variantOf(3)})
		text := append(append(slices.Clone(data[:end]), ','), next[len(textHead):]...)
		again, _, err := parse(text)
		if err != nil || len(again.Variants) != len(m.Variants)+1 {
			t.Errorf("%d variants, and one more is %v\n%s", len(m.Variants), err, text)
		}
	})
}
