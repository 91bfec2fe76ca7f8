package device

import (
	"cmp"
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
	// Fallback says that the host has other code for launches which this code cannot serve, or serves slowly.
	Fallback bool
	// Merge is the number of neighbouring programs that are merged into one; 0 means 1. The first dimension
	// of the grid is a multiple of it.
	Merge int
	// Unit says that the strides which merged programs load and store by are 1.
	Unit bool
	// BlocksPerSM is the most blocks of a launch that each SM gets: Many if they are too many to matter, 0 if
	// it is not known. The code is tuned for that number and is right for any.
	BlocksPerSM int `json:"Sharing"` // the name that saved code has
	// Persist asks for a persistent kernel where it can be one: as many blocks as fit on the GPU at once,
	// each of which does the work of many programs.
	Persist bool
}

// Many is the BlocksPerSM of grids with too many programs for code of their own.
const Many = -1

// AnyLaunch is the way of the code that a launch of unknown grid begins with.
var AnyLaunch = Way{Fallback: true}

// IsGeneral reports whether code of this way serves all launches, so that none can do without it.
func (w Way) IsGeneral() bool { return w == Way{} }

// AnyGrid returns the way without what the grids of launches say.
func (w Way) AnyGrid() Way {
	w.BlocksPerSM = 0
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
		field := v.Type().Field(i)
		name := strings.ToLower(cmp.Or(field.Tag.Get("json"), field.Name))
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
