package checker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/pipelines"
)

// CodeExposed is the code of the findings of Exposed.
const CodeExposed = "exposed-files"

// Exposed warns about folders of handlers.folders in which a step that handles files
// could change what the worker runs, or read a secret: they contain the pipelines, the
// settings with their queues and tasks, schemas, files of secrets and keys, or a SQLite
// database. There is one warning for each such folder.
func (c *Checker) Exposed(files []pipelines.File) strictyaml.Findings {
	targets := c.sensitivePaths(files)
	var findings strictyaml.Findings
	for i, folder := range c.settings.Handlers.Folders {
		var found []string
		for _, t := range targets {
			if !slices.Contains(found, t.name) && (contains(folder, t.path) || t.within && contains(t.path, folder)) {
				found = append(found, t.name)
			}
		}
		if len(found) == 0 {
			continue
		}
		findings = append(findings, c.settings.Warning(fmt.Sprintf("handlers.folders[%d]", i), CodeExposed,
			fmt.Sprintf("steps can write %s in this folder: a payload with a crafted path could run programs on this machine, or read secrets", enumeration(found)),
			"allow a folder that contains only the files of steps, such as data"))
	}
	return findings
}

// sensitivePath is a file or folder that steps should not write to.
type sensitivePath struct {
	name, path string
	within     bool // a folder inside it is also sensitive
}

func (c *Checker) sensitivePaths(files []pipelines.File) []sensitivePath {
	s := c.settings
	list := []sensitivePath{{"the pipelines (pipelines.dir)", s.Pipelines.Dir, true}}
	for _, f := range files { // a file can be a link to another folder
		list = append(list, sensitivePath{"the pipelines (pipelines.dir)", absolutePath(f.Path), false})
	}
	if s.File != "" {
		for _, file := range s.Files() {
			list = append(list, sensitivePath{"the settings (" + filepath.Base(file) + ")", file, false})
		}
	}
	for _, f := range s.SecretFiles() {
		list = append(list, sensitivePath{"the file of " + f.Setting, f.File, false})
	}
	for _, path := range c.schemaFiles() {
		list = append(list, sensitivePath{"the schemas of queues", path, false})
	}
	if dsn := s.Database.DSN.Reveal(); s.Database.Driver == database.SQLite && dsn != "" && !strings.HasPrefix(dsn, ":memory:") {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		list = append(list, sensitivePath{"the database (database.dsn)", path, false})
	}
	return slices.DeleteFunc(list, func(p sensitivePath) bool { return !filepath.IsAbs(p.path) })
}

// schemaFiles returns the schema files that the definitions of queues refer to.
func (c *Checker) schemaFiles() []string {
	var paths []string
	if c.settings.Queues == nil || c.settings.File == "" {
		return nil
	}
	for _, queue := range c.settings.Queues.Entries {
		schemas := queue.Value.Get("schemas")
		if schemas == nil {
			continue
		}
		for _, schema := range schemas.Entries {
			if file := schema.Value.Get("file"); file != nil && file.Text != "" {
				path := filepath.FromSlash(file.Text)
				if !filepath.IsAbs(path) {
					path = filepath.Join(filepath.Dir(c.settings.File), path)
				}
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// contains reports whether a path is the folder or inside it. It checks the path as
// written, because the folder's owner can replace a link, and with its links resolved.
// For a path that does not exist yet, the existing folders above it count.
func contains(folder, path string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		info = nil
	}
	return isWithin(folder, info, path) || isWithin(folder, info, resolved(path))
}

func isWithin(folder string, info fs.FileInfo, path string) bool {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if path == filepath.Clean(folder) {
			return true
		}
		// The same folder can have several paths, because of links, mounts or case.
		if current, err := os.Stat(path); err == nil && info != nil && os.SameFile(current, info) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// resolved returns the path with the links in its existing part resolved.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// enumeration joins names as in a sentence: "a, b and c".
func enumeration(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
