package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// warnings prints what the library logs, warnings and worse, as the command prints its own:
//
//	nereid: warning: cache: an entry cannot be written: mkdir /proc/x: no such file or directory
type warnings struct {
	mu *sync.Mutex
	w  io.Writer
}

func (warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }
func (h warnings) WithAttrs([]slog.Attr) slog.Handler         { return h }
func (h warnings) WithGroup(string) slog.Handler              { return h }

func (h warnings) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("nereid: ")
	if r.Level >= slog.LevelWarn {
		b.WriteString("warning: ")
	}
	b.WriteString(strings.TrimPrefix(r.Message, "nereid: "))
	r.Attrs(func(a slog.Attr) bool {
		text := fmt.Sprint(a.Value.Any())
		switch {
		case a.Key == "err":
			b.WriteString(": " + text)
		case strings.ContainsAny(text, " \"\n"):
			fmt.Fprintf(&b, " %s=%q", a.Key, text)
		default:
			fmt.Fprintf(&b, " %s=%s", a.Key, text)
		}
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintln(h.w, b.String())
	return err
}
