package safefile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FolderError says why a folder is not to be used. It wraps ErrRefused.
type FolderError struct {
	Dir    string // the folder that was asked about
	Reason string // names the folder at fault, which may be one above
	Remedy string
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the folder %s is not trusted: %s; to trust it: %s", e.Dir, e.Reason, e.Remedy)
}

func (e *FolderError) Unwrap() error { return ErrRefused }

// maxLinks bounds the links that lead to a folder, as the operating system does.
const maxLinks = 40

// CheckFolder returns nil if only this process's user and root can put files into a folder: it is theirs and
// nobody else may write to it, and nobody else can exchange it or a folder above it. Folders above may be
// writable by everybody where the sticky bit keeps people from each other's files, as in /tmp. The error is a
// *FolderError, or that of a folder which is not there.
func CheckFolder(dir string) error { return us().checkFolder(dir) }

// rule says how a folder is judged.
type rule bool

const (
	strict rule = false // the folder that files lie in, and the files
	above  rule = true  // a folder on the way there
)

// walk is the way to a folder: the place it has come to, which has no links in it, and the names that are
// left.
type walk struct {
	at    string
	rest  []string
	links int
}

func (u account) checkFolder(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w := walk{}
	for w.follow(abs); ; w.next() {
		info, err := os.Lstat(w.at)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if why := u.distrustOwner(info); why != "" {
				return folderError(dir, w.at, why)
			}
			if err := w.link(); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			continue
		}
		how := above
		if len(w.rest) == 0 {
			how = strict
		}
		if why := u.distrust(info, how); why != "" {
			return folderError(dir, w.at, why)
		}
		if !info.IsDir() {
			return fmt.Errorf("%s: %s is not a directory", dir, w.at)
		}
		if len(w.rest) == 0 {
			return nil
		}
	}
}

// follow puts a path before the names that are left.
func (w *walk) follow(path string) {
	volume := filepath.VolumeName(path)
	if filepath.IsAbs(path) {
		w.at = volume + string(filepath.Separator)
	}
	w.rest = append(parts(path[len(volume):]), w.rest...)
}

// link replaces the link that the walk has come to by its target. The folder that the link lies in comes
// again, so that the walk ends with a folder that was looked at.
func (w *walk) link() error {
	target, err := os.Readlink(w.at)
	if w.links++; w.links > maxLinks {
		err = fmt.Errorf("more than %d links", maxLinks)
	}
	w.at = filepath.Dir(w.at)
	w.follow(target)
	w.rest = append([]string{"."}, w.rest...)
	return err
}

// next goes one name further.
func (w *walk) next() {
	switch name := w.rest[0]; name {
	case ".":
	case "..":
		w.at = filepath.Dir(w.at)
	default:
		w.at = filepath.Join(w.at, name)
	}
	w.rest = w.rest[1:]
}

// parts are the names of a path.
func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

func folderError(dir, at, why string) error {
	remedy := "chmod go-w " + at
	if strings.HasPrefix(why, belongs) {
		remedy = "chown it, or name a folder of your own"
	}
	return &FolderError{dir, at + " " + why, remedy}
}

// belongs begins the reasons that are about owners.
const belongs = "belongs to"

// account is whom files have to belong to.
type account struct{ id int }

func us() account { return account{os.Geteuid()} }

// distrust says why others may have changed a file or a folder, or is "".
func (u account) distrust(info fs.FileInfo, how rule) string {
	if why := u.distrustOwner(info); why != "" {
		return why
	}
	uid, gid, ok := owner(info)
	mode := info.Mode()
	switch {
	case !ok || mode.Perm()&0o022 == 0 || how == above && mode&fs.ModeSticky != 0:
		return ""
	case mode.Perm()&0o002 != 0:
		return fmt.Sprintf("is writable by everybody (mode %04o)", mode.Perm())
	case privateGroup(uid, gid):
		return ""
	}
	return fmt.Sprintf("is writable by group %d (mode %04o)", gid, mode.Perm())
}

// distrustOwner says whose a file is if it is neither ours nor root's, or is "".
func (u account) distrustOwner(info fs.FileInfo) string {
	uid, _, ok := owner(info)
	if !ok || uid == 0 || uid == u.id {
		return ""
	}
	return fmt.Sprintf("%s user %d, and this process runs as %d", belongs, uid, u.id)
}
