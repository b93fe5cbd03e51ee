// Package savefile replaces the files of a folder. It writes a file completely or not at all, and
// only if it still has the text that the change is based on.
package savefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"botwork/internal/syncdir"
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
)

// Folder is a folder whose files are replaced. Its calls may run at the same time.
type Folder struct {
	Path string

	mu sync.Mutex // held from the comparison until the file is replaced
}

// Change is a change of one file.
type Change struct {
	// Name is the path of the file in the folder, with slashes, such as mail/letters.yaml.
	Name string

	Text []byte

	// Hash is the SHA-256 of the text that the change is based on, in hexadecimal; "" for a new file.
	Hash string

	// Ready is called when nothing but the rename is left to do. If it returns an error, the file
	// stays as it is. nil: nothing is called.
	Ready func() error
}

// Hash returns the hash of a text.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Save writes a file. After a crash of the machine it has either the text before or the new one.
// The file keeps its permissions; its owner too, if this process may set it. A program that writes
// the file between the comparison and the rename, which takes a few milliseconds, is overwritten.
func (f *Folder) Save(c Change) (err error) {
	if !plainName(c.Name) {
		return fmt.Errorf("%w: %.200q", ErrNotAllowed, c.Name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(c.Name)
	old, err := f.compare(root, name, c.Hash)
	if err != nil {
		return err
	}
	// A dot at the beginning hides the file from readers of the folder, also if a crash leaves it.
	temporary := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new")
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // of a crash before
	}
	if err := create(root, temporary, c.Text, old); err != nil {
		return errors.Join(err, removeIfThere(root, temporary))
	}
	if c.Ready != nil {
		if err := c.Ready(); err != nil {
			return errors.Join(err, removeIfThere(root, temporary))
		}
	}
	if old == nil {
		// A rename would replace a file that another program has created meanwhile.
		err = root.Link(temporary, name)
		if errors.Is(err, errors.ErrUnsupported) {
			err = root.Rename(temporary, name)
		} else {
			err = errors.Join(err, removeIfThere(root, temporary))
		}
	} else if err = root.Rename(temporary, name); err != nil {
		err = errors.Join(err, removeIfThere(root, temporary))
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	return syncdir.Sync(filepath.Join(f.Path, filepath.Dir(name)))
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

// compare returns what the file is now; nil if there is none, as there should be none.
func (f *Folder) compare(root *os.Root, name, hash string) (fs.FileInfo, error) {
	// A link inside the folder would be replaced by a file, and one to another folder would
	// change a file that may not be changed here, so the way to the file has no links.
	parts := strings.Split(filepath.ToSlash(name), "/")
	var info fs.FileInfo
	for i := range parts {
		var err error
		info, err = root.Lstat(filepath.Join(parts[:i+1]...))
		switch last := i == len(parts)-1; {
		case errors.Is(err, fs.ErrNotExist) && last && hash == "":
			return nil, nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, ErrMissing
		case err != nil:
			return nil, err
		case last && !info.Mode().IsRegular(), !last && !info.IsDir():
			return nil, fmt.Errorf("%w: %s", ErrNotAllowed, filepath.ToSlash(name))
		}
	}
	if hash == "" {
		return nil, ErrExists
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != strings.ToLower(hash) {
		return nil, ErrChanged
	}
	return info, nil
}

// create writes a new file to the disk, with the permissions and the owner of another one.
func create(root *os.Root, name string, text []byte, like fs.FileInfo) (err error) {
	const standard = 0o644
	mode := fs.FileMode(standard)
	if like != nil {
		mode = like.Mode().Perm()
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if like != nil {
		keepOwner(file, like)
		if err := file.Chmod(mode); err != nil { // the mask of the process does not apply
			return err
		}
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Sync()
}

func removeIfThere(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
