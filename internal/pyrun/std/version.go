package std

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// pkgVersion is packaging.version.Version (PEP 440): epoch, release numbers, pre-release, post, dev, local
// part.
type pkgVersion struct {
	text    string
	epoch   int
	release []int
	pre     string // a, b, rc or empty
	preNum  int
	post    int // -1 for none
	dev     int // -1 for none
	local   string
}

var versionPattern = regexp.MustCompile(`(?i)^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)` +
	`(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?` +
	`(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?` +
	`(?:[-_.]?(dev)[-_.]?(\d*))?` +
	`(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$`)

func parseVersion(s string) (*pkgVersion, bool) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return nil, false
	}
	num := func(s string) int { n, _ := strconv.Atoi(s); return n }
	v := &pkgVersion{text: s, epoch: num(m[1]), post: -1, dev: -1, local: strings.ToLower(m[10])}
	for _, p := range strings.Split(m[2], ".") {
		v.release = append(v.release, num(p))
	}
	if m[3] != "" {
		v.pre, v.preNum = map[string]string{"alpha": "a", "a": "a", "beta": "b",
			"b": "b"}[strings.ToLower(m[3])], num(m[4])
		if v.pre == "" {
			v.pre = "rc"
		}
	}
	if m[5] != "" || m[6] != "" {
		v.post = num(m[5] + m[7])
	}
	if m[8] != "" {
		v.dev = num(m[9])
	}
	return v, true
}

// TypeName returns "Version".
func (*pkgVersion) TypeName() string { return "Version" }

// Str returns the version in its normal form.
func (v *pkgVersion) Str() string {
	s := v.public()
	if v.local != "" {
		s += "+" + v.local
	}
	return s
}

// Repr returns <Version('1.2')>.
func (v *pkgVersion) Repr() string { return "<Version('" + v.Str() + "')>" }

func (v *pkgVersion) base() string {
	var parts []string
	for _, n := range v.release {
		parts = append(parts, strconv.Itoa(n))
	}
	s := strings.Join(parts, ".")
	if v.epoch != 0 {
		s = strconv.Itoa(v.epoch) + "!" + s
	}
	return s
}

func (v *pkgVersion) public() string {
	s := v.base()
	if v.pre != "" {
		s += v.pre + strconv.Itoa(v.preNum)
	}
	if v.post >= 0 {
		s += ".post" + strconv.Itoa(v.post)
	}
	if v.dev >= 0 {
		s += ".dev" + strconv.Itoa(v.dev)
	}
	return s
}

// trimmed returns the release without zeros at its end.
func (v *pkgVersion) trimmed() []int {
	r := v.release
	for len(r) > 1 && r[len(r)-1] == 0 {
		r = r[:len(r)-1]
	}
	return r
}

// rank orders what follows the release: a dev release of nothing else comes first, then pre-releases, then
// the release.
func (v *pkgVersion) rank() []int {
	pre, preNum := map[string]int{"a": 1, "b": 2, "rc": 3, "": 4}[v.pre], v.preNum
	if v.pre == "" && v.post < 0 && v.dev >= 0 {
		pre = 0
	}
	dev := v.dev
	if dev < 0 {
		dev = math.MaxInt
	}
	return []int{pre, preNum, v.post, dev}
}

func (v *pkgVersion) compare(w *pkgVersion) int {
	return cmp.Or(cmp.Compare(v.epoch, w.epoch), slices.Compare(v.trimmed(), w.trimmed()),
		slices.Compare(v.rank(), w.rank()),
		compareLocal(v.local, w.local))
}

func compareLocal(a, b string) int {
	split := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
	}
	return slices.CompareFunc(split(a), split(b), func(x, y string) int {
		m, xerr := strconv.Atoi(x)
		n, yerr := strconv.Atoi(y)
		switch {
		case xerr == nil && yerr == nil:
			return cmp.Compare(m, n)
		case xerr == nil:
			return 1
		case yerr == nil:
			return -1
		}
		return cmp.Compare(x, y)
	})
}

// Compare orders two versions.
func (v *pkgVersion) Compare(_ *object.Interp, op python.CmpOperator, other object.Value) (object.Value,
	error) {
	w, ok := other.(*pkgVersion)
	if !ok {
		return nil, nil
	}
	c := v.compare(w)
	switch op {
	case python.Eq:
		return object.Bool(c == 0), nil
	case python.NotEq:
		return object.Bool(c != 0), nil
	}
	return object.Bool(object.Ordered(op, c)), nil
}

// HashKey returns the same key for versions that are equal.
func (v *pkgVersion) HashKey() (any, error) {
	w := *v
	w.release = v.trimmed()
	return versionKey(w.Str()), nil
}

type versionKey string

// Attr returns a part of the version.
func (v *pkgVersion) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	at := func(i int) object.Value {
		if i < len(v.release) {
			return object.MakeInt(int64(v.release[i]))
		}
		return object.MakeInt(0)
	}
	switch name {
	case "major":
		return at(0), true, nil
	case "minor":
		return at(1), true, nil
	case "micro":
		return at(2), true, nil
	case "release":
		t := object.NewTuple()
		for i := range v.release {
			t.Items = append(t.Items, at(i))
		}
		return t, true, nil
	case "base_version":
		return object.Str(v.base()), true, nil
	case "public":
		return object.Str(v.public()), true, nil
	case "is_prerelease":
		return object.Bool(v.pre != "" || v.dev >= 0), true, nil
	case "is_devrelease":
		return object.Bool(v.dev >= 0), true, nil
	case "is_postrelease":
		return object.Bool(v.post >= 0), true, nil
	case "local":
		if v.local == "" {
			return object.None, true, nil
		}
		return object.Str(v.local), true, nil
	case "epoch":
		return object.MakeInt(int64(v.epoch)), true, nil
	}
	return nil, false, nil
}

func versionModule() map[string]object.Value {
	invalid := object.NewBuiltinClass("InvalidVersion", object.ValueError)
	make := func(_ *object.Interp, a []object.Value) (object.Value, error) {
		if v, ok := a[0].(*pkgVersion); ok {
			return v, nil
		}
		s, err := object.Text(a[0])
		if err != nil {
			return nil, err
		}
		v, ok := parseVersion(s)
		if !ok {
			return nil, object.Errorf(invalid, "Invalid version: %s", object.Quote(s))
		}
		return v, nil
	}
	return named(map[string]object.Value{"InvalidVersion": invalid,
		"Version": &versionClass{object.Native("Version", "version", make)}},
		object.Native("parse", "version", make))
}

// versionClass is the class Version.
type versionClass struct{ make *object.Builtin }

func (*versionClass) TypeName() string { return "type" }

func (c *versionClass) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value,
	error) {
	return c.make.Fn(in, args, kws)
}

// HasInstance reports whether x is a Version.
func (c *versionClass) HasInstance(x object.Value) (bool, error) {
	_, ok := x.(*pkgVersion)
	return ok, nil
}
