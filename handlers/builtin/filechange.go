package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"botwork/handlers"
)

func (s *fileStep) write(call *handlers.Call) (any, error) {
	content, err := s.content(call)
	if err != nil {
		return nil, err
	}
	if err := s.mayReplace(s.Path); err != nil {
		return nil, err
	}
	info, err := s.folders.write(s.Path, s.CreateFolders, content)
	if err != nil {
		return nil, err
	}
	return map[string]any{"path": s.Path, "size": int(info.Size())}, nil
}

func (s *fileStep) append(call *handlers.Call) (any, error) {
	content, err := s.content(call)
	if err != nil {
		return nil, err
	}
	root, at, err := s.folders.open(s.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if s.CreateFolders {
		if err := root.MkdirAll(filepath.Dir(at.path), 0o755); err != nil {
			return nil, s.folders.explain("create the folder of", at, err)
		}
	}
	file, _, err := s.folders.openRegular("append to", root, at, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, content)
	info, statErr := file.Stat()
	if err := errors.Join(err, statErr, file.Close()); err != nil {
		return nil, s.folders.explain("append to", at, err)
	}
	return map[string]any{"path": s.Path, "size": int(info.Size())}, nil
}

func (s *fileStep) move(ctx context.Context) (any, error) {
	from, source, err := s.folders.open(s.Path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, target, err := s.folders.open(s.To)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	if info, err := from.Lstat(source.path); errors.Is(err, fs.ErrNotExist) {
		// An earlier attempt may have moved it and failed before recording that.
		if _, err := to.Lstat(target.path); err == nil {
			return map[string]any{"path": s.To}, nil
		}
		return nil, s.folders.explain("move", source, err)
	} else if err == nil && info.IsDir() {
		return nil, handlers.Permanent(fmt.Errorf("move %q: it is a folder, want a file", s.Path))
	}
	if source.folder != target.folder {
		// Two folders can be the same folder, by a link or a mount: a copy and a delete would lose the
		// file.
		if here, err := from.Stat(source.path); err == nil {
			if there, err := to.Stat(target.path); err == nil && os.SameFile(here, there) {
				return map[string]any{"path": s.To}, nil
			}
		}
		// A rename cannot cross file systems: copy, then delete.
		if _, err := s.copy(ctx); err != nil {
			return nil, err
		}
		return map[string]any{"path": s.To}, s.folders.explain("delete", source, from.Remove(source.path))
	}
	if err := s.mayReplace(s.To); err != nil {
		return nil, err
	}
	if info, err := to.Stat(target.path); err == nil && !info.IsDir() {
		if err := wantRegular("move to", target, info); err != nil {
			return nil, err
		}
	}
	if s.CreateFolders {
		if err := from.MkdirAll(filepath.Dir(target.path), 0o755); err != nil {
			return nil, s.folders.explain("create the folder of", target, err)
		}
	}
	if err := from.Rename(source.path, target.path); err != nil {
		return nil, s.folders.explain("move", source, err)
	}
	return map[string]any{"path": s.To}, nil
}

func (s *fileStep) copy(ctx context.Context) (any, error) {
	root, source, err := s.folders.open(s.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, _, err := s.folders.openRegular("copy", root, source, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := s.mayReplace(s.To); err != nil {
		return nil, err
	}
	if _, err := s.folders.write(s.To, s.CreateFolders, stoppingReader{ctx, file}); err != nil {
		return nil, err
	}
	return map[string]any{"path": s.To}, nil
}

func (s *fileStep) delete() (any, error) {
	root, at, err := s.folders.open(s.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Use Lstat: a symbolic link is deleted, not its target.
	info, err := root.Lstat(at.path)
	if err == nil && info.IsDir() {
		return nil, handlers.Permanent(fmt.Errorf("delete %q: it is a folder, want a file", s.Path))
	}
	if err == nil {
		err = root.Remove(at.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, s.folders.explain("delete", at, err)
	}
	return map[string]any{"path": s.Path, "deleted": err == nil}, nil
}

// mayReplace protects an existing target. It is not a lock: two steps that write at the same
// time can both pass it.
func (s *fileStep) mayReplace(path string) error {
	if s.Overwrite {
		return nil
	}
	root, at, err := s.folders.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	switch _, err := root.Lstat(at.path); {
	case err == nil:
		return handlers.Business(fmt.Errorf("%q exists already, and overwrite is false", path))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return s.folders.explain("look at", at, err)
	}
}
