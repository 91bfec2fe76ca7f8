package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// TestHostileArguments: nil, zero, negative, huge and mismatched values given to every exported function and
// method are errors, or harmless, and never panics. A case of "ok" may return nil.
func TestHostileArguments(t *testing.T) {
	interp, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	devices := []*nereid.Device{interp}
	if cpu, err := nereid.OpenDevice("cpu"); err == nil {
		devices = append(devices, cpu)
	}
	if sim, err := nereid.OpenDevice("sim:90"); err == nil {
		devices = append(devices, sim)
	}
	for _, dev := range devices {
		s, err := dev.NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range hostileCases(t, dev, s) {
			err := guarded(f)
			ok := strings.HasPrefix(name, "ok ")
			switch {
			case err != nil && strings.HasPrefix(err.Error(), "panic:"):
				t.Errorf("%s: %s: %v", dev, name, err)
			case err == nil && !ok:
				t.Errorf("%s: %s: no error", dev, name)
			case err != nil && ok:
				t.Errorf("%s: %s: %v", dev, name, err)
			}
		}
	}
}

func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// second is the error of a call with two results.
func second[T any](_ T, err error) error { return err }

func hostileCases(t *testing.T, dev *nereid.Device, s *nereid.Stream) map[string]func() error {
	k := kernelOf(t, "checked.py", checkedKernels, "at", nereid.With(nereid.Config{}))
	m, err := nereid.Parse("checked.py", []byte(checkedKernels))
	if err != nil {
		t.Fatal(err)
	}
	x := nereid.FromSlice(make([]float32, 16))
	launch := func(args ...any) func() error {
		return func() error { return k.Launch(s, nereid.Grid{1}, args...) }
	}
	bind := func(f func(*nereid.Bound) error) func() error {
		return func() error {
			d, err := nereid.NewTensor(dev, nereid.Float32, 16)
			if err != nil {
				return err
			}
			b, err := k.Bind(s, d, 3)
			if err != nil {
				return err
			}
			return f(b)
		}
	}
	self := []any{nil}
	self[0] = self
	var (
		noDev     *nereid.Device
		noStream  *nereid.Stream
		noKernel  *nereid.Kernel
		noContext context.Context
		noModule  *nereid.Module
		noTensor  *nereid.Tensor
		noGraph   *nereid.Graph
		noBound   *nereid.Bound
		noRec     *nereid.Recorder
		noCache   *nereid.Cache
		nobody    func() error
	)
	ctx := context.Background()
	cases := map[string]func() error{
		"New nil device": func() error { return second(nereid.NewTensor(noDev, nereid.Float32, 4)) },
		"New zero device": func() error {
			return second(nereid.NewTensor(&nereid.Device{}, nereid.Float32, 4))
		},
		"New no type":       func() error { return second(nereid.NewTensor(dev, nereid.Invalid, 4)) },
		"New unknown type":  func() error { return second(nereid.NewTensor(dev, nereid.DType(200), 4)) },
		"New negative":      func() error { return second(nereid.NewTensor(dev, nereid.Float32, -4)) },
		"New two negatives": func() error { return second(nereid.NewTensor(dev, nereid.Float32, -4, -4)) },
		"New overflow": func() error {
			return second(nereid.NewTensor(dev, nereid.Float32, 1<<32, 1<<32))
		},
		"most": func() error {
			return second(nereid.NewTensor(dev, nereid.Float32, math.MaxInt))
		},
		"terabytes":             func() error { return second(nereid.NewTensor(dev, nereid.Float64, 1<<42)) },
		"more than there is":    func() error { return second(nereid.NewTensor(dev, nereid.Uint8, 1<<40)) },
		"ok empty":              func() error { return second(nereid.NewTensor(dev, nereid.Float32, 0)) },
		"FromSlice wrong shape": func() error { return nereid.FromSlice([]float32{1, 2}, 3).Err() },
		"FromSlice negative":    func() error { return nereid.FromSlice([]float32{1, 2}, -1, -2).Err() },
		"FromSlice overflow":    func() error { return nereid.FromSlice([]float32{}, 1<<33, 1<<33).Err() },
		"FromSlice wrong, Slice": func() error {
			return second(nereid.AsSlice[float32](nereid.FromSlice([]float32{1}, 7)))
		},
		"FromBytes too few": func() error {
			return nereid.FromBytes(nereid.Float32, make([]byte, 15), 4).Err()
		},
		"FromBytes negative": func() error {
			return nereid.FromBytes(nereid.Float32, make([]byte, 16), -4).Err()
		},
		"FromBytes no type": func() error {
			return nereid.FromBytes(nereid.Invalid, make([]byte, 16)).Err()
		},
		"FromBytes unknown type": func() error { return nereid.FromBytes(nereid.DType(99), nil, 4).Err() },
		"ok FromBytes more": func() error {
			return nereid.FromBytes(nereid.Float32, make([]byte, 64), 4).Err()
		},
		"launch wrong shape": launch(nereid.FromSlice([]float32{1, 2}, 3), 0),
		"Slice nil":          func() error { return second(nereid.AsSlice[float32](noTensor)) },
		"Slice zero":         func() error { return second(nereid.AsSlice[float32](&nereid.Tensor{})) },
		"Slice other type":   func() error { return second(nereid.AsSlice[int8](x)) },
		"Slice bent shape": func() error {
			y := *x
			y.Shape = []int{-1, -5}
			return second(nereid.AsSlice[float32](&y))
		},
		"Read nil":               func() error { return noTensor.CopyBytesTo(make([]byte, 4)) },
		"Read zero":              func() error { return (&nereid.Tensor{}).CopyBytesTo(nil) },
		"Read too much":          func() error { return x.CopyBytesTo(make([]byte, 65)) },
		"Write nil":              func() error { return noTensor.CopyBytesFrom(make([]byte, 4)) },
		"Write too much":         func() error { return x.CopyBytesFrom(make([]byte, 65)) },
		"At nil":                 func() error { return second(noTensor.At(0)) },
		"At negative":            func() error { return second(x.At(-1)) },
		"At behind":              func() error { return second(x.At(16)) },
		"At overflow":            func() error { return second(x.At(math.MaxInt)) },
		"At least":               func() error { return second(x.At(math.MinInt)) },
		"At zero":                func() error { return second((&nereid.Tensor{}).At(0)) },
		"Offset nil":             func() error { return noTensor.Offset(4).Err() },
		"Offset zero":            func() error { return (&nereid.Tensor{}).Offset(4).Err() },
		"Offset behind":          func() error { return x.Offset(65).Err() },
		"Offset before":          func() error { return x.Offset(-1).Err() },
		"Offset far":             func() error { return x.Offset(-1 << 40).Err() },
		"Offset most":            func() error { return x.Offset(4).Offset(math.MaxInt).Err() },
		"Offset least":           func() error { return x.Offset(math.MinInt).Err() },
		"ok Offset end":          func() error { return x.Offset(64).Err() },
		"ok Offset back":         func() error { return x.Offset(64).Offset(-64).Err() },
		"Offset twice":           func() error { return x.Offset(-4).Offset(4).Err() },
		"Offset read":            func() error { return x.Offset(-1 << 40).CopyBytesTo(make([]byte, 1)) },
		"launch Offset far":      launch(x.Offset(-1<<40), 0),
		"launch Offset checked":  launch(x.Offset(-1<<40), 0, nereid.Options{Check: true}),
		"ok Close nil":           func() error { return noTensor.Close() },
		"ok Close zero":          func() error { return (&nereid.Tensor{}).Close() },
		"ok Len nil":             func() error { _ = noTensor.Len(); return nil },
		"launch zero tensor":     launch(&nereid.Tensor{}, 0),
		"launch typed zero":      launch(&nereid.Tensor{DType: nereid.Float32, Shape: []int{4}}, 0),
		"launch nil descriptor":  launch((*nereid.Descriptor)(nil), 0),
		"launch zero descriptor": launch(&nereid.Descriptor{}, 0),
		"launch bad descriptor": launch(&nereid.Descriptor{Base: x, Shape: []int64{-4}, Strides: []int64{1},
			Block: []int64{0}}, 0),
		"launch bent descriptor": launch(&nereid.Descriptor{Base: x, Shape: []int64{4, 4},
			Strides: []int64{1}, Block: []int64{4}}, 0),
		"launch zero base": launch(&nereid.Descriptor{Base: &nereid.Tensor{}, Shape: []int64{4},
			Strides: []int64{1}, Block: []int64{4}}, 0),
		"launch map":            launch(map[string]int{}, 0),
		"launch chan":           launch(make(chan int), 0),
		"launch func":           launch(func() {}, 0),
		"launch struct":         launch(struct{}{}, 0),
		"launch pointer":        launch(new(int), 0),
		"launch itself":         launch(self, 0),
		"launch const itself":   launch(nereid.Const{Value: self}, 0),
		"launch fields itself":  launch(nereid.Fields{nereid.Arg("a", self)}, 0),
		"launch too few":        launch(x),
		"launch too many":       launch(x, 1, 2, 3),
		"launch no such name":   launch(x, nereid.Arg("nobody", 1)),
		"launch twice":          launch(x, nereid.Arg("x", x)),
		"launch negative warps": launch(x, 1, nereid.Options{NumWarps: -4}),
		"launch negative ctas":  launch(x, 1, nereid.Options{NumCTAs: -1}),
		"launch nil tensor":     launch(noTensor, 0),
		"launch nothing":        launch(),
		"launch nil grid":       func() error { return k.Launch(s, nil, x, 1) },
		"launch nil grid func":  func() error { return k.Launch(s, nereid.GridFunc(nil), x, 1) },
		"launch negative grid":  func() error { return k.Launch(s, nereid.Grid{-1}, x, 1) },
		"launch huge grid":      func() error { return k.Launch(s, nereid.Grid{1 << 32}, x, 1) },
		"launch zero stream":    func() error { return k.Launch(&nereid.Stream{}, nereid.Grid{1}, x, 1) },
		"launch nil kernel":     func() error { return noKernel.Launch(s, nereid.Grid{1}, x, 1) },
		"launch zero kernel":    func() error { return new(nereid.Kernel).Launch(s, nereid.Grid{1}, x, 1) },
		"Bind nil kernel":       func() error { return second(noKernel.Bind(s, x, 1)) },
		"Bind nil stream":       func() error { return second(k.Bind(noStream, x, 1)) },
		"Bind zero stream":      func() error { return second(k.Bind(&nereid.Stream{}, x, 1)) },
		"Bind nothing":          func() error { return second(k.Bind(s)) },
		"Bound nil":             func() error { return noBound.Launch(nereid.Grid{1}) },
		"Bound zero":            func() error { return new(nereid.Bound).Launch(nereid.Grid{1}) },
		"ok Bound nil Close":    func() error { return noBound.Close() },
		"Bound nil SetInt":      func() error { return noBound.SetInt(0, 1) },
		"Bound nil SetTensor":   func() error { return noBound.SetTensor(0, x) },
		"Bound nil SetFloat":    func() error { return noBound.SetFloat(0, 1) },
		"ok Bound nil Param":    func() error { _ = noBound.Param("x"); return nil },
		"Bound SetInt -1":       bind(func(b *nereid.Bound) error { return b.SetInt(-1, 1) }),
		"Bound SetInt 99":       bind(func(b *nereid.Bound) error { return b.SetInt(99, 1) }),
		"Bound SetTensor nil":   bind(func(b *nereid.Bound) error { return b.SetTensor(0, nil) }),
		"Bound SetTensor zero": bind(func(b *nereid.Bound) error {
			return b.SetTensor(0, &nereid.Tensor{})
		}),
		"Bound SetTensor far": bind(func(b *nereid.Bound) error {
			return b.SetTensor(0, x.Offset(-1<<40))
		}),
		"Bound negative": bind(func(b *nereid.Bound) error { return b.Launch(nereid.Grid{1, -1}) }),
		"Bound closed": bind(func(b *nereid.Bound) error {
			b.Close()
			return b.Launch(nereid.Grid{1})
		}),
		"ok Bound closed twice": bind(func(b *nereid.Bound) error { b.Close(); return b.Close() }),
		"Compile nil kernel": func() error {
			return second(noKernel.Compile(ctx, dev, "", nereid.Options{}))
		},
		"Compile zero device": func() error {
			return second(k.Compile(ctx, &nereid.Device{}, "*fp32, i32", nereid.Options{}))
		},
		"Compile text":  func() error { return second(k.Compile(ctx, dev, "((((", nereid.Options{})) },
		"Compile empty": func() error { return second(k.Compile(ctx, dev, "", nereid.Options{})) },
		"ok Compile nil context": func() error {
			return second(k.Compile(noContext, dev, "*fp32, i32", nereid.Options{}))
		},
		"CompileFor nil kernel": func() error {
			return second(noKernel.CompileFor(ctx, "cpu", "", nereid.Options{}, ""))
		},
		"CompileFor nowhere": func() error {
			return second(k.CompileFor(ctx, "nowhere", "*fp32, i32", nereid.Options{}, ""))
		},
		"CompileFor cuda:-1": func() error {
			return second(k.CompileFor(ctx, "cuda:-1", "*fp32, i32", nereid.Options{}, ""))
		},
		"CompileFor no stage": func() error {
			return second(k.CompileFor(ctx, "interp", "*fp32, i32", nereid.Options{}, "nothing"))
		},
		"Source nil kernel":     func() error { return second(noKernel.Source(ctx, x, 1)) },
		"Source nothing":        func() error { return second(k.Source(ctx)) },
		"ok Name nil":           func() error { _, _ = noKernel.Name(), noKernel.Params(); return nil },
		"Kernel nil module":     func() error { return second(noModule.Kernel("at")) },
		"Kernel zero module":    func() error { return second(new(nereid.Module).Kernel("at")) },
		"Kernel no name":        func() error { return second(m.Kernel("")) },
		"ok Kernels nil module": func() error { _ = noModule.Kernels(); return nil },
		"Warmup nil module":     func() error { return noModule.Warmup(ctx, dev, nil, nil) },
		"Warmup bad variant":    func() error { return m.Warmup(ctx, dev, []nereid.Variant{{}}, nil) },
		"Warmup zero device": func() error {
			return m.Warmup(ctx, &nereid.Device{},
				[]nereid.Variant{{Kernel: "at", Signature: "*fp32, i32"}}, nil)
		},
		"Load nowhere": func() error { return second(nereid.Load("/nowhere/at/all.py")) },
		"LoadFS nil":   func() error { return second(nereid.LoadFS(fs.FS(nil), "x.py")) },
		"LoadFS nothing": func() error {
			return second(nereid.LoadFS(os.DirFS("/nowhere"), "x.py"))
		},
		"ok Parse nil option": func() error { return second(nereid.Parse("x.py", nil, nil)) },
		"Parse rubbish": func() error {
			return second(nereid.Parse("x.py", []byte("\x00\xff(((")))
		},
		"Open nowhere":            func() error { return second(nereid.OpenDevice("nowhere:7")) },
		"NewStream nil":           func() error { return second(noDev.NewStream(ctx)) },
		"NewStream zero":          func() error { return second(new(nereid.Device).NewStream(ctx)) },
		"ok NewStream no context": func() error { return second(dev.NewStream(noContext)) },
		"ExternalStream nil":      func() error { return second(noDev.ExternalStream(ctx, 0)) },
		"ExternalStream":          func() error { return second(dev.ExternalStream(ctx, 1)) },
		"ok device nil": func() error {
			_, _, _ = noDev.String(), noDev.Info(), noDev.Stages()
			return nil
		},
		"ok device zero": func() error {
			d := &nereid.Device{}
			_, _, _ = d.String(), d.Info(), d.Stages()
			return nil
		},
		"Sync nil":             func() error { return noStream.Sync() },
		"Sync zero":            func() error { return new(nereid.Stream).Sync() },
		"ok stream Close nil":  func() error { return noStream.Close() },
		"ok stream Device nil": func() error { _ = noStream.Device(); return nil },
		"Capture nil":          func() error { return second(noStream.Capture(func() error { return nil })) },
		"Capture nobody":       func() error { return second(s.Capture(nobody)) },
		"Measure nil": func() error {
			return second(noStream.Measure(0, 0, func() error { return nil }))
		},
		"Measure nobody": func() error { return second(s.Measure(0, 0, nobody)) },
		"ok Measure negative": func() error {
			return second(s.Measure(-time.Hour, -time.Hour, func() error { return nil }))
		},
		"Times nobody":        func() error { return second(s.Times(0, 0, nobody)) },
		"MeasureGraph nobody": func() error { return second(s.MeasureGraph(0, nobody)) },
		"MeasureGraph nil": func() error {
			return second(noStream.MeasureGraph(0, func() error { return nil }))
		},
		"Graph nil":          func() error { return noGraph.Launch(s) },
		"Graph zero":         func() error { return new(nereid.Graph).Launch(s) },
		"ok Graph Close":     func() error { return noGraph.Close() },
		"Compiled nil":       func() error { return (*nereid.Compiled)(nil).Launch(s, nereid.Grid{1}) },
		"Compiled zero":      func() error { return new(nereid.Compiled).Launch(s, nereid.Grid{1}) },
		"Compiled Save nil":  func() error { return (*nereid.Compiled)(nil).Save(io.Discard) },
		"Compiled Save zero": func() error { return new(nereid.Compiled).Save(io.Discard) },
		"ok Compiled nothing": func() error {
			var c *nereid.Compiled
			_, _, _, _ = c.Info(), c.Stage("ttir"), new(nereid.Compiled).Info(),
				new(nereid.Compiled).Stage("ttir")
			return errors.Join(c.Close(), new(nereid.Compiled).Close())
		},
		"LoadCompiled nothing": func() error {
			return second(nereid.LoadCompiled(dev, strings.NewReader("")))
		},
		"Recorder nil":         func() error { return noRec.WriteFile("/nowhere/x") },
		"Recorder nowhere":     func() error { return new(nereid.Recorder).WriteFile("/nowhere/x") },
		"ok Recorder nil":      func() error { _ = noRec.Variants(); return nil },
		"ReadManifest nowhere": func() error { return second(nereid.ReadManifest("/nowhere/x")) },
		"ok Cache nil": func() error {
			_, _ = noCache.Dir(), noCache.Stats()
			return noCache.Close()
		},
		"ok Cache zero": func() error { return new(nereid.Cache).Close() },
		"DTypeOf":       func() error { return second(nereid.DTypeOf("fp1")) },
		"ok DType": func() error {
			d := nereid.DType(200)
			_, _, _ = d.Decode(1), d.Encode(math.NaN()), d.String()
			return nil
		},
		"ok Times": func() error {
			ts := nereid.Times{1, 2}
			_, _, _ = ts.Quantile(math.NaN()), ts.Quantile(-1), nereid.Times(nil).Quantile(2)
			return nil
		},
		"ok Meta":          func() error { _ = nereid.Meta{}.Int("x"); return nil },
		"ok Compiled nil":  func() error { return (*nereid.Compiled)(nil).Close() },
		"ok Compiled zero": func() error { return new(nereid.Compiled).Close() },
	}
	return cases
}
