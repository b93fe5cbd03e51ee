package pipelines

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
)

// fixNamed fixes the files of the project, or the named ones, and writes the fixed
// findings to out. With dryRun, it only prints a diff of the changes.
func (a *command) fixNamed(paths []string, dryRun bool, out io.Writer) error {
	project, err := a.OpenProject(true)
	if err != nil {
		return err
	}
	if len(paths) == 0 && project.Settings.File != "" {
		fixes := 0
		for _, file := range project.Settings.Files() {
			settings := cli.ShortPath(file)
			data, err := os.ReadFile(settings)
			if err != nil {
				return err
			}
			fixed, resolved := checker.FixSettings(settings, data)
			if err := a.writeFixed(settings, data, fixed, resolved, dryRun, out); err != nil {
				return err
			}
			fixes += len(resolved)
		}
		if !dryRun && fixes > 0 {
			if project, err = a.OpenProject(true); err != nil { // the pipelines may refer to the fixed settings
				return err
			}
		}
	}
	if project.Checker == nil {
		return nil
	}
	files := project.Files
	if len(paths) > 0 {
		files = namedFiles(paths)
	}
	for _, file := range files {
		if file.Err != nil {
			continue // the check reports the error
		}
		fixed, resolved := project.Checker.FixPipeline(file)
		if err := a.writeFixed(file.Path, file.Data, fixed, resolved, dryRun, out); err != nil {
			a.Complain(err) // continue with the other files; the check reports what remains in this one
		}
	}
	return nil
}

// writeFixed replaces a file with its fixed content, or prints the difference.
func (a *command) writeFixed(path string, before, after []byte, resolved strictyaml.Findings, dryRun bool, out io.Writer) error {
	if bytes.Equal(before, after) {
		return nil
	}
	if dryRun {
		shown := filepath.ToSlash(path)
		_, err := io.WriteString(a.Stdout, udiff.Unified(shown, shown, string(before), string(after)))
		return err
	}
	if err := checker.Replace(path, before, after); err != nil {
		return fmt.Errorf("fix %s: %w", path, err)
	}
	for _, f := range resolved {
		fmt.Fprintf(out, "fixed: %s\n", f)
	}
	return nil
}
