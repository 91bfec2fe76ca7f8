package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// Values are the values of one program's variables, in the order in which they came to be.
type Values struct {
	Program int64   `json:"program"`
	List    []Value `json:"list"`
	NaN     int     `json:"nan"`           // index of the first value with a NaN, or -1
	Inf     int     `json:"inf"`           // of the first with an infinity, or -1
	Cut     bool    `json:"cut,omitempty"` // there are more
	Error   string  `json:"error,omitempty"`
}

// Value is a block or a number that a line made.
type Value struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Shape []int64 `json:"shape,omitempty"`
	Line  int     `json:"line"`           // of the kernel's own file
	Time  int     `json:"time,omitempty"` // how often the line made it before

	Low   float64  `json:"low"` // least and largest finite element, and the mean of finite ones
	High  float64  `json:"high"`
	Mean  float64  `json:"mean"`
	Zeros int      `json:"zeros,omitempty"`
	NaN   int      `json:"nan,omitempty"`
	Inf   int      `json:"inf,omitempty"`
	At    []int64  `json:"at,omitempty"`   // coordinates of the first NaN, or else of the first infinity
	Bins  []int    `json:"bins,omitempty"` // of a histogram from Low to High
	First []string `json:"first"`          // the first elements
}

const (
	maxValues  = 4000
	bins       = 32
	firstShown = 16
)

// NewValues makes a recorded program ready for a page. Values of the language's library are left out.
func NewValues(t *interp.Trace, files *Files) *Values {
	out := &Values{Program: t.Program, List: []Value{}, NaN: -1, Inf: -1, Cut: t.Cut}
	times := map[string]int{}
	now := map[string]int{} // values of the line that is executed, by name
	last := 0
	for _, e := range t.Events {
		line := ownLine(e, files)
		if line == 0 {
			continue
		}
		if line != last {
			clear(now)
			last = line
		}
		for _, v := range e.Values {
			if strings.Contains(v.Type, "!tt.ptr") {
				continue
			}
			x := summed(v)
			x.Line = line
			if i, ok := now[v.Name]; ok { // parts of an expression have the name of what it is bound to
				x.Time = out.List[i].Time
				out.List[i] = x
				continue
			}
			if len(out.List) == maxValues {
				out.Cut = true
				break
			}
			key := fmt.Sprint(v.Name, " ", line)
			x.Time = times[key]
			times[key]++
			now[v.Name] = len(out.List)
			out.List = append(out.List, x)
		}
	}
	for i, x := range out.List {
		if x.NaN > 0 && out.NaN < 0 {
			out.NaN = i
		}
		if x.Inf > 0 && out.Inf < 0 {
			out.Inf = i
		}
	}
	return out
}

// ownLine returns the line of the kernel's file that an event belongs to; 0 if it is of another file.
func ownLine(e interp.TraceEvent, files *Files) int {
	f := ir.FileLocOf(e.Loc)
	if f == nil {
		return 0
	}
	if p := files.own(Place{f.File, f.Line}); p != nil {
		return p[1]
	}
	return 0
}

// summed describes a value.
func summed(v interp.TraceValue) Value {
	x := Value{Name: v.Name, Type: v.Type, Shape: v.Shape, Low: math.Inf(1), High: math.Inf(-1),
		First: []string{}}
	sum, finite := 0.0, 0
	strange := -1
	for i := range v.Len() {
		n := number(v, i)
		switch {
		case math.IsNaN(n):
			if x.NaN == 0 {
				strange = i
			}
			x.NaN++
			continue
		case math.IsInf(n, 0):
			if strange < 0 {
				strange = i
			}
			x.Inf++
			continue
		case n == 0:
			x.Zeros++
		}
		sum, finite = sum+n, finite+1
		x.Low, x.High = min(x.Low, n), max(x.High, n)
	}
	for i := range min(v.Len(), firstShown) {
		x.First = append(x.First, v.At(i))
	}
	if strange >= 0 {
		x.At = coordinates(strange, v.Shape)
	}
	if finite == 0 {
		x.Low, x.High = 0, 0 // JSON has no infinities
		return x
	}
	x.Mean = sum / float64(finite)
	if v.Len() > 1 && x.High > x.Low && !math.IsInf(x.High-x.Low, 0) {
		x.Bins = make([]int, bins)
		for i := range v.Len() {
			if n := number(v, i); n >= x.Low && n <= x.High {
				x.Bins[min(bins-1, int(float64(bins)*((n-x.Low)/(x.High-x.Low))))]++
			}
		}
	}
	if math.IsInf(x.Mean, 0) {
		x.Mean = 0
	}
	return x
}

func number(v interp.TraceValue, i int) float64 {
	if n, ok := v.Number(i); ok {
		return n
	}
	return float64(v.Int(i))
}

// coordinates returns the place of element i in a tensor.
func coordinates(i int, shape []int64) []int64 {
	at := make([]int64, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = int64(i) % shape[d]
		i /= int(shape[d])
	}
	return at
}
