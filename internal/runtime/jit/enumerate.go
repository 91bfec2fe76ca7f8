package jit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Range is the values that launches pass for a number, from First to Last.
type Range struct{ First, Last int64 }

// maxSpecializations bounds what Specializations returns for one variant.
const maxSpecializations = 4096

// Specializations returns all variants that launches with the types and constants of v may need: numbers that
// are 1, divisible by 16 or neither, addresses that are divisible by 16 or not. Ranges, by parameter, bound
// the values of numbers; a parameter without one can have any value of its type. For parameters under
// do_not_specialize, only the alignment matters. It is an error if there are more than 4,096.
func (m *Module) Specializations(v Variant, ranges map[string]Range) ([]Variant, error) {
	k, err := m.Kernel(v.Kernel)
	if err != nil {
		return nil, err
	}
	for name, r := range ranges {
		if i := k.params.Index(name); i < 0 || k.params.List[i].Constexpr || r.First > r.Last {
			return nil, fmt.Errorf("nereid: %s: there is no runtime parameter %s with values from %d to %d",
				k.name, name, r.First, r.Last)
		}
	}
	specs, err := lang.ParseSignature(k.params.List, v.Signature)
	if err != nil {
		return nil, k.argError(err)
	}
	all := [][]signature.Arg{nil}
	for i, s := range specs {
		r, bounded := ranges[k.params.List[i].Name]
		var next [][]signature.Arg
		for _, head := range all {
			for _, alt := range alternatives(k.params.List[i], s, r, bounded) {
				next = append(next, append(slices.Clip(head), alt))
			}
		}
		if all = next; len(all) > maxSpecializations {
			return nil, fmt.Errorf("nereid: %s has more than %d specializations: give ranges of its numbers",
				k.name, maxSpecializations)
		}
	}
	var out []Variant
	seen := map[string]bool{}
	for _, list := range all {
		w := v
		if w.Signature, w.Form = signature.Format(list), ""; !seen[w.Signature] {
			seen[w.Signature] = true
			out = append(out, w)
		}
	}
	return out, nil
}

// alternatives returns the specializations of one argument.
func alternatives(p signature.Param, s signature.Arg, r Range, bounded bool) []signature.Arg {
	one := !p.Constexpr && s.IsOne()
	if p.Constexpr || s.Tuple || s.Desc != nil || !s.Typed() && !one {
		return []signature.Arg{s}
	}
	if one {
		s = signature.Arg{Type: signature.Scalar(dtype.Int32)}
	}
	plain, aligned := s, s
	plain.Div16, aligned.Div16 = false, !p.NoAlign
	if s.Type.IsPointer() {
		return []signature.Arg{plain, aligned}
	}
	if !s.Type.IsInt() || s.Type.Elem == dtype.Bool {
		return []signature.Arg{s}
	}
	return numbers(p, plain, aligned, r, bounded)
}

// numbers returns the specializations of an integer.
func numbers(p signature.Param, plain, aligned signature.Arg, r Range, bounded bool) (list []signature.Arg) {
	if !bounded {
		r = Range{-1 << 62, 1 << 62}
	}
	special := p.Type == "" && !p.NoSpecialize
	if special && r.First <= 1 && r.Last >= 1 {
		list = append(list, signature.Arg{Const: signature.Int(1)})
	}
	multiple := r.Last - (r.Last%16+16)%16 // the largest one that is not more than Last
	if multiple >= r.First {
		list = append(list, aligned)
	}
	for n := r.First; n <= min(r.Last, r.First+2); n++ { // of three neighbours, one is neither
		if n%16 != 0 && !(special && n == 1) {
			return append(list, plain)
		}
	}
	return list
}

// AllVariants returns the Specializations of every variant of a manifest that is of the module's file. Ranges
// of parameters that a kernel does not have do not matter to it.
func (m *Module) AllVariants(list []Variant, ranges map[string]Range) ([]Variant, error) {
	if err := m.usable(); err != nil {
		return nil, err
	}
	var out []Variant
	var errs []error
	seen := map[Variant]bool{}
	mine, _ := withoutForms(m.variants(list))
	for _, v := range mine {
		k, err := m.Kernel(v.Kernel)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		own := maps.Clone(ranges)
		maps.DeleteFunc(own, func(name string, _ Range) bool { return k.params.Index(name) < 0 })
		all, err := m.Specializations(v, own)
		errs = append(errs, err)
		for _, w := range all {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out, errors.Join(errs...)
}
