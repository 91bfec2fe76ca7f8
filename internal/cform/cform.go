package cform

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// maxArgs bounds the arguments of a kernel.
const maxArgs = 256

// Form is a bundle as C.
type Form struct {
	Name    string  // begins all names of the C code
	Left    []error // entries, and forms of their code, that C has not
	header  []byte
	writer  *writer
	objects []hostObject
}

// hostObject is an object file with code for CPUs.
type hostObject struct {
	arch   string // "x86_64", "aarch64"
	symbol string // its function
	data   []byte
}

// Options says what a bundle does not hold of its table.
type Options struct {
	Order  []string               // names of the variants in the table's order, which is that of choice
	Launch map[string]rule.Launch // by variant

	ONNX      bool // the library is one of operators of ONNX Runtime
	Operators []*rule.Operator
}

// New returns a bundle as C. name begins all names of the C code.
func New(name string, f *bundle.File, o Options) (*Form, error) {
	if !identifier.MatchString(name) {
		return nil, fmt.Errorf("%q begins no names in C: expected letters, digits and _", name)
	}
	w := &writer{prefix: name, file: f, options: o, images: map[string]string{}, hosts: map[string]string{}}
	for _, name := range variantNames(f, o.Order) {
		if err := w.variant(f.Named(name)); err != nil {
			return nil, err
		}
	}
	if len(w.variants) == 0 {
		return nil, errors.Join(append([]error{errors.New("nothing of the bundle has a form in C")},
			w.left...)...)
	}
	w.makeGroups()
	if err := w.functions(); err != nil {
		return nil, err
	}
	if o.ONNX {
		if len(o.Operators) == 0 {
			return nil, errNoOperators
		}
		if err := w.operators(); err != nil {
			return nil, err
		}
	}
	return &Form{Name: name, Left: w.left, header: w.header(), writer: w, objects: w.objects}, nil
}

// variantNames returns the names of a bundle's variants: those of order first.
func variantNames(f *bundle.File, order []string) (names []string) {
	have := map[string]bool{}
	for i := range f.Len() {
		have[f.Entry(i).Name] = true
	}
	take := func(name string) {
		if have[name] {
			names = append(names, name)
			delete(have, name)
		}
	}
	for _, name := range order {
		take(name)
	}
	for i := range f.Len() {
		take(f.Entry(i).Name)
	}
	return names
}

// Write writes a header, a source file and object files into a folder.
func (f *Form) Write(dir string) (files []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		files = append(files, path)
		err = errors.Join(err, os.WriteFile(path, data, 0o644))
	}
	for i, o := range f.objects {
		write(f.objectName(i), o.data)
	}
	write(f.Name+".h", f.header)
	write(f.Name+".c", f.writer.source())
	return files, err
}

func (f *Form) objectName(i int) string { return fmt.Sprintf("%s-%d.o", f.Name, i) }

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	foreign    = regexp.MustCompile(`\W`)
)

// writer gathers the parts of the files.
type writer struct {
	prefix  string
	file    *bundle.File
	options Options
	objects []hostObject
	left    []error

	variants []*variant
	groups   []*grouped
	rules    int // that were written
	maps     int // codes with tensor maps
	forms    int // codes with forms
	lists    int // of numbers
	tables   []table
	blobs    []blob
	images   map[string]string // code → name of its blob
	hosts    map[string]string // code for CPUs → name of its function

	calls   []function      // of variants and groups
	remarks strings.Builder // in the header: groups without a function
}

// variant is a variant with code in C.
type variant struct {
	id     string // its name as part of a C identifier
	entry  *bundle.Entry
	saved  *code.Saved // of its first code: the arguments are the same for all
	launch rule.Launch
	symbol string // of its table

	on [places]bool // it has code for these
}

// place is where code runs; the C source has the same numbers (PREFIX_place).
type place int

const (
	onCPU place = iota
	onCUDA
	onHIP
	places
)

// placeOf maps the parts of a bundle to where they run.
var placeOf = map[string]place{bundle.PartCubin: onCUDA, bundle.PartPTX: onCUDA, bundle.PartObj: onCPU,
	bundle.PartHsaco: onHIP}

// cName returns a name as part of a C identifier.
func cName(name string) string { return foreign.ReplaceAllString(name, "_") }

// variant writes a variant with its code for all targets.
func (w *writer) variant(list []bundle.Entry) error {
	v := &variant{id: cName(list[0].Name), entry: &list[0], launch: w.options.Launch[list[0].Name]}
	codes := table{name: "codes_" + v.id, ctype: "code"}
	for i := range list {
		e := &list[i]
		if !slices.ContainsFunc(e.Parts, func(p bundle.Part) bool { _, ok := placeOf[p.Name]; return ok }) {
			w.left = append(w.left, fmt.Errorf("%s: C launches code for CUDA, HIP and CPUs alone: a Go "+
				"program with the back end launches it", e))
		}
		for _, part := range []string{bundle.PartCubin, bundle.PartPTX, bundle.PartObj, bundle.PartHsaco} {
			if e.Part(part) == nil {
				continue
			}
			s, err := w.file.Saved(e, part)
			if err != nil {
				return err
			}
			row, err := w.code(e, s, part)
			if err == nil && v.saved != nil && !sameArgs(v.saved, s) {
				err = fmt.Errorf("its arguments are not those of the code for %s", v.saved.Target)
			}
			if err != nil {
				w.left = append(w.left, fmt.Errorf("%s: %w", e, err))
				continue
			}
			if v.saved == nil {
				v.saved = s
			}
			codes.rows = append(codes.rows, row)
			v.on[placeOf[part]] = true
		}
	}
	if v.saved != nil {
		w.describe(v, codes)
	}
	return nil
}

// sameArgs reports whether two pieces of code take the same arguments, wherever these lie.
func sameArgs(a, b *code.Saved) bool {
	if len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if a.Args[i].Type != b.Args[i].Type || a.Args[i].Pointer != b.Args[i].Pointer {
			return false
		}
	}
	return true
}

// Kinds of code, as the C source has them.
const (
	kindCubin = 1 + iota
	kindPTX
	kindHost
	kindHsaco
)

// code returns the row of one piece of code in its variant's table.
func (w *writer) code(e *bundle.Entry, s *code.Saved, part string) ([]cell, error) {
	f := s.Facts
	switch {
	case len(s.Args) > maxArgs:
		return nil, fmt.Errorf("it has more than %d arguments", maxArgs)
	case f.Checked:
		return nil, errors.New("it checks its accesses, and C code does not tell it the bounds of the " +
			"arguments: compile it without NEREID_CHECK")
	case f.Entry == "":
		return nil, errors.New("its function is not known")
	}
	maps, err := takeMaps(s)
	if err != nil {
		return nil, err
	}
	switch part {
	case bundle.PartObj:
		return w.host(e, s)
	case bundle.PartHsaco:
		return w.hsaco(e, s), nil
	}
	kind := kindCubin
	if part == bundle.PartPTX {
		kind = kindPTX
	}
	exact := strings.TrimPrefix(s.Machine, "sm_")
	plain := strings.TrimRight(exact, "af")
	capability, err := strconv.Atoi(plain)
	if err != nil {
		return nil, fmt.Errorf("%q is no compute capability", s.Machine)
	}
	chip := chipOf{kind, e.Target, capability, plain != exact}
	count, at := w.mapTables(maps, nil)
	choice, err := w.choice(e, s, chip)
	return append(chip.cells(f.Entry, w.image(s.Code)), number(f.Threads), number(max(1, f.Cluster)),
		number(f.Shared), number(f.Scratch), number(s.Options.LaunchCooperativeGrid),
		number(s.Options.LaunchPDL), "", ref(""), count, at, number(len(s.Facts.Params)), number(false),
		number(1), number(0), ref(""), choice, number(0), ref(""), ref("")), err
}

// hsaco keeps a code object and returns its row: one chip runs it, which takes its arguments packed.
func (w *writer) hsaco(e *bundle.Entry, s *code.Saved) []cell {
	f, zero := s.Facts, number(0)
	var sizes []int64
	for _, n := range f.Params {
		sizes = append(sizes, int64(n))
	}
	chip := chipOf{kindHsaco, e.Target, 0, true}
	return append(chip.cells(f.Entry, w.image(s.Code)), number(f.Threads), number(1), number(f.Shared), zero,
		zero, zero, s.Machine, ref(""), zero, ref(""), number(len(sizes)), zero, number(1), zero, ref(""),
		ref(""), zero, ref(""), w.numbers(sizes))
}

// chipOf is the GPUs that code is for.
type chipOf struct {
	kind       int
	target     string
	capability int
	exact      bool // no others run it
}

// cells returns the first cells of a row of code.
func (c chipOf) cells(entry, image string) []cell {
	return []cell{number(c.kind), c.target, entry, ref(image), number(c.capability), number(c.exact)}
}

// host keeps an object file and returns its row. Code for the processors of another architecture than the C
// compiler's is not linked.
func (w *writer) host(e *bundle.Entry, s *code.Saved) ([]cell, error) {
	triple, rest, _ := strings.Cut(s.Machine, " ")
	arch, _, _ := strings.Cut(triple, "-")
	if arch != "x86_64" && arch != "aarch64" {
		return nil, fmt.Errorf("%q is no processor that C code knows", s.Machine)
	}
	symbol, err := w.object(arch, s)
	if err != nil {
		return nil, err
	}
	features := rest[strings.LastIndexByte(rest, ' ')+1:]
	zero := number(0)
	var apart []int64
	for _, p := range s.Facts.Apart {
		if !p.OrEqual { // equal addresses are all that a launch can find
			apart = append(apart, int64(p.A), int64(p.B))
		}
	}
	return []cell{number(kindHost), e.Target, symbol, ref(""), zero, zero, zero, number(1), zero,
		number(s.Facts.Scratch), zero, zero, features, ref("AT_" + symbol), zero, ref(""), zero, zero,
		number(1), zero, ref(""), ref(""), number(len(apart) / 2), w.numbers(apart), ref("")}, nil
}

// object keeps an object file, once, and returns the name of its function.
func (w *writer) object(arch string, s *code.Saved) (string, error) {
	if symbol := w.hosts[string(s.Code)]; symbol != "" {
		return symbol, nil
	}
	symbol := fmt.Sprintf("%s_host_%d", w.prefix, len(w.objects))
	obj, err := rename(s.Code, s.Facts.Entry, symbol)
	if err != nil {
		return "", err
	}
	w.hosts[string(s.Code)] = symbol
	w.objects = append(w.objects, hostObject{arch, symbol, obj})
	return symbol, nil
}

// image keeps code for GPUs, once, and returns the name of its blob.
func (w *writer) image(data []byte) string {
	if name := w.images[string(data)]; name != "" {
		return name
	}
	name := fmt.Sprintf("code_%d", len(w.blobs))
	w.images[string(data)] = name
	w.blobs = append(w.blobs, blob{name: name, data: data})
	return name
}

// describe writes the tables of a variant.
func (w *writer) describe(v *variant, codes table) {
	args := table{name: "arguments_" + v.id, ctype: "argument"}
	for _, a := range v.saved.Args {
		args.rows = append(args.rows, []cell{a.Name, number(a.Pointer), number(a.Align16),
			number(numberKind(a)), number(elementKind(a))})
	}
	constants := table{name: "constants_" + v.id, ctype: "constant"}
	for _, c := range v.entry.Constants {
		constants.rows = append(constants.rows, []cell{c.Name, c.Value})
	}
	state := table{name: "state_" + v.id, ctype: "state", variable: true, rows: [][]cell{{ref(""), ref("")}}}
	v.symbol = "variant_" + v.id
	pointers := bits(v.saved.Args, func(a code.SavedArg) bool { return a.Pointer })
	aligned := bits(v.saved.Args, func(a code.SavedArg) bool { return a.Align16 })
	row := append([]cell{number(len(args.rows)), pointers, aligned, ref(state.name)}, w.launchRules(v)...)
	row = append(row, v.entry.Name, v.entry.Group, v.entry.Kernel, number(len(constants.rows)),
		number(len(codes.rows)), ref(args.name), ref(constants.name), ref(codes.name))
	w.tables = append(w.tables, codes, args, constants, state,
		table{name: v.symbol, ctype: w.prefix + "_variant", rows: [][]cell{row}})
	w.variants = append(w.variants, v)
}

// bits returns which of the first 64 arguments are of a kind.
func bits(args []code.SavedArg, is func(code.SavedArg) bool) cell {
	var mask uint64
	for i, a := range args[:min(64, len(args))] {
		if is(a) {
			mask |= 1 << i
		}
	}
	return int64(mask)
}
