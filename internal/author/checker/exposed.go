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

// Exposed warns about folders of handlers.folders through which a step that handles
// files could write what decides what runs here, or read a secret: the pipelines, the
// settings with their queues and tasks, schemas, the files of secrets and keys, a
// SQLite database. There is one warning for each such folder.
func (c *Checker) Exposed(files []pipelines.File) strictyaml.Findings {
	targets := c.delicate(files)
	var findings strictyaml.Findings
	for i, folder := range c.settings.Handlers.Folders {
		var found []string
		for _, t := range targets {
			if !slices.Contains(found, t.name) && (holds(folder, t.path) || t.within && holds(t.path, folder)) {
				found = append(found, t.name)
			}
		}
		if len(found) == 0 {
			continue
		}
		f := c.settings.FolderFinding(i, CodeExposed,
			fmt.Sprintf("steps may write %s through this folder: who can shape a path in a payload can run programs here, or read secrets", inWords(found)),
			"allow a folder that holds nothing but the files of steps, such as data")
		f.Severity = strictyaml.Warning
		findings = append(findings, f)
	}
	return findings
}

// delicate is a file or folder that steps should not touch.
type delicate struct {
	name, path string
	within     bool // a folder inside it counts as well
}

func (c *Checker) delicate(files []pipelines.File) []delicate {
	s := c.settings
	list := []delicate{{"the pipelines (pipelines.dir)", s.Pipelines.Dir, true}}
	for _, f := range files { // one may be a link that leads out of the folder
		list = append(list, delicate{"the pipelines (pipelines.dir)", full(f.Path), false})
	}
	if s.File != "" {
		list = append(list, delicate{"the settings (" + filepath.Base(s.File) + ")", s.File, false})
	}
	for _, f := range s.SecretFiles() {
		list = append(list, delicate{"the file of " + f.Setting, f.File, false})
	}
	for _, path := range c.schemaFiles() {
		list = append(list, delicate{"the schemas of queues", path, false})
	}
	if dsn := s.Database.DSN.Reveal(); s.Database.Driver == database.SQLite && dsn != "" && !strings.HasPrefix(dsn, ":memory:") {
		path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
		list = append(list, delicate{"the database (database.dsn)", path, false})
	}
	return slices.DeleteFunc(list, func(d delicate) bool { return !filepath.IsAbs(d.path) })
}

// schemaFiles are the files that the definitions of queues name.
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

// holds reports whether a path is a folder or lies inside it: as it is written, since
// the folder's owner can replace a link, and as its links lead. What is not there yet
// is judged by the folders above it.
func holds(folder, path string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		info = nil
	}
	return above(folder, info, path) || above(folder, info, resolved(path))
}

func above(folder string, info fs.FileInfo, path string) bool {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if path == filepath.Clean(folder) {
			return true
		}
		// The same folder can have several names, by links, mounts or case.
		if there, err := os.Stat(path); err == nil && info != nil && os.SameFile(there, info) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// resolved follows the links in a path as far as it exists.
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

// inWords lists names as a sentence does.
func inWords(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
