package sem

import (
	"math"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// CheckPlain refuses constants of which min and max find none that is the best, or two: NaN, and zeros of
// two signs.
func CheckPlain(name string, vs []object.Value) error {
	if len(vs) == 1 {
		if inner, ok := items(vs[0]); ok {
			vs = inner
		}
	}
	for _, v := range vs {
		f, ok := v.(object.Float)
		switch x := float64(f); {
		case ok && math.IsNaN(x):
			return notPlain(name, "NaN")
		case ok && x == 0 && math.Signbit(x):
			return notPlain(name, "minus zero")
		}
	}
	return nil
}

func notPlain(name, what string) error {
	return &Error{Code: CodeValue, Msg: name + " of constants does not take " + what,
		Hint: "tl." + name + "imum does"}
}
