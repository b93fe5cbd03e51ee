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

// keysetText returns a keyset as it is written to a file: a person can distinguish its keys and
// remove one.
func keysetText(k *keyring.Keyring) ([]byte, error) {
	line, err := k.JSON()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, line, "", "  "); err != nil {
		return nil, errors.New("write the keyset: its JSON is broken") // the words of package json might quote it
	}
	text.WriteByte('\n')
	if text.Len() > config.MaxTextFile {
		return nil, fmt.Errorf("the keyset would be bigger than the %d KiB that are read at a start; take keys out of it that no item needs",
			config.MaxTextFile>>10)
	}
	return text.Bytes(), nil
}

// createFile writes a new file that only its owner may read. One that is there
// stays as it is.
func createFile(path string, text []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; nothing was written; choose another name, or `botwork keys rotate` to add a key to it", path)
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
	return syncFolder(filepath.Dir(path))
}

// changeKeys replaces the keyset in a file by what change makes of it. Whenever
// the machine stops, the file holds the old keyset or the new one. The new file
// has the mode and the owner of the old one; a link goes on leading to it.
func changeKeys(path string, change func(*keyring.Keyring) (*keyring.Keyring, error)) (k *keyring.Keyring, err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	// One name for all, so that of two rotations at a time the second is refused
	// instead of losing the first one's key.
	temporary := target + ".new"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there: another rotation is under way, or one was interrupted; in that case remove the file, "+
			"%s is as it was", temporary, path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	defer func() {
		if err != nil {
			file.Close() // first: Windows removes no open file
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
	old.Close() // now: Windows replaces no open file
	if k, err = change(k); err != nil {
		return nil, err
	}
	text, err := keysetText(k)
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
	if err := syncFolder(filepath.Dir(target)); err != nil {
		return nil, fmt.Errorf("%s holds the new keyset, but that is not sure to outlive a power failure: %w", path, err)
	}
	return k, nil
}

// fill writes all of a file, makes sure that it is on the disk, and closes it.
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
