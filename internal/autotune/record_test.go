package autotune

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func record(key ...string) *Record {
	return &Record{Kernel: "k", Device: "d", Compiler: "c", Source: Hash("def k(): pass"), Key: key}
}

func TestPick(t *testing.T) {
	r := record()
	r.Set(Timing{Config: "slow", Median: 2, Low: 2, High: 2})
	r.Set(Timing{Config: "wild", Median: 1, Low: 0.5, High: 3})
	r.Set(Timing{Config: "steady", Median: 1.004, Low: 1, High: 1.1})
	r.Set(Timing{Config: "broken", Failed: "out of shared memory"})
	for want, configs := range map[string][]string{
		"steady": {"slow", "wild", "steady", "broken"}, "wild": {"wild", "slow"}, "slow": {"broken", "slow"},
		"": {"broken", "new"},
	} {
		if got := r.Pick(configs); got != want {
			t.Errorf("of %v, %q is picked, not %q", configs, got, want)
		}
	}
}

func TestStore(t *testing.T) {
	s := &Folder{Dir: filepath.Join(t.TempDir(), "tune")}
	r := record("1024", "fp16")
	r.Set(Timing{Config: "a", Median: 1, Low: 1, High: 1})
	r.Best = "a"
	s.Save(r)
	same := record("1024", "fp16")
	if !s.Load(t.Context(), same) || same.Best != "a" || len(same.Timings) != 1 {
		t.Errorf("%+v", same)
	}
	for what, change := range map[string]func(*Record){
		"key": func(r *Record) {
			r.Key = []string{"2048"}
		}, "device": func(r *Record) { r.Device = "e" }, "compiler": func(r *Record) { r.Compiler = "x" },
		"source": func(r *Record) { r.Source = "x" }, "kernel": func(r *Record) { r.Kernel = "../k" },
	} {
		o := record("1024", "fp16")
		change(o)
		if s.Load(t.Context(), o) {
			t.Errorf("another %s is taken for the same", what)
		}
		// Under the same name all the same, its content gives it away.
		data, _ := os.ReadFile(s.path(r))
		os.WriteFile(s.path(o), data, 0o644)
		if s.Load(t.Context(), o) {
			t.Errorf("another %s is not noticed", what)
		}
		os.Remove(s.path(o))
	}
	for _, bad := range []string{"", "{", `{"version":1}`, `{"version":9,"kernel":"k"}`,
		`{"version":1,"kernel":"k","timings":[{"config":"a","median":-1}]}`} {
		os.WriteFile(s.path(r), []byte(bad), 0o644)
		if s.Load(t.Context(), record("1024", "fp16")) {
			t.Errorf("%q is taken for a record", bad)
		}
	}
	for _, none := range []*Folder{nil, {}, {Dir: "/proc/none"}} {
		none.Save(r)
		none.Lock(t.Context(), nil)()
		if none.Load(t.Context(), r) {
			t.Error("a store that is none keeps records")
		}
	}
}

// Records travel, and what both sides measured stays what it was here.
func TestMerge(t *testing.T) {
	a, b := &Folder{Dir: t.TempDir()}, &Folder{Dir: t.TempDir()}
	r := record("1")
	r.Set(Timing{Config: "x", Median: 1, Low: 1, High: 1})
	r.Best = "x"
	a.Save(r)
	r.Timings, r.Best = nil, "y"
	r.Set(Timing{Config: "x", Median: 5, Low: 5, High: 5})
	r.Set(Timing{Config: "y", Median: 2, Low: 2, High: 2})
	b.Save(r)
	b.Save(record("2"))
	data, err := json.Marshal(b.All())
	if err != nil {
		t.Fatal(err)
	}
	list, err := Decode(data)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	if n, err := a.Merge(t.Context(), list); err != nil || n != 2 || len(a.All()) != 2 {
		t.Errorf("%d taken, %d there, %v", n, len(a.All()), err)
	}
	got := record("1")
	a.Load(t.Context(), got)
	if x, _ := got.Find("x"); x.Median != 1 || got.Best != "x" || len(got.Timings) != 2 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []*Folder{{Dir: "/proc/none"}, {Dir: a.Dir, ReadOnly: true}} {
		if n, err := bad.Merge(t.Context(), list); err == nil || n != 0 {
			t.Errorf("%+v took %d over", bad, n)
		}
	}
	if _, err := Decode([]byte("{}")); err == nil {
		t.Error("an object is taken for a list")
	}
}

// What one side had no time for, or could not run, gives way to what the other knows.
func TestMergeGaps(t *testing.T) {
	s := &Folder{Dir: t.TempDir()}
	mine := record("1")
	mine.Set(Timing{Config: "x", Failed: TimeUp})
	mine.Set(Timing{Config: "y", Failed: "does not fit"})
	if err := s.Save(mine); err != nil {
		t.Fatal(err)
	}
	other := record("1")
	other.Set(Timing{Config: "x", Median: 2, Low: 2, High: 2})
	other.Set(Timing{Config: "y", Median: 1, Low: 1, High: 1})
	other.Best = "y"
	if _, err := s.Merge(t.Context(), []*Record{other}); err != nil {
		t.Fatal(err)
	}
	got := record("1")
	if !s.Load(t.Context(), got) || got.Best != "" || got.Pick([]string{"x", "y"}) != "x" {
		t.Errorf("%+v", got)
	}
}

// A record whose choice makes no sense counts as absent.
func TestBadChoice(t *testing.T) {
	s := &Folder{Dir: t.TempDir()}
	for _, best := range []string{"gone", "failed"} {
		r := record("1")
		r.Set(Timing{Config: "x", Median: 2, Low: 2, High: 2})
		r.Set(Timing{Config: "failed", Failed: "does not fit"})
		r.Best = best
		if err := s.Save(r); err != nil {
			t.Fatal(err)
		}
		if s.Load(t.Context(), record("1")) {
			t.Errorf("%q was chosen", best)
		}
	}
}

// What a process left that was killed while it wrote goes some day; what another is writing stays.
func TestSweep(t *testing.T) {
	s := &Folder{Dir: t.TempDir()}
	old, young := filepath.Join(s.Dir, temporary+"1"), filepath.Join(s.Dir, temporary+"2")
	for _, f := range []string{old, young} {
		if err := os.WriteFile(f, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(record("1")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a file of a killed process stays")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a file that may be in use was removed")
	}
}
