package collective_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/run"
)

// Two ranks within a process add up their elements.
func Example() {
	dev, err := run.OpenDevice("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	comms, err := collective.Local(context.Background(), dev, dev)
	if err != nil {
		fmt.Println(err)
		return
	}
	sums := make([][]float32, len(comms))
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() {
			defer c.Close()
			stream, err := dev.NewStream(context.Background())
			if err != nil {
				fmt.Println(err)
				return
			}
			defer stream.Close()
			sums[i] = []float32{1, 2, float32(c.Rank())}
			x := run.FromSlice(sums[i])
			if err := c.AllReduce(stream, x, x, collective.Sum); err != nil {
				fmt.Println(err)
			}
		})
	}
	wg.Wait()
	fmt.Println(sums)
	// Output: [[2 4 1] [2 4 1]]
}
