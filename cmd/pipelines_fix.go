package cmd

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

// fixNamed mends the files of the project, or those named, and tells what it did.
// With dryRun it prints a diff of what it would do.
func (a *app) fixNamed(paths []string, dryRun bool, told io.Writer) error {
	project, err := a.OpenProject()
	if err != nil {
		return err
	}
	if len(paths) == 0 && project.Settings.File != "" {
		settings := cli.ShortPath(project.Settings.File)
		data, err := os.ReadFile(settings)
		if err != nil {
			return err
		}
		fixed, mended := checker.FixSettings(settings, data)
		if err := a.settle(settings, data, fixed, mended, dryRun, told); err != nil {
			return err
		}
		if !dryRun && len(mended) > 0 {
			if project, err = a.OpenProject(); err != nil { // the pipelines may mean what is new
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
			continue // the check tells
		}
		fixed, mended := project.Checker.FixPipeline(file)
		if err := a.settle(file.Path, file.Data, fixed, mended, dryRun, told); err != nil {
			a.Complain(err) // the others shall not wait for this one; the check tells what is left in it
		}
	}
	return nil
}

// settle writes a file that was mended, or prints the difference.
func (a *app) settle(path string, before, after []byte, mended strictyaml.Findings, dryRun bool, told io.Writer) error {
	if bytes.Equal(before, after) {
		return nil
	}
	if dryRun {
		shown := filepath.ToSlash(path)
		_, err := io.WriteString(a.Stdout, udiff.Unified(shown, shown, string(before), string(after)))
		return err
	}
	if err := checker.Replace(path, before, after); err != nil {
		return fmt.Errorf("mend %s: %w", path, err)
	}
	for _, f := range mended {
		fmt.Fprintf(told, "mended: %s\n", f)
	}
	return nil
}
