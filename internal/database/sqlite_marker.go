package database

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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
// records which file that is, for [ReplacedSQLite], and drops what it has recorded of another
// file; otherwise an existing marker is not changed.
func MarkSQLite(dsn string, replace bool) error {
	path := SQLitePath(dsn)
	if path == "" || readOnly(dsn) {
		return nil
	}
	return changeMarker(path, func(m *marker) {
		if m.exists && !replace {
			return
		}
		m.use(path)
	})
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
	m, err := readMarker(path)
	number := fileNumber(path)
	return err == nil && m.file != "" && number != "" && m.file != number
}

// marker is the content of a marker. Numbers of files do not contain the device, whose number
// can change when a machine restarts.
type marker struct {
	exists bool
	file   string // the number of the database file; "": the system has none

	// What is recorded of this file.
	log         string // the number of the write-ahead log in use; "": no process uses it; lostLog: it was deleted
	epoch, item int64  // the highest epoch, and the highest id of an item; 0: none
}

// lostLog is recorded instead of the number of a write-ahead log that was deleted while it was
// in use: another file may get its number.
const lostLog = "lost"

// use records the present file. What was recorded of another file is dropped.
func (m *marker) use(path string) {
	if number := fileNumber(path); number != m.file {
		*m = marker{exists: m.exists, file: number}
	}
}

func readMarker(path string) (m marker, err error) {
	text, err := os.ReadFile(SQLiteMarker(path))
	if err != nil {
		return m, err
	}
	m.exists = true
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key {
		case "file":
			m.file = value
		case "log":
			m.log = value
		case "epoch":
			m.epoch, _ = strconv.ParseInt(value, 10, 64) // 0 if a person has edited it
		case "item":
			m.item, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return m, nil
}

// text returns the content of the marker. The file is the last line, because earlier versions
// compare all that follows it.
func (m *marker) text(path string) string {
	text := fmt.Sprintf(markerText, filepath.Base(path)) + "\n"
	if m.log != "" {
		text += "log " + m.log + "\n"
	}
	if m.epoch > 0 || m.item > 0 {
		text += fmt.Sprintf("epoch %d\nitem %d\n", m.epoch, m.item)
	}
	if m.file != "" {
		text += "file " + m.file + "\n"
	}
	return text
}

// changeMarker changes the marker of the database at path, and creates it if it does not exist.
// A marker that does not change is not written. It is not synchronized to the disk: after a
// failure of the machine, an older marker is as true as before.
func changeMarker(path string, change func(*marker)) error {
	defer lockFolder(filepath.Dir(path))()
	m, err := readMarker(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := m
	change(&m)
	if m.exists && m == before {
		return nil
	}
	file := SQLiteMarker(path)
	// A rename makes sure that no reader sees a partial file.
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(m.text(path))
	err = cmp.Or(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
