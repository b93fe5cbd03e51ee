package builtin

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
)

// checkPattern rejects patterns that fs.Glob cannot parse or that would silently match nothing.
func checkPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return handlers.WrongParam("pattern", fmt.Sprintf("%q is no pattern: a [ is not closed or a range is wrong", pattern))
	}
	if !fs.ValidPath(pattern) || strings.Contains(pattern, "**") || pattern == "." {
		return handlers.WrongParam("pattern", fmt.Sprintf("%q: want names and * separated by /, without .. and **", pattern))
	}
	return nil
}

// list finds regular files. Its output paths start with the given path, so that a relative
// path works on other machines too.
func (s *fileStep) list(ctx context.Context) (any, error) {
	root, at, err := s.folders.open(s.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(at.path)
	if err != nil {
		return nil, s.folders.explain("list", at, err)
	}
	if !info.IsDir() {
		what := "file"
		if !info.Mode().IsRegular() {
			what = fileType(info.Mode())
		}
		return nil, handlers.Permanent(fmt.Errorf("list %q: it is a %s, want a folder", s.Path, what))
	}
	folder := rootFolder{root, filepath.ToSlash(at.path)}
	names, err := fs.Glob(folder, s.Pattern)
	if err != nil {
		return nil, s.folders.explain("list", at, err)
	}
	slices.Sort(names)
	files := []any{}
	newest := time.Now().Add(-time.Duration(s.OlderThan))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := fs.Stat(folder, name)
		if err != nil || !info.Mode().IsRegular() || s.OlderThan > 0 && info.ModTime().After(newest) {
			continue // gone by now, or leads outside, or not wanted
		}
		files = append(files, map[string]any{
			"path": path.Join(filepath.ToSlash(s.Path), name), "name": path.Base(name),
			"size": int(info.Size()), "modifiedAt": info.ModTime().UTC().Truncate(time.Millisecond),
		})
	}
	return map[string]any{"files": files, "count": len(files)}, nil
}
