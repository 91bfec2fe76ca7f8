package rules

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Attr is the name of a module's attribute that holds the text of its Set.
const Attr = "nereid.rules"

// Set holds the values of the rules in one compilation. The nil Set has those of the table. Sets are
// immutable but for their trace.
type Set struct {
	over  map[string]int
	trace *Trace
}

// Parse reads overrides as users write them: name=value,other=off. The nil Set means that there are none.
func Parse(text string) (*Set, error) {
	s := &Set{over: map[string]int{}}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := s.set(part); err != nil {
			return nil, err
		}
	}
	if len(s.over) == 0 && s.trace == nil {
		return nil, nil
	}
	return s, nil
}

// set sets a part of a text: a rule, or the trace of this process.
func (s *Set) set(part string) error {
	if id, ok := strings.CutPrefix(part, tracePrefix); ok {
		s.trace = traceOf(id)
		return nil
	}
	r, v, err := parseOne(part)
	if err == nil {
		s.over[r.Name] = v
	}
	return err
}

// parseOne reads name=value.
func parseOne(part string) (*Rule, int, error) {
	name, text, ok := strings.Cut(part, "=")
	r := Lookup(strings.TrimSpace(name))
	switch text = strings.TrimSpace(text); {
	case !ok:
		return nil, 0, fmt.Errorf("rule %q: expected name=value or name=off", part)
	case r == nil:
		return nil, 0, fmt.Errorf("unknown rule %q: nereid rules lists them", strings.TrimSpace(name))
	case text == "off" && r.Off == NoOff:
		return nil, 0, fmt.Errorf("rule %s cannot be switched off, it tunes an estimate: give a number",
			r.Name)
	case text == "off":
		return r, r.Off, nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < never || v > always {
		return nil, 0, fmt.Errorf("rule %s=%s: expected off or a number from 0 to %d", r.Name, text, always)
	}
	if v < 1 && (r.Kind == Share || r.Kind == Number || r.Kind == Cap) {
		return nil, 0, fmt.Errorf("rule %s=%d: expected at least 1", r.Name, v)
	}
	return r, v, nil
}

// Text returns the overrides in the form of Parse, sorted by name, with the trace if there is one. The text
// of equal sets is equal; that of the nil Set is "".
func (s *Set) Text() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.over)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, s.over[name]))
	}
	if s.trace != nil {
		parts = append(parts, fmt.Sprintf("%s%d", tracePrefix, s.trace.id))
	}
	return strings.Join(parts, ",")
}

// tracePrefix begins the part of a text that names a trace of this process.
const tracePrefix = "trace="

// known holds the sets of texts that modules had, so that each is parsed once.
var known sync.Map // string to *Set

// Of returns the set of a module's text. A text from elsewhere may have rules that this version does not:
// they are passed over, since no rule makes a kernel wrong.
func Of(text string) *Set {
	if text == "" {
		return nil
	}
	if s, ok := known.Load(text); ok {
		return s.(*Set)
	}
	s := &Set{over: map[string]int{}}
	for part := range strings.SplitSeq(text, ",") {
		_ = s.set(part)
	}
	if s.trace == nil { // one with a trace lives as long as that
		known.Store(text, s)
	}
	return s
}

// value returns the value of a rule.
func (s *Set) value(r *Rule) int {
	if s != nil {
		if v, ok := s.over[r.Name]; ok {
			return v
		}
	}
	return r.Value
}

// decided completes a decision and records it.
func (s *Set) decided(r *Rule, d Decision, also []Feature) bool {
	d.Holds = r.holds(d)
	if s.traced() {
		s.trace.add(d, also)
	}
	return d.Holds
}
