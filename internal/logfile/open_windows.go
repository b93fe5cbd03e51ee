package logfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// openToAppend opens a file that may be renamed and removed meanwhile, which one of
// package os may not.
func openToAppend(path string) (*os.File, error) {
	return openFile(path, windows.FILE_APPEND_DATA|windows.GENERIC_READ|windows.SYNCHRONIZE, windows.OPEN_ALWAYS)
}

// openToRead opens a file for a reader that does not keep the writer from cutting it.
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

// write appends a line while no other process does: Windows finds the end and writes
// there in one step on its own disks, but not on all shares, nor does Wine. The lock is
// on a byte that no log reaches, so that readers never meet it.
func write(f *os.File, line []byte) (int, error) {
	h := windows.Handle(f.Fd())
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	if windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &far) == nil {
		defer windows.UnlockFileEx(h, 0, 1, 0, &far) //nolint:errcheck // it goes with the file at the latest
	}
	return f.Write(line)
}
