package cform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// A launch in C passes a tensor descriptor as words: address, sizes, strides, padding. Code for CPUs and
// older GPUs takes them as they are. Where code takes a tensor map, the launch encodes the words, so that a
// variant has the same arguments everywhere.

// maxMaps bounds the tensor maps of a kernel, each 128 bytes: CUDA passes 4 KiB of arguments.
const maxMaps = 32

// swizzles holds the numbers of CUtensorMapSwizzle, by the bytes of a swizzle.
var swizzles = map[int]int{0: 0, 32: 1, 64: 2, 128: 3}

// takeMaps returns the tensor maps that code takes, and puts words in their place among its arguments.
func takeMaps(s *code.Saved) ([]lower.TensorMap, error) {
	if len(s.Facts.Maps) == 0 {
		return nil, nil
	}
	var meta struct{ Maps []lower.TensorMap }
	if err := json.Unmarshal(s.Meta, &meta); err != nil {
		return nil, fmt.Errorf("its tensor maps are not described: %w", err)
	}
	maps := meta.Maps
	if len(maps) != len(s.Facts.Maps) || len(maps) > maxMaps {
		return nil, fmt.Errorf("it takes %d tensor maps, and %d are described; C code makes at most %d",
			len(s.Facts.Maps), len(maps), maxMaps)
	}
	var args []code.SavedArg
	k := 0
	for i, a := range s.Args {
		if k == len(maps) || maps[k].Param != i {
			args = append(args, a)
			continue
		}
		words := code.DescriptorArgs(a.Name, elementType(s, a.Name), len(maps[k].Box))
		args = append(args, code.Args(words, nil)...)
		k++
	}
	s.Args = args
	return maps, nil
}

// elementType returns the type of a descriptor's elements: fp16 of tensordesc<fp16[64, 64]>.
func elementType(s *code.Saved, param string) string {
	for _, p := range s.Params {
		if _, text, ok := strings.Cut(p.Spec, "<"); ok && p.Name == param {
			elem, _, _ := strings.Cut(text, "[")
			return elem
		}
	}
	return ""
}

// mapTables writes the tensor maps of code, and returns their number and the name of their table. sizes are
// the bytes of the parameters, if some maps are of tiles.
func (w *writer) mapTables(maps []lower.TensorMap, sizes []int) (count, at cell) {
	if len(maps) == 0 {
		return number(0), ref("")
	}
	w.maps++
	list := table{name: fmt.Sprintf("maps_%d", w.maps), ctype: "tensor_map"}
	for i, m := range maps {
		box := table{name: fmt.Sprintf("box_%d_%d", w.maps, i), ctype: "int64_t"}
		for _, n := range m.Box {
			box.rows = append(box.rows, []cell{number(n)})
		}
		w.tables = append(w.tables, box)
		tile := ref("")
		if m.Tile != nil {
			tile = w.numbers(tileNumbers(m.Tile, sizes))
		}
		list.rows = append(list.rows, []cell{number(m.Param), number(len(m.Box)), number(int(m.Type)),
			number(m.ElemBytes), number(swizzles[m.Swizzle]), number(m.FP4Padded), ref(box.name), tile})
	}
	w.tables = append(w.tables, list)
	return number(len(maps)), ref(list.name)
}
