package nvidia

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Assemble makes a cubin of PTX with ptxas, without a GPU.
func Assemble(ctx context.Context, arch string, ptx []byte) ([]byte, error) {
	a, err := assembleWith(ctx, arch, ptx, false)
	if err != nil {
		return nil, err
	}
	return a.cubin, nil
}

// assembleWith assembles like Assemble, with fewer optimizations if plain.
func assembleWith(ctx context.Context, arch string, ptx []byte, plain bool) (*assembled, error) {
	tool, err := FindPtxas()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nereid-ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernel.ptx"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(in, ptx, 0o600); err != nil {
		return nil, err
	}
	level := "-O3"
	if plain {
		level = "-O1"
	}
	msg, err := exec.CommandContext(ctx, tool, level, "-arch", arch, "-lineinfo", in, "-o",
		out).CombinedOutput()
	if err != nil && ctx.Err() != nil { // it was killed
		return nil, context.Cause(ctx)
	}
	if err != nil {
		said := strings.ReplaceAll(string(msg), dir+string(filepath.Separator), "")
		return nil, fmt.Errorf("%s: %w\n%s", tool, err, said)
	}
	cubin, err := os.ReadFile(out)
	return &assembled{cubin: cubin, ptx: ptx, plain: plain, use: cubinUse(cubin)}, err
}

// byPtxas returns ptxas as an assembler.
func (c GPU) byPtxas(ctx context.Context) assembler {
	return func(ptx []byte, plain bool) (*assembled, error) { return assembleWith(ctx, c.Arch(), ptx, plain) }
}

var errNoPtxas = errors.New("there is no ptxas: put it on the PATH or name it in NEREID_PTXAS (Triton's " +
	"package for Python brings one along)")

// FindPtxas returns the path of ptxas. It looks in NEREID_PTXAS, on the path, and in the Python environment
// of the working directory or one above it.
func FindPtxas() (string, error) {
	if p := knob.PTXAS.Get(); p != "" {
		return p, nil
	}
	if p, err := exec.LookPath("ptxas"); err == nil {
		return p, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		found, _ := filepath.Glob(filepath.Join(dir,
			".venv/lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas"))
		if len(found) > 0 {
			return found[0], nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errNoPtxas
		}
		dir = up
	}
}

// AssemblerVersion returns the version of the ptxas that Assemble runs: "ptxas 12.8.93". The error says that
// there is none.
func AssemblerVersion(ctx context.Context) (string, error) {
	tool, err := FindPtxas()
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, tool, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	_, version, ok := strings.Cut(string(out), ", V")
	if !ok {
		return "", fmt.Errorf("%s does not tell its version: it printed %q", tool, out)
	}
	return "ptxas " + strings.TrimSpace(strings.SplitN(version, "\n", 2)[0]), nil
}

// Best returns the cubin that ptxas makes of code, in the way that suits the GPU best, and its facts.
func (c GPU) Best(ctx context.Context, code *Code) ([]byte, device.Facts, error) {
	best, err := c.assembleBest(code, c.byPtxas(ctx))
	if err != nil {
		return nil, device.Facts{}, err
	}
	facts, use := code.Facts(), cubinUse(best.cubin)
	facts.Registers, facts.Spills = use.registers, use.stack
	return best.cubin, facts, nil
}
