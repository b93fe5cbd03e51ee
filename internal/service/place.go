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
	staged  string // a copy of the new program, before it replaces the old one
	old     string // the previous program, kept for a rollback
	failed  string // a program that did not start
	note    string
}

func placeOf(program string) place {
	ext := ""
	if strings.EqualFold(filepath.Ext(program), ".exe") {
		ext = filepath.Ext(program) // Windows runs no files without an extension
	}
	stem := strings.TrimSuffix(program, ext)
	return place{program, stem + ".staged" + ext, stem + ".old" + ext, stem + ".failed" + ext, stem + ".upgrade.json"}
}

// upgradeRecord is a file for the next upgrade if this one is interrupted.
type upgradeRecord struct {
	New     string   `json:"new"`     // the hash of the new program
	Running []string `json:"running"` // the services to start
}

// readRecord returns the record of an interrupted upgrade. It returns a zero record if there is
// none, or an incomplete one: a record is written before any service is stopped.
func readRecord(p place) upgradeRecord {
	var n upgradeRecord
	data, err := os.ReadFile(p.note)
	if err != nil || json.Unmarshal(data, &n) != nil {
		return upgradeRecord{}
	}
	return n
}

func (n upgradeRecord) write(p place) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.note+"~", data, 0o644); err != nil {
		return fmt.Errorf("record the upgrade: %w", err)
	}
	if err := os.Rename(p.note+"~", p.note); err != nil {
		return fmt.Errorf("record the upgrade: %w", err)
	}
	return nil
}

func (upgradeRecord) remove(p place) error {
	if err := os.Remove(p.note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// stage copies the new program into the folder of the old one, with the same rights.
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
		return fmt.Errorf("remove a file of an earlier upgrade: %w", err)
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

// sum returns the hash of a file.
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
