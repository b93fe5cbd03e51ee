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

// MissingFileError reports that the file of a SQLite database was used before and no
// longer exists.
type MissingFileError struct {
	Path  string
	Empty bool // the file exists but is empty
}

func (e *MissingFileError) Error() string {
	what := "no longer exists"
	if e.Empty {
		what = "is now empty"
	}
	return fmt.Sprintf("the database file %s was used before and %s; restore it, or run `botwork db init` to start with an empty database (%s says that it was used)",
		e.Path, what, SQLiteMarker(e.Path))
}

// SQLiteMarker returns the path of the file next to a SQLite database that records that
// the database was used. Its name starts with a dot, so that deleting botwork.db* does
// not delete it.
func SQLiteMarker(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".used")
}

const markerText = `Botwork has used the database %s in this folder. While this file is here, Botwork does not
create an empty database in its place. To begin with an empty one, run botwork db init.
`

// MarkSQLite writes the marker of a working SQLite database. If replace is set, it also
// records which file that is, for [ReplacedSQLite]; otherwise an existing marker is not
// changed.
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
	// A rename makes sure that no reader sees a partial file.
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

// CheckSQLiteUsed returns a *MissingFileError if the SQLite database of the DSN was used
// before and its file is missing or empty.
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

// ReplacedSQLite reports whether the file at path is not the file that the marker
// records. It returns false on systems without file numbers.
func ReplacedSQLite(path string) bool {
	text, err := os.ReadFile(SQLiteMarker(path))
	if err != nil {
		return false
	}
	line := fileLine(path)
	_, recorded, ok := strings.Cut(string(text), fileWord)
	return ok && line != "" && fileWord+recorded != line
}

// fileWord is the start of the line that records the file.
const fileWord = "\nfile "

// fileLine returns the line that records the file at path; "" if it has no number. The
// line does not contain the device, whose number can change when a machine restarts.
func fileLine(path string) string {
	number := fileNumber(path)
	if number == "" {
		return ""
	}
	return fileWord + number + "\n"
}
