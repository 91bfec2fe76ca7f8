package device

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Extra is an option of Options.Extra that a target has.
type Extra struct {
	Name   string
	Help   string                   // a few words; may be ""
	Values []string                 // the values that it takes; nil means those that Check accepts
	Check  func(value string) error // returns an error for a value that it does not take; may be nil
}

// ExtrasOf returns the options that a device, or a compiler, has beside those of all. Most have none.
func ExtrasOf(b any) []Extra {
	if x, ok := b.(interface{ Extras() []Extra }); ok {
		return x.Extras()
	}
	return nil
}

// CheckExtra returns an error if Options.Extra cannot be read, or has a name or a value that the device does
// not know.
func CheckExtra(b Device, o Options) error {
	_, err := ReadExtra(Kind(b), ExtrasOf(b), o)
	return err
}

// ReadExtra returns the options of Extra by name. The error names what a target knows instead.
func ReadExtra(target string, known []Extra, o Options) (map[string]string, error) {
	given, err := o.ExtraMap()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(known, func(x Extra) bool { return x.Name == name })
		if i < 0 {
			return nil, diag.Refuse("the option "+name, "%s has no option of that name; it has %s", target,
				extraNames(known)).By(target)
		}
		if err := known[i].check(given[name]); err != nil {
			return nil, diag.Refuse(fmt.Sprintf("the option %s=%s", name, given[name]), "%v", err).By(target)
		}
	}
	return given, nil
}

// check returns an error for a value that the option does not take.
func (x Extra) check(value string) error {
	switch {
	case x.Values != nil && !slices.Contains(x.Values, value):
		return fmt.Errorf("expected %s", orList(x.Values))
	case x.Check != nil:
		return x.Check(value)
	}
	return nil
}

// extraNames lists options with what is known of each.
func extraNames(list []Extra) string {
	if len(list) == 0 {
		return "none"
	}
	var texts []string
	for _, x := range list {
		text := x.Name
		if x.Values != nil {
			text += "=" + strings.Join(x.Values, "|")
		}
		if x.Help != "" {
			text += " (" + x.Help + ")"
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// orList writes values as "0, 1 or 2".
func orList(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}
