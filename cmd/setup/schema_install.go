package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/checker"
	"botwork/internal/author/schemas"
	"botwork/pipelines"
)

// installer sets up one project for editors and prints what it does.
type installer struct {
	*command

	project string // the absolute path of its folder
	force   bool
	left    int // files that were not changed although something is missing
}

// installSchemas sets up the project of the settings for editors.
func (a *command) installSchemas(force bool) error {
	if err := a.LoadConfig(); err != nil {
		return err
	}
	project := filepath.Dir(a.Config.File)
	if a.Config.File == "" {
		var err error
		if project, err = os.Getwd(); err != nil {
			return err
		}
	}
	files, err := pipelines.ReadDir(a.Config.Pipelines.Dir, nil)
	if err != nil {
		return &cli.UsageError{Message: err.Error()}
	}
	written, err := a.schemaFiles()
	if err != nil {
		return err
	}
	in := installer{command: a, project: project, force: force}
	for _, f := range written {
		err = errors.Join(err, in.schema(f))
	}
	dir := a.Config.Pipelines.Dir
	if way, relErr := filepath.Rel(project, dir); relErr == nil && !strings.HasPrefix(way, "..") {
		dir = way
	}
	for _, f := range codeFiles(dir, filepath.Base(cmp.Or(a.Config.File, "botwork.yaml"))) {
		err = errors.Join(err, in.code(f))
	}
	for _, file := range a.Config.Files() {
		err = errors.Join(err, in.line(file, settingsSchema))
	}
	for _, f := range files {
		err = errors.Join(err, f.Err)
		if f.Err == nil {
			err = errors.Join(err, in.line(f.Path, pipelineSchema))
		}
	}
	if in.left > 0 {
		fmt.Fprintf(a.Stdout, "%s not changed; add the parts listed above manually, or overwrite with --force\n", cli.Count(in.left, "file"))
	}
	return err
}

func (in *installer) report(what, path, more string) {
	fmt.Fprintf(in.Stdout, "%s %s%s\n", what, cli.ShortPath(path), more)
}

// schema writes a schema, and replaces an older one that Botwork wrote.
func (in *installer) schema(f projectFile) error {
	path := filepath.Join(in.project, filepath.FromSlash(f.path))
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return in.create(path, f.data)
	case err != nil:
		return err
	case bytes.Equal(old, f.data):
		in.report("unchanged", path, "")
		return nil
	case !bytes.Contains(old, []byte(schemas.Mark)) && !in.force:
		in.left++
		in.report("not changed:", path, ": botwork did not write it")
		return nil
	}
	if err := checker.Replace(path, old, f.data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	in.report("refreshed", path, "")
	return nil
}

func (in *installer) create(path string, data []byte) error {
	if err := createFile(path, data); err != nil {
		return err
	}
	in.report("wrote", path, "")
	return nil
}

// code writes a file of VS Code, or adds to an existing one.
func (in *installer) code(f projectFile) error {
	path := filepath.Join(in.project, filepath.FromSlash(f.path))
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return in.create(path, f.data)
	}
	if err != nil {
		return err
	}
	if hasOurs(old, f.path) {
		in.report("unchanged", path, "")
		return nil
	}
	merged, ok := mergeCode(old, f.data)
	what := "added to"
	if !ok {
		if !in.force {
			in.left++
			in.report("not changed:", path, "; missing parts:\n"+string(f.data))
			return nil
		}
		merged, what = f.data, "overwrote"
	}
	if err := checker.Replace(path, old, merged); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	in.report(what, path, "")
	return nil
}

// line adds the line that names the schema to a file that has none.
func (in *installer) line(path, schema string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data := withSchemaLine(old, schemaFrom(in.project, path, schema))
	if bytes.Equal(data, old) {
		in.report("unchanged", path, "")
		return nil
	}
	if err := checker.Replace(path, old, data); err != nil {
		return fmt.Errorf("add a line to %s: %w", path, err)
	}
	in.report("added a line to", path, "")
	return nil
}
