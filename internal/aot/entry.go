package aot

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target"
)

// add adds the entries of a compilation, one for each of its variants.
func (b *builder) add(to *bundle.Writer, w *work) error {
	saved, ptx, err := b.saved(w)
	if err != nil {
		return err
	}
	source := jit.Source(w.kernel).Hash()
	for _, v := range w.variants {
		s := *saved
		s.Options = defaults(w.target, v)
		e, parts, err := bundle.NewEntry(v.Name, v.Group, source, &s)
		if err != nil {
			return err
		}
		if ptx != nil {
			parts[bundle.PartPTX] = ptx
		}
		if len(w.forms) > 0 {
			if parts[bundle.PartForms], err = json.Marshal(w.forms); err != nil {
				return err
			}
		}
		if w.certificate != nil {
			if parts[bundle.PartCertificate], err = w.certified(&e, parts); err != nil {
				return err
			}
		}
		if err := to.Add(e, parts); err != nil {
			return err
		}
	}
	return nil
}

// saved returns the description of a compilation with its code. ptx is the text beside a cubin, or nil.
func (b *builder) saved(w *work) (s *code.Saved, ptx []byte, err error) {
	kept, ok := w.out.Exec.(target.Kept)
	if !ok {
		return nil, nil, errors.New("the code of " + w.variants[0].Name + " cannot be kept")
	}
	code, err := kept.Code()
	if err != nil {
		return nil, nil, err
	}
	out := *w.out.Saved
	out.Stage, out.Meta, out.Code = code.Stage, code.Meta, code.Data
	if !fromOutside(w.target) { // a back end from outside has named its own
		out.Generator = b.generator[kindOf(w.target)]
	}
	if out.Target, err = jit.FullTarget(w.target); err != nil {
		return nil, nil, err
	}
	for _, st := range w.out.Stages {
		if st.Name == bundle.PartPTX && code.Stage == bundle.PartCubin {
			ptx = portable(st.Text)
		}
	}
	if code.Stage == bundle.PartPTX {
		out.Code = portable(code.Data)
	}
	return &out, ptx, nil
}

// portable returns PTX that drivers of later GPUs take as well, if it has no instruction of one architecture
// alone. For sm_90 those are products of warp groups and the exchange of registers between them.
func portable(text []byte) []byte {
	m, err := ptx.Parse(text)
	if err != nil || m.Has("wgmma", "setmaxnreg") || !strings.HasSuffix(m.Arch(), "a") {
		return text
	}
	end := m.Target[0].End
	return slices.Concat(text[:end-1], text[end:])
}

// kindOf returns the part of a target's name before the colon.
func kindOf(t string) string {
	kind, _, _ := strings.Cut(t, ":")
	return kind
}
