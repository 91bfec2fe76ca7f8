package std

import (
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// nativeModules has the modules that are written in Go: for each a function that makes its names.
var nativeModules map[string]func(in *object.Interp) map[string]object.Value

func init() {
	nativeModules = map[string]func(in *object.Interp) map[string]object.Value{}
	for _, table := range []map[string]func(in *object.Interp) map[string]object.Value{numberModules(),
		systemModules(), functionModules(), classModules(), miscModules()} {
		for name, make := range table {
			nativeModules[name] = make
		}
	}
}

// library implements pyrun.Library.
type library struct{}

// Library is Python's library, as far as it is written in Go.
var Library pyrun.Library = library{}

// Module makes a module of the library; nil where it is not written in Go.
func (library) Module(in *object.Interp, name string) *pyrun.Module {
	make, ok := nativeModules[name]
	if !ok {
		return nil
	}
	first, _, _ := strings.Cut(name, ".")
	m := &pyrun.Module{Name: name, Vars: make(in), Open: partlyHere[first]}
	if name == "typing" || name == "typing_extensions" {
		m.Lookup = object.LookupTyping
	}
	return m
}

// Has reports whether Python's library has a module of that name.
func (library) Has(name string) bool { return standardLibrary[name] }

// partlyHere has the modules that have more names than are written here.
var partlyHere = map[string]bool{"os": true, "sys": true, "platform": true, "argparse": true, "logging": true,
	"inspect": true, "time": true,
	"threading": true, "traceback": true, "weakref": true, "gc": true, "importlib": true, "struct": true,
	"types": true, "contextlib": true,
	"collections": true, "re": true, "textwrap": true, "warnings": true, "random": true, "atexit": true,
	"copy": true, "ast": true,
	"subprocess": true, "queue": true}

// fixed returns the maker of a module that is the same for all evaluators: make runs when the first of them
// asks.
func fixed(make func() map[string]object.Value) func(*object.Interp) map[string]object.Value {
	vars := sync.OnceValue(make)
	return func(*object.Interp) map[string]object.Value { return vars() }
}

// named adds functions to a map of names.
func named(vars map[string]object.Value, fns ...*object.Builtin) map[string]object.Value {
	for _, f := range fns {
		vars[f.Name] = f
	}
	return vars
}

// nothing returns a function that takes anything and returns None.
func nothing(name string) *object.Builtin {
	return &object.Builtin{Name: name,
		Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
			return object.None, nil
		}}
}

// same returns a function that returns its argument: a decorator that changes nothing.
func same(name string) *object.Builtin {
	return object.Native(name, "x *args **kws",
		func(_ *object.Interp, a []object.Value) (object.Value, error) { return a[0], nil })
}

// standardLibrary has the names of all modules of Python's library. The import of one that is not written in
// Go succeeds; what is in it is unknown.
var standardLibrary = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(standardNames) {
		m[n] = true
	}
	return m
}()

const standardNames = `
__main__ _thread abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar
cmath cmd code codecs collections colorsys concurrent configparser contextlib contextvars copy copyreg
cProfile csv ctypes curses dataclasses datetime decimal difflib dis email enum errno faulthandler fcntl
filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip
hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache
locale logging lzma mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator os pathlib
pdb pickle pickletools pkgutil platform plistlib poplib posix pprint profile pstats pty pwd py_compile
queue quopri random re readline reprlib resource runpy sched secrets select selectors shelve shlex shutil
signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess
symtable sys sysconfig syslog tabnanny tarfile tempfile termios textwrap threading time timeit tkinter
token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib
uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
__future__ distutils imp`
