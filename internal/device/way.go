package device

import (
	"fmt"
	"reflect"
	"strings"
)

// Way says for which launches of a specialization code is made. It is one value on its whole path: from the
// device that knows the grid, through the request for the code and its key in the cache, to the compiler of
// the target. Only targets read its fields; everybody else passes ways on, compares and prints them.
//
// The zero value is the general way: its code serves all launches of the specialization.
type Way struct {
	// Fallback: the host has other code for launches that this code does not serve, or not well.
	Fallback bool
	// Merge is the number of neighbouring programs whose work one does; 0 means 1. Launches have multiples of
	// as many along the first axis.
	Merge int
	// Unit: the strides of merged launches are 1.
	Unit bool
	// Sharing is the number up to which programs of the launches run on one processor at a time: Many if they
	// are too many to matter, 0 if it is not known. The code serves launches of any sharing.
	Sharing int
	// Persist: programs stay on their processors and do the work of many, if they can.
	Persist bool
}

// Many is the sharing of grids with too many programs for code of their own.
const Many = -1

// AnyLaunch is the way of the code that a launch of unknown grid begins with.
var AnyLaunch = Way{Fallback: true}

// IsGeneral reports whether code of this way serves all launches, so that none can do without it.
func (w Way) IsGeneral() bool { return w == Way{} }

// AnyGrid returns the way without what the grids of launches say.
func (w Way) AnyGrid() Way {
	w.Sharing = 0
	return w
}

// String returns the whole value as text: the fields that are set, in order, or "general".
func (w Way) String() string {
	if w.IsGeneral() {
		return "general"
	}
	var set []string
	v := reflect.ValueOf(w)
	for i := range v.NumField() {
		name := strings.ToLower(v.Type().Field(i).Name)
		switch f := v.Field(i); {
		case f.IsZero():
		case f.Kind() == reflect.Bool:
			set = append(set, name)
		default:
			set = append(set, fmt.Sprintf("%s=%v", name, f))
		}
	}
	return strings.Join(set, " ")
}
