package lang_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// BenchmarkTTIR takes the shared kernels from source text to final Triton IR: parser, evaluator, front end,
// passes, and the verifier between them.
func BenchmarkTTIR(b *testing.B) {
	for _, s := range specsFile(b) {
		text := []byte(txtest.Read(b, txtest.Path(b, "kernels", s.File)))
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				src, err := lang.Load(s.File, text, lang.LoadOptions{})
				if err != nil {
					b.Fatal(err)
				}
				m, err := compile(src, s)
				if err != nil {
					b.Fatal(err)
				}
				if err := pass.Run(&pass.Context{}, m, pass.TTIR(pass.TTIRFor(chip.CUDA(90)))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
