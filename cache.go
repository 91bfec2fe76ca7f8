package nereid

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/target"
)

// Cache keeps compiled kernels in a folder, which several processes may share.
type Cache struct{ store *cache.Store }

// CacheOptions says where a cache is and what it may do.
type CacheOptions struct {
	Dir      string // "" means NEREID_CACHE_DIR, or else `nereid` in the user's cache folder
	ReadOnly bool   // write nothing
	Limit    int64  // bytes; the least recently used kernels are removed first; 0 means no limit
	// Redis is a second level shared by machines: redis://host:6379/0. It needs the package nereid/redis.
	Redis string
	// Key signs entries in Redis; entries without its signature are refused. "" means no signatures.
	Key    string
	Logger *slog.Logger // receives problems that are no errors; may be nil

	// Wait is how long a launch waits for another process that compiles the same kernel before it compiles
	// itself; 0 means 100 ms.
	Wait time.Duration
}

// CacheStats counts the operations of a cache since it was opened.
type CacheStats struct {
	Disk     int64 // kernels found on disk
	Shared   int64 // kernels found in the shared level
	Compiled int64 // kernels compiled
	Damaged  int64 // entries that were not usable
	Evicted  int64 // kernels removed to make room
	Lost     int64 // kernels that could not be written to disk
}

// OpenCache returns a cache. If the folder does not exist and cannot be made, or is not writable, nothing is
// kept. A folder that users other than this process's and root can write to is not used, and the logger is
// told: SECURITY.md says why.
func OpenCache(o CacheOptions) (*Cache, error) {
	if o.Dir == "" {
		dir, err := cacheDir()
		if err != nil {
			return nil, err
		}
		o.Dir = dir
	}
	so := cache.Options{Dir: o.Dir, ReadOnly: o.ReadOnly, Limit: o.Limit, Secret: o.Key, Log: o.Logger, LockWait: o.Wait}
	if o.Redis != "" {
		level, err := cache.OpenShared(o.Redis)
		if err != nil {
			return nil, fmt.Errorf("nereid: %w", err)
		}
		so.Shared = level
	}
	return &Cache{cache.Open(so)}, nil
}

func cacheDir() (string, error) {
	dir, err := knob.CacheFolder()
	if err != nil {
		return "", fmt.Errorf("nereid: %w", err)
	}
	return dir, nil
}

// Dir returns the cache's folder.
func (c *Cache) Dir() string {
	if c == nil || c.store == nil {
		return ""
	}
	return c.store.Dir()
}

// Stats returns the counts since the cache was opened.
func (c *Cache) Stats() CacheStats {
	if c == nil || c.store == nil {
		return CacheStats{}
	}
	return CacheStats(c.store.Stats())
}

// Close waits briefly for writes to the shared level.
func (c *Cache) Close() error {
	if c == nil || c.store == nil {
		return nil
	}
	return c.store.Close()
}

// EnvCache returns the cache that the environment configures, or nil. Equal settings give the same cache. A
// program with a shared level that ends soon after compiling closes it first.
func EnvCache() *Cache {
	o := CacheOptions{Limit: knob.CacheSize.Get(), Redis: knob.CacheRedis.Get(), Key: knob.CacheKey.Get()}
	switch knob.Cache.Get() {
	case "off":
		return nil
	case "readonly":
		o.ReadOnly = true
	}
	var err error
	if o.Dir, err = cacheDir(); err != nil {
		return nil
	}
	open, _ := envCaches.LoadOrStore(o, sync.OnceValue(func() *Cache {
		o := o
		o.Logger = slog.Default() // the only way to learn of a folder that cannot be written to
		c, err := OpenCache(o)
		if err != nil { // the address of the shared level is invalid
			slog.Warn("nereid: no shared cache", "err", err)
			o.Redis = ""
			c, _ = OpenCache(o)
		}
		return c
	}))
	return open.(func() *Cache)()
}

var envCaches sync.Map // CacheOptions to func() *Cache

// make returns a specialization of the kernel, from the cache or compiled.
func (k *Kernel) make(ctx context.Context, dev *Device, specs []lang.ArgSpec, opts target.Options) (target.Executable, error) {
	defer trace.StartRegion(ctx, "nereid compile "+k.name).End()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin := time.Now()
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	j, err := k.begin(meter, dev, specs, opts, request{})
	if err != nil {
		return nil, err
	}
	found, err := j.make(ctx, specs)
	j.compiled(begin, found, err)
	return j.out.exec, err
}

// make finishes the job through the cache if the device's code can be kept. found reports that nothing was
// compiled.
func (j *job) make(ctx context.Context, specs []lang.ArgSpec) (found bool, err error) {
	conf := j.k.m.conf
	keeper, ok := j.dev.b.(target.Keeper)
	store := conf.store()
	if !ok || store == nil || conf.Override != "" || cache.Build() == "" {
		return false, j.allowed(ctx)
	}
	generator := keeper.Fingerprint()
	key := j.key(keeper, generator)
	compile := func() (*cache.Entry, error) {
		j.want.keep, j.keeping = true, true
		j.out.Stages[0].Text = target.Text(j.in.Module)
		if err := j.allowed(ctx); err != nil {
			return nil, err
		}
		return j.entry(key, keeper, specs), nil
	}
	restore := func(e *cache.Entry) (err error) {
		j.out.exec, err = keeper.Restore(ctx, j.k.name, target.Code{Stage: e.Code, Data: e.Stage(e.Code), Meta: e.Meta})
		if found = err == nil; found {
			conf.dumpEntry(j, e)
		}
		return err
	}
	if generator == "" {
		if found := !conf.AlwaysCompile && j.adopt(ctx, keeper, restore); found {
			return true, nil
		}
		return false, j.allowed(ctx)
	}
	if conf.AlwaysCompile {
		e, err := compile()
		if e != nil {
			store.Put(e)
		}
		return false, err
	}
	err = store.Do(ctx, key, restore, compile)
	return found, err
}

// adopt looks for a kernel that another code generator compiled. This machine has none, so it cannot compile
// a better one.
func (j *job) adopt(ctx context.Context, keeper target.Keeper, restore func(*cache.Entry) error) bool {
	a, ok := keeper.(target.Adopter)
	if !ok {
		return false
	}
	store := j.k.m.conf.store()
	for _, g := range store.Generators() {
		if a.Adopts(g) && store.Use(ctx, j.key(keeper, g), restore) {
			return true
		}
	}
	return false
}

// allowed finishes the compilation unless strict mode or a hook refuses it.
func (j *job) allowed(ctx context.Context) error {
	if err := j.k.allowed(ctx, j.variant); err != nil {
		return err
	}
	return j.finish(ctx)
}

func (c *Config) store() *cache.Store {
	if c.Cache == nil {
		return nil
	}
	return c.Cache.store
}

// key returns a hash of everything that the code depends on. Triton IR before any pass contains all of the
// kernel's source, callees and constants that matter; comments, other functions of the file and its path are
// not in it.
func (j *job) key(keeper target.Keeper, generator string) cache.Key {
	h := cache.NewHasher()
	h.Add("compiler", cache.Build())
	h.Add("generator", generator)
	h.Add("target", fmt.Sprintf("%+v", j.dev.target()))
	h.Add("options", j.in.Options.Key())
	if j.lineless() {
		h.Add("lines", "none")
	}
	if j.keyText == "" {
		j.keyText = keyText(j.in.Module, j.k.name, (keeper.Located() || j.in.Options.Check) && !j.lineless())
	}
	h.Add("ir", j.keyText)
	return h.Key(j.k.name)
}

// keyText returns a module as text without the parts that code does not depend on: locations, unless the code
// contains them, and the file names that function names begin with.
func keyText(m *ir.Module, kernel string, located bool) string {
	var text strings.Builder
	if err := ir.Print(&text, m.Op, ir.PrintOptions{Locs: located || usesLocations(m)}); err != nil {
		return err.Error()
	}
	type rename struct{ from, to string }
	var names []rename
	for name := range m.Symbols() {
		if name != kernel {
			to := fmt.Sprintf("@callee%d", len(names))
			names = append(names, rename{"@" + name, to}, rename{`@"` + name + `"`, to})
		}
	}
	// longest first: a name may be a prefix of another
	slices.SortStableFunc(names, func(a, b rename) int { return len(b.from) - len(a.from) })
	var pairs []string
	for _, n := range names {
		pairs = append(pairs, n.from, n.to)
	}
	return strings.NewReplacer(pairs...).Replace(text.String())
}

// usesLocations reports whether code contains source positions: messages of assertions do.
func usesLocations(m *ir.Module) bool {
	for op := range m.Ops() {
		if op.Def == tt.Assert {
			return true
		}
	}
	return false
}

// entry returns the cache entry of a finished compilation, or nil if the executable cannot be kept.
func (j *job) entry(key cache.Key, keeper target.Keeper, specs []lang.ArgSpec) *cache.Entry {
	kept, ok := j.out.exec.(target.Kept)
	if !ok {
		return nil
	}
	code, err := kept.Code()
	if err != nil {
		return nil
	}
	options, err := json.Marshal(j.in.Options)
	if err != nil {
		return nil
	}
	e := &cache.Entry{
		Key: key, Target: targetName(j.dev), Signature: lang.FormatSignature(specs), Options: options,
		Compiler: cache.Build(), Generator: keeper.Fingerprint(), Code: code.Stage, Meta: code.Meta,
	}
	for _, s := range j.out.Stages {
		if s.Name != code.Stage && s.Text != nil {
			e.Stages = append(e.Stages, cache.Stage{Name: s.Name, Data: s.Text})
		}
	}
	e.Stages = append(e.Stages, cache.Stage{Name: code.Stage, Data: code.Data})
	return e
}

// targetName returns the kind of device that a kernel is compiled for.
func targetName(d *Device) string {
	t := d.target()
	kind, _, _ := strings.Cut(d.String(), ":")
	switch {
	case kind == "cpu" || kind == "interp":
		return kind
	case t.Chip != "":
		return kind + ":" + t.Chip
	}
	return fmt.Sprintf("%s:%d", kind, t.Arch)
}

// dumpEntry dumps the stages of a kernel found in the cache.
func (c *Config) dumpEntry(j *job, e *cache.Entry) {
	for _, s := range e.Stages {
		c.dump(j.name, j.k.name, Stage{Name: s.Name, Text: s.Data})
	}
}
