package triton

import (
	"bytes"
	"regexp"
	"strings"
)

// IR is one in memory; releases differ in how they write some of it. Older and Newer translate the text:
//
//	3.6                          later
//	gpu.barrier                  ttg.barrier all (3.7)
//	cacheModifier = cg           {cachePolicy = #tt.cache_policy<cache_modifier = cg, …>} (3.9)
//	!tt.ptr<f32>, to a const     !tt.ptr<f32, "constant"> (3.9)
//	!tt.ptr<f32, 3>              !tt.ptr<f32, "shared"> (3.9)

var (
	pointerSpace = regexp.MustCompile(`(!tt\.ptr<[^<>"]*(?:<[^<>]*>)?[^<>"]*), "(\w+)">`)
	cachePolicy  = regexp.MustCompile(
		`(?:, )?cachePolicy = #tt\.cache_policy<cache_modifier = (\w+), eviction_policy = (\w+)>`)
	dictionary = regexp.MustCompile(`( \{[^{}]*\})? :`)
	cacheWords = regexp.MustCompile(`( cacheModifier = (\w+))?( evictionPolicy = (\w+))?( \{[^{}]*\})? :`)
)

// spaces has the address spaces that are not global by their numbers.
var spaces = map[string]string{"shared": "3"}

// Older returns the text of IR, of whichever release, as 3.6 writes it.
func Older(text []byte) []byte {
	if !bytes.Contains(text, []byte("ttg.barrier ")) && !bytes.Contains(text, []byte("cachePolicy = ")) &&
		!bytes.Contains(text, []byte(`">`)) {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		out.WriteString(olderLine(line))
	}
	return []byte(out.String())
}

func olderLine(line string) string {
	line = strings.Replace(line, "ttg.barrier all", "gpu.barrier", 1)
	line = strings.Replace(line, "ttg.barrier local", "ttg.local_barrier", 1)
	line = pointerSpace.ReplaceAllStringFunc(line, func(s string) string {
		m := pointerSpace.FindStringSubmatch(s)
		if n := spaces[m[2]]; n != "" {
			return m[1] + ", " + n + ">"
		}
		return m[1] + ">"
	})
	m := cachePolicy.FindStringSubmatch(line)
	if m == nil {
		return line
	}
	words := ""
	if m[1] != "none" {
		words += " cacheModifier = " + m[1]
	}
	if m[2] != "evict_normal" {
		words += " evictionPolicy = " + m[2]
	}
	line = cachePolicy.ReplaceAllString(line, "")
	line = strings.Replace(strings.Replace(line, "{, ", "{", 1), " {}", "", 1)
	if at := dictionary.FindStringIndex(line); at != nil {
		return line[:at[0]] + words + line[at[0]:]
	}
	return line
}

// Newer returns the text of IR, as 3.6 writes it, as a release does.
func Newer(v Version, text []byte) []byte {
	if !v.Has(NamedBarriers) {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.Replace(line, "gpu.barrier", "ttg.barrier all", 1)
		line = strings.Replace(line, "ttg.local_barrier", "ttg.barrier local", 1)
		if v.Has(CachePolicies) && (strings.Contains(line, "cacheModifier = ") ||
			strings.Contains(line, "evictionPolicy = ")) {
			line = newerLine(line)
		}
		out.WriteString(line)
	}
	return []byte(out.String())
}

func newerLine(line string) string {
	for _, at := range cacheWords.FindAllStringSubmatchIndex(line, -1) {
		m := cacheWords.FindStringSubmatch(line[at[0]:at[1]])
		if m[2] == "" && m[4] == "" {
			continue
		}
		cache, evict := m[2], m[4]
		if cache == "" {
			cache = "none"
		}
		if evict == "" {
			evict = "evict_normal"
		}
		dict := "cachePolicy = #tt.cache_policy<cache_modifier = " + cache + ", eviction_policy = " + evict +
			">"
		if rest := strings.TrimSuffix(strings.TrimPrefix(m[5], " {"), "}"); rest != "" {
			dict += ", " + rest
		}
		return line[:at[0]] + " {" + dict + "} :" + line[at[1]:]
	}
	return line
}
