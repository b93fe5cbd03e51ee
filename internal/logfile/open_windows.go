package logfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// openToAppend opens a file in a mode in which it can be renamed and deleted while it is
// open, which package os does not support.
func openToAppend(path string) (*os.File, error) {
	return openFile(path, windows.FILE_APPEND_DATA|windows.GENERIC_READ|windows.SYNCHRONIZE, windows.OPEN_ALWAYS)
}

// openToRead opens a file for reading in a mode that does not prevent the writer from
// rotating it.
func openToRead(path string) (*os.File, error) {
	return openFile(path, windows.GENERIC_READ, windows.OPEN_EXISTING)
}

func openFile(path string, access, creation uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	h, err := windows.CreateFile(name, access, share, nil, creation, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// write appends a line under a lock. On its own disks Windows finds the end and writes
// there atomically, but not on all network shares, and not under Wine. The lock covers a
// byte far after the end of any log, so readers are not affected.
func write(f *os.File, line []byte) (int, error) {
	h := windows.Handle(f.Fd())
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	if windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &far) == nil {
		defer windows.UnlockFileEx(h, 0, 1, 0, &far) //nolint:errcheck // closing the file also releases it
	}
	return f.Write(line)
}
