package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"botwork/config"
	"botwork/internal/author/strictyaml"
	"botwork/internal/keyring"
	"botwork/internal/syncdir"
)

// readKeys reads a keyset from a file, or from standard input for "-".
func (a *command) readKeys(path string) (*keyring.Keyring, error) {
	if path == "-" {
		return parseKeys("standard input", a.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return parseKeys(path, file)
}

// parseKeys reads a keyset; name is for the finding when it is none.
func parseKeys(name string, from io.Reader) (*keyring.Keyring, error) {
	text, err := io.ReadAll(io.LimitReader(from, config.MaxTextFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the keyset from %s: %w", name, err)
	}
	message := fmt.Sprintf("is bigger than %d KiB", config.MaxTextFile>>10)
	if len(text) <= config.MaxTextFile {
		k, err := keyring.Parse(string(text))
		if err == nil {
			return k, nil
		}
		message = err.Error()
	}
	return nil, strictyaml.Findings{{File: name, Code: "invalid-value", Message: message}}
}

// KeysetText returns a keyset as it is written to a file: formatted so that a person can
// remove a key.
func KeysetText(k *keyring.Keyring) ([]byte, error) {
	line, err := k.JSON()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, line, "", "  "); err != nil {
		return nil, errors.New("write the keyset: its JSON is invalid") // an error of package json might contain key material
	}
	text.WriteByte('\n')
	if text.Len() > config.MaxTextFile {
		return nil, fmt.Errorf("the keyset would be bigger than %d KiB, which is the maximum at the start; remove keys that no item needs",
			config.MaxTextFile>>10)
	}
	return text.Bytes(), nil
}

// createFile writes a new file that only its owner may read. It does not change an existing file.
func createFile(path string, text []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists; nothing was written; choose another name, or use `botwork keys rotate` to add a key", path)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if err := fill(file, text); err != nil {
		return err
	}
	return syncdir.Sync(filepath.Dir(path))
}

// changeKeys replaces the keyset in a file with the result of change. If the machine crashes,
// the file has either the old or the new keyset. The new file has the mode and the owner of
// the old one; a symbolic link to the file is kept.
func changeKeys(path string, change func(*keyring.Keyring) (*keyring.Keyring, error)) (k *keyring.Keyring, err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	// The name is fixed, so that of two concurrent rotations the second fails and does not lose
	// the key of the first one.
	temporary := target + ".new"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists: another rotation is running, or one was interrupted; in that case remove the file, "+
			"%s is unchanged", temporary, path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	defer func() {
		if err != nil {
			file.Close() // close first: Windows does not remove an open file
			err = errors.Join(err, removeIfThere(temporary))
		}
	}()

	old, err := os.Open(target)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	info, err := old.Stat()
	if err != nil {
		return nil, err
	}
	if k, err = parseKeys(path, old); err != nil {
		return nil, err
	}
	old.Close() // close now: Windows does not replace an open file
	if k, err = change(k); err != nil {
		return nil, err
	}
	text, err := KeysetText(k)
	if err != nil {
		return nil, err
	}
	if err := keepOwner(file, target); err != nil {
		return nil, err
	}
	if err := file.Chmod(info.Mode().Perm()); err != nil {
		return nil, err
	}
	if err := fill(file, text); err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, target); err != nil {
		return nil, err
	}
	if err := syncdir.Sync(filepath.Dir(target)); err != nil {
		return nil, fmt.Errorf("%s has the new keyset, but it may be lost in a power failure: %w", path, err)
	}
	return k, nil
}

// fill writes a file, syncs it to the disk, and closes it.
func fill(file *os.File, text []byte) error {
	_, err := file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
