package logfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is the format of the rotation time in a file name: UTC, without colons.
const stamp = "2006-01-02T15-04-05.000"

// old is a rotated file of a log.
type old struct {
	path string
	at   time.Time
}

// reserve creates an empty file for the rotated content of the log at path and returns
// its name. The rename then replaces it. Otherwise two processes that rotate at the same
// time could choose the same name, and one rename would overwrite the other's file.
func reserve(path string, at time.Time) (string, error) {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	for ; ; at = at.Add(time.Millisecond) {
		name := fmt.Sprintf("%s-%s%s", stem, at.UTC().Format(stamp), ext)
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
		if err == nil {
			return name, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// olds returns the rotated files of the log at path, the latest first.
func olds(path string) []old {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(filepath.Base(path), ext) + "-"
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var found []old
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), stem)
		middle, ends := strings.CutSuffix(rest, ext)
		if at, err := time.Parse(stamp, middle); ours && ends && err == nil {
			found = append(found, old{filepath.Join(filepath.Dir(path), e.Name()), at})
		}
	}
	slices.SortStableFunc(found, func(a, b old) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path)) })
	return found
}

// prune deletes the files that are too many or too old. A file that cannot be deleted
// because another program reads it is deleted at a later rotation.
func (l *File) prune(now time.Time) {
	if l.o.MaxFiles == 0 && l.o.MaxAge == 0 {
		return
	}
	for i, o := range olds(l.path) {
		if l.o.MaxFiles > 0 && i >= l.o.MaxFiles || l.o.MaxAge > 0 && now.Sub(o.at) > l.o.MaxAge {
			_ = os.Remove(o.path)
		}
	}
}
