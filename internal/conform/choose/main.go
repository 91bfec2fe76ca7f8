// Choose finds kernels of internal/conform that together pass through every statement of the compiler which
// any of them passes through: those that always run.
//
// In: a file of kernels, and targets. Out: a line for each target and kernel. The program is built with
// -cover, so that it can ask which statements a compilation passed through; chosen_test.go says how.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"runtime/coverage"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// kernel is a kernel of a case.
type kernel struct{ Name, File, Source, Kernel, Signature string }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "choose:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want a file of kernels and targets")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var list []kernel
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b kernel) int { return cmp.Compare(hash(a.Name), hash(b.Name)) })
	known := map[passed]bool{}
	for _, target := range args[1:] {
		for _, name := range choose(list, target, known) {
			fmt.Println(target, name)
		}
	}
	return nil
}

// hash puts cases in an order that does not follow their names: neighbours are alike.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// passed is a statement, as a number.
type passed uint64

// choose returns the names of kernels that pass through all statements but those that are known, and makes
// them known, unless they are the CPU's: what GPUs share is seen on one of them.
func choose(list []kernel, target string, known map[passed]bool) (names []string) {
	by, count := map[string]map[passed]bool{}, map[passed]int{}
	var order []string
	modules := map[string]*nereid.Module{}
	for _, k := range list {
		set := map[passed]bool{}
		if err := statements(set, func() error { return k.compile(modules, target) }); err != nil {
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", target, k.Name, err)
			continue
		}
		maps.DeleteFunc(set, func(s passed, _ bool) bool { return known[s] })
		news := false
		for s := range set {
			news = news || count[s] == 0
		}
		if !news {
			continue
		}
		for s := range set {
			count[s]++
		}
		by[k.Name], order = set, append(order, k.Name)
	}
	for _, name := range order { // without those whose statements later ones have, too
		needed := false
		for s := range by[name] {
			needed = needed || count[s] == 1
		}
		if needed {
			names = append(names, name)
			continue
		}
		for s := range by[name] {
			count[s]--
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d of %d kernels, %d statements\n", target, len(names), len(list), len(count))
	for s := range count {
		known[s] = !jit.TraitsFor(target).HostOnly
	}
	slices.Sort(names)
	return names
}

// compile compiles a kernel to LLVM IR.
func (k *kernel) compile(modules map[string]*nereid.Module, target string) (err error) {
	m := modules[k.File]
	if m == nil {
		if m, err = nereid.Parse(k.File+".py", []byte(k.Source), nereid.With(nereid.Config{})); err != nil {
			return err
		}
		modules[k.File] = m
	}
	f, err := m.Kernel(k.Kernel)
	if err != nil {
		return err
	}
	_, err = f.CompileFor(context.Background(), target, k.Signature, nereid.Options{}, "llir")
	return err
}

// statements adds what f passes through.
func statements(into map[passed]bool, f func() error) error {
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := coverage.WriteCounters(&buf); err != nil {
		return err
	}
	return readCounters(buf.Bytes(), into)
}

// readCounters reads Go's file of counters: a header of 32 bytes, one of a segment, texts, and for each
// function how many counters it has, its package, its number, and the counters.
func readCounters(data []byte, into map[passed]bool) error {
	const header, segment = 32, 16
	if len(data) < header+segment || string(data[:4]) != "\x00cwm" {
		return fmt.Errorf("these are no counters: %q", data[:min(len(data), 8)])
	}
	leb := data[24] == 2
	functions := binary.LittleEndian.Uint64(data[header:])
	skip := header + segment + int(binary.LittleEndian.Uint32(data[header+8:])+
		binary.LittleEndian.Uint32(data[header+12:]))
	rest := data[(skip+3)&^3:]
	next := func() (v uint64) {
		n := 4
		if leb {
			v, n = binary.Uvarint(rest)
		} else {
			v = uint64(binary.LittleEndian.Uint32(rest))
		}
		rest = rest[n:]
		return v
	}
	for range functions {
		n, pkg, fn := next(), next(), next()
		for i := range n {
			if next() != 0 {
				into[passed(pkg<<40|fn<<16|i)] = true
			}
		}
	}
	return nil
}
