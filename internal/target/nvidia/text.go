package nvidia

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target"
)

// Header is what PTX tells about an entry function: all that a launch needs, except for the amount of dynamic
// shared memory.
type Header struct {
	Name    string
	Arch    string // "sm_90a"
	Params  []HeaderParam
	Threads int  // of a block, 0 if any number will do
	Cluster int  // blocks of a cluster, at least 1
	Dynamic bool // it uses dynamic shared memory
}

// HeaderParam is a parameter of an entry function.
type HeaderParam struct {
	Type    string // PTX's: "u64", "f32", "b8"
	Pointer bool
	Size    int // bytes
}

var (
	entryStart = regexp.MustCompile(`(?m)^[ \t]*(?:\.visible[ \t]+|\.weak[ \t]+)?\.entry[ \t]+([\w$.]+)[ \t]*(?:\(([^)]*)\))?([^{;]*)\{`)
	paramDecl  = regexp.MustCompile(`^\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)\s+(.*?)([\w$.]+?)(?:\[(\d+)\])?$`)
	archDecl   = regexp.MustCompile(`(?m)^[ \t]*\.target[ \t]+(sm_\w+)`)
	threadDecl = regexp.MustCompile(`\.(?:reqntid|maxntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)
	ctasDecl   = regexp.MustCompile(`\.reqnctapercluster\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)
	dynamic    = regexp.MustCompile(`(?m)^[ \t]*\.extern[ \t]+\.shared\b`)
)

// ReadHeader reads the header of an entry function of PTX: the named one, or with "" the only one.
func ReadHeader(ptx []byte, kernel string) (*Header, error) {
	h := &Header{Cluster: 1, Dynamic: dynamic.Match(ptx)}
	if m := archDecl.FindSubmatch(ptx); m != nil {
		h.Arch = string(m[1])
	}
	var names []string
	var found [][]byte
	for _, m := range entryStart.FindAllSubmatch(ptx, -1) {
		names = append(names, string(m[1]))
		if kernel == "" || kernel == string(m[1]) {
			found = m
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("the PTX has no entry function: expected .visible .entry NAME(...)")
	case found == nil:
		return nil, fmt.Errorf("the PTX has no entry function %s: it has %s", kernel,
			strings.Join(names, ", "))
	case kernel == "" && len(names) > 1:
		return nil, fmt.Errorf("the PTX has %d entry functions, one of which has to be named: %s",
			len(names), strings.Join(names, ", "))
	}
	h.Name = string(found[1])
	for i, text := range strings.Split(string(found[2]), ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		p, err := readParam(text)
		if err != nil {
			return nil, fmt.Errorf("parameter %d of %s: %w", i, h.Name, err)
		}
		h.Params = append(h.Params, p)
	}
	h.Threads = product(threadDecl.FindSubmatch(found[3]))
	h.Cluster = max(1, product(ctasDecl.FindSubmatch(found[3])))
	return h, nil
}

func readParam(text string) (p HeaderParam, err error) {
	m := paramDecl.FindStringSubmatch(text)
	if m == nil {
		return p, fmt.Errorf("%q is no parameter as PTX declares one", text)
	}
	bits, err := strconv.Atoi(m[1][1:])
	if err != nil || bits < 8 {
		return p, fmt.Errorf("unknown type .%s", m[1])
	}
	p = HeaderParam{Type: m[1], Pointer: strings.Contains(m[2], ".ptr"), Size: bits / 8}
	if m[4] != "" {
		n, err := strconv.Atoi(m[4])
		if err != nil {
			return p, err
		}
		p.Size *= n
	}
	return p, nil
}

// product multiplies the numbers that a directive has; 0 means that it is absent.
func product(m [][]byte) int {
	if m == nil {
		return 0
	}
	n := 1
	for _, text := range m[1:] {
		if k, err := strconv.Atoi(string(text)); err == nil {
			n *= k
		}
	}
	return n
}

// fromText goes on from LLVM IR or PTX that the user gave, without the stages before. The description comes
// with the text, or the header of the PTX tells it.
func (c Compiler) fromText(ctx context.Context, in *target.Input, maxPTX int) (*Code, error) {
	ptx := in.Given.Text
	if in.Given.Stage == "llir" {
		in.Stages.Record("llir", 0, func() []byte { return in.Given.Text })
		if in.Until == "llir" {
			return nil, nil
		}
		var err error
		if ptx, err = c.ptx(ctx, in, in.Given.Text, maxPTX); err != nil {
			return nil, err
		}
	} else {
		in.Stages.Record("ptx", 0, func() []byte { return ptx })
	}
	h, err := ReadHeader(ptx, in.Kernel)
	if err != nil {
		return nil, err
	}
	code, err := c.describe(in, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	code.PTX = ptx
	return code, nil
}

// describe returns what a launch of a text must know.
func (c Compiler) describe(in *target.Input, h *Header) (*Code, error) {
	if in.Given.Meta != nil {
		code, err := Kept(target.Code{Meta: in.Given.Meta})
		if err == nil && code.Name != h.Name {
			err = fmt.Errorf("the description is that of %s", code.Name)
		}
		return code, err
	}
	if h.Dynamic && in.Given.Shared < 0 {
		return nil, fmt.Errorf("the text uses dynamic shared memory, and does not tell how much: " +
			"give --shared BYTES, or the description that --emit json wrote with it")
	}
	code := &Code{
		Name: h.Name, Shared: max(0, in.Given.Shared), NumWarps: in.Options.NumWarps, NumCTAs: h.Cluster,
		Cooperative: in.Options.LaunchCooperativeGrid, Overlap: in.Options.LaunchPDL,
	}
	if h.Threads > 0 {
		if h.Threads%32 != 0 {
			return nil, fmt.Errorf("blocks of %d threads: expected a multiple of 32", h.Threads)
		}
		code.NumWarps = h.Threads / 32
	}
	for _, p := range h.Params {
		code.Params = append(code.Params, p.Size)
	}
	return code, nil
}
