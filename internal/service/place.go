package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// place are the files of an upgrade, all in the folder of the program, so that a
// rename is enough to change them.
type place struct {
	program string
	staged  string // a copy of the new one, before it is in place
	old     string // the one before, kept for a way back
	failed  string // one that did not come up
	note    string
}

func placeOf(program string) place {
	ext := ""
	if strings.EqualFold(filepath.Ext(program), ".exe") {
		ext = filepath.Ext(program) // Windows runs nothing without
	}
	stem := strings.TrimSuffix(program, ext)
	return place{program, stem + ".staged" + ext, stem + ".old" + ext, stem + ".failed" + ext, stem + ".upgrade.json"}
}

// note is what an upgrade that is cut short leaves to the next.
type note struct {
	New     string   `json:"new"`     // the hash of the new program
	Running []string `json:"running"` // the services to start
}

// readNote returns the note at its place; a zero one if there is none, or half of one:
// it is written before anything is stopped.
func readNote(p place) note {
	var n note
	data, err := os.ReadFile(p.note)
	if err != nil || json.Unmarshal(data, &n) != nil {
		return note{}
	}
	return n
}

func (n note) write(p place) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.note+"~", data, 0o644); err != nil {
		return fmt.Errorf("note the upgrade: %w", err)
	}
	if err := os.Rename(p.note+"~", p.note); err != nil {
		return fmt.Errorf("note the upgrade: %w", err)
	}
	return nil
}

func (note) remove(p place) error {
	if err := os.Remove(p.note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// stage copies the new program to beside the old one, with its rights.
func stage(from string, p place) error {
	info, err := os.Stat(p.program)
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("read the new program: %w", err)
	}
	defer source.Close()
	if err := os.Remove(p.staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what an earlier upgrade left: %w", err)
	}
	staged, err := os.OpenFile(p.staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return explainFile("upgrade", filepath.Base(p.program), err)
	}
	_, err = io.Copy(staged, source)
	if err = errors.Join(err, staged.Chmod(info.Mode().Perm()), sameOwner(staged, info), staged.Sync(), staged.Close()); err != nil {
		return errors.Join(fmt.Errorf("copy the new program to %s: %w", p.staged, err), os.Remove(p.staged))
	}
	return nil
}

// sum is the hash of a file.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
