package autotune

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// timed returns a record with one timing.
func timed(median float64, key ...string) *Record {
	r := record(key...)
	r.Set(Timing{Config: "a", Median: median, Low: median, High: median})
	return r
}

// median returns what a store knows of a config, or -1.
func median(t *testing.T, s Store, config string, key ...string) float64 {
	t.Helper()
	r := record(key...)
	s.Load(t.Context(), r)
	if x, ok := r.Find(config); ok {
		return x.Median
	}
	return -1
}

// TestOtherRecords: stores that hold many records tell them apart by all that a record depends on.
func TestOtherRecords(t *testing.T) {
	for name, s := range map[string]Store{
		"memory": &Memory{}, "file": &File{Name: filepath.Join(t.TempDir(), "tuned.json")},
		"folder": &Folder{Dir: t.TempDir()}, "level": &Shared{Level: newFakeLevel()},
	} {
		if err := s.Save(timed(1, "1", "2")); err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(*Record){
			"kernel": func(r *Record) { r.Kernel = "l" }, "device": func(r *Record) { r.Device = "e" },
			"compiler": func(r *Record) { r.Compiler = "x" }, "source": func(r *Record) { r.Source = "x" },
			"key":    func(r *Record) { r.Key = []string{"1 2"} },
			"length": func(r *Record) { r.Key = r.Key[:1] },
		} {
			o := timed(2, "1", "2")
			change(o)
			o.Timings = nil
			if s.Load(t.Context(), o) {
				t.Errorf("%s: another %s is taken for the same", name, what)
			}
			o.Set(Timing{Config: "a", Median: 2, Low: 2, High: 2})
			if err := s.Save(o); err != nil {
				t.Fatal(err)
			}
			if got := median(t, s, "a", "1", "2"); got != 1 {
				t.Errorf("%s: a record of another %s takes the place of the first", name, what)
			}
		}
	}
}

// TestMemory: records in memory are copies, of which nobody changes the timings, and merged records leave
// those that are there.
func TestMemory(t *testing.T) {
	m := &Memory{}
	mine := timed(1, "1")
	if err := m.Save(mine); err != nil {
		t.Fatal(err)
	}
	mine.Timings[0].Median = 7
	loaded := record("1")
	m.Load(t.Context(), loaded)
	loaded.Timings[0].Median = 8
	m.All()[0].Timings[0].Median = 9
	if got := median(t, m, "a", "1"); got != 1 {
		t.Errorf("somebody else's record changes the kept one to %v", got)
	}
	other := timed(5, "1")
	other.Set(Timing{Config: "b", Median: 2, Low: 2, High: 2})
	m.Merge([]*Record{other})
	if a, b := median(t, m, "a", "1"), median(t, m, "b", "1"); a != 1 || b != 2 {
		t.Errorf("merged: %v and %v", a, b)
	}
}

// TestDrop: one timing goes, and others stay.
func TestDrop(t *testing.T) {
	r := timed(1)
	r.Set(Timing{Config: "b", Median: 2})
	r.Set(Timing{Config: "c", Median: 3})
	r.Drop("b")
	_, a := r.Find("a")
	_, b := r.Find("b")
	_, c := r.Find("c")
	if !a || b || !c {
		t.Errorf("%+v", r.Timings)
	}
}

// failing is a store that keeps nothing.
type failing struct{ Memory }

var errFailing = errors.New("there is no room")

func (*failing) Save(*Record) error { return errFailing }

// TestLayersSave: a layer that fails keeps the others from nothing.
func TestLayersSave(t *testing.T) {
	near, far := &Memory{}, &Memory{}
	err := Layers{near, &failing{}, far}.Save(timed(1, "1"))
	if !errors.Is(err, errFailing) {
		t.Errorf("the error is %v", err)
	}
	if median(t, near, "a", "1") != 1 || median(t, far, "a", "1") != 1 {
		t.Error("a layer has no record")
	}
}

// TestFileChanges: a file that somebody writes in place is read anew, whether its size or its time differs.
func TestFileChanges(t *testing.T) {
	f := &File{Name: filepath.Join(t.TempDir(), "tuned.json")}
	write := func(median float64, at time.Time) {
		t.Helper()
		r := timed(median, "1")
		r.Version = version
		data, err := Encode([]*Record{r})
		if err == nil {
			err = os.WriteFile(f.Name, data, 0o600)
		}
		if err == nil {
			err = os.Chtimes(f.Name, at, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	at := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		median float64
		at     time.Time
	}{{1, at}, {2, at.Add(time.Second)}, {22.25, at.Add(time.Second)}, {3, at}} {
		write(c.median, c.at)
		if got := median(t, f, "a", "1"); got != c.median {
			t.Errorf("%v is read, the file has %v", got, c.median)
		}
	}
}

// TestFileWriters: processes that save to one file at once lose no record of each other.
func TestFileWriters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tuned.json")
	const writers, each = 3, 5
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			f := &File{Name: name}
			for j := range each {
				if err := f.Save(timed(1, strconv.Itoa(i), strconv.Itoa(j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := Decode(data); err != nil || len(list) != writers*each {
		t.Errorf("%d of %d records are there, %v", len(list), writers*each, err)
	}
}

// TestFileUnwritten: a record that cannot be written is not kept, and is in nobody's way.
func TestFileUnwritten(t *testing.T) {
	f := &File{Name: filepath.Join(t.TempDir(), "tuned.json")}
	if err := f.Save(timed(1, "1")); err != nil || median(t, f, "a", "1") != 1 {
		t.Fatal(err)
	}
	if err := f.Save(timed(math.NaN(), "2")); err == nil {
		t.Error("a time that is no number is written")
	}
	if f.Load(t.Context(), record("2")) {
		t.Error("a record that was not written is there")
	}
	if err := f.Save(timed(3, "3")); err != nil || median(t, f, "a", "3") != 3 {
		t.Errorf("after a record that cannot be written: %v", err)
	}
}

// TestBeginWithout: measurements without a stream are independent of each other: none is part of another.
func TestBeginWithout(t *testing.T) {
	end, nested, err := Begin(t.Context(), nil, nil)
	if nested || err != nil {
		t.Fatal(nested, err)
	}
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, nested, err := Begin(ctx, nil, nil); err == nil {
		t.Error("two measure at once", nested)
	}
}
