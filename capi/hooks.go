//go:build !nereid_run

package main

/*
#include <stdlib.h>
#include "door.h"
*/
import "C"

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/capi/foreign"
)

// logger hands log records to a function of the caller's, one line each.
type logger struct {
	fn    C.nereid_log_fn
	user  unsafe.Pointer
	least slog.Level
	attrs string // those of WithAttrs, as text
}

func (l *logger) Enabled(_ context.Context, level slog.Level) bool { return level >= l.least }

// Handle implements slog.Handler.
func (l *logger) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	b.WriteString(l.attrs)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	})
	l.say(r.Level, b.String())
	return nil
}

// say hands over a line.
func (l *logger) say(level slog.Level, text string) {
	withStrings([]string{strings.ReplaceAll(text, "\n", " ")}, func(s []*C.char) {
		C.door_log(l.fn, l.user, C.int(level), s[0])
	})
}

// WithAttrs implements slog.Handler.
func (l *logger) WithAttrs(attrs []slog.Attr) slog.Handler {
	x := *l
	for _, a := range attrs {
		x.attrs += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	return &x
}

// WithGroup implements slog.Handler; groups are not shown.
func (l *logger) WithGroup(string) slog.Handler { return l }

// Write implements io.Writer for what kernels and tunings print: each line is a record.
func (l *logger) Write(text []byte) (int, error) {
	if l.least <= slog.LevelInfo {
		for line := range strings.Lines(string(text)) {
			l.say(slog.LevelInfo, strings.TrimSuffix(line, "\n"))
		}
	}
	return len(text), nil
}

//export go_config_log
func go_config_log(h C.uintptr_t, fn C.nereid_log_fn, user unsafe.Pointer, least C.int,
	err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[config](h)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if fn == nil {
			c.conf.Logger = slog.New(slog.DiscardHandler)
			c.conf.Print, c.conf.Tune.Print = io.Discard, io.Discard
			return nil
		}
		l := &logger{fn: fn, user: user, least: slog.Level(least)}
		c.conf.Logger, c.conf.Print, c.conf.Tune.Print = slog.New(l), l, l
		return nil
	})
}

// hooks are the caller's, copied.
type hooks struct{ h C.nereid_hooks }

//export go_config_hooks
func go_config_hooks(h C.uintptr_t, from *C.nereid_hooks, err **C.nereid_error) C.int {
	return run(err, func() error {
		c, err := object[config](h)
		if err != nil {
			return err
		}
		if from == nil || from.size < C.sizeof_nereid_hooks {
			return badCall("nereid_hooks.size is sizeof(nereid_hooks), %d", C.sizeof_nereid_hooks)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.conf.Hooks = (&hooks{*from}).functions()
		return nil
	})
}

// functions returns the hooks in Go's form. A hook that is not set costs nothing.
func (x *hooks) functions() (out nereid.Hooks) {
	if x.h.before_compile != nil {
		out.BeforeCompile = func(_ context.Context, v nereid.Variant) (err error) {
			withVariant(v, "", func(cv *C.nereid_variant) {
				if C.door_before_compile(x.pinned(), cv) != 0 {
					err = &cancelled{fmt.Sprintf("nereid: %s: the hook before_compile refused to compile it",
						v.Kernel)}
				}
			})
			return err
		}
	}
	if x.h.after_compile != nil {
		out.AfterCompile = func(v nereid.Variant, took time.Duration, found bool, err error) {
			withVariant(v, "", func(cv *C.nereid_variant) {
				withError(err, func(text *C.char) {
					C.door_after_compile(x.pinned(), cv, C.uint64_t(took), cBool(found), text)
				})
			})
		}
	}
	if x.h.stage != nil {
		out.Stage = x.stage
	}
	if x.h.before_launch != nil {
		out.BeforeLaunch = func(l nereid.Launching) {
			grid := cGrid(l.Grid)
			withVariant(l.Variant, l.Device.String(), func(cv *C.nereid_variant) {
				C.door_before_launch(x.pinned(), cv, &grid[0])
			})
		}
	}
	if x.h.after_launch != nil {
		out.AfterLaunch = func(l nereid.Launching, err error) {
			grid := cGrid(l.Grid)
			withVariant(l.Variant, l.Device.String(), func(cv *C.nereid_variant) {
				withError(err, func(text *C.char) { C.door_after_launch(x.pinned(), cv, &grid[0], text) })
			})
		}
	}
	return out
}

// pinned returns the caller's functions for C. They hold no pointers of Go's.
func (x *hooks) pinned() *C.nereid_hooks { return &x.h }

// stage reports a stage of a compilation.
func (x *hooks) stage(v nereid.Variant, s nereid.Stage) {
	withVariant(v, "", func(cv *C.nereid_variant) {
		withStrings([]string{s.Name}, func(name []*C.char) {
			var text unsafe.Pointer
			if s.Text != nil {
				text = cBytes(s.Text)
				defer C.free(text)
			}
			C.door_stage(x.pinned(), cv, name[0], C.uint64_t(s.Took), text, C.size_t(len(s.Text)))
		})
	})
}

func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func cGrid(g nereid.Grid) [3]C.uint32_t {
	return [3]C.uint32_t{C.uint32_t(g[0]), C.uint32_t(g[1]), C.uint32_t(g[2])}
}

// withError calls f with the text of an error, or NULL.
func withError(err error, f func(*C.char)) {
	if err == nil {
		f(nil)
		return
	}
	withStrings([]string{err.Error()}, func(s []*C.char) { f(s[0]) })
}

// withVariant calls f with a variant for C.
func withVariant(v nereid.Variant, device string, f func(*C.nereid_variant)) {
	o := v.Options
	withStrings([]string{v.File, v.Kernel, v.Signature, device, o.Extra, o.ExternLibs}, func(s []*C.char) {
		cv := (*C.nereid_variant)(C.calloc(1, C.sizeof_nereid_variant)) // C keeps pointers in it
		defer C.free(unsafe.Pointer(cv))
		cv.file, cv.kernel, cv.signature, cv.device = s[0], s[1], s[2], s[3]
		cv.options = C.nereid_options{
			size: C.sizeof_nereid_options, flags: C.uint32_t(foreign.FlagsOf(o)),
			num_warps: C.int32_t(o.NumWarps), num_stages: C.int32_t(o.NumStages),
			num_ctas: C.int32_t(o.NumCTAs), maxnreg: C.int32_t(o.MaxNReg), extra: s[4], extern_libs: s[5],
		}
		f(cv)
	})
}
