// Command small runs a group of a bundle of softmax on the CPU: it is what a program with package bundle
// alone links.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
)

func main() {
	b, err := bundle.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		log.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	list, err := b.Group("softmax_fp32")
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range list {
		const cols = 64
		in, out := make([]float32, cols), make([]float32, cols)
		x, y := run.FromSlice(in), run.FromSlice(out)
		if err := v.Launch(s, run.Grid{1}, y, x, cols, cols, cols); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %g\n", v, out[cols-1])
	}
}
