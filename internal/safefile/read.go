package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrRefused is wrapped by the errors of files and folders that are there and are not to be used.
var ErrRefused = errors.New("refused")

// Read returns the content of a regular file of at most max bytes. Links are followed. A pipe, a device or a
// folder is an error at once: nothing is waited for.
func Read(path string, max int64) ([]byte, error) {
	f, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, max)
}

// ReadFS is Read for a file of a file system.
func ReadFS(fsys fs.FS, name string, max int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err == nil {
		err = mustBeRegular(name, info) // before the opening, which would wait for the other end of a pipe
	}
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		err = mustBeRegular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return readBounded(f, name, info.Size(), max)
}

// ReadNamed returns the content of a file that the user has named, of at most max bytes. It may be a pipe,
// which is waited for as any program does; one without an end is an error.
func ReadNamed(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, max)
}

// ReadTrusted returns the content of a file as Read does, if nobody but this process's user or root can have
// written it: neither it nor its folder is another's or writable by others, and it is no link.
func ReadTrusted(path string, max int64) ([]byte, error) {
	f, err := OpenTrusted(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, max)
}

// OpenTrusted opens a file under the conditions of ReadTrusted. The caller bounds what it reads.
func OpenTrusted(path string) (*os.File, error) {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if why := us().distrust(dir, strict); why != "" {
		return nil, fmt.Errorf("%w: %s %s", ErrRefused, filepath.Dir(path), why)
	}
	f, err := open(path, noFollow)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		if why := us().distrust(info, strict); why != "" {
			err = fmt.Errorf("%w: %s %s", ErrRefused, path, why)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// open opens a regular file. The check comes after the opening, so that nobody can exchange the file in
// between; a pipe that nobody writes to does not block it.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlock|flags, 0)
	if err != nil {
		if flags&noFollow != 0 && isLink(path) {
			return nil, fmt.Errorf("%w: %s is a link", ErrRefused, path)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = mustBeRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// mustBeRegular returns an error for a folder, a pipe, a device and the like.
func mustBeRegular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%w: %s is no regular file but %s", ErrRefused, path, kind(info.Mode()))
}

// readAll reads an open file.
func readAll(f *os.File, max int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readBounded(f, f.Name(), info.Size(), max)
}

// readBounded reads a file of a size, which may grow while it is read.
func readBounded(f io.Reader, name string, size, max int64) ([]byte, error) {
	if size > max {
		return nil, tooLarge(name, max)
	}
	data := make([]byte, 0, size+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > max:
			return nil, tooLarge(name, max)
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge(path string, max int64) error {
	return fmt.Errorf("%w: %s is larger than %d bytes", ErrRefused, path, max)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	for _, k := range []struct {
		bit  fs.FileMode
		name string
	}{
		{fs.ModeDir, "a folder"}, {fs.ModeNamedPipe, "a pipe"}, {fs.ModeSocket, "a socket"},
		{fs.ModeDevice, "a device"},
	} {
		if m&k.bit != 0 {
			return k.name
		}
	}
	return "something else"
}
