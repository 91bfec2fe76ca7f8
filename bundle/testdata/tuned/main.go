// Command tuned is an op over the variants of a bundle: what a program with package tunable links.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
	"github.com/nereid-lang/nereid/tunable"
)

type softmax struct {
	Out, In *run.Tensor
	Cols    int
}

func main() {
	b, err := bundle.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	list, err := tunable.Group(b, "softmax_fp32", tunable.Launch[softmax]{
		Run: func(c *tunable.Code, s *run.Stream, p softmax) error {
			a := c.Args().Tensor(p.Out).Tensor(p.In).Int(p.Cols).Int(p.Cols).Int(p.Cols)
			return a.Launch(s, run.Grid{1})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(list), "candidates")
}
