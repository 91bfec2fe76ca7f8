// Package knob is the one table of what the environment can set: each NEREID_* variable with its meaning,
// its default and the variable of Triton's that does the same. A variable is declared where it is
// registered, in table.go; docs/options.md is written from that table, and a test holds the page to it.
//
// A value that makes no sense is never an error where it is read: the default stands, and Check says what
// is wrong, for the command line to print.
package knob

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/rules"
)

// Row is what the table says of one variable.
type Row struct {
	Group   string
	Name    string // NEREID_CACHE_DIR
	Triton  string // Triton's variable for the same, or ""
	Also    []also // Triton's variables that are read where this one is not set, in order
	Default string // for people
	Form    string // what a value looks like
	Doc     string

	check func(text string) error
}

// rows is the table, filled by the declarations in table.go, in their order.
var rows []Row

// also is a variable of Triton's that has a counterpart here.
type also struct {
	name string
	as   func(text string) string // the value of the counterpart, "" for none; nil means the same text
}

// value returns the text that Triton's variable gives its counterpart.
func (a also) value() string {
	text := os.Getenv(a.name)
	if text == "" || a.as == nil {
		return text
	}
	return a.as(text)
}

// Knob is a variable whose values have the type T.
type Knob[T any] struct {
	name  string
	also  []also
	def   T
	parse func(string) (T, error)
}

// Name is the variable's name.
func (k *Knob[T]) Name() string { return k.name }

// Get is the variable's value: the default where it is not set, is empty, or makes no sense. Triton's
// variable for the same counts where it is not set.
func (k *Knob[T]) Get() T {
	if text := k.text(); text != "" {
		if v, err := k.parse(text); err == nil {
			return v
		}
	}
	return k.def
}

// text is the value in the environment, or "".
func (k *Knob[T]) text() string {
	text := os.Getenv(k.name)
	for i := 0; text == "" && i < len(k.also); i++ {
		text = k.also[i].value()
	}
	return text
}

// IsSet reports whether the environment has a value.
func (k *Knob[T]) IsSet() bool { return k.text() != "" }

func add[T any](r Row, def T, parse func(string) (T, error)) *Knob[T] {
	r.check = func(text string) error { _, err := parse(text); return err }
	rows = append(rows, r)
	return &Knob[T]{r.Name, r.Also, def, parse}
}

// text is a variable that any text is good for.
func text(r Row) *Knob[string] {
	return add(r, "", func(s string) (string, error) { return s, nil })
}

// flag is off unless the environment turns it on.
func flag(r Row) *Knob[bool] {
	if r.Form = "`1` or `0`"; r.Default == "" {
		r.Default = "off"
	}
	return add(r, false, parseBool)
}

func choice(r Row, options ...string) *Knob[string] {
	r.Default, r.Form = options[0], "`"+strings.Join(options, "`, `")+"`"
	return add(r, options[0], func(s string) (string, error) {
		for _, o := range options {
			if strings.EqualFold(s, o) {
				return o, nil
			}
		}
		return "", fmt.Errorf("expected %s", strings.Join(options, ", "))
	})
}

func size(r Row, def int64) *Knob[int64] {
	r.Form = "bytes, or with a unit: `512MiB`, `4GB`"
	return add(r, def, ParseSize)
}

// number is a whole number.
func number(r Row) *Knob[int64] {
	r.Form = "a number"
	return add(r, 0, func(s string) (int64, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("expected a whole number")
		}
		return n, nil
	})
}

// simOrder is the order in which a simulator does what no rule orders.
func simOrder(r Row) *Knob[string] {
	r.Default = "usual"
	r.Form = "`usual`, `backward`, `earliest`, `latest`, `random:SEED`, `adversarial:SEED`, `all:STATES`"
	form := regexp.MustCompile(`^(usual|backward|earliest|latest|` +
		`(random|adversarial):\d{1,18}|all:[1-9]\d{0,17})$`)
	return add(r, "usual", func(s string) (string, error) {
		if !form.MatchString(s) {
			return "", fmt.Errorf("expected %s", strings.ReplaceAll(r.Form, "`", ""))
		}
		return s, nil
	})
}

// ruleSet is a list of rules with other values.
func ruleSet(r Row) *Knob[string] {
	r.Default, r.Form = "the table", "`name=value`, `name=off`, separated by commas"
	return add(r, "", func(s string) (string, error) {
		_, err := rules.Parse(s)
		return s, err
	})
}

// duration is a length of time as Go writes it.
func duration(r Row) *Knob[time.Duration] {
	r.Form = "a time: `30s`, `5m`"
	return add(r, 0, func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, fmt.Errorf("expected a time such as 30s or 5m")
		}
		return d, nil
	})
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "1", "true", "on", "yes", "y":
		return true, nil
	case "0", "false", "off", "no", "n":
		return false, nil
	}
	return false, fmt.Errorf("expected 1 or 0")
}

// units of sizes, the long names first.
var units = []struct {
	name  string
	bytes int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// ParseSize reads a number of bytes.
func ParseSize(s string) (int64, error) {
	num, unit := strings.ToLower(strings.TrimSpace(s)), int64(1)
	for _, u := range units {
		if n, ok := strings.CutSuffix(num, u.name); ok {
			num, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || !(f >= 0) || f*float64(unit) >= 1<<62 {
		return 0, fmt.Errorf("expected a number of bytes such as 512MiB")
	}
	return int64(f * float64(unit)), nil
}
