package fingerprint

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
	"github.com/nereid-lang/nereid/internal/target/cpu"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
)

// Kernel is a kernel to compile.
type Kernel struct {
	Name      string
	Source    *lang.Source
	Kernel    string
	Signature string
	Options   device.Options
}

// Target is what a kernel is compiled for.
type Target struct {
	Name  string     // "cuda:90", "hip:gfx942", "cpu:znver3"
	Way   device.Way // for which launches; NVIDIA's GPUs alone have several
	Until string     // the last stage; "" is llir
	Count bool       // count instructions by kind
}

// compiler is the part of a back end that needs no device.
type compiler interface {
	Target() lang.Target
	Traits() device.Traits
	CompileOnly(ctx context.Context, in *target.Input) (target.Executable, error)
}

// compilerFor returns the compiler of a target.
func compilerFor(name string) (compiler, error) {
	kind, arch, _ := strings.Cut(name, ":")
	make, ok := compilers[kind]
	if !ok {
		return nil, fmt.Errorf("no compiler for %s", name)
	}
	return make(arch)
}

// compilers makes compilers by the kind of their target.
var compilers = map[string]func(arch string) (compiler, error){
	"hip": func(arch string) (compiler, error) { return amd.CompilerFor(arch) },
	"cpu": func(arch string) (compiler, error) { return cpu.CompilerFor(arch) },
	"cuda": func(arch string) (compiler, error) {
		capability, err := strconv.Atoi(arch)
		return nvidia.Compiler{Capability: capability}, err
	},
}

// Of returns the line of a kernel for a target: hashes of its stages, and what they hold. A kernel that the
// target refuses has the first line of the message instead.
func Of(ctx context.Context, k Kernel, to Target) string {
	parts, err := compile(ctx, k, to)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n")
		parts = append(parts, "refused: "+place.ReplaceAllString(text, ""))
	}
	return strings.Join(parts, " ")
}

// place is where a message points to.
var place = regexp.MustCompile(`^[^ ]*:\d+:\d+: `)

// compile compiles a kernel and describes the stages.
func compile(ctx context.Context, k Kernel, to Target) (parts []string, err error) {
	c, err := compilerFor(to.Name)
	if err != nil {
		return nil, err
	}
	in, err := input(k, c.Target(), c.Traits())
	if err != nil {
		return nil, err
	}
	var last []string
	in.Until, in.Way, in.Hosted = to.Until, to.Way, true
	if in.Until == "" {
		in.Until = "llir"
	}
	in.Stages = func(stage string, _ time.Duration, text func() []byte) {
		switch stage {
		case "ttir", "ttgir", "linalg":
			parts = append(parts, hash(in.Module.String()))
		case "llir", "ptx":
			plain := lineless(string(text()))
			parts = append(parts, hash(plain))
			if last = []string{fmt.Sprint(strings.Count(plain, "\n"))}; to.Count {
				last = []string{counts(plain)}
			}
		}
	}
	exec, err := c.CompileOnly(ctx, in)
	if err != nil {
		return parts, err
	}
	if kept, ok := exec.(target.Kept); ok {
		code, err := kept.Code()
		if err != nil {
			return parts, err
		}
		last = append(last, description(code.Meta))
	}
	return append(parts, last...), nil
}

// input runs the front end.
func input(k Kernel, t lang.Target, traits device.Traits) (*target.Input, error) {
	params, err := k.Source.Params(k.Kernel, t)
	if err != nil {
		return nil, err
	}
	args, err := lang.ParseSignature(params, k.Signature)
	if err != nil {
		return nil, err
	}
	o := traits.Defaults(k.Options)
	m, err := k.Source.Compile(k.Kernel, args, lang.Options{Target: t, NumWarps: o.NumWarps,
		NumStages: o.NumStages, NumCTAs: o.NumCTAs})
	if err != nil {
		return nil, err
	}
	return &target.Input{Module: m, Kernel: target.EntryOf(m, k.Kernel), Options: o}, nil
}

// hash returns the beginning of a text's hash.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:4])
}

// lineless removes line information from LLVM IR or PTX.
func lineless(text string) string {
	if i := strings.Index(text, "\n\t.section"); i >= 0 { // of PTX: lines, as bytes
		text = text[:i+1]
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if code := strings.TrimSpace(line); code == "" || located(code) {
			continue
		}
		if code, number, ok := strings.Cut(line, " !dbg !"); ok {
			b.WriteString(strings.TrimSuffix(code, ","))
			b.WriteString(strings.TrimLeft(number, "0123456789"))
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// located reports whether a line tells nothing but where the kernel's text is.
func located(code string) bool {
	for _, begin := range []string{"!", "//", ".loc", ".file"} {
		if strings.HasPrefix(code, begin) {
			return true
		}
	}
	return false
}

// kinds are what is counted in LLVM IR and PTX: lines that have one of some texts and, if there are,
// one of others.
var kinds = []struct {
	name       string
	texts, and []string
}{
	{"loads", []string{"= load ", "ld.global"}, []string{"global", "addrspace(1)"}},
	{"stores", []string{" store ", "st.global"}, []string{"global", "addrspace(1)"}},
	{"shared-loads", []string{"= load ", "ld.shared", "ldmatrix"}, []string{"shared", "addrspace(3)"}},
	{"shared-stores", []string{" store ", "st.shared", "stmatrix"}, []string{"shared", "addrspace(3)"}},
	{"wide", []string{" load <", " store <", ".v2.", ".v4.", ".v8."}, nil},
	{"copies", []string{"cp.async.cg", "cp.async.ca", "cp.async.bulk", "load.to.lds"}, nil},
	{"waits", []string{"wait_group", "try_wait", "cp.async.wait", "s.waitcnt"}, nil},
	{"barriers", []string{"bar.sync", "barrier0", "barrier.cta", "s.barrier", "barrier.sync"}, nil},
	{"shuffles", []string{"shfl", "bpermute", "permlane", ".dpp"}, nil},
	{"products", []string{"mma.sync", "mma_async", "mfma", ".wmma."}, nil},
	{"branches", []string{"  br ", "\tbra"}, nil},
}

// counts returns how many lines of each kind a text has.
func counts(text string) string {
	found, total := make([]int, len(kinds)), 0
	for line := range strings.Lines(text) {
		total++
		has := func(part string) bool { return strings.Contains(line, part) }
		for i, k := range kinds {
			if slices.ContainsFunc(k.texts, has) && (k.and == nil || slices.ContainsFunc(k.and, has)) {
				found[i]++
			}
		}
	}
	parts := []string{fmt.Sprintf("lines=%d", total)}
	for i, n := range found {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", kinds[i].name, n))
		}
	}
	return strings.Join(parts, " ")
}

// description returns what launches must know of code, without its text.
func description(meta []byte) string {
	var all map[string]any
	if err := json.Unmarshal(meta, &all); err != nil {
		return err.Error()
	}
	parts := []string{}
	for name, v := range all {
		if v == nil || name == "PTX" || name == "Name" {
			continue
		}
		text, _ := json.Marshal(v)
		if len(text) > 40 {
			text = []byte(hash(string(text)))
		}
		parts = append(parts, name+"="+strings.ReplaceAll(string(text), `"`, ""))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
