package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"botwork/handlers"
)

// folders are the absolute paths that handlers may access; relative paths start at the first
// one. Every access uses an os.Root, so that neither ".." nor a symbolic link can leave the
// folder.
type folders []string

// location is a path inside an allowed folder.
type location struct {
	folder string // the allowed folder
	path   string // relative to it, in the system's form
	given  string // as the pipeline wrote it
}

// locate finds the allowed folder of path by comparing paths only; symbolic links are checked
// when the location is opened.
func (f folders) locate(path string) (location, error) {
	if len(f) == 0 {
		return location{}, handlers.Permanent(fmt.Errorf("path %q: no folders are allowed; list some under handlers.folders in the configuration", path))
	}
	if filepath.IsAbs(path) {
		for _, folder := range f {
			if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
				return location{folder: folder, path: rel, given: path}, nil
			}
		}
		return location{}, f.outside(path)
	}
	if rel := filepath.Clean(filepath.FromSlash(path)); path != "" && filepath.IsLocal(rel) {
		return location{folder: f[0], path: rel, given: path}, nil
	}
	return location{}, f.outside(path)
}

func (f folders) outside(path string) error {
	return handlers.Permanent(fmt.Errorf("path %q is outside the allowed folders %s; more can be allowed under handlers.folders in the configuration", path, strings.Join(f, ", ")))
}

// open locates path and opens its folder. The caller closes the root.
func (f folders) open(path string) (*os.Root, location, error) {
	at, err := f.locate(path)
	if err != nil {
		return nil, at, err
	}
	root, err := os.OpenRoot(at.folder)
	if err != nil {
		return nil, at, fmt.Errorf("open the allowed folder: %w", err)
	}
	return root, at, nil
}

// explain replaces the path in an error of a root with the path in the pipeline, and marks an
// escape by a symbolic link as permanent. A missing file may be created later, so that is an
// ordinary failure.
func (f folders) explain(op string, at location, err error) error {
	if err == nil {
		return nil
	}
	// The os package does not export this error.
	if strings.Contains(err.Error(), "path escapes from parent") {
		return f.outside(at.given)
	}
	var onPath *fs.PathError
	var onPaths *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onPaths):
		err = onPaths.Err
	}
	return fmt.Errorf("%s %q: %w", op, at.given, err)
}

// read returns a whole file of at most limit bytes.
func (f folders) read(path string, limit handlers.Size) ([]byte, fs.FileInfo, error) {
	root, at, err := f.open(path)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	file, info, err := f.openRegular("read", root, at, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, nil, f.explain("read", at, err)
	}
	if int64(len(data)) > int64(limit) {
		return nil, nil, handlers.Permanent(fmt.Errorf("read %q: the file is larger than %s; raise maxSize if that is right", path, limit))
	}
	return data, info, nil
}

// readText is read for text in UTF-8, without a byte order mark.
func (f folders) readText(path string, limit handlers.Size) (string, fs.FileInfo, error) {
	data, info, err := f.read(path, limit)
	if err != nil {
		return "", nil, err
	}
	text, err := textOf(data)
	if err != nil {
		return "", nil, handlers.Business(fmt.Errorf("read %q: %w", path, err))
	}
	return text, info, nil
}

// textOf checks that data is UTF-8 and drops a byte order mark.
func textOf(data []byte) (string, error) {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if utf8.ValidString(text) {
		return text, nil
	}
	if utf16Order(data) != nil {
		return "", errors.New("want text in UTF-8, got UTF-16")
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return "", errors.New("want text in UTF-8, got an invalid character at byte " + strconv.Itoa(i))
		}
	}
	return text, nil
}

// write replaces a file atomically: readers see the old content or the new one, never a part,
// and a crash leaves at most a temporary file.
func (f folders) write(path string, createFolders bool, from io.Reader) (fs.FileInfo, error) {
	root, at, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if createFolders {
		if err := root.MkdirAll(filepath.Dir(at.path), 0o755); err != nil {
			return nil, f.explain("create the folder of", at, err)
		}
	}
	if info, err := root.Stat(at.path); err == nil {
		if err := wantRegular("write", at, info); err != nil {
			return nil, err
		}
	}
	info, err := replaceFile(root, at.path, from)
	return info, f.explain("write", at, err)
}

// replaceFile writes a temporary file beside name and renames it.
func replaceFile(root *os.Root, name string, from io.Reader) (info fs.FileInfo, err error) {
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:8]+".tmp")
	file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temp))
		}
	}()
	_, err = io.Copy(file, from)
	if err == nil {
		err = file.Sync() // without it, a crash could leave an empty file
	}
	if err == nil {
		info, err = file.Stat()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return info, root.Rename(temp, name)
}
