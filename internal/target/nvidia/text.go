package nvidia

import (
	"context"
	"fmt"

	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/target"
)

// fromText goes on from LLVM IR or PTX that the user gave, without the stages before. The description comes
// with the text, or the header of the PTX tells it.
func (c Compiler) fromText(ctx context.Context, in *target.Input, maxPTX int) (*devnvidia.Code, error) {
	text := in.Given.Text
	if in.Given.Stage == "llir" {
		in.Stages.Record("llir", 0, func() []byte { return in.Given.Text })
		if in.Until == "llir" {
			return nil, nil
		}
		var err error
		if text, err = c.ptx(ctx, in, in.Given.Text, maxPTX); err != nil {
			return nil, err
		}
	} else {
		in.Stages.Record("ptx", 0, func() []byte { return text })
	}
	h, err := ptx.ReadHeader(text, in.Kernel)
	if err != nil {
		return nil, err
	}
	code, err := c.describe(in, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	code.PTX = text
	return code, nil
}

// describe returns what a launch of a text must know.
func (c Compiler) describe(in *target.Input, h *ptx.Header) (*devnvidia.Code, error) {
	if in.Given.Meta != nil {
		code, err := devnvidia.Kept(target.Code{Meta: in.Given.Meta})
		if err == nil && code.Name != h.Name {
			err = fmt.Errorf("the description is that of %s", code.Name)
		}
		return code, err
	}
	if h.Dynamic && in.Given.Shared < 0 {
		return nil, fmt.Errorf("the text uses dynamic shared memory, and does not tell how much: " +
			"give --shared BYTES, or the description that --emit json wrote with it")
	}
	code := &devnvidia.Code{
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
