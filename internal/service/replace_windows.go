package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// replace replaces the program by next, and keeps the old program as kept. A running program can be
// renamed but not overwritten, so between two renames there is no program for a moment.
func replace(next, program, kept string) error {
	if err := clearAway(kept); err != nil {
		return err
	}
	if err := insist(func() error { return os.Rename(program, kept) }); err != nil {
		return err
	}
	if err := insist(func() error { return os.Rename(next, program) }); err != nil {
		return errors.Join(err, os.Rename(kept, program))
	}
	return nil
}

// clearAway removes a file, or renames a running program.
func clearAway(path string) error {
	err := os.Remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ext := filepath.Ext(path)
	return os.Rename(path, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), time.Now().UnixMilli(), ext))
}

// insist retries for a few seconds: virus scanners may lock a program that was just written or has
// just ended.
func insist(do func() error) error {
	const most = 5 * time.Second
	for end := time.Now().Add(most); ; time.Sleep(pause) {
		err := do()
		if err == nil || errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return err
		}
	}
}

// sameOwner does nothing: a new file inherits the access control list of its folder, like the old
// program.
func sameOwner(*os.File, os.FileInfo) error { return nil }

// samePath reports whether two paths name the same file.
func samePath(a, b string) bool { return strings.EqualFold(filepath.Clean(a), filepath.Clean(b)) }

// explainFile adds a hint to the error for a file that may not be written.
func explainFile(operation, name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &hinted{fmt.Errorf("%s the service %s: %w: %w", operation, name, ErrNoRights, err), answers[5].hint}
	}
	return fmt.Errorf("%s the service %s: %w", operation, name, err)
}
