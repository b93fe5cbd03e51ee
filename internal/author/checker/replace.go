package checker

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// errChanged means that another process has written the file meanwhile.
var errChanged = errors.New("another process has changed the file meanwhile; hint: check the change and try again")

// Replace replaces the content before of a file with after, atomically: other processes
// read either content, even if this process is killed. The file keeps its mode, and a
// link remains a link. If the content is no longer before, Replace changes nothing and
// returns an error.
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
		return errors.New("the file is read-only") // os.Rename would replace it anyway
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
