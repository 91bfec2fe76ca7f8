package bench

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestNormals holds the numbers to those of peer/data.py, which prints these sums.
func TestNormals(t *testing.T) {
	sum, most := 0.0, 0.0
	for _, v := range normals() {
		sum += 4096 * math.Abs(v)
		most = max(most, 4096*v)
	}
	var places [3]int
	for seed := range places {
		for i := range uint64(1000) {
			places[seed] += int(place(uint64(seed), i))
		}
	}
	if sum != 214179844 || most != 17715 || places != [3]int{31785656, 32056429, 32859479} {
		t.Errorf("normals %v %v places %v", sum, most, places)
	}
}

// TestIndependent looks at the moments of tensors and at the products of two.
func TestIndependent(t *testing.T) {
	const n = 1 << 16
	q := normals()
	for other := uint64(1); other < 4; other++ {
		var mean, square, fourth, product, next float64
		for i := range uint64(n) {
			x, y := q[place(0, i)], q[place(other, i)]
			mean, square, fourth = mean+y/n, square+y*y/n, fourth+y*y*y*y/n
			product, next = product+x*y/n, next+y*q[place(other, i+1)]/n
		}
		if math.Abs(mean) > 0.02 || math.Abs(square-1) > 0.03 || math.Abs(fourth-3) > 0.2 ||
			math.Abs(product) > 0.02 || math.Abs(next) > 0.02 {
			t.Errorf("seed %d: moments %.3f %.3f %.3f, products %.3f %.3f", other, mean, square, fourth,
				product, next)
		}
	}
}

// TestWrong runs every figure with a driver whose kernels do nothing: each must be found wrong.
func TestWrong(t *testing.T) {
	txtest.FileCheck(t) // which comes with libLLVM
	if !txtest.Inside() {
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+t.TempDir()))
		return
	}
	dev, err := nereid.OpenDevice("cuda")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range new(Suite).Names() {
		if name == "compile" || name == "launch" {
			continue
		}
		var out bytes.Buffer
		s := &Suite{Device: dev, Small: true, Only: []string{name}, Out: &out}
		err := s.Run(t.Context())
		if !errors.Is(err, errWrong) || !strings.Contains(out.String(), "wrong: ") {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
		if strings.Contains(out.String(), `"nereid":`) {
			t.Errorf("%s: a wrong result has a rate: %s", name, out.String())
		}
	}
}

// TestTurns answers requests on a device of the host, each in a row of its own.
func TestTurns(t *testing.T) {
	dev, err := nereid.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	requests := []string{"1ms matmul fp16 64", "1ms matmul fp16 64", "1ms attention bf16 64 64 causal",
		"1ms matmul fp16 none", "1ms sort fp16 64", "soon matmul fp16 64"}
	var out bytes.Buffer
	s := &Suite{Device: dev, Small: true, Out: &out}
	if err := s.Turns(t.Context(), strings.NewReader(strings.Join(requests, "\n"))); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != len(requests) {
		t.Fatalf("%d rows: %s", len(rows), out.String())
	}
	for i, row := range rows {
		if !strings.Contains(row, `"turn":"`+requests[i]+`"`) || strings.Contains(row, "failed") != (i > 2) {
			t.Errorf("%s: %s", requests[i], row)
		}
	}
}
