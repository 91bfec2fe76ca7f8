package jit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/tune"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Module is a file with kernels.
type Module struct {
	src  *lang.Source
	conf *Config
	set  *compile.Settings // the same for package compile
	tune *tune.Options     // and for package tune
	sig  string            // signature of the kernel of ParseIR

	warmed  *atomic.Bool // Warmup has ended
	general generalRuns

	mu      sync.Mutex
	kernels map[string]*Kernel
}

// LoadOption changes how a file is read and its kernels are compiled.
type LoadOption func(*loading)

// loading holds the settings of LoadOptions.
type loading struct {
	lang   lang.LoadOptions
	triton *string // value of the option Triton
	conf   *Config
	given  *target.Given // stage that compilations start from; see StartAt
	watch  target.PassWatcher
}

// Env sets the environment variables that the file's module-level code sees. Without it there are none.
func Env(vars map[string]string) LoadOption { return func(o *loading) { o.lang.Env = vars } }

// Roots adds folders in which imports are searched and below which files may be read. Without it, Load uses
// the file's project, LoadFS the file system, and Parse none. Nothing in a file (sys.path, relative imports,
// links) leads beyond them.
func Roots(dirs ...string) LoadOption {
	return func(o *loading) { o.lang.Roots = append(o.lang.Roots, dirs...) }
}

// Triton chooses the release of the Triton language that the file is written in: "3.6" to "3.9", or
// "3.9+block_ptr", which keeps block pointers under the rules of 3.9. It is asked before Config.Triton and
// before the line of the file, `# nereid: triton 3.9`, that says so. Files for which nothing is chosen are
// written in 3.6. docs/VERSIONS.md lists what differs.
func Triton(release string) LoadOption { return func(o *loading) { o.triton = &release } }

// With compiles the module's kernels under a configuration of the program instead of the environment's.
func With(c Config) LoadOption { return func(o *loading) { o.conf = &c } }

// maxSource bounds the bytes that are read of a kernel's file, before Budget.Source bounds its text.
const maxSource = 64 << 20

// Load reads a regular file. Imports of other modules are found below its project: the nearest folder around
// it that has a pyproject.toml, setup.py, setup.cfg or .git, or else the folder of its outermost package, or
// else its own.
func Load(name string, opts ...LoadOption) (*Module, error) {
	src, err := safefile.Read(name, maxSource)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return parse(filepath.ToSlash(name), src, lang.LoadOptions{OnDisk: true}, opts)
}

// LoadFS reads a file of a file system such as an embed.FS; imports are found in it too.
func LoadFS(fsys fs.FS, name string, opts ...LoadOption) (*Module, error) {
	if fsys == nil {
		return nil, errors.New("nereid: the file system is nil")
	}
	src, err := safefile.ReadFS(fsys, name, maxSource)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return parse(name, src, lang.LoadOptions{FS: fsys}, opts)
}

// Parse reads kernels from text. The name appears in messages; no file is read for imports unless Roots names
// folders.
func Parse(name string, src []byte, opts ...LoadOption) (*Module, error) {
	return parse(name, src, lang.LoadOptions{}, opts)
}

func parse(name string, src []byte, lo lang.LoadOptions, opts []LoadOption) (*Module, error) {
	l := loading{lang: lo}
	for _, o := range opts {
		if o != nil {
			o(&l)
		}
	}
	if l.conf == nil {
		l.conf = defaultConfig()
	}
	if l.conf.Profile {
		host.label()
	}
	if l.conf.Isolate {
		_ = host.isolate() // each launch reports the error
	}
	l.lang.Limits = budget.Limits(l.conf.Budget)
	release := l.conf.Triton
	if l.triton != nil {
		release = *l.triton
	}
	var err error
	if l.lang.Triton, err = triton.Parse(release); err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	s, err := lang.Load(name, src, l.lang)
	if err != nil {
		return nil, compileError(err)
	}
	set := l.conf.settings()
	set.Given, set.Watch = l.given, l.watch
	m := &Module{src: s, conf: l.conf, set: set, tune: l.conf.tuning(), kernels: map[string]*Kernel{}}
	m.warmed = &atomic.Bool{}
	set.Hooks.Warmed = m.warmed.Load
	return m, nil
}

// Triton returns the release of the language that the file's kernels are compiled as: "3.6", "3.9+block_ptr".
func (m *Module) Triton() string {
	if m.usable() != nil {
		return ""
	}
	return m.src.Version().String()
}

// Kernels returns the names of the file's jit functions, in order.
func (m *Module) Kernels() []string {
	if m.usable() != nil {
		return nil
	}
	return m.src.Names()
}

// Kernel returns a kernel of the file, with its decorators.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if err := m.usable(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	params, err := m.src.Params(name, lang.DefaultTarget)
	if err != nil {
		return nil, compileError(err)
	}
	k := &Kernel{m: m, name: name, params: args.NewParams(params), debug: m.src.Debug(name)}
	k.loose = k.params.Loose()
	k.tuned.Source, k.tuned.Name, k.tuned.Opts = m.src, name, m.tune
	k.code.Source, k.code.Name, k.code.Params, k.code.Set = m.src, name, params, m.set
	m.kernels[name] = k
	return k, nil
}

// Kernel is a jit function that can be launched.
type Kernel struct {
	m      *Module
	name   string
	params *args.Params
	loose  *args.Params // params without the specialization that do_not_specialize forbids
	// special holds the parameters for devices with rules of their own.
	special specialParams
	debug   bool // @triton.jit(debug=True)

	last  atomic.Pointer[warm.ArgCut] // short cut to the plan of the previous launch
	plans warm.Table
	spare device.Spare[core.Frame]
	metas core.Metas

	code     compile.Kernel // its specializations
	generals generals       // and those that serve others

	tuned tune.Kernel // its decorators and their choices
}

// Name returns the kernel's name in its file.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// Text returns the text of the kernel and of the functions of its file that it calls: what its code is made
// of, so that results that were measured with another text are known to be old.
func (k *Kernel) Text() (string, error) {
	if err := k.usable(); err != nil {
		return "", err
	}
	return k.m.src.Text(k.name, lang.DefaultTarget)
}

// Param describes a parameter of a kernel.
type Param struct {
	Name      string // as in the file
	Constexpr bool   // known at compile time
	Optional  bool   // has a default
}

// Params returns the kernel's parameters.
func (k *Kernel) Params() []Param {
	if k.usable() != nil {
		return nil
	}
	out := make([]Param, len(k.params.List))
	for i, p := range k.params.List {
		out[i] = Param{p.Name, p.Constexpr, p.Default != nil}
	}
	return out
}

// Compile compiles the kernel for a device and a signature in the form of Triton's ahead-of-time tool
// ("*fp32:16, *fp32:16, i32, 1024"). A nil device stops at Triton IR for an sm_90 GPU.
//
// On GPUs, launches of the result choose among several forms of the code, as Kernel.Launch does.
// Config.Forms bounds them, and with them the time to compile; with SeenForms they are those that
// Config.Record has seen.
func (k *Kernel) Compile(ctx context.Context, dev *core.Device, signature string,
	opts core.Options) (*core.Compiled, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	ctx = core.OrBackground(ctx)
	specs, err := lang.ParseSignature(k.params.List, signature)
	if err != nil {
		return nil, k.argError(err)
	}
	return k.compileForms(ctx, dev, specs, core.DeviceOptions(opts))
}

// Signature returns the signature, in the form that Compile takes, of the specialization that a launch with
// these arguments runs. A kernel of ParseIR has but one, which it also returns without arguments.
func (k *Kernel) Signature(arguments ...any) (string, error) {
	if err := k.usable(); err != nil {
		return "", err
	}
	if len(arguments) == 0 && k.m.sig != "" {
		return k.m.sig, nil
	}
	l := k.newLaunch(core.NewDevice(newInterp()))
	l.Nowhere = true
	defer l.Release()
	var f core.Frame
	if err := f.Bind(k.name, k.params, arguments); err != nil {
		return "", err
	}
	if err := l.bind(&f.Matched); err != nil {
		return "", err
	}
	return signature.Format(l.specs), nil
}

// Source returns the Triton IR, before any pass, that a launch with these arguments compiles.
func (k *Kernel) Source(ctx context.Context, arguments ...any) ([]byte, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	ctx = core.OrBackground(ctx)
	l := k.newLaunch(core.NewDevice(newInterp()))
	l.Nowhere = true
	defer l.Release()
	var f core.Frame
	if err := f.Bind(k.name, k.params, arguments); err != nil {
		return nil, err
	}
	if err := l.bind(&f.Matched); err != nil {
		return nil, err
	}
	c, err := k.compile(ctx, l.Dev, l.specs, l.opts, "source", nil)
	if err != nil {
		return nil, err
	}
	return c.Stages[0].Text, nil
}

// CompileFor compiles for a target that this machine may not have ("cuda:90", "cuda:80", "hip:gfx942", "cpu",
// "cpu:x86-64-v3", "interp"), up to a stage; "" means all. The result of all stages can be saved, with the
// forms that Compile makes, and launched where the device is.
func (k *Kernel) CompileFor(ctx context.Context, target, signature string, opts core.Options,
	until string) (*core.Compiled, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	dev, specs, err := k.forTarget(target, signature)
	if err != nil {
		return nil, err
	}
	ctx = core.OrBackground(ctx)
	if until == "" {
		return k.compileForms(ctx, dev, specs, core.DeviceOptions(opts))
	}
	return k.compile(ctx, dev, specs, core.DeviceOptions(opts), until, nil)
}

// compileForms compiles the forms of a specialization that Config.Forms asks for, and then the code that
// serves all launches: what is dumped of both is that of the last.
func (k *Kernel) compileForms(ctx context.Context, dev *core.Device, specs []signature.Arg,
	opts target.Options) (*core.Compiled, error) {
	var forms []code.SavedForm
	if wanted := k.m.conf.Forms; dev != nil && core.Usable(dev) == nil && wanted != GeneralForm {
		var err error
		spec := compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}
		if forms, err = k.code.Forms(ctx, spec, "", wanted.wanted(k.seenForms(spec))); err != nil {
			return nil, compileError(err)
		}
	}
	r, err := k.compileResult(ctx, dev, specs, opts, "", nil)
	if r == nil {
		return nil, compileError(err)
	}
	if err == nil && len(forms) > 0 {
		err = r.AddForms(ctx, core.Backend(dev), forms)
	}
	return core.NewCompiled(dev, r, k.m.src), compileError(err)
}

// seenForms returns the forms of a specialization that launches ran.
func (k *Kernel) seenForms(spec compile.Spec) []string {
	if k.m.conf.Forms != SeenForms {
		return nil
	}
	_, forms := withoutForms(k.m.conf.Record.Variants())
	return forms[variantOf(k.code.VariantOf(spec))]
}

// forTarget returns a device that compiles for a target, and the arguments that a signature describes.
func (k *Kernel) forTarget(target, signature string) (*core.Device, []signature.Arg, error) {
	specs, err := lang.ParseSignature(k.params.List, signature)
	if err != nil {
		return nil, nil, k.argError(err)
	}
	b, err := compilerFor(target)
	if err != nil {
		return nil, nil, err
	}
	return core.NewDevice(b), specs, nil
}

// compile compiles up to a stage ("" means all) and keeps the text of some stages (nil means all).
func (k *Kernel) compile(ctx context.Context, dev *core.Device, specs []signature.Arg, opts target.Options,
	until string, only []string) (*core.Compiled, error) {
	r, err := k.compileResult(ctx, dev, specs, opts, until, only)
	if r == nil {
		return nil, compileError(err)
	}
	return core.NewCompiled(dev, r, k.m.src), compileError(err)
}

func (k *Kernel) compileResult(ctx context.Context, dev *core.Device, specs []signature.Arg,
	opts target.Options,
	until string, only []string) (*code.Result, error) {
	if dev != nil && core.Backend(dev) == nil {
		return nil, core.Usable(dev)
	}
	spec := compile.Spec{Dev: core.DeviceCore(dev), Args: specs, Opts: opts}
	return k.code.CompileKeeping(ctx, spec, until, only)
}
