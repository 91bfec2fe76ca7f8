package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
	"github.com/nereid-lang/nereid"
)

// The load of TestLoad. By hand, for five minutes with SmolLM2:
//
//	go test -run TestLoad -v -timeout 20m -clients 200 -for 5m -smollm2 .
var (
	loadClients = flag.Int("clients", 60, "clients of TestLoad at once")
	loadTime    = flag.Duration("for", 0, "how long they ask; 0: each once")
	loadSmolLM2 = flag.Bool("smollm2", false, "ask SmolLM2 instead of a tiny random model")
)

// load is a server under load, what it is asked for, and what it answers alone.
type load struct {
	t      *testing.T
	url    string
	until  time.Time
	client *http.Client
	asked  []question
	kinds  [len(loadKinds)]atomic.Int64
	busy   atomic.Int64 // times that a request was told to come again

	mu           sync.Mutex
	first, whole []time.Duration // of requests that were answered
}

// question is a request whose answer is always the same.
type question struct {
	fields map[string]any
	answer string
}

// loadKinds are the kinds of requests, in tenths: the rest are questions with a known answer.
var loadKinds = [...]string{"answered", "left", "nonsense", "too long"}

// TestLoad has many clients at once: some leave, some send nonsense, or prompts that are too long. Each
// answer is what it is alone, nothing is compiled, and nothing is left behind.
func TestLoad(t *testing.T) {
	s, err := tiny()
	if *loadSmolLM2 {
		o := settings{file: weightstest.File(t, weights.Name), device: "cpu", pages: 4096}
		o.engine.Queue = 256
		s, err = o.start(io.Discard)
		if err == nil {
			defer s.close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	defer server.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: *loadClients}
	l := &load{t: t, url: server.URL, client: &http.Client{Transport: transport}}
	l.questions()
	before := runtime.NumGoroutine()
	begin := time.Now()
	l.until = begin.Add(*loadTime)
	var wg sync.WaitGroup
	for i := range *loadClients {
		wg.Go(func() { l.run(uint64(i)) })
	}
	wg.Wait()
	l.report(time.Since(begin), s)
	settle(t, "pages in use", func() int { return s.engine.Stats.Pages() }, 0)
	settle(t, "requests running", func() int { return int(s.engine.Stats.Running.Load()) }, 0)
	transport.CloseIdleConnections()
	settle(t, "goroutines", func() int { return max(0, runtime.NumGoroutine()-before) }, 4)
	if n := s.model.CompiledLate(); n != 0 {
		t.Errorf("%d kernels were compiled after the start", n)
	}
}

// questions asks everything once, alone.
func (l *load) questions() {
	for i := range 12 {
		prompt := strings.Repeat("the x", i+1) + fmt.Sprint(i)
		fields := map[string]any{"prompt": prompt, "max_tokens": 4 + 3*i, "temperature": 0}
		if i%4 == 3 { // one of four draws its tokens
			fields["temperature"], fields["seed"] = 0.8, i
		}
		c := complete(l.t, l.url, fields)
		fields["stream"] = true
		l.asked = append(l.asked, question{fields, c.Choices[0].Text})
	}
}

// run asks until the time is over, once at least.
func (l *load) run(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	for once := true; once || time.Now().Before(l.until); once = false {
		kind := 0
		if k := r.IntN(10); k < 2 {
			kind = 1
		} else if k < 4 {
			kind = k
		}
		switch kind {
		case 0:
			l.ask(l.asked[r.IntN(len(l.asked))])
		case 1:
			l.leave(time.Duration(r.IntN(2000)) * time.Millisecond / 100 * time.Duration(1+r.IntN(100)))
		case 2:
			l.refused(`{"prompt": [`)
		case 3:
			l.refused(`{"prompt": "` + strings.Repeat("x 1 ", 9000) + `"}`)
		}
		l.kinds[kind].Add(1)
	}
}

// ask asks a question, again while the server is busy, and compares the answer.
func (l *load) ask(q question) {
	begin := time.Now()
	for {
		status, text, first := l.stream(q.fields)
		switch {
		case status == http.StatusTooManyRequests:
			l.busy.Add(1)
			time.Sleep(50 * time.Millisecond)
			continue
		case status != http.StatusOK || text != q.answer:
			l.t.Errorf("%v: status %d, %q, alone %q", q.fields, status, text, q.answer)
			return
		}
		l.mu.Lock()
		l.first, l.whole = append(l.first, first.Sub(begin)), append(l.whole, time.Since(begin))
		l.mu.Unlock()
		return
	}
}

// stream sends a request and returns its text, and when the first piece of it came.
func (l *load) stream(fields map[string]any) (status int, text string, first time.Time) {
	r, err := l.client.Post(l.url+"/v1/completions", "application/json", jsonBody(fields))
	if err != nil {
		l.t.Error(err)
		return 0, "", first
	}
	defer r.Body.Close()
	in := bufio.NewReader(r.Body)
	head, _ := in.Peek(1)
	first = time.Now()
	data, err := io.ReadAll(in)
	if err != nil || r.StatusCode != http.StatusOK || len(head) == 0 {
		return r.StatusCode, string(data), first
	}
	var b strings.Builder
	for _, c := range pieces(l.t, data) {
		b.WriteString(c.Choices[0].Text)
	}
	return r.StatusCode, b.String(), first
}

// leave begins to hear an answer and goes away.
func (l *load) leave(after time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	body := jsonBody(map[string]any{"prompt": "the the", "max_tokens": 400, "stream": true})
	q, err := http.NewRequestWithContext(ctx, "POST", l.url+"/v1/completions", body)
	if err != nil {
		l.t.Error(err)
		return
	}
	if answer, err := l.client.Do(q); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}

// refused sends what the server must refuse.
func (l *load) refused(body string) {
	r, err := l.client.Post(l.url+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusBadRequest {
		l.t.Errorf("%.20s has the status %d", body, r.StatusCode)
	}
}

// report logs how many requests there were, and how long they took.
func (l *load) report(took time.Duration, s *service) {
	counts := ""
	for i, name := range loadKinds {
		counts += fmt.Sprintf(", %d %s", l.kinds[i].Load(), name)
	}
	l.t.Logf("%d clients, %.0f s%s; %d times busy; %d tokens generated", *loadClients, took.Seconds(), counts,
		l.busy.Load(), s.engine.Stats.GeneratedTokens.Load())
	for name, list := range map[string][]time.Duration{"first token": l.first, "whole answer": l.whole} {
		if slices.Sort(list); len(list) > 0 {
			l.t.Logf("%s: p50 %.2f s, p99 %.2f s", name, list[len(list)/2].Seconds(),
				list[len(list)*99/100].Seconds())
		}
	}
}

// asServer is set in processes of tests that are a server: to its arguments.
const asServer = "NEREID_LLM_TEST_SERVER"

func TestMain(m *testing.M) {
	if args := os.Getenv(asServer); args != "" && os.Getenv(rankVariable) == "" {
		os.Args = append([]string{"nereid-llm"}, strings.Fields(args)...)
	}
	if os.Getenv(asServer) != "" || os.Getenv(rankVariable) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestTerminate sends SIGTERM to a server that answers many clients: all answers that began are complete, and
// it ends well.
func TestTerminate(t *testing.T) {
	_, err := nereid.OpenDevice("cpu")
	weightstest.Need(t, "llvm", err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(),
		asServer+"=serve --random=tiny --addr localhost:0 --queue 100")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, url := bufio.NewScanner(out), ""
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "listening on ")
	}
	if url == "" {
		t.Fatalf("the server does not start: %v", cmd.Wait())
	}
	var begun, complete atomic.Int64
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			body := jsonBody(map[string]any{"prompt": "the then", "max_tokens": 200 + i, "stream": true})
			r, err := http.Post(url+"/v1/completions", "application/json", body)
			if err != nil || r.StatusCode != http.StatusOK {
				return // it came too late
			}
			begun.Add(1)
			defer r.Body.Close()
			if data, err := io.ReadAll(r.Body); err == nil && strings.HasSuffix(string(data), "data: [DONE]\n\n") {
				complete.Add(1)
			}
		})
	}
	for end := time.Now().Add(time.Minute); begun.Load() < 8 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if n := begun.Load(); n < 8 || complete.Load() != n {
		t.Errorf("%d answers began, and %d are complete", n, complete.Load())
	}
	if err := cmd.Wait(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Errorf("the server ended with %v", err)
	}
}
