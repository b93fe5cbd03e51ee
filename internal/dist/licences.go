package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notice matches the names of files that must be distributed together with the software.
var notice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents|unlicense)([-._].*)?$`)

// noNotice are the extensions of files whose names only look like notices.
var noNotice = []string{".go", ".json", ".yml", ".yaml", ".tmpl", ".sh"}

// linked is the description of a package in the output of `go list -deps -json`.
type linked struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *module
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// part is a linked module with the folders of its packages.
type part struct {
	name string // path and version
	root string
	dirs map[string]bool
}

// notices returns the notices of Go itself and of every module that is linked into the
// program, in one text. A module without a notice is an error.
func notices(ctx context.Context, p platform) ([]byte, error) {
	goroot, err := output(ctx, p.environment(), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, err := output(ctx, p.environment(), "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	parts, err := linkedParts(ctx, p)
	if err != nil {
		return nil, err
	}
	parts = append([]part{{name: "the Go standard library and runtime, " + version, root: goroot, dirs: map[string]bool{goroot: true}}}, parts...)
	return join(parts)
}

// linkedParts lists the modules of the packages in the program, in order of their paths,
// without this module.
func linkedParts(ctx context.Context, p platform) ([]part, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Dir,Standard,Module", "./cmd/botwork")
	cmd.Env = p.environment()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return nil, err
	}
	byName := map[string]part{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l linked
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the output of go list: %w", err)
		}
		if err := l.addTo(byName); err != nil {
			return nil, err
		}
	}
	parts := make([]part, 0, len(byName))
	for _, found := range byName {
		parts = append(parts, found)
	}
	slices.SortFunc(parts, func(x, y part) int { return cmp.Compare(x.name, y.name) })
	return parts, nil
}

func (l linked) addTo(parts map[string]part) error {
	m := l.Module
	switch {
	case l.Standard:
		return nil
	case m == nil:
		return fmt.Errorf("the package %s belongs to no module", l.ImportPath)
	case m.Main, m.Replace != nil && strings.HasPrefix(m.Replace.Path, "."):
		return nil // this module
	}
	name := m.Path + " " + m.Version
	if _, there := parts[name]; !there {
		parts[name] = part{name: name, root: m.Dir, dirs: map[string]bool{}}
	}
	parts[name].dirs[l.Dir] = true
	return nil
}

// join concatenates the notices of all parts.
func join(parts []part) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("Botwork contains the software that is listed here, each under its own terms.\n\n")
	for _, p := range parts {
		text.WriteString("  " + p.name + "\n")
	}
	for _, p := range parts {
		files, err := p.files()
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			rel, err := filepath.Rel(p.root, path)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&text, "\n%s\n%s: %s\n%s\n\n", strings.Repeat("=", 78), p.name, filepath.ToSlash(rel), strings.Repeat("=", 78))
			text.Write(bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
			text.WriteByte('\n')
		}
	}
	return text.Bytes(), nil
}

// files returns the notices of a part: those in its root folder, those next to its linked
// packages, and those in the folders between, where a module may contain copied code of
// others.
func (p part) files() ([]string, error) {
	folders := map[string]bool{}
	for dir := range p.dirs {
		for ; ; dir = filepath.Dir(dir) {
			folders[dir] = true
			if dir == p.root || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	var found []string
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && notice.MatchString(e.Name()) && !slices.Contains(noNotice, strings.ToLower(filepath.Ext(e.Name()))) {
				found = append(found, filepath.Join(folder, e.Name()))
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s: it must not be distributed", p.name, p.root)
	}
	slices.Sort(found)
	return found, nil
}
