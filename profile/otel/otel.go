// Package otel makes OpenTelemetry spans of a recording of package profile. It is a Go module of its own, so
// that programs which do not use it need no OpenTelemetry.
//
//	var recording bytes.Buffer
//	p, err := nereid.StartProfile(&recording)
//	… // the program, then p.Stop()
//	t, err := profile.Read(&recording)
//	otel.Spans(ctx, provider.Tracer("kernels"), t)
package otel

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/nereid-lang/nereid/profile"
)

// Spans makes a span of each kernel, launch, compilation, stage, tuning, copy and graph of a recording, with
// the times of the recording, and returns their number. The parent of a span is the span on its track that it
// happened in, or for a stage its compilation, or else the span of ctx. The facts of an event become
// attributes whose names begin with "nereid.".
func Spans(ctx context.Context, tracer trace.Tracer, t *profile.Trace) int {
	var open []opened
	n := 0
	for _, e := range t.Events { // ordered by their beginnings
		if e.Phase != "X" {
			continue
		}
		open = slices.DeleteFunc(open, func(o opened) bool { return o.end() <= e.Start })
		parent := ctx
		for _, o := range open { // the last one is the innermost
			if o.holds(&e) {
				parent = o.ctx
			}
		}
		inner, span := tracer.Start(parent, e.Name, trace.WithTimestamp(moment(t, e.Start)),
			trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(facts(&e)...))
		span.End(trace.WithTimestamp(moment(t, e.Start+e.Took)))
		open = append(open, opened{inner, e})
		n++
	}
	return n
}

// opened is a span that others may lie below.
type opened struct {
	ctx   context.Context
	event profile.Event
}

func (o *opened) end() float64 { return o.event.Start + o.event.Took }

// holds reports whether an event happened within the span: on its track, or as a stage of its compilation,
// which has a track of its own.
func (o *opened) holds(e *profile.Event) bool {
	if o.event.Process != e.Process || e.Start+e.Took > o.end() {
		return false
	}
	return o.event.Track == e.Track || e.Category == profile.CategoryStage &&
		o.event.Category == profile.CategoryCompile && e.Args["kernel"] == o.event.Name
}

// moment returns the time of so many microseconds behind the beginning of a recording.
func moment(t *profile.Trace, microseconds float64) time.Time {
	return t.Begin.Add(time.Duration(microseconds * float64(time.Microsecond)))
}

// facts returns what is known of an event.
func facts(e *profile.Event) []attribute.KeyValue {
	out := []attribute.KeyValue{attribute.String("nereid.category", e.Category)}
	for key, v := range e.Args {
		name := "nereid." + key
		switch v := v.(type) {
		case string:
			out = append(out, attribute.String(name, v))
		case float64:
			out = append(out, attribute.Float64(name, v))
		case bool:
			out = append(out, attribute.Bool(name, v))
		default:
			out = append(out, attribute.String(name, fmt.Sprint(v)))
		}
	}
	return out
}
