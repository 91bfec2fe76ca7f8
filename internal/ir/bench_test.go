package ir_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const benchFile = "testdata/golden/cuda-90/attention_d128_causal.ttgir"

func BenchmarkParse(b *testing.B) {
	src := []byte(txtest.Read(b, txtest.Path(b, benchFile)))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ir.Parse(diag.NewFileSet(), benchFile, src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	src := txtest.Read(b, txtest.Path(b, benchFile))
	m := parse(b, benchFile, src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		text(m, ir.PrintOptions{Locs: true})
	}
}
