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

// Export writes entries as a compressed tar archive, in the order of the list, signed if the store has a
// secret.
func (s *Store) Export(w io.Writer, list []Item) (n int, err error) {
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
		data = Seal(s.o.Secret, data)
		name := path.Join(it.Key.Hash[:2], it.Key.String()+extension)
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Format: tar.FormatPAX}
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

// Imported counts the entries of an archive by what became of them.
type Imported struct {
	Taken, Refused int
	Why            error // of the first that was refused
}

func (i *Imported) refuse(name string, err error) {
	if i.Refused++; i.Why == nil {
		i.Why = fmt.Errorf("%q: %w", name, err)
	}
}

// Import takes over the entries of an archive that pass their checks; it counts the rest and leaves them. It
// does not look at the names in the archive: an entry goes where its key says. A folder that cannot be
// written to is an error here.
func (s *Store) Import(r io.Reader) (done Imported, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return done, fmt.Errorf("not an archive of kernels: %w", err)
	}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return done, nil
		case err != nil:
			return done, fmt.Errorf("not an archive of kernels: %w", err)
		case h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, extension):
			continue
		case h.Size > MaxEntry+int64(sealSize):
			done.refuse(h.Name,
				fmt.Errorf("it has %d bytes, and no entry has more than %d", h.Size, MaxEntry))
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, MaxEntry+int64(sealSize)))
		if err != nil {
			return done, err
		}
		e, data, err := s.admit(data)
		if err != nil {
			done.refuse(h.Name, err)
			continue
		}
		if err := s.write(e.Key, data); err != nil {
			return done, err
		}
		s.noteGenerator(e.Generator)
		done.Taken++
	}
}

// admit checks the signature of an imported entry and the entry itself.
func (s *Store) admit(sealed []byte) (*Entry, []byte, error) {
	data, err := Unseal(s.o.Secret, sealed)
	if err != nil {
		return nil, nil, err
	}
	e, err := Decode(data)
	return e, data, err
}
