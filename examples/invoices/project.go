package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

//go:generate go run ./generate

//go:embed project
var project embed.FS

// prepare returns the folder to work in. If the folder already contains a project, it is
// used unchanged, so that a user can add files to its inbox and run the example again.
func prepare(dir string) (string, error) {
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "botwork-invoices-")
	}
	if err != nil {
		return "", err
	}
	_, err = os.Stat(filepath.Join(dir, "botwork.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		err = copyProject(dir)
	}
	return dir, err
}

func copyProject(dir string) error {
	files, err := fs.Sub(project, "project")
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err == nil {
		err = age(filepath.Join(dir, "data", "inbox"))
	}
	if err != nil {
		return fmt.Errorf("copy the project: %w", err)
	}
	return nil
}

// age makes files look one hour old, because the example ignores new files, which may
// still be incomplete.
func age(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	then := time.Now().Add(-time.Hour)
	for _, entry := range entries {
		if err := os.Chtimes(filepath.Join(folder, entry.Name()), then, then); err != nil {
			return err
		}
	}
	return nil
}
