package checker

import (
	"errors"
	"os"
	"path/filepath"

	"botwork/internal/savefile"
)

// errChanged means that another process has written the file meanwhile.
var errChanged = errors.New("another process has changed the file meanwhile; hint: check the change and try again")

// Replace replaces the content before of a file with after, atomically: other processes
// read either content, even if this process is killed. The file keeps its mode, and a
// link remains a link. If the content is no longer before, Replace changes nothing and
// returns an error. It waits for a server that saves a pipeline in the file's folder.
func Replace(path string, before, after []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return errors.New("the file is read-only") // a rename would replace it anyway
	}
	err = savefile.Replace(target, before, after)
	if errors.Is(err, savefile.ErrChanged) {
		return errChanged
	}
	return err
}
