package otel

import (
	"bytes"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/profile"
)

const kernel = `
import triton
import triton.language as tl

@triton.jit
def fill(x_ptr, B: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 1.0)
`

// TestSpans records launches in the interpreter: each is a span at the time at which it ran, the stages of
// the compilation lie below it, and all below the program's own span.
func TestSpans(t *testing.T) {
	var recording bytes.Buffer
	p, err := nereid.StartProfile(&recording)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	launch(t, 3)
	took := time.Since(begun)
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	tr, err := profile.Read(&recording)
	if err != nil {
		t.Fatal(err)
	}
	kept := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(kept))
	ctx, root := provider.Tracer("test").Start(t.Context(), "program")
	n := Spans(ctx, provider.Tracer("test"), tr)
	spans := kept.Ended()
	if n != len(spans) || n < 4 {
		t.Fatalf("%d spans, of which %d ended", n, len(spans))
	}
	kernels := 0
	byID := map[string]string{}
	for _, s := range spans {
		byID[s.SpanContext().SpanID().String()] = s.Name()
	}
	for _, s := range spans {
		if s.SpanContext().TraceID() != root.SpanContext().TraceID() {
			t.Errorf("%s is of another trace", s.Name())
		}
		if s.StartTime().Before(begun.Add(-time.Second)) || s.EndTime().After(begun.Add(took+time.Second)) {
			t.Errorf("%s is from %v to %v, and the launches from %v on for %v", s.Name(), s.StartTime(),
				s.EndTime(), begun, took)
		}
		category, name := "", byID[s.Parent().SpanID().String()]
		for _, a := range s.Attributes() {
			if a.Key == "nereid.category" {
				category = a.Value.AsString()
			}
		}
		switch category {
		case profile.CategoryKernel:
			kernels++
		case profile.CategoryStage:
			if name != "fill" {
				t.Errorf("the stage %s lies below %q, want the compilation of fill", s.Name(), name)
			}
		}
	}
	if kernels != 3 {
		t.Errorf("%d spans of kernels, want 3", kernels)
	}
}

// launch launches a kernel so many times.
func launch(t *testing.T, times int) {
	t.Helper()
	m, err := nereid.Parse("fill.py", []byte(kernel))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := nereid.NewTensor(dev, nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for range times {
		if err := k.Launch(s, nereid.Grid{1}, x, 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
}
