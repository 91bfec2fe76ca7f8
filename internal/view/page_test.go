package view

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func model() *Model {
	return &Model{Title: "k.py:k", Files: []File{{"k.py", "# </script><script>alert(1)</script>\n"}},
		Targets: []*Target{}}
}

// TestWrite: the page is whole, and no text of a kernel becomes markup.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, model()); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script>alert") || strings.Contains(text, "{{") {
		t.Errorf("the page is\n%s", text)
	}
	for _, want := range []string{hashOf(script), hashOf(pageStyle),
		"connect-src 'none'", "default-src 'none'"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page's policy lacks %s", want)
		}
	}
	if m := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:)?//`).FindString(text); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

type answer struct{ asked []string }

func (a *answer) Compile(_ context.Context, text []byte, targets []string) *Model {
	a.asked = append(a.asked, fmt.Sprint("compile ", string(text), targets))
	return model()
}

func (a *answer) Run(_ context.Context, text []byte) *Run {
	a.asked = append(a.asked, "run "+string(text))
	return &Run{}
}

func (a *answer) Values(_ context.Context, text []byte, program int64) *Values {
	a.asked = append(a.asked, fmt.Sprint("values ", string(text), program))
	return &Values{}
}

func (a *answer) Cost(_ context.Context, text []byte) *Cost {
	a.asked = append(a.asked, "cost "+string(text))
	return &Cost{}
}

func (a *answer) Beside(_ context.Context, text []byte, c Choice) *Model {
	a.asked = append(a.asked, fmt.Sprint("beside ", string(text), c))
	return model()
}

// TestServer: only the page itself can have something compiled.
func TestServer(t *testing.T) {
	a := &answer{}
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7070}
	s := NewServer(addr, model(), a)
	ask := func(method, path, host, token, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = host
		r.Header.Set("X-Nereid-Token", token)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	page := ask("GET", "/", "127.0.0.1:7070", "", "")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), s.token) {
		t.Errorf("the page is %d", page.Code)
	}
	if p := page.Header().Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'self'") {
		t.Errorf("the policy is %s", p)
	}
	for _, c := range []struct {
		method, path, host, token string
		want                      int
	}{
		{"POST", "/compile?target=cpu", "127.0.0.1:7070", s.token, http.StatusOK},
		{"POST", "/run", "127.0.0.1:7070", s.token, http.StatusOK},
		{"POST", "/values?program=3", "127.0.0.1:7070", s.token, http.StatusOK},
		{"POST", "/cost", "127.0.0.1:7070", s.token, http.StatusOK},
		{"POST", "/beside?kernel=k&config=B%3D2&triton=3.9", "127.0.0.1:7070", s.token, http.StatusOK},
		{"POST", "/cost", "127.0.0.1:7070", "", http.StatusForbidden},
		{"POST", "/beside", "127.0.0.1:7070", "", http.StatusForbidden},
		{"POST", "/compile", "127.0.0.1:7070", "", http.StatusForbidden},
		{"POST", "/compile", "evil.example:7070", s.token, http.StatusMisdirectedRequest},
		{"GET", "/", "localhost:7070", "", http.StatusMisdirectedRequest},
		{"GET", "/compile", "127.0.0.1:7070", s.token, http.StatusNotFound},
		{"GET", "/etc/passwd", "127.0.0.1:7070", "", http.StatusNotFound},
	} {
		if got := ask(c.method, c.path, c.host, c.token, "x"); got.Code != c.want {
			t.Errorf("%s %s of %s: %d, want %d", c.method, c.path, c.host, got.Code, c.want)
		}
	}
	if got := strings.Join(a.asked, ", "); got != "compile x[cpu], "+
		"run x, values x3, cost x, beside x{k B=2 3.9}" {
		t.Errorf("the compiler was asked for %s", got)
	}
	if w := ask("POST", "/compile", "127.0.0.1:7070", s.token, strings.Repeat("x", maxText+1)); w.Code !=
		http.StatusRequestEntityTooLarge {
		t.Errorf("a large text: %d", w.Code)
	}
}
