// Package triton knows the releases of the Triton language that kernels can be written in. A Version is
// chosen by a user, never guessed, and answers whether its language Has a Feature. All differences between
// the releases that change what a kernel means, or how its IR is written, are rows of one table
// (features.go); names that only some releases have are rows of package sem, with the releases beside them.
package triton

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a release of the language, 3.6 for instance, and what it keeps of earlier ones. The zero value
// stands for none chosen; its rules are those of Default. Versions can be compared with ==.
type Version struct {
	minor int // of release 3
	// block pointers, which 3.9 has given up, are kept: "3.9+block_ptr"
	blockPtr bool
	// kernels of Gluon are compiled, as an experiment: "3.9+gluon"
	gluon bool
}

// The releases.
var (
	V36 = Version{minor: 6}
	V37 = Version{minor: 7}
	V38 = Version{minor: 8}
	V39 = Version{minor: 9}
)

// Default is the release whose rules hold where none is chosen. It stays as it is when newer ones appear,
// since the same text can mean other numbers there.
var Default = V36

// Releases has all releases, oldest first.
var Releases = []Version{V36, V37, V38, V39}

// patches has the last digits of the releases whose wheels the rules were compared with.
var patches = map[int]int{6: 0, 7: 1, 8: 0, 9: 0}

const (
	keepBlockPtr = "block_ptr"
	withGluon    = "gluon"
)

// Parse reads a version: "3.9", "3.9.0", "3.9+block_ptr" or "3.9+gluon". The empty text is no choice.
func Parse(text string) (Version, error) {
	if text == "" {
		return Version{}, nil
	}
	number, more, plus := strings.Cut(text, "+")
	parts := strings.Split(number, ".")
	if len(parts) >= 2 && len(parts) <= 3 && parts[0] == "3" {
		minor, err := strconv.Atoi(parts[1])
		v := Version{minor: minor}
		if err == nil && slices.Contains(Releases, v) {
			if !plus {
				return v, nil
			}
			return v.with(text, strings.Split(more, "+"))
		}
	}
	return Version{}, fmt.Errorf("there is no Triton %q here: the releases are %s", text, list(Releases))
}

// with adds what a version has besides its release.
func (v Version) with(text string, more []string) (Version, error) {
	for _, word := range more {
		switch word {
		case keepBlockPtr:
			v.blockPtr = !v.hasOwn(BlockPointers)
		case withGluon:
			v.gluon = true
		default:
			return Version{}, fmt.Errorf("version %q: a release can have +%s (kept of earlier ones) and +%s (an "+
				"experiment), not %q", text, keepBlockPtr, withGluon, word)
		}
	}
	return v, nil
}

// Gluon reports whether kernels of Gluon are compiled.
func (v Version) Gluon() bool { return v.gluon }

// WithGluon returns the version with kernels of Gluon compiled.
func (v Version) WithGluon() Version {
	v = v.rules()
	v.gluon = true
	return v
}

// KeepBlockPtr returns the version with block pointers kept.
func (v Version) KeepBlockPtr() Version {
	v = v.rules()
	v.blockPtr = !v.hasOwn(BlockPointers)
	return v
}

func list(versions []Version) string {
	var out []string
	for _, v := range versions {
		out = append(out, v.String())
	}
	return strings.Join(out, ", ")
}

// Or returns the version, or another where none is chosen.
func (v Version) Or(other Version) Version {
	if v == (Version{}) {
		return other
	}
	return v
}

// rules returns the version whose rules hold.
func (v Version) rules() Version { return v.Or(Default) }

// String returns the version as Parse reads it.
func (v Version) String() string {
	v = v.rules()
	text := "3." + strconv.Itoa(v.minor)
	if v.blockPtr {
		text += "+" + keepBlockPtr
	}
	if v.gluon {
		text += "+" + withGluon
	}
	return text
}

// Chosen returns the version as Parse reads it, and "" for Default: files that name no version have its
// rules.
func (v Version) Chosen() string {
	if v.rules() == Default {
		return ""
	}
	return v.String()
}

// Release returns the text of triton.__version__.
func (v Version) Release() string {
	minor := v.rules().minor
	return fmt.Sprintf("3.%d.%d", minor, patches[minor])
}

// compare orders releases.
func (v Version) compare(w Version) int { return cmp.Compare(v.rules().minor, w.rules().minor) }

// Span is a range of releases: from Since on, up to Last. A zero bound leaves that side open.
type Span struct{ Since, Last Version }

// Contains reports whether a release is in the range.
func (s Span) Contains(v Version) bool {
	return v.compare(s.Since) >= 0 && (s.Last == Version{} || v.compare(s.Last) <= 0)
}

// String says which releases the range has: "3.8 and later".
func (s Span) String() string {
	switch {
	case s.Since.compare(Releases[0]) <= 0 && s.Last == Version{}:
		return "every release"
	case s.Since == s.Last:
		return s.Since.String()
	case s.Last == Version{}:
		if s.Since == Releases[len(Releases)-1] {
			return s.Since.String()
		}
		return s.Since.String() + " and later"
	case s.Since.compare(Releases[0]) <= 0:
		return "releases up to " + s.Last.String()
	}
	return s.Since.String() + " to " + s.Last.String()
}

// SpanOf returns the range of releases that follow one another.
func SpanOf(have []Version) Span {
	s := Span{Since: have[0]}
	if last := have[len(have)-1]; last != Releases[len(Releases)-1] {
		s.Last = last
	}
	return s
}

// Nearest returns the release in the range that is nearest to v: the one to move to for what it has.
func (s Span) Nearest(v Version) Version {
	if v.compare(s.Since) < 0 {
		return s.Since
	}
	return s.Last
}

// HowToChoose says how a kernel gets another version.
func HowToChoose(v Version) string {
	return fmt.Sprintf("choose it with --triton %[1]s, NEREID_TRITON=%[1]s, or a line `%[2]s%[1]s` at the top "+
		"of the file", v, LinePrefix)
}

// LinePrefix begins the line of a file that names a release.
const LinePrefix = "# nereid: triton "

// OfFile returns the version that a file asks for: a line `# nereid: triton 3.9` among the comments that it
// begins with.
func OfFile(src []byte) (Version, error) {
	for line := range bytes.Lines(src) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			break
		}
		if text, ok := bytes.CutPrefix(line, []byte(LinePrefix)); ok {
			return Parse(string(bytes.TrimSpace(text)))
		}
	}
	return Version{}, nil
}
