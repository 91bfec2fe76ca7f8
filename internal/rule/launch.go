package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Launch says what launches of a variant may look like.
type Launch struct {
	When    Rule     // true for arguments for which the variant computes right results; nil means all
	Grid    []Rule   // programs along x, y and z; nil leaves the grid to the caller
	Sizes   []string // numbers that When and Grid use beside the arguments
	Measure bool     // a launch may be repeated, to measure which variant of its group is fastest
	Writes  []Write  // what launches write: results of variants that are measured are compared there
}

// Write is memory that launches write: so many elements from the address on that an argument is.
type Write struct {
	Arg      string
	Elements Rule
}

// LaunchText is Launch as a table has it.
type LaunchText struct {
	When, Grid, Sizes []string
	Measure           bool
	Writes            []string // "argument: elements"
}

// CompileLaunch compiles the rules of a variant. key is the place of an error.
func CompileLaunch(t LaunchText, constants map[string]float64, args []string) (l Launch, key string,
	err error) {
	l = Launch{Sizes: t.Sizes, Measure: t.Measure}
	names := slices.Concat(args, t.Sizes)
	for i, s := range t.Sizes {
		if slices.Contains(args, s) || slices.Contains(t.Sizes[:i], s) {
			return l, "sizes", fmt.Errorf("%s is there twice", s)
		}
	}
	if len(t.When) > 0 {
		text := "(" + strings.Join(t.When, ") and (") + ")"
		if l.When, err = Compile(text, constants, names); err != nil {
			return l, "when", err
		}
	}
	if len(t.Grid) > 3 {
		return l, "grid", errors.New("a grid has three sizes at most")
	}
	for _, text := range t.Grid {
		r, err := Compile(text, constants, names)
		if err != nil {
			return l, "grid", err
		}
		l.Grid = append(l.Grid, r)
	}
	for _, text := range t.Writes {
		arg, elements, ok := strings.Cut(text, ":")
		if arg = strings.TrimSpace(arg); !ok || !slices.Contains(args, arg) {
			return l, "writes", fmt.Errorf("%q: expected an argument, a colon, and how many elements of it "+
				"are written: y_ptr: n * stride", text)
		}
		r, err := Compile(strings.TrimSpace(elements), constants, names)
		if err != nil {
			return l, "writes", err
		}
		l.Writes = append(l.Writes, Write{arg, r})
	}
	return l, "", nil
}
