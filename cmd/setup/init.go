// Package setup holds the commands that write the files of a project: `botwork init` and
// `botwork schema`.
package setup

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/config"
	"botwork/internal/filenames"
	"botwork/pipelines/shipped"
)

// command is one call of a command that sets up a project.
type command struct{ *projectdir.App }

// InitCommand returns `botwork init`.
func InitCommand(a *projectdir.App) *cobra.Command { return (&command{a}).initCommand() }

// SchemaCommand returns `botwork schema`.
func SchemaCommand(a *projectdir.App) *cobra.Command { return (&command{a}).schemaCommand() }

//go:embed project
var projectFiles embed.FS

// projectFile is one file of a new project.
type projectFile struct {
	path string // relative, with slashes
	data []byte
}

// newProject returns the files that init writes.
func (a *command) newProject() ([]projectFile, error) {
	files := []projectFile{{"botwork.yaml", projectSettings()}}
	for _, f := range shipped.Files() {
		files = append(files, projectFile{"pipelines/" + f.Name, f.Data})
	}
	for _, f := range []struct{ from, to string }{
		{"hello.yaml", "pipelines/hello.yaml"}, {"hello_test.yaml", "pipelines/hello_test.yaml"}, {"hello.json", "hello.json"}, {"README.md", "README.md"}, {"gitignore", ".gitignore"},
	} {
		data, err := projectFiles.ReadFile("project/" + f.from)
		if err != nil {
			return nil, err
		}
		files = append(files, projectFile{f.to, data})
	}
	forEditors(files)
	schemas, err := a.schemaFiles()
	if err != nil {
		return nil, err
	}
	files = append(files, schemas...)
	return append(files, codeFiles("pipelines", "botwork.yaml")...), nil
}

// projectSettings are the settings as package config explains them, with the
// one change that the project needs: its pipeline writes into the folder data.
func projectSettings() []byte {
	return bytes.Replace(config.Sample(), []byte("# - data"), []byte("- data"), 1)
}

func (a *command) initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a new project: settings, system pipelines, a first pipeline",
		Long: `Writes a complete project: botwork.yaml, the system pipelines, a pipeline for items
and a README. All files have comments and are meant to be edited. Editors that use
the YAML language server (such as VS Code with its YAML extension) complete, explain
and check them. The queue is a SQLite file in the folder unless botwork.yaml names
another database.

An existing file is never overwritten without --force.`,
		Example: "  botwork init myproject\n  botwork init . --force",
		Args:    cli.OneArgument("the project's folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.initProject(args[0], force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite existing files")
	return cmd
}

func (a *command) initProject(dir string, force bool) error {
	if base := filepath.Base(dir); base != "." && base != ".." && base != string(filepath.Separator) {
		if err := filenames.Check(base); err != nil {
			return &cli.UsageError{Message: "the project's folder: " + err.Error()}
		}
	}
	files, err := a.newProject()
	if err != nil {
		return err
	}
	write := overwriteFile
	if !force {
		write = createFile
		if err := refuseExisting(dir, files); err != nil {
			return err
		}
	}
	// The settings allow handlers to use this folder, so it must exist.
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o755); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := write(path, f.data); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "wrote %s\n", path)
	}
	fmt.Fprint(a.Stdout, "\nNext:\n")
	if filepath.Clean(dir) != "." {
		fmt.Fprintf(a.Stdout, "  cd %s\n", cli.QuotePath(dir))
	}
	command := cli.CommandIn(dir, os.Args[0])
	fmt.Fprintf(a.Stdout, "  %s enqueue --pipeline hello --payload-file hello.json\n  %s run\n", command, command)
	return nil
}

// refuseExisting returns an error that lists all existing files, before any file is written.
func refuseExisting(dir string, files []projectFile) error {
	var existing []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if _, err := os.Lstat(path); err == nil {
			existing = append(existing, path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(existing) == 0 {
		return nil
	}
	slices.Sort(existing)
	return fmt.Errorf("files already exist: %s; nothing was written; choose another folder, or overwrite with --force", strings.Join(existing, ", "))
}
