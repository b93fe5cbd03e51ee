// Package quickstart contains the project that `botwork demo` writes: it creates a report
// for each sales file, minute by minute.
package quickstart

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"botwork/pipelines/shipped"
)

//go:embed project
var project embed.FS

// Trigger is the system pipeline that creates the items.
const Trigger = "watch-sales"

// Write copies the project into a folder, with the shipped system pipelines. It does not
// change existing files, because a user may have edited them.
func Write(dir string) error {
	files, err := fs.Sub(project, "project")
	if err != nil {
		return err
	}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return writeNew(filepath.Join(dir, filepath.FromSlash(name)), text)
	})
	for _, f := range shipped.Files() {
		if err == nil { // an error for one file probably affects all files, so report only the first
			err = writeNew(filepath.Join(dir, "pipelines", f.Name), f.Data)
		}
	}
	if err != nil {
		return fmt.Errorf("write the quickstart: %w", err)
	}
	return nil
}

// writeNew writes a file unless it exists.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
