package pipelines

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/version"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

func (a *command) pipelinesCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Report all errors in the project's files",
		Long: `Checks the settings, their queues and tasks and the pipelines folder, or the named
files and folders, and reports all errors with their positions. It runs nothing and
connects to nothing. A warning reports a setting that is allowed but probably not
intended; files with errors are not checked for warnings. Test files (*_test.yaml)
are checked too; botwork pipelines test runs them.

JSON and YAML are a list of errors and warnings: file, line, column, endLine and
endColumn (after the last character, if known), severity (error or warning), code,
message, hint. SARIF 2.1.0 is for code hosts and editors: it contains rules with
descriptions, columns in characters and URIs relative to the working folder.

--fix first corrects errors if the intended text is clear: misspelt keys and
parameters, missing or needless quotes, units in other notations (5min), indentation
with tabs. A file is replaced atomically, and only if it then has fewer findings and no
new ones. The corrections are printed. --fix --dry-run prints the changes as a diff for
patch and does not change the files. The exit code is 2 if there is an error, and 0 if
there are only warnings.`,
		Example: "  botwork pipelines check\n  botwork pipelines check pipelines/hello.yaml --output json\n  botwork pipelines check --output sarif > findings.sarif\n  botwork pipelines check --fix --dry-run\n  botwork pipelines check --fix",
	}
	output := &checkFormat{Format: cli.FormatTable}
	cmd.Flags().VarP(output, "output", "o", "print the findings as table, json, yaml or sarif")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(append(slices.Clone(cli.Formats), formatSarif), cobra.ShellCompDirectiveNoFileComp))
	var fix, dryRun bool
	cmd.Flags().BoolVar(&fix, "fix", false, "correct what is safe to correct in the files, then check")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "with --fix: print the changes and make none")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if dryRun && !fix {
			return &cli.UsageError{Message: "--dry-run goes with --fix", Hint: "without --fix nothing is changed anyway"}
		}
		if fix {
			out := a.Stdout
			if output.sarif || output.Format != cli.FormatTable {
				out = a.Stderr // standard output is for the remaining findings
			}
			if err := a.fixNamed(args, dryRun, out); err != nil {
				return err
			}
			if dryRun {
				return nil
			}
		}
		found, err := a.checkNamed(args)
		if err != nil {
			return err
		}
		a.checkTests(found, args)
		all := append(strictyaml.Findings{}, found.Findings...) // an empty list is not null
		wrong := len(found.Mistakes()) > 0
		if output.sarif {
			err = a.printSarif(all)
		} else {
			err = a.Print(output.Format, all, func() { a.printFindings(found) })
		}
		if err == nil && wrong {
			return &cli.ReportedError{Code: cli.ExitUsage}
		}
		return err
	}
	return cmd
}

// formatSarif is the format of findings that code hosts and editors read.
const formatSarif = "sarif"

// checkFormat is a format, or SARIF.
type checkFormat struct {
	cli.Format
	sarif bool
}

// String and Set make it a flag's value; Type is that of the other formats.
func (f *checkFormat) String() string {
	if f.sarif {
		return formatSarif
	}
	return f.Format.String()
}

func (f *checkFormat) Set(text string) error {
	if f.sarif = text == formatSarif; f.sarif {
		return nil
	}
	if f.Format.Set(text) != nil {
		return errors.New("want table, json, yaml or sarif")
	}
	return nil
}

// printSarif prints findings with addresses relative to the working folder.
func (a *command) printSarif(findings strictyaml.Findings) error {
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	return a.Print(cli.FormatJSON, checker.NewSarif(findings, version.Current().Version, base), nil)
}

// printFindings prints findings for a person.
func (a *command) printFindings(r *checker.Report) {
	for _, f := range r.Findings {
		fmt.Fprintln(a.Stdout, f)
	}
	if len(r.Mistakes()) > 0 {
		return
	}
	fmt.Fprintf(a.Stdout, "%s, no errors", cli.Count(len(r.Catalogue.All()), "pipeline"))
	if n := len(r.Warnings()); n > 0 {
		fmt.Fprintf(a.Stdout, ", %s", cli.Count(n, "warning"))
	}
	fmt.Fprintln(a.Stdout)
}

// checkNamed checks the project, or the files and folders named.
func (a *command) checkNamed(paths []string) (*checker.Report, error) {
	project, err := a.OpenProject(true)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 || project.Checker == nil {
		return &project.Report, nil
	}
	if err := project.Wrong.Err(); err != nil {
		return nil, err
	}
	return project.Checker.Named(namedFiles(paths), project.Files), nil
}

// namedFiles reads the files and folders of the command line. A file that cannot be read is a
// finding; a file that is named twice counts once.
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
		} else if err == nil && pipelines.IsTestFile(path) {
			continue // see checkTests
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
