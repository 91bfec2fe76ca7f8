package view

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// Compiler compiles and runs the kernel of a page anew, from the text of its file.
type Compiler interface {
	// Compile returns the page's model for some targets, none for all. A text with faults gives a model with
	// Errors.
	Compile(ctx context.Context, text []byte, targets []string) *Model
	// Run returns the accesses of a launch, Values the variables of one of its programs, and Cost what it
	// does on a simulated GPU.
	Run(ctx context.Context, text []byte) *Run
	Values(ctx context.Context, text []byte, program int64) *Values
	Cost(ctx context.Context, text []byte) *Cost
	// Beside returns the model of what a reader wants compared with the kernel.
	Beside(ctx context.Context, text []byte, c Choice) *Model
}

// Server serves a page on this machine.
type Server struct {
	compiler Compiler
	host     string // what requests must name as their host
	token    string // and carry, if they ask for work

	mu    sync.Mutex // a request at a time: compilations share the machine's cores anyway
	model *Model
}

// NewServer returns a server of a page at an address, "127.0.0.1:7070".
func NewServer(addr net.Addr, m *Model, c Compiler) *Server {
	s := &Server{compiler: c, host: addr.String(), token: rand.Text(), model: m}
	m.Live, m.Token = true, s.token
	return s
}

// maxText bounds the text of a request.
const maxText = 4 << 20

// ServeHTTP implements http.Handler. A page of another origin can neither read answers nor have something
// compiled: it does not know the token, and a name that was made to point here is not the server's own.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != s.host {
		http.Error(w, "this server is "+s.host, http.StatusMisdirectedRequest)
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy(true)+"; frame-ancestors 'none'")
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = Write(w, s.model) // the reader has gone
	case r.Method == http.MethodPost && slices.Contains(works, r.URL.Path):
		s.work(w, r)
	default:
		http.NotFound(w, r)
	}
}

// works are the paths of requests for work.
var works = []string{"/compile", "/run", "/values", "/cost", "/beside"}

// work compiles or runs the text of a request.
func (s *Server) work(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Nereid-Token") != s.token {
		http.Error(w, "the page is of another server: load it again", http.StatusForbidden)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxText))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Context().Err() != nil { // the reader went on typing
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch r.URL.Path {
	case "/run":
		answer = s.compiler.Run(r.Context(), text)
	case "/values":
		program, _ := strconv.ParseInt(r.URL.Query().Get("program"), 10, 64) // no number is the first
		answer = s.compiler.Values(r.Context(), text, program)
	case "/cost":
		answer = s.compiler.Cost(r.Context(), text)
	case "/beside":
		q := r.URL.Query()
		answer = s.compiler.Beside(r.Context(), text,
			Choice{Kernel: q.Get("kernel"), Config: q.Get("config"), Triton: q.Get("triton")})
	default:
		answer = s.compiler.Compile(r.Context(), text, r.URL.Query()["target"])
	}
	_ = json.NewEncoder(w).Encode(answer) // the reader has gone
}
