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

// replace puts next in the place of the program, and keeps that as kept. A program
// that runs, be it this one, can be renamed and not overwritten: for the moment
// between two renames there is none in place.
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

// clearAway removes a file, or renames one that runs.
func clearAway(path string) error {
	err := os.Remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ext := filepath.Ext(path)
	return os.Rename(path, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), time.Now().UnixMilli(), ext))
}

// insist tries for a while: virus scanners hold a program for a moment that was just
// written or has just ended.
func insist(do func() error) error {
	const most = 5 * time.Second
	for end := time.Now().Add(most); ; time.Sleep(pause) {
		err := do()
		if err == nil || errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return err
		}
	}
}

// sameOwner does nothing: a new file has the access control list of its folder, as
// the one beside it.
func sameOwner(*os.File, os.FileInfo) error { return nil }

// samePath reports whether two paths mean one file.
func samePath(a, b string) bool { return strings.EqualFold(filepath.Clean(a), filepath.Clean(b)) }

// explainFile says what to do about a file that may not be written.
func explainFile(operation, name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &hinted{fmt.Errorf("%s the service %s: %w: %w", operation, name, ErrNoRights, err), answers[5].hint}
	}
	return fmt.Errorf("%s the service %s: %w", operation, name, err)
}
