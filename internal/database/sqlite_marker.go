package database

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MissingFileError says that the file of a SQLite database was there once and is gone.
type MissingFileError struct {
	Path  string
	Empty bool // it is there, with nothing in it
}

func (e *MissingFileError) Error() string {
	what := "does not exist any more"
	if e.Empty {
		what = "is empty now"
	}
	return fmt.Sprintf("the database file %s was used before and %s; restore it, or run `botwork db init` to begin with an empty database (%s says that it was used)",
		e.Path, what, SQLiteMarker(e.Path))
}

// SQLiteMarker returns the file beside a SQLite database that says that it was used. Its
// name begins with a dot, so that deleting botwork.db* leaves it.
func SQLiteMarker(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".used")
}

const markerText = `Botwork has used the database %s in this folder. While this file is here, Botwork does not
create an empty database in its place. To begin with an empty one, run botwork db init.
`

// MarkSQLite writes the marker of a SQLite database that can be used. With replace it also
// records which file that is, for [ReplacedSQLite]; otherwise a marker stays as it is.
func MarkSQLite(dsn string, replace bool) error {
	path := SQLitePath(dsn)
	if path == "" || readOnly(dsn) {
		return nil
	}
	marker := SQLiteMarker(path)
	text := fmt.Sprintf(markerText, filepath.Base(path)) + fileLine(path)
	old, err := os.ReadFile(marker)
	if err == nil && (!replace || string(old) == text) {
		return nil
	}
	// Renamed, so that no reader sees half of it.
	f, err := os.CreateTemp(filepath.Dir(marker), filepath.Base(marker)+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = cmp.Or(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), marker)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// CheckSQLiteUsed returns a *MissingFileError when the DSN names the file of a SQLite
// database that was used before and is not there, or is empty.
func CheckSQLiteUsed(dsn string) error {
	path := SQLitePath(dsn)
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if !missing && (err != nil || info.Size() > 0) {
		return nil
	}
	if _, err := os.Stat(SQLiteMarker(path)); err != nil {
		return nil
	}
	return &MissingFileError{path, !missing}
}

// ReplacedSQLite reports whether the file at path is another one than the one that the
// marker records. Where files have no numbers it is false.
func ReplacedSQLite(path string) bool {
	text, err := os.ReadFile(SQLiteMarker(path))
	if err != nil {
		return false
	}
	line := fileLine(path)
	_, recorded, ok := strings.Cut(string(text), fileWord)
	return ok && line != "" && fileWord+recorded != line
}

// fileWord begins the line that records the file.
const fileWord = "\nfile "

// fileLine records the file at path; "" when it has no number. Not its device: that has
// another number after a restart of some machines.
func fileLine(path string) string {
	number := fileNumber(path)
	if number == "" {
		return ""
	}
	return fileWord + number + "\n"
}
