// Package handlers is the command `botwork handlers`.
package handlers

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
)

// command is one call of `botwork handlers`.
type command struct{ *projectdir.App }

// Command returns `botwork handlers`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).handlersCommand() }

// KindView is a handler's documentation as JSON and YAML show it.
type KindView struct {
	Name       string          `json:"name"`
	Summary    string          `json:"summary"`
	Doc        string          `json:"doc"`
	Parameters []parameterView `json:"parameters"`
	Output     string          `json:"output"`
	Example    string          `json:"example"`
}

type parameterView struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Doc        string          `json:"doc"`
	Required   bool            `json:"required"`
	Default    string          `json:"default,omitempty"`
	Enum       []string        `json:"enum,omitempty"`
	Secret     bool            `json:"secret,omitempty"`
	Parameters []parameterView `json:"parameters,omitempty"`
}

// ViewKind returns the JSON output of `botwork handlers NAME`.
func ViewKind(k handlers.Kind) KindView {
	return KindView{Name: k.Name, Summary: k.Summary, Doc: k.Doc, Parameters: viewParameters(k.Fields()), Output: k.Output, Example: k.Example}
}

func viewParameters(fields []handlers.Field) []parameterView {
	views := make([]parameterView, len(fields))
	for i, f := range fields {
		views[i] = parameterView{
			Name: f.Name, Type: f.Type, Doc: f.Doc, Required: f.Required, Default: f.Default, Enum: f.Enum, Secret: f.Secret,
			Parameters: viewParameters(f.Fields),
		}
	}
	return views
}

func (a *command) handlersCommand() *cobra.Command {
	registry := a.NewRegistry(builtin.Resources{}, queue.Services{})
	cmd := cli.Group(&cobra.Command{
		Use:   "handlers",
		Short: "List the handlers that steps can name, and their documentation",
		Long: `Lists the handlers that the steps of a pipeline can name. "botwork handlers show
KIND" prints what one of them does, its parameters, its output and an example.`,
		Example: "  botwork handlers\n  botwork handlers show HTTP",
	}, a.handlersShowCommand(registry))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		kinds := registry.Kinds()
		views := make([]KindView, len(kinds))
		for i, k := range kinds {
			views[i] = ViewKind(k)
		}
		return a.Print(*output, views, func() {
			g := cli.NewGrid("handler", "what it does")
			for _, v := range views {
				g.Add(v.Name, v.Summary)
			}
			g.Print(a.Stdout)
		})
	}
	return cmd
}

func (a *command) handlersShowCommand(registry *handlers.Registry) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show KIND",
		Short:             "Print a handler's documentation",
		Example:           "  botwork handlers show HTTP\n  botwork handlers show SQL --output json",
		Args:              cli.OneArgument("the handler's kind"),
		ValidArgsFunction: cobra.FixedCompletions(registry.Names(), cobra.ShellCompDirectiveNoFileComp),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		for _, kind := range registry.Kinds() {
			// Pipelines are case-sensitive, but this command is not.
			if strings.EqualFold(kind.Name, args[0]) {
				return a.Print(*output, ViewKind(kind), func() { fmt.Fprint(a.Stdout, kind.Markdown()) })
			}
		}
		hint := strictyaml.Suggest(args[0], registry.Names())
		if hint == "" {
			hint = "known handlers: " + strings.Join(registry.Names(), ", ")
		}
		return &cli.UsageError{Message: fmt.Sprintf("there is no handler %q", args[0]), Hint: hint}
	}
	return cmd
}
