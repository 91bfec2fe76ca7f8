// Classifier trains a small network on three spirals of points with GoMLX, on a backend of choice:
//
//	go run . -backend nereid:cpu
//	go run . -backend go
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	_ "github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	_ "github.com/nereid-lang/nereid/gomlx"
)

func main() {
	name := flag.String("backend", "nereid", "the backend, with its configuration")
	steps := flag.Int("steps", 300, "steps of training")
	flag.Parse()
	losses, accuracy, err := train(*name, *steps)
	if err != nil {
		log.Fatal(err)
	}
	for i, loss := range losses {
		if i%50 == 0 || i == len(losses)-1 {
			fmt.Printf("step %3d: loss %.5f\n", i, loss)
		}
	}
	fmt.Printf("accuracy %.3f\n", accuracy)
}

const (
	classes = 3
	points  = 128 // of each class
	hidden  = 64
)

// spirals returns points and their classes.
func spirals() (x [][]float32, y []int32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for c := range classes {
		for i := range points {
			r := float64(i) / points
			a := 4*r + float64(c)*2*math.Pi/classes + 0.15*rng.NormFloat64()
			x = append(x, []float32{float32(r * math.Sin(a)), float32(r * math.Cos(a))})
			y = append(y, int32(c))
		}
	}
	return x, y
}

// weights returns the first weights and biases of the layers.
func weights() []any {
	rng := rand.New(rand.NewPCG(3, 4))
	matrix := func(rows, cols int) [][]float32 {
		m := make([][]float32, rows)
		for i := range m {
			m[i] = make([]float32, cols)
			for j := range m[i] {
				m[i][j] = float32(rng.NormFloat64() * math.Sqrt(2/float64(rows)))
			}
		}
		return m
	}
	return []any{matrix(2, hidden), make([]float32, hidden), matrix(hidden, hidden), make([]float32, hidden),
		matrix(hidden, classes), make([]float32, classes)}
}

// logits is the network.
func logits(x *Node, w []*Node) *Node {
	layer := func(x, w, b *Node) *Node { return Add(Dot(x, w).Product(), ExpandAxes(b, 0)) }
	h := Tanh(layer(x, w[0], w[1]))
	h = Tanh(layer(h, w[2], w[3]))
	return layer(h, w[4], w[5])
}

// crossEntropy is the loss.
func crossEntropy(z, labels *Node) *Node {
	z = Sub(z, ReduceAndKeep(StopGradient(z), ReduceMax, -1))
	logSum := Log(ReduceAndKeep(Exp(z), ReduceSum, -1))
	truth := OneHot(labels, classes, dtypes.Float32)
	return Neg(ReduceAllMean(ReduceSum(Mul(Sub(z, logSum), truth), -1)))
}

// train returns the loss of each step and the accuracy afterwards.
func train(name string, steps int) (losses []float32, accuracy float32, err error) {
	backend, err := compute.NewWithConfig(name)
	if err != nil {
		return nil, 0, err
	}
	defer backend.Finalize()
	const rate, momentum = 0.1, 0.9
	// state: weights, then velocities
	step, err := NewExec(backend, func(in []*Node) []*Node {
		x, y, state := in[0], in[1], in[2:]
		n := len(state) / 2
		loss := crossEntropy(logits(x, state[:n]), y)
		out := make([]*Node, 2*n+1)
		out[2*n] = loss
		for i, g := range Gradient(loss, state[:n]...) {
			v := Add(MulScalar(state[n+i], momentum), g)
			out[i], out[n+i] = Sub(state[i], MulScalar(v, rate)), v
		}
		return out
	})
	if err != nil {
		return nil, 0, err
	}
	right, err := NewExec(backend, func(in []*Node) *Node {
		guess := ArgMax(logits(in[0], in[2:]), -1, dtypes.Int32)
		return ReduceAllMean(ConvertDType(Equal(guess, in[1]), dtypes.Float32))
	})
	if err != nil {
		return nil, 0, err
	}
	points, labels := spirals()
	x, y := tensors.FromValue(points), tensors.FromValue(labels)
	var state []any
	for _, w := range weights() {
		state = append(state, tensors.MustFromAnyValue(w))
	}
	n := len(state)
	for i := range n {
		state = append(state, tensors.FromShape(state[i].(*tensors.Tensor).Shape()))
	}
	for range steps {
		out, err := step.Call(append([]any{x, y}, state...)...)
		if err != nil {
			return nil, 0, err
		}
		losses = append(losses, tensors.ToScalar[float32](out[2*n]))
		for i := range state {
			state[i] = out[i]
		}
	}
	out, err := right.Call(append([]any{x, y}, state[:n]...)...)
	if err != nil {
		return nil, 0, err
	}
	return losses, tensors.ToScalar[float32](out[0]), nil
}
