package lang_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// change replaces a match of a pattern by one of some texts; $0 is what matched.
type change struct {
	pattern *regexp.Regexp
	by      []string
}

func changes(pattern string, by ...string) change { return change{regexp.MustCompile(pattern), by} }

// mildly are changes that leave most kernels valid: other operators, types and functions of the same kind,
// and options that few kernels have.
var mildly = []change{
	changes(` (\+|-|\*) `, " + ", " - ", " * ", " % ", " // ", " / ", " & ", " | ", " ^ ", " << ", " >> "),
	changes(` (<|<=|>|>=|==|!=) `, " < ", " <= ", " > ", " >= ", " == ", " != "),
	changes(` (and|or) `, " and ", " or ", " & "),
	changes(`\b[1-9][0-9]*\b`, "0", "1", "2", "4", "8", "16", "(-1)", "3", "0.5", "True", "tl.constexpr(2)"),
	changes(`tl\.(float|int|uint|bfloat)[0-9]+`, "tl.float16", "tl.bfloat16", "tl.float32", "tl.float64",
		"tl.int8", "tl.int16", "tl.int32", "tl.int64", "tl.uint8", "tl.uint32", "tl.uint64", "tl.int1",
		"tl.float8e5", "tl.float8e4nv", "tl.float8e4b15"),
	changes(`tl\.load\(`, `tl.load($, volatile=True)`, `tl.load($, cache_modifier=".cg")`,
		`tl.load($, eviction_policy="evict_first")`, `1 + tl.load(`, `-tl.load(`,
		`tl.load($, cache_modifier=".ca", eviction_policy="evict_last")`),
	changes(`tl\.store\(`, `tl.store($, cache_modifier=".wt")`,
		`tl.store($, eviction_policy="evict_last")`),
	changes(`other=[^,)]*`, "other=0", "other=1", "other=-1.5", "other=None", "other=float('nan')"),
	changes(`tl\.(sum|max|min|argmax|argmin|xor_sum|cumsum|cumprod|sort|flip|softmax)\(`, "tl.sum(", "tl.max(",
		"tl.min(", "tl.argmax(", "tl.argmin(", "tl.xor_sum(", "tl.cumsum(", "tl.cumprod(", "tl.sort(",
		"tl.flip(", "tl.softmax(", "tl.reduce_or(", "tl.cumsum($, reverse=True)",
		"tl.sum($, keep_dims=True)", "tl.max($, return_indices=False)", "tl.sum($, dtype=tl.float64)"),
	changes(`tl\.(exp|exp2|log|log2|sqrt|rsqrt|abs|sin|cos|floor|ceil|erf|sigmoid)\(`, "tl.exp(", "tl.exp2(",
		"tl.log(", "tl.log2(", "tl.sqrt(", "tl.rsqrt(", "tl.abs(", "tl.sin(", "tl.floor(", "tl.ceil(", "tl.erf(",
		"tl.sigmoid(", "tl.sqrt_rn("),
	changes(`tl\.(maximum|minimum)\(`, "tl.maximum(", "tl.minimum(", "tl.div_rn(", "tl.fdiv(", "tl.umulhi(",
		"tl.maximum($, propagate_nan=tl.PropagateNan.ALL)"),
	changes(`tl\.dot\(`, `tl.dot($, input_precision="ieee")`, `tl.dot($, out_dtype=tl.float16)`,
		`tl.dot($, input_precision="tf32x3")`, `tl.dot($, allow_tf32=False)`,
		`tl.dot($, max_num_imprecise_acc=32)`),
	changes(`\brange\(`, "tl.range(", "tl.static_range(", "tl.range($, num_stages=2)",
		"tl.range($, flatten=True)", "tl.range($, loop_unroll_factor=2)",
		"tl.range($, disallow_acc_multi_buffer=True)", "tl.range($, warp_specialize=True)"),
	changes(`tl\.zeros\(`, "1 + tl.zeros(", "tl.zeros_like(tl.zeros("),
	changes(`\[:, None\]`, "[None, :]", "[:, None, None]", ".expand_dims((1, 0))", ".expand_dims(-1)", ""),
	changes(`\[None, :\]`, "[:, None]", "[None, None, :]", ".expand_dims((2, 0))", ".reshape(1, -1)"),
	changes(`\.T\b`, ".trans()", ".permute(0, 1)", ".trans(1, 0)", ""),
	changes(`\.to\(tl\.\w+\)`, "", "$0.to(tl.float32, bitcast=True)",
		".to(tl.float16, fp_downcast_rounding='rtz')", ".to(tl.float8e5)", ".cast(tl.int16)"),
	changes(`mask=`, "mask=False & ", "mask=(1 < 2) & ", "cache_modifier='.cg', mask="),
	changes(`tl\.atomic_(add|max|min|and|or|xor|xchg)\(`, "tl.atomic_add(", "tl.atomic_max(", "tl.atomic_min(",
		"tl.atomic_and(", "tl.atomic_xchg(", `tl.atomic_add($, sem="acquire")`,
		`tl.atomic_xchg($, sem="relaxed", scope="cta")`, `tl.atomic_max($, sem="release", scope="sys")`),
	changes(`\bif `, "if not ", "while "),
	changes(` = `, " += ", " = 1 + ", " = -"),
}

// types are changes of a signature.
var types = []change{
	changes(`\*\w+`, "*fp16", "*fp32", "*bf16", "*i8", "*i32", "*i64", "*u8", "*i1", "*fp64", "*fp8e5"),
	changes(`\bi32\b`, "i64", "i16", "u32", "u64", "i1", "fp32", "fp64", "1"),
	changes(`:16`, ""),
}

// apply makes one change at a match, if there is any.
func apply(list []change, rng *rand.Rand, text string, from int) string {
	for range 12 {
		c := list[rng.IntN(len(list))]
		at := c.pattern.FindAllStringIndex(text[from:], -1)
		if len(at) == 0 {
			continue
		}
		m := at[rng.IntN(len(at))]
		was := text[from+m[0] : from+m[1]]
		by := strings.ReplaceAll(c.by[rng.IntN(len(c.by))], "$0", was)
		if by != was {
			return text[:from+m[0]] + within(by, text[from+m[1]:])
		}
	}
	return text
}

// within returns a text before what follows it. What stands between $ and the end of "f($, more)" goes to the
// end of the call that the text begins.
func within(by, rest string) string {
	call, more, ok := strings.Cut(by, "$")
	if !ok {
		return by + rest
	}
	depth := 1
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return call + rest[:i] + strings.TrimSuffix(more, ")") + rest[i:]
		}
	}
	return by + rest
}

// variant returns a seed with one or two mild changes of the kernel, or of its signature.
func (s frontEndSeed) variant(seed uint64) frontEndSeed {
	rng := rand.New(rand.NewPCG(seed, 3))
	from := max(strings.Index(s.text, "def "+s.kernel+"("), 0)
	from += max(strings.Index(s.text[from:], ":\n"), 0)
	switch rng.IntN(4) {
	case 0:
		s.signature = apply(types, rng, s.signature, 0)
	case 1:
		s.text = apply(mildly, rng, s.text, from)
	}
	s.text = apply(mildly, rng, s.text, from)
	return s
}

// TestVariants compiles variants of kernels and compares what comes of each with a table: a hash of the IR
// before and after the passes, or the message. A seed's variants follow from its text, so that a new one
// changes no line of the others.
func TestVariants(t *testing.T) {
	var lines []string
	compiled := 0
	for _, s := range frontEndSeeds(t) {
		sum := sha256.Sum256([]byte(s.text + s.kernel + s.signature))
		rounds := uint64(2)
		if _, err := frontEnd(s.text, s.kernel, s.signature); err == nil {
			rounds = 24
		}
		for round := range rounds {
			v := s.variant(binary.LittleEndian.Uint64(sum[:])<<8 | round)
			name := fmt.Sprintf("%s-%x/%d ", s.kernel, sum[:3], round)
			ir, err := compileAnything(t, v.text, v.kernel, v.signature)
			if err != nil {
				message, _, _ := strings.Cut(err.Error(), "\n")
				lines = append(lines, name+message)
				continue
			}
			compiled++
			lines = append(lines, fmt.Sprintf("%s%x", name, sha256.Sum256([]byte(ir)))[:len(name)+12])
		}
	}
	slices.Sort(lines)
	t.Logf("%d of %d compile", compiled, len(lines))
	txtest.Golden(t, "testdata/variants.txt", strings.Join(slices.Compact(lines), "\n")+"\n")
}
