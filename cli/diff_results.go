package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/triton"
)

// runTime bounds the run of a kernel in the interpreter.
const runTime = 20 * time.Second

// kernels loads the kernel by the rules of both releases.
func (f *diffFlags) kernels(file, kernel string, versions [2]triton.Version) (out [2]*nereid.Kernel,
	err error) {
	for i, v := range versions {
		out[i], err = loadKernel(file+":"+kernel, nereid.Roots(f.roots...), f.env.load(),
			nereid.With(quietConfig()), nereid.Triton(v.String()))
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// results runs the kernel by the rules of both releases in the interpreter, on the same made-up arguments,
// random ones and zeros, and says which tensors differ afterwards.
func (f *diffFlags) results(ctx context.Context, kernels [2]*nereid.Kernel, e gen.Example) (lines []string) {
	for _, fill := range []string{"randn", "zeros"} {
		differ, err := launchBoth(ctx, kernels, &runFlags{grid: "1",
			input: inputFlags{signature: e.Signature, dtype: "fp32", fill: fill, seed: 1}},
			scalarsOf(kernels[0], e))
		if err != nil {
			return append(lines, "not run: "+firstLine(err))
		}
		for _, text := range differ {
			lines = append(lines, "results of "+fill+": "+text)
		}
	}
	if lines == nil {
		return []string{"equal results of random numbers and of zeros"}
	}
	return lines
}

// madeUp has the values of scalars of a launch that nobody has described: lengths and strides of one block.
var madeUp = map[string]string{"i32": "64", "i64": "64", "u32": "64", "fp32": "0.5", "i1": "True"}

// scalarsOf returns arguments for the scalars of a kernel.
func scalarsOf(k *nereid.Kernel, e gen.Example) (args []string) {
	params, err := jit.Source(k).Params(e.Kernel, lang.DefaultTarget)
	if err != nil {
		return nil
	}
	entries, err := lang.SplitSignature(params, e.Signature)
	if err != nil {
		return nil
	}
	for i, entry := range entries {
		if v := madeUp[entry]; v != "" && !params[i].Constexpr {
			args = append(args, params[i].Name+"="+v)
		}
	}
	return args
}

// launchBoth runs two kernels on the same arguments, and says how the tensors differ that they leave.
func launchBoth(ctx context.Context, kernels [2]*nereid.Kernel, flags *runFlags,
	args []string) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	r := &runner{flags: flags, ctx: ctx, k: kernels[0], judge: kernels[0]}
	if err := r.read(args); err != nil {
		return nil, err
	}
	var mem [2]map[string][]byte
	for i, k := range kernels {
		res, err := r.once(nereid.NewInterpreter(nereid.InterpOptions{}), k)
		if err != nil {
			return nil, err
		}
		mem[i] = res.mem
	}
	for _, t := range r.in.tensors {
		if text := t.differences(mem[0][t.name], mem[1][t.name]); text != "" {
			lines = append(lines, text)
		}
	}
	return lines, nil
}

// differences says how what two launches left in a tensor differs; "" for not at all.
func (t *tensorArg) differences(a, b []byte) string {
	n, largest, bits := 0, 0.0, 0
	size := len(a) / max(1, t.len())
	for i := range t.len() {
		x, y := t.at(a, i), t.at(b, i)
		switch {
		case slices.Equal(a[i*size:(i+1)*size], b[i*size:(i+1)*size]):
			continue
		case x == y || math.IsNaN(x) && math.IsNaN(y):
			bits++
		case math.IsNaN(x) || math.IsNaN(y):
			largest = math.Inf(1)
		default:
			largest = max(largest, math.Abs(x-y))
		}
		n++
	}
	switch {
	case n == 0:
		return ""
	case n == bits:
		return fmt.Sprintf("%s differs in the signs of %d of %d zeros or NaNs", t.name, n, t.len())
	}
	return fmt.Sprintf("%s differs in %d of %d elements, by %.3g at most", t.name, n, t.len(), largest)
}

// code compiles the kernel for the targets by the rules of both releases, and says how the code differs.
func (f *diffFlags) code(ctx context.Context, kernels [2]*nereid.Kernel, e gen.Example) (lines []string) {
	for _, name := range f.targets {
		var sizes [2]codeSize
		var err error
		for i, k := range kernels {
			if sizes[i], err = sizeFor(ctx, k, name, e.Signature); err != nil {
				break
			}
		}
		switch {
		case err != nil:
			lines = append(lines, name+": "+firstLine(err))
		case sizes[0] == sizes[1]:
			lines = append(lines, fmt.Sprintf("%s: %s on both", name, sizes[0]))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", name, sizes[0], sizes[1]))
		}
	}
	return lines
}

// codeSize counts the instructions of code, and, where the code tells, the registers of a thread.
type codeSize struct{ instructions, registers int }

func (s codeSize) String() string {
	text := fmt.Sprintf("%d instructions", s.instructions)
	if s.registers > 0 {
		text += fmt.Sprintf(", %d registers", s.registers)
	}
	return text
}

func sizeFor(ctx context.Context, k *nereid.Kernel, name, signature string) (codeSize, error) {
	stage := assemblyStage(name)
	c, err := jit.CompileFor(ctx, k, name, signature, target.Options{}, until([]string{stage}, name),
		[]string{stage})
	if err != nil {
		return codeSize{}, err
	}
	return sizeOf(stage, string(c.Stage(stage))), nil
}

// sizeOf counts in the text of code.
func sizeOf(stage, text string) (s codeSize) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case stage == "ptx":
			if strings.HasSuffix(line, ";") && line[0] != '.' && line[0] != '/' {
				s.instructions++
			}
		case strings.HasPrefix(line, ".vgpr_count:"):
			fmt.Sscanf(strings.TrimPrefix(line, ".vgpr_count:"), "%d", &s.registers)
		case amdInstruction(line):
			s.instructions++
		}
	}
	return s
}

// amdInstruction reports whether a line of assembly is an instruction of an AMD GPU.
func amdInstruction(line string) bool {
	kind, _, ok := strings.Cut(line, "_")
	return ok && slices.Contains([]string{"s", "v", "ds", "global", "buffer", "flat", "scratch"}, kind)
}
