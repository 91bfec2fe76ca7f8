package tunable_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	_ "github.com/nereid-lang/nereid/redis"
	"github.com/nereid-lang/nereid/tunable"
)

// record is the part of a kept result that tests change.
type record struct {
	Version  int       `json:"version"`
	Kernel   string    `json:"kernel"`
	File     string    `json:"file"`
	Device   string    `json:"device"`
	Compiler string    `json:"compiler"`
	Source   string    `json:"source"`
	Key      []string  `json:"key"`
	Timings  []*timing `json:"timings"`
	Best     string    `json:"best"`
}

type timing struct {
	Config string  `json:"config"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Failed string  `json:"failed,omitempty"`
	Hash   string  `json:"hash,omitempty"`
}

// measured returns how many of the candidates ran while an op with a store made its choice, and the choice.
func measured(t *testing.T, store *nereid.TuneStore, list ...*counted) (n int, best string) {
	t.Helper()
	for _, c := range list {
		c.reset()
	}
	best = picked(t, newOp(t, tunable.Options[params]{Store: store}, list...), stream(t, "interp"), 1)
	for _, c := range list {
		if c.reset() > 0 {
			n++
		}
	}
	return n, best
}

// A result of another device, driver or key is refused, and so is a damaged one: the op is tuned again. One
// of changed code is refused for the candidate that changed.
func TestStale(t *testing.T) {
	a, b, c := abc()
	store := openStore(t, nereid.TuneStoreOptions{})
	if n, best := measured(t, store, a, b, c); n != 3 || best != "b" {
		t.Fatal(n, best)
	}
	known := written(t, store)
	again := func(data []byte) (int, string) {
		return measured(t, openStore(t, nereid.TuneStoreOptions{Known: data}), a, b, c)
	}
	if n, best := again(known); n != 0 || best != "b" {
		t.Fatalf("%d candidates are measured again", n)
	}
	for what, c := range map[string]struct {
		change func(r *record)
		want   int
	}{
		"device":    {func(r *record) { r.Device = "another" }, 3},
		"driver":    {func(r *record) { r.Compiler = "driver 1" }, 3},
		"key":       {func(r *record) { r.Key = []string{"n=2"} }, 3},
		"op":        {func(r *record) { r.Kernel = "another" }, 3},
		"code of b": {func(r *record) { r.Timings[1].Hash = "go:0" }, 1},
		"all code": {func(r *record) {
			r.Timings[0].Hash, r.Timings[1].Hash, r.Timings[2].Hash = "", "", ""
		}, 3},
		"no result": {func(r *record) { r.Timings = r.Timings[:2] }, 1},
	} {
		var list []*record
		if err := json.Unmarshal(known, &list); err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		c.change(list[0])
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		if n, best := again(data); n != c.want || best != "b" {
			t.Errorf("%s: %d candidates are measured again, and %s is picked", what, n, best)
		}
	}
	for _, bad := range []string{"", "{", "{}", `[{"version":9}]`} {
		if _, err := nereid.OpenTuneStore(nereid.TuneStoreOptions{Known: []byte(bad)}); err == nil {
			t.Errorf("%q is taken for results", bad)
		}
	}
}

// A stale result that a program has embedded does not hide the fresh one of a folder.
func TestStaleEmbedded(t *testing.T) {
	a, b, c := abc()
	store := openStore(t, nereid.TuneStoreOptions{})
	measured(t, store, a, b, c)
	known, dir := written(t, store), t.TempDir()
	b.version = "2"
	for i, want := range []int{1, 0} {
		store := openStore(t, nereid.TuneStoreOptions{Known: known, Dir: dir})
		if n, best := measured(t, store, a, b, c); n != want || best != "b" {
			t.Errorf("start %d: %d candidates are measured, %s is picked", i, n, best)
		}
	}
}

// Results are kept by name: a list in another order keeps them, and of a longer list the new ones are
// measured.
func TestReordered(t *testing.T) {
	a, b, c := abc()
	dir := t.TempDir()
	store := func() *nereid.TuneStore { return openStore(t, nereid.TuneStoreOptions{Dir: dir}) }
	measured(t, store(), a, b)
	if n, best := measured(t, store(), b, a); n != 0 || best != "b" {
		t.Errorf("%d candidates of a reordered list are measured, %s is picked", n, best)
	}
	if n, best := measured(t, store(), c, a, b); n != 1 || best != "b" {
		t.Errorf("%d candidates of a longer list are measured, %s is picked", n, best)
	}
	if n, best := measured(t, store(), c, a); n != 0 || best != "c" {
		t.Errorf("%d candidates of a shorter list are measured, %s is picked", n, best)
	}
}

// children runs TestChild in several processes at once, each with variables of the environment, and returns
// what they say.
func children(t *testing.T, env ...[]string) []string {
	t.Helper()
	out := make([]bytes.Buffer, len(env))
	procs := make([]*exec.Cmd, len(env))
	for i, vars := range env {
		c := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v")
		c.Env = append(append(os.Environ(), "NEREID_TEST_CHILD=1"), vars...)
		c.Stdout, c.Stderr = &out[i], &out[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		procs[i] = c
	}
	texts := make([]string, len(env))
	for i, c := range procs {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, &out[i])
		}
		texts[i] = out[i].String()
	}
	return texts
}

// TestChild is a process of other tests: it tunes once and says how many candidates it has measured.
func TestChild(t *testing.T) {
	if os.Getenv("NEREID_TEST_CHILD") == "" {
		txtest.LeftOut(t, "run by other tests")
	}
	o := nereid.TuneStoreOptions{File: os.Getenv("NEREID_TEST_FILE"), Redis: os.Getenv("NEREID_TEST_REDIS")}
	a, b, c := abc()
	op := newOp(t, tunable.Options[params]{Store: openStore(t, o)}, a, b, c)
	n, _ := strconv.Atoi(os.Getenv("NEREID_TEST_N"))
	if got := picked(t, op, stream(t, "interp"), n); got != "b" {
		t.Errorf("%s is picked", got)
	}
	if a.reset() > 0 {
		t.Log("measured")
	}
}

// Processes that tune for different keys in one file add to it, and texts of two machines merge.
func TestProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tuned.json")
	var env [][]string
	for _, n := range []string{"1", "2", "3"} {
		env = append(env, []string{"NEREID_TEST_FILE=" + file, "NEREID_TEST_N=" + n})
	}
	children(t, env...)
	var list []record
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &list); err != nil || len(list) != 3 {
		t.Fatalf("%d results of 3 are in the file: %v", len(list), err)
	}
	one, two := openStore(t, nereid.TuneStoreOptions{}), openStore(t, nereid.TuneStoreOptions{})
	for i, s := range []*nereid.TuneStore{one, two} {
		part, _ := json.Marshal(list[i : i+2])
		if n, err := s.Merge(part); n != 2 || err != nil {
			t.Error(n, err)
		}
	}
	if _, err := one.Merge(written(t, two)); err != nil {
		t.Error(err)
	}
	if !slices.Equal(written(t, one), data) {
		t.Errorf("merged: %s", written(t, one))
	}
	if n, err := one.MergeFile(file); n != 3 || err != nil {
		t.Error(n, err)
	}
}

// Two machines that share a Redis server tune once: the second waits for the first one's result, or finds it.
func TestRedis(t *testing.T) {
	address, kill := txtest.Redis(t)
	store := func(o nereid.TuneStoreOptions) *nereid.TuneStore {
		o.Redis = address
		return openStore(t, o)
	}
	machine := []string{"NEREID_TEST_REDIS=" + address, "NEREID_TEST_N=1"}
	both := strings.Join(children(t, machine, machine), "")
	if n := strings.Count(both, "store_test.go"); n != 1 || !strings.Contains(both, "measured") {
		t.Errorf("%d machines of 2 have tuned", n)
	}
	a, b, c := abc()
	if n, _ := measured(t, store(nereid.TuneStoreOptions{}), a, b, c); n != 0 {
		t.Errorf("%d candidates are measured by a third machine", n)
	}
	if n, _ := measured(t, store(nereid.TuneStoreOptions{Key: "secret"}), a, b, c); n != 3 {
		t.Errorf("results without a signature are used: %d candidates are measured", n)
	}
	if n, _ := measured(t, store(nereid.TuneStoreOptions{Key: "secret"}), a, b, c); n != 0 {
		t.Errorf("signed results are not used: %d candidates are measured", n)
	}
	kill()
	if n, best := measured(t, store(nereid.TuneStoreOptions{}), a, b, c); n != 3 || best != "b" {
		t.Errorf("without the server %d candidates are measured, %s is picked", n, best)
	}
}
