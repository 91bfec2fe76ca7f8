package tunable

import (
	"errors"
	"strconv"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
)

// Group returns a candidate for each variant of a bundle's group. Their constants are those that are compiled
// in; a variant that a device does not run does not support its calls. A group that the bundle does not have
// is a *bundle.NotFoundError. The bundle must stay open.
func Group[P any](b *bundle.Bundle, group string, l Launch[P]) ([]Candidate[P], error) {
	if b == nil || l.Run == nil {
		return nil, errors.New("tunable: Group needs a bundle and a function Run")
	}
	variants, err := b.Group(group)
	if err != nil {
		return nil, err
	}
	return Variants(variants, l), nil
}

// Variants returns a candidate for each of some variants of a bundle.
func Variants[P any](list []*bundle.Variant, l Launch[P]) []Candidate[P] {
	var out []Candidate[P]
	for _, v := range list {
		code := &Code{name: v.Name(), variant: v}
		values := map[string]any{}
		for name, text := range v.Constants() {
			values[name] = literal(text)
		}
		code.setConstants(values)
		c := l.candidate(code)
		c.device = v.Runs
		c.hashOn = func(dev *run.Device) string {
			x, err := v.CodeOn(dev)
			if err != nil {
				return ""
			}
			return x.Hash
		}
		out = append(out, c)
	}
	return out
}

// literal returns the value of a Python literal: a number, a bool, None or a string; others stay text.
func literal(text string) any {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	switch text {
	case "True":
		return true
	case "False":
		return false
	case "None":
		return nil
	}
	if n := len(text); n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}
