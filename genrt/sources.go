package genrt

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Sources holds files in memory by path, as generated code embeds them. It is a file system for LoadFS.
type Sources map[string]string

// Open implements fs.FS.
func (s Sources) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if text, ok := s[name]; ok {
		return &sourceFile{sourceInfo{path.Base(name), int64(len(text)), false},
			*bytes.NewReader([]byte(text)), nil}, nil
	}
	list := s.list(name)
	if list == nil && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &sourceFile{info: sourceInfo{path.Base(name), 0, true}, entries: list}, nil
}

// list returns the entries of a folder, or nil if there is none.
func (s Sources) list(dir string) []fs.DirEntry {
	found := map[string]fs.DirEntry{}
	for name, text := range s {
		rest, ok := strings.CutPrefix(name, dir+"/")
		if dir == "." {
			rest, ok = name, true
		}
		if !ok {
			continue
		}
		first, _, below := strings.Cut(rest, "/")
		info := sourceInfo{first, int64(len(text)), below}
		if below {
			info.size = 0
		}
		found[first] = fs.FileInfoToDirEntry(info)
	}
	var out []fs.DirEntry
	for _, e := range found {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

type sourceInfo struct {
	name string
	size int64
	dir  bool
}

func (i sourceInfo) Name() string     { return i.name }
func (i sourceInfo) Size() int64      { return i.size }
func (sourceInfo) ModTime() time.Time { return time.Time{} }
func (i sourceInfo) IsDir() bool      { return i.dir }
func (sourceInfo) Sys() any           { return nil }

func (i sourceInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// sourceFile is an open file or folder.
type sourceFile struct {
	info    sourceInfo
	r       bytes.Reader
	entries []fs.DirEntry
}

func (f *sourceFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *sourceFile) Close() error               { return nil }

func (f *sourceFile) Read(p []byte) (int, error) {
	if f.info.dir {
		return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: fs.ErrInvalid}
	}
	return f.r.Read(p)
}

// ReadDir implements fs.ReadDirFile.
func (f *sourceFile) ReadDir(n int) ([]fs.DirEntry, error) {
	list := f.entries
	if n > 0 {
		if len(list) == 0 {
			return nil, io.EOF
		}
		list = list[:min(n, len(list))]
	}
	f.entries = f.entries[len(list):]
	return list, nil
}
