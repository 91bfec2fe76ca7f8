package pytext

import (
	"math"
	"testing"
)

// TestFloat: the texts are those of repr of CPython 3.12.
func TestFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -2.5: "-2.5", 0.1: "0.1", 1.0 / 3: "0.3333333333333333", 100: "100.0",
		1e15: "1000000000000000.0", 9999999999999998: "9999999999999998.0", 1e16: "1e+16", 1e22: "1e+22",
		123456789012345680: "1.2345678901234568e+17", 1e-4: "0.0001", 1e-5: "1e-05", 1.5e-7: "1.5e-07",
		1e100: "1e+100", 5e-324: "5e-324", math.MaxFloat64: "1.7976931348623157e+308",
		math.Inf(1): "inf", math.Inf(-1): "-inf",
	} {
		if got := Float(f); got != want {
			t.Errorf("%g: %s, want %s", f, got, want)
		}
	}
	if Float(math.NaN()) != "nan" || Float(math.Copysign(0, -1)) != "-0.0" {
		t.Error(Float(math.NaN()), Float(math.Copysign(0, -1)))
	}
	if Bool(true) != "True" || Bool(false) != "False" {
		t.Error("bools")
	}
}

// TestQuote: the texts are those of repr of CPython 3.12. Surrogates are in strings as Python keeps
// them, three bytes each.
func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"": `''`, "abc": `'abc'`, "it's": `"it's"`, `say "x"`: `'say "x"'`, `it's "x"`: `'it\'s "x"'`,
		`a\b`: `'a\\b'`, "a\nb\rc\td": `'a\nb\rc\td'`, "\x00\x1f\x7f ": `'\x00\x1f\x7f '`, "é": `'é'`,
		"\u00a0\u00ad": `'\xa0\xad'`, "\u200b\u2028": `'\u200b\u2028'`, "漢字": `'漢字'`, "😀": `'😀'`,
		"\U000e0001": `'\U000e0001'`, "\uffff": `'\uffff'`, "\xed\xa0\x80": `'\ud800'`,
		"x\xed\xbf\xbfy": `'x\udfffy'`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// TestDecodeRune: surrogates have three bytes, everything else is UTF-8, and what is none is one byte.
func TestDecodeRune(t *testing.T) {
	for _, c := range []struct {
		s    string
		r    rune
		size int
	}{
		{"a", 'a', 1}, {"é", 'é', 2}, {"\xed\x9f\xbf", 0xd7ff, 3}, {"\xed\xa0\x80z", 0xd800, 3},
		{"\xed\xbf\xbf", 0xdfff, 3}, {"\xed\xa0", 0xfffd, 1}, {"\xed\xa0\x41", 0xfffd, 1},
		{"\xee\x80\x80", 0xe000, 3},
		{"😀!", '😀', 4}, {"", 0xfffd, 0},
	} {
		if r, n := DecodeRune(c.s); r != c.r || n != c.size {
			t.Errorf("%q: %#x, %d; want %#x, %d", c.s, r, n, c.r, c.size)
		}
	}
	for r, want := range map[rune]bool{' ': true, 'a': true, 0xa0: false, 0xd800: false, 0x7f: false,
		'é': true} {
		if IsPrintable(r) != want {
			t.Errorf("%#x is printable: %v", r, !want)
		}
	}
}
