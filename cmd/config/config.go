// Package config is the command `botwork config`.
package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/config"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
)

// View is the JSON output of `config show`.
type View struct {
	Environment string           `json:"environment"` // "" if none is chosen
	File        string           `json:"file"`        // "" if there is none
	Settings    []config.Setting `json:"settings"`
}

// command is one call of `botwork config`.
type command struct{ *cli.App }

// Command returns `botwork config`.
func Command(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{Use: "config", Short: "Show the settings in use"}, (&command{a}).showCommand())
}

func (a *command) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the settings in use and where each comes from",
		Long: `Prints the settings as YAML: the defaults, the settings file, the file of the
environment and the variables, merged. A comment after each line says where the value
comes from: a file and a line, a variable, or the default. Settings without a value are
left out. Secrets print as <secret> or as the variable or the file that they are read
from, and DSNs without their password.`,
		Example: "  botwork config show\n  botwork config show --environment prod\n  botwork config show --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		if err := a.LoadConfig(); err != nil {
			return err
		}
		view := View{Environment: a.Config.Environment, File: a.Config.File, Settings: a.Config.Settings(checker.IsSecretValue)}
		return a.Print(*output, view, func() { a.print(view.Settings) })
	}
	return cmd
}

// print writes settings as YAML with comments.
func (a *command) print(settings []config.Setting) {
	type line struct{ text, source string }
	var lines []line
	var before []string
	width := 0
	for _, s := range settings {
		last := len(s.Keys) - 1
		for i, key := range s.Keys[:last] {
			if i < len(before) && strings.Join(before[:i+1], "\x00") == strings.Join(s.Keys[:i+1], "\x00") {
				continue
			}
			lines = append(lines, line{strings.Repeat("  ", i) + scalar(key) + ":", ""})
		}
		before = s.Keys[:last]
		text := strings.Repeat("  ", last) + scalar(s.Keys[last]) + ": " + scalar(s.Value)
		lines = append(lines, line{text, s.Source})
		if n := len([]rune(text)); n <= 60 { // longer lines do not move the comments of all others
			width = max(width, n)
		}
	}
	for _, l := range lines {
		if l.source == "" {
			fmt.Fprintln(a.Stdout, l.text)
			continue
		}
		fmt.Fprintf(a.Stdout, "%-*s  # %s\n", width, l.text, l.source)
	}
}

// scalar returns a value as YAML in one line.
func scalar(value any) string {
	if data, err := strictyaml.Marshal(value); err == nil {
		if text := strings.TrimSuffix(string(data), "\n"); !strings.Contains(text, "\n") && !strings.HasPrefix(text, "- ") && !isMapping(value) {
			return text
		}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // plain values can always be encoded
	return strings.TrimSpace(b.String())
}

func isMapping(value any) bool {
	_, is := value.(map[string]any)
	return is
}
