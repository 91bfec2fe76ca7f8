package object

import (
	"math/big"

	"github.com/nereid-lang/nereid/internal/python"
)

// Range is a range.
type Range struct{ Start, Stop, Step Int }

// TypeName returns "range".
func (*Range) TypeName() string { return "range" }

func (r *Range) size() *big.Int {
	if r.Start.big == nil && r.Stop.big == nil && r.Step.big == nil {
		lo, hi, step := r.Start.small, r.Stop.small, r.Step.small
		if step < 0 {
			lo, hi = hi, lo
		}
		if lo >= hi {
			return new(big.Int)
		}
		n := new(big.Int).SetUint64((uint64(hi) - uint64(lo) - 1) / absU(step))
		return n.Add(n, bigOne)
	}
	d := new(big.Int).Sub(r.Stop.Big(), r.Start.Big())
	step := r.Step.Big()
	if d.Sign() != step.Sign() {
		return new(big.Int)
	}
	d.Sub(d, big.NewInt(int64(step.Sign())))
	d.Quo(d, step)
	return d.Add(d, bigOne)
}

// at returns element i, which is in range.
func (r *Range) at(i *big.Int) Value {
	if r.Start.big == nil && r.Step.big == nil && i.IsInt64() {
		if d, ok := mulSmall(r.Step.small, i.Int64()); ok {
			if v, ok := smallOps(python.Add, r.Start.small, d); ok {
				return MakeInt(v)
			}
		}
	}
	z := new(big.Int).Mul(r.Step.Big(), i)
	return BigInt(z.Add(z, r.Start.Big()))
}

func (r *Range) equal(s *Range) bool {
	n := r.size()
	if n.Cmp(s.size()) != 0 {
		return false
	}
	return n.Sign() == 0 || r.Start.Cmp(s.Start) == 0 && (n.Cmp(bigOne) == 0 || r.Step.Cmp(s.Step) == 0)
}

func (r *Range) contains(in *Interp, x Value) (bool, error) {
	switch n := Payload(x).(type) {
	case Bool:
		return r.has(IntOf(n)), nil
	case Int:
		return r.has(n), nil
	case Float:
		if f := float64(n); f == float64(int64(f)) {
			return r.has(MakeInt(int64(f))), nil
		}
		return false, nil
	case *Unknown:
		return false, n.Need("the value")
	}
	return false, nil
}

func (r *Range) has(n Int) bool {
	d := new(big.Int).Sub(n.Big(), r.Start.Big())
	q, m := new(big.Int).QuoRem(d, r.Step.Big(), new(big.Int))
	return m.Sign() == 0 && q.Sign() >= 0 && q.Cmp(r.size()) < 0
}

func (in *Interp) rangeItem(r *Range, i Value) (Value, error) {
	if s, ok := i.(*Slice); ok {
		n, err := Len(in, r)
		if err != nil {
			return nil, err
		}
		lo, hi, step, err := in.sliceBounds(s, n)
		if err != nil {
			return nil, err
		}
		start := r.at(big.NewInt(int64(lo))).(Int)
		newStep, err := intOp(in, python.Mult, r.Step, MakeInt(int64(step)))
		if err != nil {
			return nil, err
		}
		stop := r.at(big.NewInt(int64(hi))).(Int)
		return &Range{start, stop, newStep.(Int)}, nil
	}
	k, err := in.ToIndex(i)
	if err != nil {
		return nil, err
	}
	n, size := k.Big(), r.size()
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, size)
	}
	if n.Sign() < 0 || n.Cmp(size) >= 0 {
		return nil, Errorf(IndexError, "range object index out of range")
	}
	return r.at(n), nil
}
