package savefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"botwork/internal/filenames"
	"botwork/internal/syncdir"
)

// replacement is a change that is being made, under the lock of the file's folder.
type replacement struct {
	Change
	root *os.Root
	file string // Name with the separators of the system

	old    fs.FileInfo // the file before; nil for a new one
	before []byte      // its text
}

// run replaces the file and records it; on an error the file is as it was.
func (r *replacement) run() error {
	if err := r.compare(); err != nil {
		return err
	}
	next, err := r.temporary(r.Text)
	if err != nil {
		return err
	}
	defer r.root.Remove(next) //nolint:errcheck // it was renamed, or is hidden
	kept := ""
	if r.Record != nil && r.old != nil {
		// Now, because the disk may be full later.
		if kept, err = r.temporary(r.before); err != nil {
			return err
		}
		defer r.root.Remove(kept) //nolint:errcheck // likewise
	}
	if err := r.put(next); err != nil {
		return err
	}
	err = r.sync()
	if r.Record == nil {
		return err
	}
	if err == nil {
		err = r.Record()
	}
	if err == nil {
		return nil
	}
	if undone := r.undo(kept); undone != nil {
		return fmt.Errorf("%w; the file keeps the new text: %w", err, undone)
	}
	return err
}

// put gives the file the text of a temporary file.
func (r *replacement) put(next string) error {
	if r.old != nil {
		return r.root.Rename(next, r.file)
	}
	// A rename would replace a file that another program has created meanwhile.
	err := r.root.Link(next, r.file)
	if errors.Is(err, errors.ErrUnsupported) {
		err = r.root.Rename(next, r.file)
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

// undo gives the file its text before, from a temporary file, or removes it if it was new.
func (r *replacement) undo(kept string) error {
	err := error(nil)
	if r.old != nil {
		err = r.root.Rename(kept, r.file)
	} else {
		err = r.root.Remove(r.file)
	}
	return errors.Join(err, r.sync())
}

// sync writes the names in the file's folder to the disk.
func (r *replacement) sync() error {
	return syncdir.Sync(filepath.Join(r.root.Name(), filepath.Dir(r.file)))
}

// find returns the file, nil if there is none, as there should be none. A link inside the folder
// would be replaced by a file, and one to another folder would change a file that may not be changed
// here, so the way to the file has no links.
func (r *replacement) find() (info fs.FileInfo, err error) {
	parts := strings.Split(filepath.ToSlash(r.file), "/")
	for i := range parts {
		info, err = r.root.Lstat(filepath.Join(parts[:i+1]...))
		switch last := i == len(parts)-1; {
		case errors.Is(err, fs.ErrNotExist) && last && r.Hash == "":
			return nil, r.checkCase()
		case errors.Is(err, fs.ErrNotExist):
			return nil, ErrMissing
		case err != nil:
			return nil, err
		case last && !info.Mode().IsRegular(), !last && !info.IsDir():
			return nil, fmt.Errorf("%w: %s", ErrNotAllowed, filepath.ToSlash(r.file))
		}
	}
	if r.Hash == "" {
		return nil, ErrExists
	}
	return info, nil
}

// checkCase returns an error if the folder has a file that would be the new one on a system that ignores case.
func (r *replacement) checkCase() error {
	folder, err := r.root.Open(filepath.Dir(r.file))
	if err != nil {
		return err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if filenames.Same(name, filepath.Base(r.file)) {
			return fmt.Errorf("%w: %s differs only in upper and lower case", ErrExists, name)
		}
	}
	return nil
}

// compare reads the file, and returns an error if it has another text than it should have.
func (r *replacement) compare() (err error) {
	if r.old, err = r.find(); err != nil || r.old == nil {
		return err
	}
	if r.before, err = r.root.ReadFile(r.file); err != nil {
		return err
	}
	if Hash(r.before) != strings.ToLower(r.Hash) {
		return ErrChanged
	}
	return nil
}

// temporary writes a text to the disk, in a new file of the folder with the permissions and the owner
// of the old one, and returns its name. A dot at the beginning hides it from readers of the folder,
// also if a crash leaves it.
func (r *replacement) temporary(text []byte) (name string, err error) {
	const standard = 0o644
	mode := fs.FileMode(standard)
	if r.old != nil {
		mode = r.old.Mode().Perm()
	}
	name = filepath.Join(filepath.Dir(r.file), ".botwork-"+rand.Text()+".new")
	file, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			_ = r.root.Remove(name) // hidden
		}
	}()
	if r.old != nil {
		keepOwner(file, r.old)
		if err := file.Chmod(mode); err != nil { // the mask of the process does not apply
			return "", err
		}
	}
	if _, err := file.Write(text); err != nil {
		return "", err
	}
	return name, file.Sync()
}
