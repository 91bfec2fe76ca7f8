package bundle

import (
	"encoding/json"
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// NewEntry returns the entry of a compiled kernel with its parts: the code under the name of its stage, and
// the description. Whoever has the kernel in a second form (PTX beside a cubin) adds a part. source is a hash
// of the kernel's source.
func NewEntry(name, group, source string, s *code.Saved) (Entry, map[string][]byte, error) {
	options, err := json.Marshal(s.Options)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("bundle: %s: %w", name, err)
	}
	if s.Stage == "" || !IsCode(s.Stage) {
		return Entry{}, nil, fmt.Errorf("bundle: %s has no code for %s", name, s.Target)
	}
	described := *s
	described.File, described.Size = "", len(s.Code) // where the kernel lay is no property of its code
	meta, err := json.Marshal(&described)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("bundle: %s: %w", name, err)
	}
	e := Entry{
		Name: name, Group: group, Kernel: s.Kernel, Target: s.Target, Machine: s.Machine,
		Signature: s.Signature, Options: string(options), Source: source, Compiler: compiler(s),
		Generator: s.Generator, Constants: Constants(s.Constants),
	}
	return e, map[string][]byte{s.Stage: s.Code, PartMeta: meta}, nil
}

// Saved returns the compiled kernel of an entry with the code of one of its parts. Code for which the entry's
// certificate is not is a Damage.
func (f *File) Saved(e *Entry, part string) (*code.Saved, error) {
	meta, err := f.Read(e, PartMeta)
	if err != nil {
		return nil, err
	}
	s := &code.Saved{}
	if err := json.Unmarshal(meta, s); err != nil {
		return nil, &Damage{e.String(), PartMeta, "it is no description of a kernel: " + err.Error()}
	}
	if s.Kernel != e.Kernel || s.Machine != e.Machine {
		return nil, &Damage{e.String(), PartMeta, fmt.Sprintf("it describes %s for %q", s.Kernel, s.Machine)}
	}
	s.Stage = part
	if s.Code, err = f.Read(e, part); err != nil {
		return nil, err
	}
	s.Size = len(s.Code)
	if s.Forms, err = f.Forms(e); err != nil {
		return nil, err
	}
	return s, f.checkCertificate(e, part, s.Code)
}

// Forms returns the forms of an entry's code, nil if it has none beside the code that serves all launches.
func (f *File) Forms(e *Entry) (list []code.SavedForm, err error) {
	if e.Part(PartForms) == nil {
		return nil, nil
	}
	text, err := f.Read(e, PartForms)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &Damage{e.String(), PartForms, "it is no list of forms: " + err.Error()}
	}
	return list, nil
}

// compiler names the build of Nereid and, unless it is 3.6, the release of the language.
func compiler(s *code.Saved) string {
	if s.Triton == "" {
		return s.Compiler
	}
	return s.Compiler + " (Triton " + s.Triton + ")"
}
