package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/llm/engine"
	"example.com/llm/model"
	"example.com/llm/tokenizer"
)

//go:embed page.html
var page []byte

// service answers requests.
type service struct {
	name     string
	model    *model.Model
	tok      *tokenizer.Tokenizer
	template *template
	engine   *engine.Engine
	embedder *embedder // nil if there is none
	started  time.Time
	draining atomic.Bool
	answers  atomic.Int64 // so far; also numbers them
}

// close ends the engine when its requests are answered, and frees the model.
func (s *service) close() error {
	s.engine.Close()
	err := s.model.Close()
	if s.embedder != nil {
		err = errors.Join(err, s.embedder.Close())
	}
	return err
}

func serveCommand(ctx context.Context, args []string, out io.Writer) error {
	var o settings
	f := o.flags("serve")
	addr := f.String("addr", "localhost:8080", "where to listen")
	embeddings := f.String("embeddings", "", "folder of a model for embeddings, with model.safetensors, "+
		"config.json and vocab.txt, or none (default: what ./fetch --embeddings downloads, if it is there)")
	grace := f.Duration("grace", 30*time.Second, "how long requests may take to end after a signal")
	if err := f.Parse(args); err != nil {
		return err
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	s, err := o.start(out)
	if err != nil {
		l.Close()
		return err
	}
	if s.embedder, err = o.embedder(*embeddings, out); err != nil {
		l.Close()
		return errors.Join(err, s.close())
	}
	fmt.Fprintf(out, "listening on http://%s\n", l.Addr())
	return errors.Join(s.serve(ctx, l, *grace), s.close())
}

// serve answers requests until ctx ends. Those on their way then have a grace to be answered; those that
// are not are cancelled.
func (s *service) serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	requests, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	limit, done := context.WithTimeout(context.Background(), grace)
	defer done()
	err := server.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		cancel()
		limit, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		err = server.Shutdown(limit)
	}
	return err
}

// handler returns the pages.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.handleChat)
	mux.HandleFunc("POST /v1/completions", s.handleCompletion)
	mux.HandleFunc("POST /v1/embeddings", s.handleEmbeddings)
	mux.HandleFunc("GET /v1/models", s.handleModels)
	mux.HandleFunc("GET /health", s.handleHealth)
	mux.HandleFunc("GET /metrics", s.handleMetrics)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent) // browsers ask for it
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline'")
		w.Write(page)
	})
	return mux
}

func (s *service) handleHealth(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		writeError(w, http.StatusServiceUnavailable, engine.ErrClosed)
		return
	}
	if err := s.model.Err(); err != nil {
		writeError(w, http.StatusServiceUnavailable, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"status": "ok", "device": s.model.Device()})
}

func (s *service) handleModels(w http.ResponseWriter, _ *http.Request) {
	names := []string{s.name}
	if s.embedder != nil {
		names = append(names, s.embedder.Name)
	}
	data := make([]any, len(names))
	for i, name := range names {
		data[i] = map[string]any{"id": name, "object": "model", "created": s.started.Unix(),
			"owned_by": "nereid"}
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}
