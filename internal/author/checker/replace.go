package checker

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// errChanged says that somebody else wrote a file meanwhile.
var errChanged = errors.New("somebody else has changed it meanwhile; hint: look at it and try again")

// Replace puts after in the place of before in a file, in one step: who reads it
// meanwhile sees the one or the other, and a process that is killed leaves it whole.
// The file keeps its mode; a link stays one. A file that does not hold before any
// more is left alone.
func Replace(path string, before, after []byte) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return errors.New("it is read-only") // a rename would not ask
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), ".botwork-fix-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(after)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Chmod(temporary.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	if now, err := os.ReadFile(target); err != nil {
		return err
	} else if !bytes.Equal(now, before) {
		return errChanged
	}
	return os.Rename(temporary.Name(), target)
}
