package profile

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Kernel is a row of the table: a kernel on a device.
type Kernel struct {
	Name     string
	Device   string
	Launches int
	Total    time.Duration // on the device; the host's calls where it does not tell
	Median   time.Duration
	Least    time.Duration
	Share    float64 // of the time of all kernels, 0 to 1
	// BytesPerSecond is the size of the tensors of the launches over their time: what a kernel that reads or
	// writes each tensor once achieves. 0 if the sizes are not known.
	BytesPerSecond float64
	OfPeak         float64 // BytesPerSecond over that of the device's memory; 0 if either is not known
}

// Kernels returns the table, the kernel with the most time first. Graphs are rows with the name "(graph)".
func (t *Trace) Kernels() []Kernel {
	type key struct{ name, device string }
	times, bytes, timed := map[key][]time.Duration{}, map[key]float64{}, map[key]time.Duration{}
	var all time.Duration
	for i := range t.Events {
		e := &t.Events[i]
		k := key{e.Name, e.text("device")}
		if e.Category == CategoryGraph && e.Name == "graph" {
			k.name = "(graph)"
		} else if e.Category != CategoryKernel || e.Phase != "X" {
			continue
		}
		took := time.Duration(e.Took * 1e3)
		times[k] = append(times[k], took)
		all += took
		if n := e.number("bytes"); n > 0 {
			bytes[k] += n
			timed[k] += took
		}
	}
	var rows []Kernel
	for k, list := range times {
		slices.Sort(list)
		r := Kernel{Name: k.name, Device: k.device, Launches: len(list), Median: list[len(list)/2],
			Least: list[0]}
		for _, d := range list {
			r.Total += d
		}
		r.Share = ratio(r.Total.Seconds(), all.Seconds())
		r.BytesPerSecond = ratio(bytes[k], timed[k].Seconds())
		r.OfPeak = ratio(r.BytesPerSecond, t.Devices[k.device].BytesPerSecond)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Device, b.Device))
	})
	return rows
}

// ratio returns a over b, or 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Sum is what the events of a category come to.
type Sum struct {
	Count int
	Total time.Duration
	Bytes int64
}

// Sum returns what the spans of a category come to that pick, if it is not nil, returns true for.
func (t *Trace) Sum(category string, pick func(*Event) bool) (s Sum) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Category != category || e.Phase != "X" || pick != nil && !pick(e) {
			continue
		}
		s.Count++
		s.Total += time.Duration(e.Took * 1e3)
		s.Bytes += int64(e.number("bytes"))
	}
	return s
}

// WriteTable writes the table by kernel, and what else took time.
func (t *Trace) WriteTable(w io.Writer) error {
	p := &printer{w: w}
	rows := t.Kernels()
	if len(rows) > 0 {
		p.printf("%-36s %-8s %9s %11s %7s %11s %11s %9s %8s\n", "kernel", "device", "launches", "ms", "share",
			"median µs", "least µs", "GB/s", "of peak")
	}
	for _, r := range rows {
		p.printf("%-36s %-8s %9d %11.3f %6.1f%% %11.2f %11.2f %9s %8s\n", r.Name, r.Device, r.Launches,
			millis(r.Total), 100*r.Share, micros(r.Median), micros(r.Least),
			known("%.1f", r.BytesPerSecond/1e9), known("%.1f%%", 100*r.OfPeak))
	}
	t.writeScopes(p)
	t.writeLines(p)
	t.writeSums(p)
	for _, name := range slices.Sorted(maps.Keys(t.Devices)) {
		if d := t.Devices[name]; d.BytesPerSecond > 0 && len(rows) > 0 {
			p.printf("peak of %s: %.0f GB/s; GB/s is the size of a launch's tensors over its time\n", name,
				d.BytesPerSecond/1e9)
		}
	}
	return p.err
}

// writeSums writes what took time besides kernels.
func (t *Trace) writeSums(p *printer) {
	cached := func(e *Event) bool { return e.Args["cached"] == true }
	refused := func(e *Event) bool { return e.Args["error"] != nil }
	fresh := func(e *Event) bool { return !cached(e) && !refused(e) }
	replays := func(e *Event) bool { return e.Name == "capture" }
	for _, x := range []struct {
		what string
		sum  Sum
	}{
		{"compilations", t.Sum(CategoryCompile, fresh)},
		{"compilations that failed or were refused", t.Sum(CategoryCompile, refused)},
		{"found in the cache", t.Sum(CategoryCompile, cached)},
		{"tunings", t.Sum(CategoryTune, nil)},
		{"launches, on the host", t.Sum(CategoryLaunch, nil)},
		{"captures of graphs", t.Sum(CategoryGraph, replays)},
		{"copies", t.Sum(CategoryCopy, nil)},
	} {
		if x.sum.Count == 0 {
			continue
		}
		p.printf("%-45s %9d %11.3f", x.what, x.sum.Count, millis(x.sum.Total))
		if x.what == "copies" && x.sum.Bytes > 0 {
			p.printf("  %.1f MB, %.1f GB/s", float64(x.sum.Bytes)/1e6,
				ratio(float64(x.sum.Bytes), x.sum.Total.Seconds())/1e9)
		}
		p.printf("\n")
	}
}

// printer keeps the first error of a writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func millis(d time.Duration) float64 { return d.Seconds() * 1e3 }
func micros(d time.Duration) float64 { return d.Seconds() * 1e6 }

// known writes a figure, or a dash if it is missing.
func known(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}
