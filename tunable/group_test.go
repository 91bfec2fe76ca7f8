package tunable_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/tunable"
)

// scaleBundle compiles variants of the scale kernel for a target, in the order of the blocks.
func scaleBundle(t testing.TB, target string, blocks ...int) *bundle.Bundle {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scale.py")
	if err := os.WriteFile(file, []byte(kernelSource), 0o600); err != nil {
		t.Fatal(err)
	}
	var list []aot.Variant
	for _, block := range blocks {
		list = append(list, aot.Variant{
			Name: fmt.Sprintf("scale_%d", block), Group: "scale_fp32", File: file, Kernel: "scale",
			Signature: fmt.Sprintf("*fp32:16, *fp32:16, i32:16, fp32, %d", block),
			Options:   nereid.Options{NumWarps: 4},
		})
	}
	built, err := aot.Build(t.Context(), list, aot.BuildOptions{Targets: []string{target}})
	txtest.NeedFound(t, "llvm", err)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := built.Writer.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return txtest.Open(t, bundle.OpenBytes, out.Bytes())
}

// groupOp returns an op over a bundle's group.
func groupOp(t testing.TB, b *bundle.Bundle, store *nereid.TuneStore) *tunable.Op[scaleParams] {
	t.Helper()
	list, err := tunable.Group(b, "scale_fp32", scaleLaunch)
	if err != nil {
		t.Fatal(err)
	}
	o := tunable.Options[scaleParams]{Warmup: time.Millisecond, Rep: 2 * time.Millisecond, Store: store}
	op, err := tunable.New("scale", scaleKeyOf, o, list...)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// The variants of a group are candidates: the op computes what they do, and a table in another order keeps
// its results.
func TestGroup(t *testing.T) {
	b := scaleBundle(t, "cpu", 64, 256, 1024)
	s := stream(t, "cpu")
	_, p := scaleOp(t, s, 512)
	store := openStore(t, nereid.TuneStoreOptions{})
	op := groupOp(t, b, store)
	if err := nereid.CopyFrom(p.X, slices.Repeat([]float32{2}, p.N)); err != nil {
		t.Fatal(err)
	}
	if err := op.Call(s, p); err != nil {
		t.Fatal(err)
	}
	if v, err := p.Out.At(p.N - 1); v != 6 || err != nil {
		t.Errorf("the last element is %v, %v", v, err)
	}
	list, err := op.Results(s, p)
	if err != nil || len(list) != 3 || list[2].Candidate != "scale_1024" ||
		list[2].Failed != "512 elements are less than a block of 1024" {
		t.Errorf("%+v, %v", list, err)
	}
	again := scaleBundle(t, "cpu", 1024, 256, 64)
	kept, err := groupOp(t, again, store).Results(s, p)
	if err != nil || again.Loaded() != 0 {
		t.Errorf("%d variants are loaded for a choice that is kept: %v", again.Loaded(), err)
	}
	if !slices.Equal(kept, list) {
		t.Errorf("the choice was %+v, and is %+v", list, kept)
	}
}

// A group that is not there, and a bundle for another architecture, are typed errors.
func TestGroupErrors(t *testing.T) {
	b := scaleBundle(t, "cuda:90", 64)
	_, err := tunable.Group(b, "scale_fp16", scaleLaunch)
	if e := (*bundle.NotFoundError)(nil); !errors.As(err, &e) ||
		!slices.Equal(e.Have, []string{"scale_fp32"}) {
		t.Errorf("%v", err)
	}
	if _, err := tunable.Group(nil, "scale", scaleLaunch); err == nil {
		t.Error("candidates of no bundle")
	}
	s := stream(t, "cpu")
	_, p := scaleOp(t, s, 512)
	err = groupOp(t, b, nil).Call(s, p)
	unsupported, target := (*tunable.UnsupportedError)(nil), (*bundle.TargetError)(nil)
	if !errors.As(err, &unsupported) || !errors.As(err, &target) || target.Variant != "scale_64" {
		t.Errorf("%v", err)
	}
}

// A tuned call of a bundle's variant allocates nothing.
func TestGroupAllocations(t *testing.T) {
	check := func(t *testing.T, s *nereid.Stream, target string) {
		_, p := scaleOp(t, s, 4096)
		op := groupOp(t, scaleBundle(t, target, 64, 256), nil)
		allocatesNothing(t, func() error { return op.Call(s, p) })
	}
	t.Run("cpu", func(t *testing.T) { check(t, stream(t, "cpu"), "cpu") })
	t.Run("gpu", func(t *testing.T) {
		onStub(t, func(t *testing.T, s *nereid.Stream) { check(t, s, "cuda:90") })
	})
}
