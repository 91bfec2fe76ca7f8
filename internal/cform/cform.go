package cform

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
)

//go:embed runtime.c.txt
var runtime string

// maxArgs bounds the arguments of a kernel.
const maxArgs = 256

// Write writes a bundle as C into a folder. name begins all names of the C code. left lists the entries that
// have no form in C.
func Write(dir, name string, f *bundle.File) (files []string, left []error, err error) {
	if !identifier.MatchString(name) {
		return nil, nil, fmt.Errorf("%q begins no names in C: expected letters, digits and _", name)
	}
	w := &writer{prefix: name, file: f, images: map[string]int{}, hosts: map[string]string{}}
	for i := 0; i < f.Len(); {
		list := f.Named(f.Entry(i).Name)
		if err := w.variant(list); err != nil {
			return nil, nil, err
		}
		i += len(list)
	}
	if len(w.names) == 0 {
		return nil, w.left, errors.Join(append([]error{errors.New("nothing of the bundle has a form in C")},
			w.left...)...)
	}
	out := append(w.objects, output{name + ".h", w.header()}, output{name + ".c", w.source()})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	for _, o := range out {
		path := filepath.Join(dir, o.name)
		if err := os.WriteFile(path, o.data, 0o644); err != nil {
			return nil, nil, err
		}
		files = append(files, path)
	}
	return files, w.left, nil
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	foreign    = regexp.MustCompile(`\W`)
)

type output struct {
	name string
	data []byte
}

// writer gathers the parts of the files.
type writer struct {
	prefix  string
	file    *bundle.File
	objects []output
	left    []error

	names    []string // of variants, as C identifiers
	wrappers strings.Builder
	externs  strings.Builder   // functions of object files
	arrays   strings.Builder   // code for GPUs
	tables   strings.Builder   // one for each variant
	images   map[string]int    // code → number of its array
	hosts    map[string]string // code for CPUs → name of its function
}

// variant writes a variant with its code for all targets.
func (w *writer) variant(list []bundle.Entry) error {
	id := foreign.ReplaceAllString(list[0].Name, "_")
	var rows []string
	var first *compile.Saved
	for i := range list {
		e := &list[i]
		for _, part := range []string{bundle.PartCubin, bundle.PartPTX, bundle.PartObj} {
			if e.Part(part) == nil {
				continue
			}
			s, err := w.file.Saved(e, part)
			if err != nil {
				return err
			}
			row, err := w.code(e, s, part)
			if err == nil && first != nil && !sameArgs(first, s) {
				err = fmt.Errorf("its arguments are not those of the code for %s", first.Target)
			}
			if err != nil {
				w.left = append(w.left, fmt.Errorf("%s: %w", e, err))
				continue
			}
			if first == nil {
				first = s
			}
			rows = append(rows, row)
		}
	}
	if first == nil {
		return nil
	}
	w.table(id, &list[0], first, rows)
	w.wrapper(id, &list[0], first)
	w.names = append(w.names, id)
	return nil
}

// sameArgs reports whether two pieces of code take the same arguments, wherever these lie.
func sameArgs(a, b *compile.Saved) bool {
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

// code returns the row of one piece of code in its variant's table.
func (w *writer) code(e *bundle.Entry, s *compile.Saved, part string) (string, error) {
	f := s.Facts
	switch {
	case len(s.Args) > maxArgs:
		return "", fmt.Errorf("it has more than %d arguments", maxArgs)
	case len(f.Maps) > 0:
		return "", errors.New("it takes tensor maps, which C code cannot make: NEREID_DISABLE_TMA=1 " +
			"compiles without")
	case f.Entry == "":
		return "", errors.New("its function is not known")
	}
	if part == bundle.PartObj {
		return w.host(e, s)
	}
	kind := strings.ToUpper(part)
	image := w.image(s.Code, part == bundle.PartPTX)
	number := strings.TrimPrefix(s.Machine, "sm_")
	plain := strings.TrimRight(number, "af")
	capability, err := strconv.Atoi(plain)
	if err != nil {
		return "", fmt.Errorf("%q is no compute capability", s.Machine)
	}
	return fmt.Sprintf("{%s, %q, %q, code_%d, %d, %d, %d, %d, %d, %d, %d, %d, \"\", 0, &(loaded *){0}}",
		kind, e.Target, f.Entry, image, capability, flag(plain != number), f.Threads, max(1, f.Cluster),
		f.Shared, f.Scratch,
		flag(s.Options.LaunchCooperativeGrid), flag(s.Options.LaunchPDL)), nil
}

// host writes an object file and returns its row. Code for the processors of another architecture than the C
// compiler's is not linked.
func (w *writer) host(e *bundle.Entry, s *compile.Saved) (string, error) {
	triple, rest, _ := strings.Cut(s.Machine, " ")
	arch, _, _ := strings.Cut(triple, "-")
	if arch != "x86_64" && arch != "aarch64" {
		return "", fmt.Errorf("%q is no processor that C code knows", s.Machine)
	}
	symbol, err := w.object(arch, s)
	if err != nil {
		return "", err
	}
	features := rest[strings.LastIndexByte(rest, ' ')+1:]
	return fmt.Sprintf("{HOST, %q, %q, 0, 0, 0, 0, 1, 0, %d, 0, 0, %q, AT_%s, 0}",
		e.Target, symbol, s.Facts.Scratch, features, symbol), nil
}

// object writes an object file, once, and returns the name of its function.
func (w *writer) object(arch string, s *compile.Saved) (string, error) {
	if symbol := w.hosts[string(s.Code)]; symbol != "" {
		return symbol, nil
	}
	symbol := fmt.Sprintf("%s_host_%d", w.prefix, len(w.objects))
	obj, err := rename(s.Code, s.Facts.Entry, symbol)
	if err != nil {
		return "", err
	}
	w.hosts[string(s.Code)] = symbol
	w.objects = append(w.objects, output{fmt.Sprintf("%s-%d.o", w.prefix, len(w.objects)), obj})
	fmt.Fprintf(&w.externs,
		"#if defined(__%s__)\nextern host_function %s;\n#define AT_%s %s\n#else\n#define AT_%s 0\n#endif\n",
		arch, symbol, symbol, symbol, symbol)
	return symbol, nil
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// image writes code as an array, once, and returns its number. PTX ends with a zero.
func (w *writer) image(data []byte, text bool) int {
	if n, ok := w.images[string(data)]; ok {
		return n
	}
	n := len(w.images)
	w.images[string(data)] = n
	fmt.Fprintf(&w.arrays, "static const unsigned char code_%d[] = {", n)
	if text {
		data = append(data[:len(data):len(data)], 0)
	}
	for i, b := range data {
		if i%24 == 0 {
			w.arrays.WriteString("\n\t")
		}
		w.arrays.WriteString(strconv.Itoa(int(b)))
		w.arrays.WriteByte(',')
	}
	w.arrays.WriteString("\n};\n\n")
	return n
}

// table writes the description of a variant.
func (w *writer) table(id string, e *bundle.Entry, s *compile.Saved, rows []string) {
	b := &w.tables
	fmt.Fprintf(b, "static const code codes_%s[] = {\n\t%s,\n};\n", id, strings.Join(rows, ",\n\t"))
	fmt.Fprintf(b, "static const argument arguments_%s[] = {", id)
	for _, a := range s.Args {
		fmt.Fprintf(b, "{%q, %d}, ", a.Name, flag(a.Align16))
	}
	b.WriteString("{0, 0}};\n")
	fmt.Fprintf(b, "static const char *const constants_%s[] = {", id)
	for _, c := range e.Constants {
		fmt.Fprintf(b, "%q, %q, ", c.Name, c.Value)
	}
	b.WriteString("0};\n")
	fmt.Fprintf(b, "static const %s_variant variant_%s = {%q, %q, %q, %d, arguments_%s, constants_%s, %d, "+
		"codes_%s};\n\n",
		w.prefix, id, e.Name, e.Group, e.Kernel, len(s.Args), id, id, len(rows), id)
}

// wrapper writes a function with typed arguments for a variant. Its words are zeroed first, since a scalar is
// shorter than a word. Scalars of other types are passed by their bits.
func (w *writer) wrapper(id string, e *bundle.Entry, s *compile.Saved) {
	b := &w.wrappers
	fmt.Fprintf(b, "/* %s, kernel %s(%s)", e.Name, e.Kernel, e.Signature)
	for _, p := range s.Facts.Apart {
		fmt.Fprintf(b, ";\n   on the CPU the memory of %s and %s must not overlap", s.Args[p.A].Name,
			s.Args[p.B].Name)
	}
	fmt.Fprintf(b, " */\nstatic inline int %s_%s(const %s_place *where, unsigned x, unsigned y, unsigned z",
		w.prefix, id, w.prefix)
	for i, a := range s.Args {
		fmt.Fprintf(b, ", %s a%d_%s", cType(a), i, foreign.ReplaceAllString(a.Name, "_"))
	}
	fmt.Fprintf(b, ") {\n\tuint64_t words[%d] = {0};\n", max(1, len(s.Args)))
	for i, a := range s.Args {
		name := fmt.Sprintf("a%d_%s", i, foreign.ReplaceAllString(a.Name, "_"))
		if a.Pointer {
			fmt.Fprintf(b, "\twords[%d] = (uint64_t)(uintptr_t)%s;\n", i, name)
		} else {
			fmt.Fprintf(b, "\tmemcpy(&words[%d], &%s, sizeof %s);\n", i, name, name)
		}
	}
	fmt.Fprintf(b, "\treturn %s_launch(%s_find(%q), where, x, y, z, words);\n}\n\n", w.prefix, w.prefix, e.Name)
}

func cType(a compile.SavedArg) string {
	if a.Pointer {
		return "const void *"
	}
	if t, ok := dtype.Parse(a.Type); ok && t.Row().C != "" {
		return t.Row().C
	}
	return "uint64_t"
}

const headerText = `/* Kernels compiled by Nereid. Written by nereid aot --c: do not edit. Needs a compiler of C99 and POSIX threads. */
#ifndef NEREID_PREFIX_H
#define NEREID_PREFIX_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where kernels run: on the GPU whose context is current, in a stream (a CUstream, or a null pointer), or on the
   CPU, in that many threads; there a launch is done when it returns. */
typedef struct { int cuda; void *stream; int threads; } PREFIX_place;

/* A variant is a kernel with its constants, compiled for one or more targets. */
typedef struct PREFIX_variant PREFIX_variant;
extern const PREFIX_variant *const PREFIX_variants[];
extern const int PREFIX_count;

const char *PREFIX_name(const PREFIX_variant *v);
const char *PREFIX_group(const PREFIX_variant *v);
/* The value of a constant as a Python literal, or a null pointer. */
const char *PREFIX_constant(const PREFIX_variant *v, const char *name);

/* The variant of a name; a null pointer if there is none. */
const PREFIX_variant *PREFIX_find(const char *name);
/* The first variant of a group, or of a kernel, that has the constants (name, value, ..., null pointer), has code
   for the place, and takes the arguments; each of the three may be a null pointer. */
const PREFIX_variant *PREFIX_choose(const char *group, const char *const *constants, const PREFIX_place *where, const uint64_t *words);

/* Whether a variant has code for a place, and whether its arguments are aligned as it was compiled for. */
int PREFIX_runs(const PREFIX_variant *v, const PREFIX_place *where);
int PREFIX_fits(const PREFIX_variant *v, const uint64_t *words);

/* Runs a grid of programs. words has the bits of each argument, in the order of the signature, constants left out.
   The result is 0, or -1 with the reason in PREFIX_error(). */
int PREFIX_launch(const PREFIX_variant *v, const PREFIX_place *where, unsigned x, unsigned y, unsigned z, const uint64_t *words);
const char *PREFIX_error(void);

`

// header returns the text of the header.
func (w *writer) header() []byte {
	return []byte(strings.ReplaceAll(headerText, "PREFIX", w.prefix) + w.wrappers.String() +
		"#ifdef __cplusplus\n}\n#endif\n#endif\n")
}

const sourceText = `/* Written by nereid aot --c: do not edit. */
#define _GNU_SOURCE
#include "PREFIX.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#define MAX_ARGS 256

typedef void host_function(const uint64_t *args, const uint64_t *grid, int64_t first, int64_t last, void *scratch, uint64_t *status);
typedef struct loaded { void *context, *function; struct loaded *next; } loaded;
enum { CUBIN = 1, PTX, HOST };

typedef struct {
	int kind;
	const char *target, *entry;
	const unsigned char *data;
	int capability, exact;
	unsigned threads, cluster, shared;
	uint64_t scratch;
	int cooperative, pdl;
	const char *features;
	host_function *fn;
	loaded **state;
} code;

typedef struct { const char *name; int align16; } argument;

struct PREFIX_variant {
	const char *name, *group, *kernel;
	int args;
	const argument *arg;
	const char *const *constants;
	int codes;
	const code *code;
};

`

// source returns the text of the source file.
func (w *writer) source() []byte {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(sourceText, "PREFIX", w.prefix))
	b.WriteString(w.externs.String() + "\n" + w.arrays.String() + w.tables.String())
	fmt.Fprintf(&b, "const %s_variant *const %s_variants[] = {\n", w.prefix, w.prefix)
	for _, id := range w.names {
		fmt.Fprintf(&b, "\t&variant_%s,\n", id)
	}
	fmt.Fprintf(&b, "};\nconst int %s_count = %d;\n", w.prefix, len(w.names))
	b.WriteString(strings.ReplaceAll(runtime, "PREFIX", w.prefix))
	return []byte(b.String())
}
