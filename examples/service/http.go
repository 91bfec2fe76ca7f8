package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/pprof"

	"github.com/nereid-lang/nereid"
)

// maxBody bounds the text of a request.
const maxBody = 1 << 20

// handler returns the service's pages.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /score", s.handleScore)
	mux.HandleFunc("POST /check", s.handleCheck)
	mux.HandleFunc("GET /healthz", s.handleHealth)
	mux.HandleFunc("GET /stats", s.handleStats)
	// a service that strangers reach has it on a port of its own
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// handleScore answers with the probabilities of the rows.
func (s *service) handleScore(w http.ResponseWriter, r *http.Request) {
	in := scoreRequest{Type: "bf16", Temperature: 1}
	if err := decode(w, r, &in); err != nil {
		s.fail(w, err)
		return
	}
	rows, err := s.score(r.Context(), &in)
	if err != nil {
		s.fail(w, err)
		return
	}
	s.answered.Add(1)
	reply(w, http.StatusOK, map[string]any{"rows": rows})
}

// checkRequest is a kernel's text to be looked at.
type checkRequest struct{ Source, Kernel, Signature string }

// handleCheck compiles a kernel that the client sends, as far as its Triton IR, and answers with what is
// wrong in it. Nothing of it runs, and Config.Budget bounds what a compilation may take.
func (s *service) handleCheck(w http.ResponseWriter, r *http.Request) {
	var in checkRequest
	if err := decode(w, r, &in); err != nil {
		s.fail(w, err)
		return
	}
	found := []nereid.Diagnostic{}
	err := check(r.Context(), &in)
	var wrong *nereid.CompileError
	if errors.As(err, &wrong) {
		found = wrong.Diagnostics
	} else if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"diagnostics": found})
}

func check(ctx context.Context, in *checkRequest) error {
	m, err := nereid.Parse("request.py", []byte(in.Source), nereid.With(nereid.Config{}))
	if err != nil {
		return err
	}
	k, err := m.Kernel(in.Kernel)
	if err != nil {
		return err
	}
	c, err := k.CompileFor(ctx, "interp", in.Signature, nereid.Options{}, "ttir")
	if err != nil {
		return err
	}
	return c.Close()
}

// handleHealth reports whether the device works and the service takes requests.
func (s *service) handleHealth(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	if err := s.probe.check(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	reply(w, http.StatusOK, map[string]any{"device": s.dev.String()})
}

// handleStats counts requests, and kernels that were compiled or found.
func (s *service) handleStats(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"answered": s.answered.Load(), "cache": s.cache.Stats()})
}

// decode reads a request's JSON.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into); err != nil {
		return errors.Join(errBadRequest, err)
	}
	return nil
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone hears nothing
}

// fail answers with an error, under the status that tells the client whose fault it is.
func (s *service) fail(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if status >= http.StatusInternalServerError {
		s.log.Warn("request failed", "status", status, "err", err)
	}
	answer := map[string]any{"error": err.Error()}
	var fault *nereid.Fault
	if errors.As(err, &fault) { // an access out of bounds, a failed assertion: where in the kernel
		answer["kernel"], answer["line"], answer["argument"] = fault.Kernel, fault.Line, fault.Argument
	}
	reply(w, status, answer)
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	var budget *nereid.BudgetError
	switch {
	case errors.Is(err, errBadRequest), errors.As(err, &budget):
		return http.StatusBadRequest
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	case errors.Is(err, nereid.ErrNotCompiled): // not in the manifest
		return http.StatusNotImplemented
	}
	return http.StatusInternalServerError
}
