// Command service answers requests over HTTP with two Triton kernels in a row: rms_norm and softmax. It shows
// how a server uses Nereid: everything is compiled and tuned before the first request, a request ends with
// its client, and a signal ends the process once the requests on their way are answered. docs/SERVICE.md
// tells why it is made so.
//
//	main.go     flags, signals, shutdown
//	service.go  start, warm-up, tuning, and a request's computation
//	http.go     pages and errors
//	kernels     the kernels as typed functions
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

func main() {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	addr := flag.String("addr", "localhost:8080", "where to listen")
	o := options{log: slog.Default()}
	flag.StringVar(&o.device, "device", "", "interp, cpu, cuda:0 ... (default: the best that is here)")
	flag.StringVar(&o.cacheDir, "cache", filepath.Join(dir, "nereid-service"), "folder of compiled kernels")
	flag.StringVar(&o.tuneDir, "timings", filepath.Join(dir, "nereid-service", "tune"), "folder of timings")
	flag.StringVar(&o.record, "record", "", "write a manifest of what requests launch, and end")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "requests that compute at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, o); err != nil {
		slog.Error("the service ends", "err", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, addr string, o options) error {
	s, err := newService(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	if o.record != "" {
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return s.serve(ctx, l, 10*time.Second)
}

// serve answers requests until ctx ends. Those on their way then have a grace to be answered; those that are
// not are cancelled, by the context that their launches have.
func (s *service) serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	requests, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	s.log.Info("listening", "address", l.Addr().String())
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
		limit, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		err = server.Shutdown(limit)
	}
	return err
}
