package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/llm/engine"
)

// handleMetrics writes the counters in Prometheus' text format.
func (s *service) handleMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	st := &s.engine.Stats
	number := func(kind, name, help string, v int64) {
		fmt.Fprintf(w, "# HELP nereid_llm_%s %s\n# TYPE nereid_llm_%[1]s %[3]s\nnereid_llm_%[1]s %[4]d\n",
			name, help, kind, v)
	}
	number("gauge", "requests_running", "Requests that are being answered.", st.Running.Load())
	number("gauge", "requests_waiting", "Requests that wait for room in batch or cache.", st.Waiting.Load())
	number("counter", "requests_refused_total", "Requests that were refused because too many waited.",
		st.Refused.Load())
	number("counter", "prompt_tokens_total", "Tokens of prompts that were read.", st.PromptTokens.Load())
	number("counter", "shared_tokens_total", "Tokens of prompts that the cache had already.",
		st.SharedTokens.Load())
	number("counter", "generated_tokens_total", "Tokens of answers.", st.GeneratedTokens.Load())
	number("gauge", "cache_pages", "Pages of the cache.", int64(s.model.Pages()))
	number("gauge", "cache_pages_used", "Pages that sequences have.", int64(st.Pages()))
	late := s.model.CompiledLate()
	if e := s.embedder; e != nil {
		number("counter", "embedded_texts_total", "Texts that were embedded.", e.inputs.Load())
		number("counter", "embedded_tokens_total", "Tokens of these texts.", e.tokens.Load())
		late += e.CompiledLate()
	}
	number("counter", "kernels_compiled_late_total", "Kernels that were compiled after the start.",
		int64(late))
	fmt.Fprint(w, "# HELP nereid_llm_requests_total Requests by how they ended.\n"+
		"# TYPE nereid_llm_requests_total counter\n")
	ends := st.Ends()
	for _, how := range slices.Sorted(maps.Keys(ends)) {
		fmt.Fprintf(w, "nereid_llm_requests_total{end=%q} %d\n", how, ends[how])
	}
	histogram(w, "first_token_seconds", "From a request's arrival to its first token.", &st.FirstToken)
	histogram(w, "step_seconds", "One token of every sequence in the batch.", &st.NextToken)
}

func histogram(w io.Writer, name, help string, h *engine.Histogram) {
	upTo, count, sum := h.Values()
	var b strings.Builder
	fmt.Fprintf(&b, "# HELP nereid_llm_%s %s\n# TYPE nereid_llm_%[1]s histogram\n", name, help)
	for i, n := range upTo {
		fmt.Fprintf(&b, "nereid_llm_%s_bucket{le=\"%g\"} %d\n", name, engine.Bounds[i], n)
	}
	fmt.Fprintf(&b, "nereid_llm_%s_bucket{le=\"+Inf\"} %d\n", name, count)
	fmt.Fprintf(&b, "nereid_llm_%s_sum %g\nnereid_llm_%[1]s_count %[3]d\n", name, sum, count)
	io.WriteString(w, b.String())
}
