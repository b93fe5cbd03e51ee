package builtin

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"botwork/handlers"
)

// wantRegular returns an error if a file is not regular. Opening a named pipe blocks until its
// other end is opened, even if the step is cancelled; opening a device can have side effects;
// and neither has a size or an end.
func wantRegular(op string, at location, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return handlers.Permanent(fmt.Errorf("%s %q: it is a %s, want a file", op, at.given, fileType(info.Mode())))
}

func fileType(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// openRegular opens a regular file.
func (f folders) openRegular(op string, root *os.Root, at location, flag int) (*os.File, fs.FileInfo, error) {
	if info, err := root.Stat(at.path); err == nil {
		if err := wantRegular(op, at, info); err != nil {
			return nil, nil, err
		}
	}
	// It may have become a pipe meanwhile: that is opened without blocking, and closed.
	file, err := root.OpenFile(at.path, flag|nonBlocking, 0o644)
	if err != nil {
		return nil, nil, f.explain(op, at, err)
	}
	info, err := file.Stat()
	if err != nil {
		err = f.explain(op, at, err)
	} else {
		err = wantRegular(op, at, info)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, err
	}
	return file, info, nil
}

// rootFolder is a folder of a root. A search in it opens only folders.
type rootFolder struct {
	root *os.Root
	path string // of the folder, with slashes
}

var (
	_ fs.ReadDirFS = rootFolder{}
	_ fs.StatFS    = rootFolder{}
)

func (f rootFolder) file(name string) string { return filepath.FromSlash(path.Join(f.path, name)) }

// Open implements fs.FS.
func (f rootFolder) Open(name string) (fs.File, error) {
	return f.root.OpenFile(f.file(name), os.O_RDONLY|nonBlocking, 0)
}

// Stat implements fs.StatFS.
func (f rootFolder) Stat(name string) (fs.FileInfo, error) { return f.root.Stat(f.file(name)) }

// ReadDir implements fs.ReadDirFS.
func (f rootFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	if info, err := f.Stat(name); err != nil || !info.IsDir() {
		return nil, err
	}
	folder, err := f.root.OpenFile(f.file(name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadDir(-1)
}

// stoppingReader reads until its context ends.
type stoppingReader struct {
	ctx context.Context
	io.Reader
}

func (r stoppingReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
