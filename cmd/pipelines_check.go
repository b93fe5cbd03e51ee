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
mistake with its place. Nothing runs and nothing is connected to. A warning tells
what is allowed and probably not meant; a file with mistakes is not looked at for
those.

JSON and YAML are a list of both: file, line, column, severity (error or
warning), code, message, hint. The exit code is 2 when there is a mistake, 0 with
warnings only.`,
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
		found, err := checkPaths(compiler, args, named)
		if err != nil {
			return err
		}
		all := append(strictyaml.Findings{}, found.mistakes...) // an empty list is not null
		all = append(all, found.warnings...)
		all.Sort()
		err = a.print(*output, all, func() {
			for _, f := range all {
				fmt.Fprintln(a.stdout, f)
			}
			if len(found.mistakes) == 0 {
				fmt.Fprintf(a.stdout, "%s, no mistakes", count(found.good, "pipeline"))
				if n := len(found.warnings); n > 0 {
					fmt.Fprintf(a.stdout, ", %s", count(n, "warning"))
				}
				fmt.Fprintln(a.stdout)
			}
		})
		if err == nil && len(found.mistakes) > 0 {
			return &reportedError{exitUsage}
		}
		return err
	}
	return cmd
}

// checked is what came of checking files.
type checked struct {
	good               int // pipelines without a mistake
	mistakes, warnings strictyaml.Findings
}

// checkPaths compiles files and folders. Files that are named are one catalogue,
// so that two with one name are found. Of paths that a person named, one that
// cannot be read is a mistake like others; else it is the folder of the settings
// that is missing.
func checkPaths(c *pipelines.Compiler, paths []string, named bool) (checked, error) {
	var all checked
	files := pipelines.NewCatalogue(c)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			var data []byte
			if data, err = os.ReadFile(path); err == nil {
				all.mistakes = append(all.mistakes, files.Add(path, data)...)
				continue
			}
		}
		if err != nil && named {
			all.mistakes = append(all.mistakes, strictyaml.Finding{File: path, Code: pipelines.CodeUnreadableFile, Message: err.Error()})
			continue
		}
		folder, wrong, err := pipelines.LoadDir(c, path)
		if err != nil {
			return checked{}, &usageError{message: err.Error()}
		}
		all.good += len(folder.All())
		all.mistakes = append(all.mistakes, wrong...)
		all.warnings = append(all.warnings, folder.Warnings()...)
	}
	all.good += len(files.All())
	all.warnings = append(all.warnings, files.Warnings()...)
	return all, nil
}
