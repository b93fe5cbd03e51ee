package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"botwork/internal/author/checker"
)

// createFile writes a new file and its folder. It does not overwrite a file that another program has
// created meanwhile.
func createFile(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(data)
	return err
}

// overwriteFile writes a file, new or not. Workers that read it meanwhile get either text.
func overwriteFile(path string, data []byte) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createFile(path, data)
	}
	if err == nil {
		err = checker.Replace(path, old, data)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
