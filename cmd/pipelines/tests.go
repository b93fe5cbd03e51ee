package pipelines

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/pipelines/pipelinetest"
)

// TestsView is the JSON output of `pipelines test`.
type TestsView struct {
	Cases    int                     `json:"cases"`
	Failed   int                     `json:"failed"`
	Files    []testFileView          `json:"files"`
	Coverage []pipelinetest.Coverage `json:"coverage"`
}

type testFileView struct {
	File     string         `json:"file"`
	Pipeline string         `json:"pipeline"`
	Cases    []testCaseView `json:"cases"`
}

type testCaseView struct {
	Name     string                 `json:"name"`
	Line     int                    `json:"line"`
	Passed   bool                   `json:"passed"`
	TookUs   int64                  `json:"tookUs"`
	Failures []pipelinetest.Failure `json:"failures"`
}

func (a *command) pipelinesTestCommand() *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "test [FILE|FOLDER|PATTERN...]",
		Short: "Run the tests of pipelines",
		Long: `Runs the test cases in files whose names end in _test.yaml: those in the pipelines
folder, or the named files, folders and patterns. A case defines the payload of a
pipeline, stubs for its steps, and the expected calls, outputs and outcome;
docs/testing-pipelines.md shows how to write them.

A test has no side effects: steps that only compute are executed, all others need a
stub. The environment, the secrets and the time are those of the case, and waits
take no time. At the end it lists the steps that no case has run.

The exit code is 1 if a case fails, and 2 if a file has errors or there is nothing
to run. --output junit prints XML for CI systems.`,
		Example: `  botwork pipelines test
  botwork pipelines test pipelines/hello_test.yaml --run 'hello/greets'
  botwork pipelines test 'pipelines/import*_test.yaml' --output junit`,
	}
	cmd.Flags().StringVar(&only, "run", "", "run only the cases whose PIPELINE/CASE this `REGEX` matches")
	output := cli.OutputFlagOf(cmd, cli.FormatTable, cli.FormatJSON, cli.FormatYAML, cli.FormatJUnit)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		options := pipelinetest.Options{}
		if only != "" {
			pattern, err := regexp.Compile(only)
			if err != nil {
				return cli.Usagef("--run: %v", err)
			}
			options.Only = pattern
		}
		return a.testPipelines(cmd.Context(), args, options, *output)
	}
	return cmd
}

func (a *command) testPipelines(ctx context.Context, args []string, options pipelinetest.Options, output cli.Format) error {
	if err := a.LoadConfig(); err != nil {
		return err
	}
	checker, err := a.Checker()
	if err != nil {
		return err
	}
	compiler := checker.Compiler()
	known, _, err := pipelines.LoadDir(compiler, cli.ShortPath(a.Config.Pipelines.Dir))
	all := len(args) == 0
	switch {
	case err != nil && all:
		return &cli.UsageError{Message: err.Error()}
	case err != nil:
		known = pipelines.NewCatalogue(compiler)
	}
	if all {
		args = []string{cli.ShortPath(a.Config.Pipelines.Dir)}
	}
	paths, err := testFiles(args)
	if err != nil {
		return err
	}
	for name := range a.Config.Secrets {
		options.SecretNames = append(options.SecretNames, name)
	}
	options.Values = a.Values()
	results, err := runTests(ctx, paths, pipelinetest.NewFinder(compiler, known), options)
	if err != nil {
		return err
	}
	var untested []*pipelines.Pipeline
	if all && options.Only == nil {
		untested = known.All()
	}
	return a.printTests(results, pipelinetest.Cover(results, untested), output)
}

// runTests reads all files before it runs the first, so that errors are reported at once.
func runTests(ctx context.Context, paths []string, find pipelinetest.Finder, options pipelinetest.Options) ([]pipelinetest.FileResult, error) {
	var files []*pipelinetest.File
	var findings strictyaml.Findings
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			findings = append(findings, strictyaml.Finding{File: path, Code: pipelines.CodeUnreadableFile, Message: err.Error()})
			continue
		}
		file, wrong := pipelinetest.Parse(path, data, find)
		findings = append(findings, wrong...)
		files = append(files, file)
	}
	if len(findings) > 0 {
		findings.Sort()
		return nil, slices.Compact(findings) // two test files may name the same broken pipeline
	}
	var results []pipelinetest.FileResult
	for _, file := range files {
		if r := file.Run(ctx, options); len(r.Results) > 0 {
			results = append(results, r)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if len(results) == 0 {
		return nil, cli.Usagef("--run: no case matches %q", options.Only)
	}
	return results, nil
}

// testFiles returns the test files that the arguments select.
func testFiles(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		names := []string{arg}
		if strings.ContainsAny(arg, "*?[") { // Windows shells do not expand patterns
			matched, err := filepath.Glob(arg)
			if err != nil {
				return nil, cli.Usagef("%s: %v", arg, err)
			}
			names = slices.DeleteFunc(matched, func(path string) bool {
				info, err := os.Stat(path)
				return err == nil && !info.IsDir() && !pipelines.IsTestFile(path)
			})
		}
		found := 0
		for _, name := range names {
			below, err := testFilesBelow(name)
			if err != nil {
				return nil, &cli.UsageError{Message: err.Error()}
			}
			found += len(below)
			paths = append(paths, below...)
		}
		if found == 0 {
			return nil, &cli.UsageError{Message: fmt.Sprintf("%s: there are no tests, want files whose names end in _test.yaml", arg), Hint: "docs/testing-pipelines.md shows how to write one"}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// testFilesBelow returns the test files in a folder; for a file, the file itself.
func testFilesBelow(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if !pipelines.IsTestFile(path) {
			return nil, fmt.Errorf("%s is not a test file: its name must end in _test.yaml", path)
		}
		return []string{filepath.Clean(path)}, nil
	}
	var paths []string
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		switch name := ""; {
		case err != nil || at == path:
			return err
		default:
			name = entry.Name()
			hidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
			if hidden && entry.IsDir() {
				return fs.SkipDir
			}
			if !hidden && !entry.IsDir() && pipelines.IsTestFile(name) {
				paths = append(paths, at)
			}
			return nil
		}
	})
	return paths, err
}

// printTests prints the results of the cases. It returns an error for the exit code 1 if a
// case has failed.
func (a *command) printTests(results []pipelinetest.FileResult, coverage []pipelinetest.Coverage, output cli.Format) error {
	view := viewTests(results, coverage)
	var err error
	if output == cli.FormatJUnit {
		err = pipelinetest.WriteJUnit(a.Machine(), results)
	} else {
		err = a.Print(output, view, func() { a.testSheet(view) })
	}
	if err == nil && view.Failed > 0 {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return err
}

func viewTests(results []pipelinetest.FileResult, coverage []pipelinetest.Coverage) TestsView {
	v := TestsView{Files: []testFileView{}, Coverage: coverage}
	for _, f := range results {
		file := testFileView{File: f.File.Name, Pipeline: f.File.Pipeline.Name, Cases: []testCaseView{}}
		for _, r := range f.Results {
			file.Cases = append(file.Cases, testCaseView{
				Name: r.Case.Name, Line: r.Case.At.Line, Passed: len(r.Failures) == 0, TookUs: r.Took.Microseconds(),
				Failures: append([]pipelinetest.Failure{}, r.Failures...), // an empty list is not null
			})
		}
		v.Files = append(v.Files, file)
		v.Cases += len(f.Results)
		v.Failed += f.Failed()
	}
	return v
}

func (a *command) testSheet(v TestsView) {
	for _, f := range v.Files {
		fmt.Fprintln(a.Stdout, f.File)
		for _, c := range f.Cases {
			word := "PASS"
			if !c.Passed {
				word = "FAIL"
			}
			fmt.Fprintf(a.Stdout, "  %s  %s\n", word, c.Name)
			for _, failure := range c.Failures {
				fmt.Fprintln(a.Stdout, "      "+strings.ReplaceAll(failure.String(), "\n", "\n      "))
			}
		}
	}
	steps, ran := 0, 0
	var untested []string
	fmt.Fprintln(a.Stdout)
	for _, c := range v.Coverage {
		if !c.Tested {
			untested = append(untested, c.Pipeline)
			continue
		}
		steps, ran = steps+c.Steps, ran+c.Steps-len(c.Never)
		if len(c.Never) > 0 {
			fmt.Fprintf(a.Stdout, "%s: no case runs %s\n", c.Pipeline, strings.Join(c.Never, ", "))
		}
	}
	if len(untested) > 0 {
		fmt.Fprintf(a.Stdout, "without tests: %s\n", strings.Join(untested, ", "))
	}
	fmt.Fprintf(a.Stdout, "%s, %d failed; %d of %s ran\n", cli.Count(v.Cases, "case"), v.Failed, ran, cli.Count(steps, "step"))
}
