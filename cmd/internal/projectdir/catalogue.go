// Package projectdir has the common code of the commands that use the handlers and pipelines of a
// project: their App, the catalogue, and the assignment passes of its pipelines.
package projectdir

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/reload"
	"botwork/pipelines"
)

// Catalogue loads the pipelines folder of the settings like a worker at its start. The
// findings are the errors in files, which the catalogue has as broken.
func Catalogue(a *App, c *checker.Checker) (*pipelines.Catalogue, strictyaml.Findings, error) {
	files, err := pipelines.ReadDir(cli.ShortPath(a.Config.Pipelines.Dir), nil)
	if err != nil {
		return nil, nil, &cli.UsageError{Message: err.Error()}
	}
	k, findings := Usable(c, files)
	return k, findings, nil
}

// LoadCatalogue loads settings and pipelines for a command that only reads.
func LoadCatalogue(a *App) (*pipelines.Catalogue, strictyaml.Findings, error) {
	if err := a.LoadConfig(); err != nil {
		return nil, nil, err
	}
	checker, err := a.Checker()
	if err != nil {
		return nil, nil, err
	}
	return Catalogue(a, checker)
}

// Find returns one pipeline by name. If there is none, the error reports whether its file has
// errors.
func Find(k *pipelines.Catalogue, findings strictyaml.Findings, name string) (*pipelines.Pipeline, error) {
	if p, ok := k.Get(name); ok {
		return p, nil
	}
	if broken := k.BrokenPipeline(name); broken != nil {
		return nil, broken.Findings
	}
	var names []string
	for _, p := range k.All() {
		names = append(names, p.Name)
	}
	for _, f := range findings {
		base := filepath.Base(f.File)
		if strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name) {
			return nil, findings
		}
	}
	hint := strictyaml.Suggest(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "the pipelines folder has none"
	default:
		hint = "known pipelines: " + strings.Join(names, ", ")
	}
	return nil, &cli.UsageError{Message: fmt.Sprintf("there is no pipeline %q", name), Hint: hint}
}

// CompletePipelines returns the names of pipelines for shell completion.
func CompletePipelines(a *App) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		catalogue, _, err := LoadCatalogue(a)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, p := range catalogue.All() {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// SettingsHaveMistakes reports whether there is an error outside the pipeline files.
func SettingsHaveMistakes(mistakes strictyaml.Findings, files []pipelines.File) bool {
	return slices.ContainsFunc(mistakes, func(f strictyaml.Finding) bool {
		return !slices.ContainsFunc(files, func(file pipelines.File) bool { return file.Path == f.File })
	})
}

// Usable returns the pipelines that a worker would start with. The findings are the errors in
// the other files, which the catalogue has as broken.
func Usable(c *checker.Checker, files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	catalogue, findings := reload.Start(c.Folder, files)
	return catalogue, findings.WithSeverity(strictyaml.Error)
}

// HasTriggers reports whether any pipeline has a trigger. Without one a worker
// does nothing, not even run the items that wait.
func HasTriggers(catalogue *pipelines.Catalogue) bool {
	return slices.ContainsFunc(catalogue.All(), func(pl *pipelines.Pipeline) bool { return pl.Trigger != nil })
}

// CheckUnused returns an error if the project has no pipeline of this name, for a command that
// found nothing of it; found is what it has not found, such as "no item has the pipeline".
func CheckUnused(a *App, name, found string) error {
	catalogue, findings, err := LoadCatalogue(a)
	if err != nil {
		return nil //nolint:nilerr // without the folder, nothing is known about its pipelines
	}
	if _, err := Find(catalogue, findings, name); err != nil {
		if unknown, ok := errors.AsType[*cli.UsageError](err); ok {
			unknown.Message = found + ", and " + unknown.Message
			return unknown
		}
	}
	return nil
}
