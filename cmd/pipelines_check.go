package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botwork/internal/strictyaml"
	"botwork/pipelines"
)

func (a *app) pipelinesCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Report every mistake in pipeline files",
		Long: `Checks the pipelines folder, or the files and folders named, and reports every
mistake with its place. Nothing runs and nothing is connected to.

JSON and YAML are a list of mistakes: file, line, column, code, message, hint.
The exit code is 2 when there is one.`,
		Example: "  botwork pipelines check\n  botwork pipelines check pipelines/hello.yaml --output json",
	}
	output := outputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := a.loadConfig(); err != nil {
			return err
		}
		named := len(args) > 0
		if !named {
			args = []string{shortPath(a.cfg.Pipelines.Dir)}
		}
		compiler, err := a.checker()
		if err != nil {
			return err
		}
		good, findings, err := checkPaths(compiler, args, named)
		if err != nil {
			return err
		}
		err = a.print(*output, append(strictyaml.Findings{}, findings...), func() {
			for _, f := range findings {
				fmt.Fprintln(a.stdout, f)
			}
			if len(findings) == 0 {
				fmt.Fprintf(a.stdout, "%s, no mistakes\n", count(good, "pipeline"))
			}
		})
		if err == nil && len(findings) > 0 {
			return &reportedError{exitUsage}
		}
		return err
	}
	return cmd
}

// checkPaths compiles files and folders, and counts the pipelines without a
// mistake. Files that are named are one catalogue, so that two with one name
// are found. Of paths that a person named, one that cannot be read is a mistake
// like others; else it is the folder of the settings that is missing.
func checkPaths(c *pipelines.Compiler, paths []string, named bool) (good int, findings strictyaml.Findings, err error) {
	files := pipelines.NewCatalogue(c)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			var data []byte
			if data, err = os.ReadFile(path); err == nil {
				findings = append(findings, files.Add(path, data)...)
				continue
			}
		}
		if err != nil && named {
			findings = append(findings, strictyaml.Finding{File: path, Code: pipelines.CodeUnreadableFile, Message: err.Error()})
			continue
		}
		folder, wrong, err := pipelines.LoadDir(c, path)
		if err != nil {
			return 0, nil, &usageError{message: err.Error()}
		}
		good += len(folder.All())
		findings = append(findings, wrong...)
	}
	return good + len(files.All()), findings, nil
}
