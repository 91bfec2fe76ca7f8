package code

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Saved is a compiled kernel as data: its code, and everything that a launch must know without its source.
type Saved struct {
	Kernel    string         `json:"kernel"`
	File      string         `json:"file"`
	Signature string         `json:"signature"`
	Options   device.Options `json:"options"`
	Triton    string         `json:"triton,omitempty"` // the release of the language; "" is 3.6

	Params    []SavedParam      `json:"params"`    // parameters of the kernel, in the order of the signature
	Args      []SavedArg        `json:"args"`      // of a launch, in the order in which the device gets them
	Constants map[string]string `json:"constants"` // values that are compiled in, as Python literals

	Target    string       `json:"target"`    // "cuda:90"
	Machine   string       `json:"machine"`   // processors that run the code: device.Machine
	Compiler  string       `json:"compiler"`  // build of Nereid
	Generator string       `json:"generator"` // LLVM and the like
	Facts     device.Facts `json:"facts"`

	Stage string          `json:"stage"` // form of the code: "cubin", "ptx", "obj", "ttir"
	Meta  json.RawMessage `json:"meta,omitempty"`
	Size  int             `json:"size"` // bytes of the code
	Code  []byte          `json:"-"`

	Forms []SavedForm `json:"-"` // code for some launches each, beside Code, which serves all; may be nil
}

// SavedParam is a parameter of the kernel.
type SavedParam struct {
	Name     string `json:"name"`
	Spec     string `json:"spec"`               // its part of the signature
	Constant bool   `json:"constant,omitempty"` // compiled in: launches pass nothing for it
}

// SavedArg is an argument of a launch. Offset and Size are bytes in the block of arguments that the device
// reads.
type SavedArg struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // in the notation of signatures, without the "*" of a pointer
	Pointer bool   `json:"pointer,omitempty"`
	Align16 bool   `json:"align16,omitempty"` // the value, or the address, must be divisible by 16
	Offset  int    `json:"offset"`
	Size    int    `json:"size"`
	Stored  bool   `json:"stored,omitempty"` // the kernel may write through the pointer
}

// LaunchSpecs returns the parameters that launches pass arguments for, and what each was compiled for.
func (s *Saved) LaunchSpecs() (params []signature.Param, specs []signature.Arg, err error) {
	for _, p := range s.Params {
		if p.Constant {
			continue
		}
		list, err := signature.Parse([]signature.Param{{Name: p.Name}}, p.Spec, signature.Texts)
		if err != nil {
			return nil, nil, err
		}
		if list[0].Constant() {
			return nil, nil, fmt.Errorf("parameter %s: %q is no type", p.Name, p.Spec)
		}
		params, specs = append(params, launchParam(p.Name, list[0])), append(specs, list[0])
	}
	return params, specs, nil
}

// wordParams returns the parameter of each word of a launch, or nil if they are not known.
func (s *Saved) wordParams() (out []device.Param) {
	for _, p := range s.Params {
		if strings.HasPrefix(p.Spec, "tensordesc") {
			return nil // words of descriptors depend on the device
		}
	}
	for _, a := range s.Args {
		p := device.Param{Name: a.Name, Pointer: a.Pointer, Type: a.Type, Align16: a.Align16}
		if t, ok := dtype.Parse(a.Type); ok {
			p.Bytes = t.Size()
		}
		out = append(out, p)
	}
	return out
}

// launchParam returns a parameter whose arguments are specialized for one specification alone: integers have
// its type, and divisibility by 16 counts only if the code relies on it.
func launchParam(name string, s signature.Arg) signature.Param {
	p := signature.Param{Name: name, NoAlign: !s.Div16}
	if s.Typed() && !s.Type.IsPointer() {
		p.Type = s.Type.String()
	}
	return p
}

// maxAlign is the alignment of the largest argument, a tensor map; smaller ones have their natural alignment.
const maxAlign = 64

const (
	savedMagic = "nereid compiled kernel 1"
	maxSaved   = 256 << 20 // bytes of a saved kernel
)

// Args returns the places of the arguments of launches. sizes are those of device.Facts: without them, each
// argument is a word of 8 bytes.
func Args(params []device.Param, sizes []int) []SavedArg {
	out := make([]SavedArg, len(params))
	at := 0
	for i, p := range params {
		size := 8
		if len(sizes) == len(params) {
			size = max(1, sizes[i])
		}
		align := min(size, maxAlign)
		at = (at + align - 1) / align * align
		out[i] = SavedArg{p.Name, p.Type, p.Pointer, p.Align16, at, size, false}
		at += size
	}
	return out
}

// header is the description of a saved kernel in its file.
type header struct {
	*Saved
	Forms []SavedForm `json:"forms,omitempty"`
}

// Encode returns the file of a saved kernel: a line with a checksum, the description as JSON, the code. The
// same kernel gives the same bytes.
func (s *Saved) Encode() ([]byte, error) {
	s.Size = len(s.Code)
	header, err := json.MarshalIndent(header{s, s.Forms}, "", " ")
	if err != nil {
		return nil, err
	}
	body := append(append(header, '\n'), s.Code...)
	sum := sha256.Sum256(body)
	return append(fmt.Appendf(nil, "%s %s %d\n", savedMagic, hex.EncodeToString(sum[:]), len(header)),
		body...), nil
}

var errNotSaved = errors.New("this is no compiled kernel that Save of this version wrote")

// ReadSaved reads what Encode wrote. Data that is anything else is an error.
func ReadSaved(r io.Reader) (*Saved, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSaved+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSaved {
		return nil, fmt.Errorf("a compiled kernel of more than %d bytes", maxSaved)
	}
	line, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok || len(line) > 200 {
		return nil, errNotSaved
	}
	sum := sha256.Sum256(body)
	var size int
	if n, err := fmt.Sscanf(string(line), savedMagic+" "+hex.EncodeToString(sum[:])+" %d", &size); n != 1 ||
		err != nil {
		if bytes.HasPrefix(line, []byte(savedMagic+" ")) {
			return nil, errors.New("the compiled kernel is damaged: its checksum is another")
		}
		return nil, errNotSaved
	}
	if size < 0 || size >= len(body) || body[size] != '\n' {
		return nil, errNotSaved
	}
	s := &Saved{}
	h := header{Saved: s}
	if err := json.Unmarshal(body[:size], &h); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotSaved, err)
	}
	s.Forms = h.Forms
	if s.Code = body[size+1:]; len(s.Code) != s.Size || s.Kernel == "" || s.Stage == "" {
		return nil, errNotSaved
	}
	return s, nil
}
