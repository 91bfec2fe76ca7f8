package cache

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Export writes entries as a compressed tar archive, in the order of their keys.
func Export(w io.Writer, list []Item) (n int, err error) {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, it := range list {
		e, err := it.Load()
		if err != nil {
			continue // damaged, or gone meanwhile
		}
		data, err := e.Encode()
		if err != nil {
			return n, err
		}
		h := &tar.Header{Name: path.Join(it.Key.Hash[:2], it.Key.String()+extension), Mode: 0o644, Size: int64(len(data)), Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return n, err
		}
		if _, err := t.Write(data); err != nil {
			return n, err
		}
		n++
	}
	return n, errors.Join(t.Close(), z.Close())
}

// maxEntry bounds an entry that is imported.
const maxEntry = 256 << 20

// Import takes the entries of an archive over that pass their checks; the rest is counted and left. A folder that cannot be written to is
// an error here.
func (s *Store) Import(r io.Reader) (taken, refused int, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return 0, 0, fmt.Errorf("not an archive of kernels: %w", err)
	}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return taken, refused, nil
		case err != nil:
			return taken, refused, fmt.Errorf("not an archive of kernels: %w", err)
		case h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, extension):
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, maxEntry))
		if err != nil {
			return taken, refused, err
		}
		e, err := Decode(data)
		if _, ok := parseKey(keyText(e)); err != nil || !ok {
			refused++
			continue
		}
		if err := s.write(e.Key, data); err != nil {
			return taken, refused, err
		}
		s.noteGenerator(e.Generator)
		taken++
	}
}

// keyText is an entry's key as file names have it.
func keyText(e *Entry) string {
	if e == nil {
		return ""
	}
	return e.Key.String()
}
