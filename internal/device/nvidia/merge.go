package nvidia

import (
	"context"
	"errors"
	"slices"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
)

// MergeFrom returns the number of programs along the first axis from which on a GPU with that many SMs runs
// programs of which each does the work of n.
func (k *Code) MergeFrom(n, sms int) int {
	if knob.Merge.Get() != "auto" {
		return 1
	}
	return rules.Get(k.rules, rules.BusyPrograms) * sms * n
}

// Merges returns the number of programs that a launch with x programs along the first axis should have as
// one: Merge or, if so few would not keep the SMs busy, half of it, and so on; 1 if none should be merged.
// unit says that they are merged in code for strides of 1.
func (k *Code) Merges(x int, words []uint64, sms int) (n int, unit bool) {
	unit = k.UnitStrides(words)
	for _, n := range k.merges(unit) {
		if x > 0 && x%n == 0 && x >= k.MergeFrom(n, sms) {
			return n, unit
		}
	}
	return 1, false
}

// UnitStrides reports whether a launch has strides, all of them 1.
func (k *Code) UnitStrides(words []uint64) bool { return len(k.Strides) > 0 && k.ones().In(words) }

// ones returns the argument words that are strides, for the check that all are 1.
func (k *Code) ones() (list driver.Ones) {
	for _, i := range k.Strides {
		list = append(list, driver.One{Word: i, Mask: 1<<(8*k.Params[i]) - 1})
	}
	return list
}

// merges returns the numbers of programs that launches may have as one, largest first.
func (k *Code) merges(unit bool) (list []int) {
	most, auto := k.Merge, knob.Merge.Get() == "auto"
	switch {
	case !auto || len(k.Strides) == 0:
	case unit:
		most = rules.Capped(k.rules, rules.MergedUnit, most)
	default:
		most = rules.Capped(k.rules, rules.MergedStrided, most)
	}
	for n := most; n > 1; n /= 2 {
		list = append(list, n)
		if !auto {
			break
		}
	}
	return list
}

// mergeLarge gives large launches of the kernel code of their own.
func (k *kernel) mergeLarge() {
	if k.ready == nil {
		return
	}
	for _, n := range slices.Backward(k.code.merges(true)) {
		if slices.Contains(k.code.merges(false), n) {
			k.fn.Large = k.large(n, false)
		}
		if len(k.code.Strides) > 0 {
			k.fn.Large = k.large(n, true)
			k.fn.Large.Ones = k.code.ones()
		}
	}
}

// large returns the code for launches that have n programs as one, before that for smaller launches.
func (k *kernel) large(n int, unit bool) *driver.Large {
	return &driver.Large{
		From: uint32(k.code.MergeFrom(n, k.dev.dev.SMs)), By: uint32(n), Less: k.fn.Large,
		Make: func() (driver.Ready, error) {
			e, err := k.Merged(context.Background(), n, unit)
			if err != nil {
				return driver.Ready{}, err
			}
			if m, ok := e.(*kernel); ok && m.ready != nil {
				return m.ready.Ready, nil
			}
			return driver.Ready{}, nil
		},
	}
}

// checkStrides returns an error for a description from a cache that does not fit the kernel.
func (k *Code) checkStrides() error {
	if slices.ContainsFunc(k.Strides, func(i int) bool { return i < 0 || i >= len(k.Params) }) {
		return errors.New("the kernel's description does not fit its strides")
	}
	return nil
}
