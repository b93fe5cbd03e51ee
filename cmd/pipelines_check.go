package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"botwork/internal/checker"
	"botwork/internal/strictyaml"
	"botwork/pipelines"
)

func (a *app) pipelinesCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Report every mistake in the project's files",
		Long: `Checks the settings, their queues and tasks and the pipelines folder, or the files
and folders named, and reports every mistake with its place. Nothing runs and
nothing is connected to. A warning tells what is allowed and probably not meant; a
file with mistakes is not looked at for those.

JSON and YAML are a list of both: file, line, column, endLine and endColumn (behind
the last character, where that is known), severity (error or warning), code,
message, hint. The exit code is 2 when there is a mistake, 0 with
warnings only.`,
		Example: "  botwork pipelines check\n  botwork pipelines check pipelines/hello.yaml --output json",
	}
	output := outputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		found, err := a.checkNamed(args)
		if err != nil {
			return err
		}
		all := append(strictyaml.Findings{}, found.Findings...) // an empty list is not null
		wrong := len(found.Mistakes()) > 0
		err = a.print(*output, all, func() {
			for _, f := range all {
				fmt.Fprintln(a.stdout, f)
			}
			if !wrong {
				fmt.Fprintf(a.stdout, "%s, no mistakes", count(len(found.Catalogue.All()), "pipeline"))
				if n := len(found.Warnings()); n > 0 {
					fmt.Fprintf(a.stdout, ", %s", count(n, "warning"))
				}
				fmt.Fprintln(a.stdout)
			}
		})
		if err == nil && wrong {
			return &reportedError{exitUsage}
		}
		return err
	}
	return cmd
}

// checkNamed checks the project, or the files and folders named.
func (a *app) checkNamed(paths []string) (*checker.Report, error) {
	project, err := a.openProject()
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 || project.Checker == nil {
		return &project.Report, nil
	}
	if err := project.Wrong.Err(); err != nil {
		return nil, err
	}
	catalogue, findings := project.Checker.Folder(namedFiles(paths))
	return &checker.Report{Catalogue: catalogue, Findings: findings}, nil
}

// namedFiles reads files and folders that a person named. One that cannot be read
// is a mistake like others; a file that is named twice counts once.
func namedFiles(paths []string) []pipelines.File {
	var files []pipelines.File
	seen := map[string]bool{}
	for _, path := range paths {
		info, err := os.Stat(path)
		found := []pipelines.File{{Path: path, Err: err}}
		if err == nil && info.IsDir() {
			if found, err = pipelines.ReadDir(path, nil); err != nil {
				found = []pipelines.File{{Path: path, Err: err}}
			}
		} else if err == nil {
			found[0].Data, found[0].Err = os.ReadFile(path)
		}
		for _, file := range found {
			if name := filepath.Clean(file.Path); !seen[name] {
				seen[name] = true
				files = append(files, file)
			}
		}
	}
	return files
}
