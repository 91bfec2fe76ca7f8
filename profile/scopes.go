package profile

import (
	"cmp"
	"slices"
	"time"
)

// Scope is a row of the table of scopes: what one scope of a kernel took on a device, in each warp that went
// through it.
type Scope struct {
	Kernel, Name, Device string

	Count  int
	Unit   string // of the following: "cycles" of a GPU's clock, "steps" of a simulator
	Median int64
	Least  int64
	Most   int64
	Time   time.Duration // median; 0 if the device knows no time
}

// scopeUnits are the clocks of scopes.
var scopeUnits = []string{"cycles", "steps"}

// Scopes returns the table of scopes, those of one kernel behind each other, in the order of their first
// events.
func (t *Trace) Scopes() []Scope {
	type key struct{ kernel, name, device, unit string }
	units, times := map[key][]int64{}, map[key][]float64{}
	var order []key
	for i := range t.Events {
		e := &t.Events[i]
		if e.Category != CategoryScope {
			continue
		}
		for _, unit := range scopeUnits {
			n, ok := e.Args[unit].(float64)
			if !ok {
				continue
			}
			k := key{e.text("kernel"), e.Name, e.text("device"), unit}
			if units[k] == nil {
				order = append(order, k)
			}
			units[k], times[k] = append(units[k], int64(n)), append(times[k], e.Took)
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.kernel, b.kernel), cmp.Compare(a.device, b.device))
	})
	var rows []Scope
	for _, k := range order {
		slices.Sort(units[k])
		slices.Sort(times[k])
		n := len(units[k])
		s := Scope{Kernel: k.kernel, Name: k.name, Device: k.device, Count: n, Unit: k.unit,
			Median: units[k][n/2], Least: units[k][0], Most: units[k][n-1]}
		if k.unit == "cycles" {
			s.Time = time.Duration(times[k][n/2] * 1e3)
		}
		rows = append(rows, s)
	}
	return rows
}

// writeScopes writes the table of scopes, if there are some.
func (t *Trace) writeScopes(p *printer) {
	rows := t.Scopes()
	if len(rows) > 0 {
		p.printf("%-36s %-8s %9s %11s %11s %11s %-6s %11s\n", "scope, by warp", "device", "times", "median",
			"least", "most", "", "median µs")
	}
	for _, r := range rows {
		p.printf("%-36s %-8s %9d %11d %11d %11d %-6s %11s\n", r.Kernel+": "+r.Name, r.Device, r.Count,
			r.Median, r.Least, r.Most, r.Unit, known("%.3f", micros(r.Time)))
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Name != "nereid_scopes_lost" {
			continue
		}
		if n := e.number("lost"); n > 0 {
			p.printf("%s: %.0f scopes or marks had no room\n", e.text("kernel"), n)
		}
		if n := e.number("open"); n > 0 {
			p.printf("%s: %.0f marks of scopes without their other end\n", e.text("kernel"), n)
		}
	}
}
