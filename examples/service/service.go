package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"example.com/service/kernels"
	"github.com/nereid-lang/nereid"
)

//go:embed probe.py
var sources embed.FS

// manifest lists the variants that requests launch: `go generate` records them.
//
//go:generate go run . -record manifest.json
//go:embed manifest.json
var manifest []byte

// The model: a row has width numbers, a request at most maxRows of them.
const (
	width   = 256
	maxRows = 64
	epsilon = 1e-5
)

// types are the element types that a request may ask for. The manifest has fp16 and bf16: fp32 is refused in
// strict mode.
var types = map[string]nereid.DType{"fp16": nereid.Float16, "bf16": nereid.BFloat16, "fp32": nereid.Float32}

// served are the types that a start tunes and records.
var served = []string{"fp16", "bf16"}

// options say how a service runs.
type options struct {
	device   string // "": the best that is here
	cacheDir string // of compiled kernels; "": the user's
	tuneDir  string // of timings
	record   string // a manifest to write: the service is not strict then
	workers  int    // requests that compute at the same time
	log      *slog.Logger
}

// service holds all that requests share.
type service struct {
	log    *slog.Logger
	dev    *nereid.Device
	cache  *nereid.Cache
	weight *nereid.Tensor
	free   chan *worker // those that serve no request

	probe    probe
	draining atomic.Bool // the process is about to end
	answered atomic.Int64
}

// worker has the memory of one request at a time.
type worker map[nereid.DType]*buffers

// buffers are for maxRows rows; a request takes a view of as many as it has.
type buffers struct{ x, y, out *nereid.Tensor }

// newService opens the device and compiles and tunes all that requests will launch. A process can have one:
// Load configures the generated functions once.
func newService(ctx context.Context, o options) (_ *service, err error) {
	s := &service{log: o.log, free: make(chan *worker, o.workers)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.dev, err = nereid.OpenDevice(o.device); err != nil {
		return nil, err
	}
	if s.cache, err = nereid.OpenCache(nereid.CacheOptions{Dir: o.cacheDir, Limit: 1 << 30,
		Logger: o.log}); err != nil {
		return nil, err
	}
	conf := nereid.Config{
		Cache:  s.cache,
		Logger: o.log,
		Tune: nereid.TuneOptions{Dir: o.tuneDir, Warmup: 2 * time.Millisecond, Rep: 10 * time.Millisecond,
			Budget: 10 * time.Second},
	}
	if o.record != "" {
		conf.Record, conf.Tune.Again = &nereid.Recorder{}, true // with every config that is tried
	}
	if err := s.allocate(o.workers); err != nil {
		return nil, err
	}
	if err := s.load(ctx, conf, o.record); err != nil {
		return nil, err
	}
	return s, s.probe.open(s.dev, conf)
}

// allocate makes the weight and the workers' memory.
func (s *service) allocate(workers int) (err error) {
	weight := make([]float32, width)
	for i := range weight {
		weight[i] = 1
	}
	if s.weight, err = nereid.NewTensor(s.dev, nereid.Float32, width); err != nil {
		return err
	}
	if err := nereid.CopyFrom(s.weight, weight); err != nil {
		return err
	}
	for range workers {
		w := worker{}
		s.free <- &w // at once, so that Close frees what there is when one of them fails
		for _, t := range types {
			b := &buffers{}
			w[t] = b
			for _, m := range []struct {
				to   **nereid.Tensor
				elem nereid.DType
			}{{&b.x, t}, {&b.y, t}, {&b.out, nereid.Float32}} {
				if *m.to, err = nereid.NewTensor(s.dev, m.elem, maxRows, width); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// load configures the generated functions, compiles the manifest ahead of time and tunes. Requests then find
// all that they launch: the functions are strict. With record they are not; a request of each type is made
// up, and the launches are written there.
func (s *service) load(ctx context.Context, conf nereid.Config, record string) error {
	conf.Strict = record == ""
	m, err := kernels.ScorePy.Load(nereid.With(conf))
	if err != nil {
		return err
	}
	if conf.Strict {
		if err := s.warmUp(ctx, m); err != nil {
			return err
		}
	}
	if err := s.tune(ctx, m); err != nil || conf.Strict {
		return err
	}
	for _, name := range served {
		if _, err := s.score(ctx,
			&scoreRequest{Type: name, Temperature: 1,
				Rows: [][]float32{make([]float32, width)}}); err != nil {
			return err
		}
	}
	return conf.Record.WriteFile(record)
}

// warmUp compiles the manifest, or finds it in the cache.
func (s *service) warmUp(ctx context.Context, m *nereid.Module) error {
	list, err := nereid.ParseManifest(manifest)
	if err != nil {
		return err
	}
	begin := time.Now()
	err = m.Warmup(ctx, s.dev, list.Variants, nil)
	s.log.Info("warmed up", "device", s.dev.String(), "variants", len(list.Variants), "took",
		time.Since(begin).Round(time.Millisecond))
	return err
}

// tune has every kernel under @triton.autotune measured that is not yet, for each type that is served.
// Timings are kept in a folder, so that the next start measures nothing.
func (s *service) tune(ctx context.Context, m *nereid.Module) error {
	k, err := m.Kernel("softmax_kernel")
	if err != nil {
		return err
	}
	stream, err := s.dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	w := <-s.free
	defer func() { s.free <- w }()
	for _, name := range served {
		b := (*w)[types[name]]
		if err := k.Tune(stream, nereid.Grid{maxRows}, b.y, b.out, width, width, width, 1.0); err != nil {
			return fmt.Errorf("tuning for %s: %w", name, err)
		}
	}
	return stream.Sync()
}

// scoreRequest asks for the probabilities of rows.
type scoreRequest struct {
	Type        string      `json:"type"` // of the computation: fp16 or bf16
	Temperature float32     `json:"temperature"`
	Rows        [][]float32 `json:"rows"`
}

// errBadRequest is wrapped by errors that the client can mend.
var errBadRequest = errors.New("bad request")

// flat checks a request and returns its rows one behind the other.
func (r *scoreRequest) flat() ([]float32, error) {
	_, known := types[r.Type]
	switch {
	case !known:
		return nil, fmt.Errorf("%w: type %q is none of fp16, bf16 and fp32", errBadRequest, r.Type)
	case len(r.Rows) == 0 || len(r.Rows) > maxRows:
		return nil, fmt.Errorf("%w: there are %d rows, not 1 to %d", errBadRequest, len(r.Rows), maxRows)
	case !(r.Temperature > 0) || math.IsInf(float64(r.Temperature), 1):
		return nil, fmt.Errorf("%w: the temperature is %v, not above 0", errBadRequest, r.Temperature)
	}
	var all []float32
	for i, row := range r.Rows {
		if len(row) != width {
			return nil, fmt.Errorf("%w: row %d has %d numbers, not %d", errBadRequest, i, len(row), width)
		}
		all = append(all, row...)
	}
	return all, nil
}

// score normalizes the rows and returns their softmax. It ends with ctx: while it waits for a worker, and
// while it computes.
func (s *service) score(ctx context.Context, r *scoreRequest) ([][]float32, error) {
	flat, err := r.flat()
	if err != nil {
		return nil, err
	}
	var w *worker
	select {
	case w = <-s.free:
		defer func() { s.free <- w }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// A stream has the context of its launches. Close waits for them, so that the worker's memory is free
	// when it is given back.
	stream, err := s.dev.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	b, rows := (*w)[types[r.Type]], len(r.Rows)
	x, y, out := b.x.Slice(0, 0, rows, 1), b.y.Slice(0, 0, rows, 1), b.out.Slice(0, 0, rows, 1)
	if err := nereid.CopyFrom(x, flat); err != nil { // rounds to the type
		return nil, err
	}
	err = kernels.RmsNormKernel(stream, nereid.Grid{rows}, x, s.weight, y, width, width, width, epsilon,
		kernels.RmsNormKernelConsts{})
	if err != nil {
		return nil, err
	}
	grid := func(nereid.Meta) nereid.Grid { return nereid.Grid{rows} }
	err = kernels.SoftmaxKernelTuned(stream, grid, y, out, width, width, width, r.Temperature,
		kernels.SoftmaxKernelTunedConsts{})
	if err != nil {
		return nil, err
	}
	if err := stream.Sync(); err != nil {
		return nil, err
	}
	if err := nereid.CopyTo(flat, out); err != nil {
		return nil, err
	}
	answer := make([][]float32, rows)
	for i := range answer {
		answer[i] = flat[i*width : (i+1)*width]
	}
	return answer, nil
}

// Close gives the device's memory back. No request may be on its way.
func (s *service) Close() error {
	var errs []error
	for range len(s.free) {
		for _, b := range *<-s.free {
			for _, t := range []*nereid.Tensor{b.x, b.y, b.out} {
				if t != nil {
					errs = append(errs, t.Close())
				}
			}
		}
	}
	if s.weight != nil {
		errs = append(errs, s.weight.Close())
	}
	errs = append(errs, s.probe.Close())
	if s.cache != nil {
		errs = append(errs, s.cache.Close())
	}
	return errors.Join(errs...)
}

// probe is a small launch that shows whether the device works. It is bound: a check only launches.
type probe struct {
	mu     sync.Mutex // a Bound belongs to one goroutine at a time
	stream *nereid.Stream
	out    *nereid.Tensor
	bound  *nereid.Bound
	value  int64
	at     int // the position of the parameter value
}

const probeSize = 16

// open binds the probe's kernel.
func (p *probe) open(dev *nereid.Device, conf nereid.Config) error {
	m, err := nereid.LoadFS(sources, "probe.py", nereid.With(conf))
	if err != nil {
		return err
	}
	k, err := m.Kernel("probe_kernel")
	if err != nil {
		return err
	}
	if p.stream, err = dev.NewStream(context.Background()); err != nil {
		return err
	}
	if p.out, err = nereid.NewTensor(dev, nereid.Int32, probeSize); err != nil {
		return err
	}
	p.value = 3
	if p.bound, err = k.Bind(p.stream, p.out, p.value, nereid.Arg("BLOCK", probeSize)); err != nil {
		return err
	}
	p.at = p.bound.Param("value")
	return nil
}

// check launches the kernel and looks at the results.
func (p *probe) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.value += 2 // odd: within the specialization
	if err := p.bound.SetInt(p.at, p.value); err != nil {
		return err
	}
	if err := p.bound.Launch(nereid.Grid{1}); err != nil {
		return err
	}
	if err := p.stream.Sync(); err != nil {
		return err
	}
	got := make([]int64, probeSize)
	if err := nereid.CopyTo(got, p.out); err != nil {
		return err
	}
	for i, v := range got {
		if v != p.value+int64(i) {
			return fmt.Errorf("the device computes %d instead of %d", v, p.value+int64(i))
		}
	}
	return nil
}

// Close gives back what open made.
func (p *probe) Close() error {
	var errs []error
	if p.bound != nil {
		errs = append(errs, p.bound.Close())
	}
	if p.out != nil {
		errs = append(errs, p.out.Close())
	}
	if p.stream != nil {
		errs = append(errs, p.stream.Close())
	}
	return errors.Join(errs...)
}
