package savefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// ErrLocked means that another process was writing in the folder for the whole time of the wait.
var ErrLocked = errors.New("another process is writing in the folder")

// errHeld is the error of tryLock while another process has the lock.
var errHeld = errors.New("the lock is held")

// lockName is the file of the lock. Readers of the folder skip it, because its name begins with a dot.
const lockName = ".botwork.lock"

// A save takes milliseconds, and longer only while the database, which records it, does not answer.
const (
	lockWait = 10 * time.Second
	lockPoll = 10 * time.Millisecond
)

// lock waits until no other process, and no other call of this one, writes in a folder, and returns
// what lets the next one write. The operating system ends the lock of a process that dies, also if
// the file remains.
func lock(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, lockName)
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, err = tryLock(path)
		switch {
		case !errors.Is(err, errHeld):
			return unlock, err
		case time.Now().Before(end):
		case errors.Is(err, fs.ErrPermission):
			return nil, err
		default:
			return nil, fmt.Errorf("%w: %s", ErrLocked, path)
		}
	}
}
