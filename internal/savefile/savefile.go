// Package savefile replaces the files of a folder. It writes a file completely or not at all, and
// only if it still has the text that the change is based on. Processes that use this package, also
// on several machines with one shared folder, write one after the other: each holds the lock of the
// folder from the comparison until the file is replaced and recorded.
package savefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"botwork/internal/filenames"
)

var (
	// ErrChanged means that the file has another text than the one that the change is based on.
	ErrChanged = errors.New("the file has changed")

	// ErrExists means that a new file exists already, ErrMissing that a file that is replaced does not.
	ErrExists  = errors.New("the file exists already")
	ErrMissing = errors.New("the file does not exist")

	// ErrNotAllowed means that the name leads out of the folder, or to something that is not a
	// regular file, such as a symbolic link.
	ErrNotAllowed = errors.New("the file is not a regular file of the folder")

	// ErrName means that a file cannot have the name on every system: see package filenames.
	ErrName = errors.New("the file cannot have this name")
)

// Folder is a folder whose files are replaced. Its calls may run at the same time.
type Folder struct {
	Path string
}

// Change is a change of one file.
type Change struct {
	// Name is the path of the file in the folder, with slashes, such as mail/letters.yaml.
	Name string

	Text []byte

	// Hash is the SHA-256 of the text that the change is based on, in hexadecimal; "" for a new file.
	Hash string

	// Record is called when the file is replaced, before another process can replace it again. If it
	// returns an error, the file gets its text before. nil: nothing is called.
	Record func() error
}

// Hash returns the hash of a text.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Save writes a file. After a crash of the machine it has either the text before or the new one.
// The file keeps its permissions; its owner too, if this process may set it. A program that does
// not use this package and writes the file between the comparison and the rename, which takes a few
// milliseconds, is overwritten.
func (f *Folder) Save(c Change) error {
	if !plainName(c.Name) {
		return fmt.Errorf("%w: %.200q", ErrNotAllowed, c.Name)
	}
	if err := filenames.CheckPath(c.Name); err != nil {
		return fmt.Errorf("%w: %w", ErrName, err)
	}
	return f.save(c)
}

// Replace replaces the text before of a file, which is no link, with another one.
func Replace(file string, before, after []byte) error {
	f := Folder{Path: filepath.Dir(file)}
	return f.save(Change{Name: filepath.Base(file), Text: after, Hash: Hash(before)})
}

func (f *Folder) save(c Change) error {
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	r := replacement{Change: c, root: root, file: filepath.FromSlash(c.Name)}
	// Before the lock, whose file must not be created in a folder to which a link leads.
	if _, err := r.find(); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(f.Path, filepath.Dir(r.file)))
	if err != nil {
		return err
	}
	defer unlock()
	return r.run()
}

// plainName reports whether a name is that of a file inside the folder. Hidden files are not.
func plainName(name string) bool {
	if !fs.ValidPath(name) || name == "." || path.Clean(name) != name || strings.ContainsAny(name, `\:`) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' {
			return false
		}
	}
	return true
}
