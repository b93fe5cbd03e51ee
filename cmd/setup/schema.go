package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/config"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/schemas"
	"botwork/internal/author/strictyaml"
)

// schemaKinds are the names of the schemas.
func schemaKinds() []schemas.Kind { return schemas.Kinds(config.Keys) }

// schemaFile is the name of the file of a schema.
func schemaFile(k schemas.Kind) string { return k.Name + ".schema.json" }

// schemaText returns a schema for this program, including its custom handlers.
func (a *command) schemaText(k schemas.Kind) ([]byte, error) {
	return k.Schema(a.NewRegistry(builtin.Resources{}, queue.Services{}))
}

func (a *command) schemaCommand() *cobra.Command {
	kinds := schemaKinds()
	names, lines := make([]string, len(kinds)), make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
		lines[i] = fmt.Sprintf("  %-9s %s", k.Name, k.Doc)
	}
	var dir string
	var install, force bool
	cmd := &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print JSON Schemas for editors, or set up a project's editors",
		Long: `Prints a JSON Schema (draft 7) with which editors complete, explain and check YAML
files. It includes the handlers of this program:

` + strings.Join(lines, "\n") + `

--dir writes all of them into a folder instead, each in a file such as
pipeline.schema.json.

--install sets up the current project for editors. It writes the schemas into
.botwork/schemas, the line "# yaml-language-server: $schema=…" at the top of
botwork.yaml and of pipeline files without such a line, and the settings for VS Code
into .vscode; botwork init has already done this for a new project. Repeat it after
an upgrade, or when the program has other handlers, to update the schemas. Files
that you have edited are not changed, and the missing parts are printed; --force
overwrites them.`,
		Example:   "  botwork schema pipeline > pipeline.schema.json\n  botwork schema --dir schemas\n  botwork schema --install",
		Args:      cli.OptionalArgument("the schema's name"),
		ValidArgs: names,
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write all schemas into this `FOLDER`")
	cmd.Flags().BoolVar(&install, "install", false, "set up the project's editors")
	cmd.Flags().BoolVar(&force, "force", false, "with --install: overwrite edited files")
	_ = cmd.MarkFlagDirname("dir")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		switch ways := len(args) + boolInt(dir != "") + boolInt(install); {
		case ways == 0:
			return cli.Usagef("want the name of a schema (%s), --dir or --install", strings.Join(names, ", "))
		case ways > 1:
			return cli.Usagef("want one of the name of a schema, --dir and --install")
		case force && !install:
			return cli.Usagef("--force goes with --install")
		case install:
			return a.installSchemas(force)
		case dir != "":
			return a.writeSchemas(dir)
		}
		for _, k := range kinds {
			if k.Name == args[0] {
				text, err := a.schemaText(k)
				if err == nil {
					_, err = a.Machine().Write(text)
				}
				return err
			}
		}
		hint := strictyaml.Suggest(args[0], names)
		if hint == "" {
			hint = "available schemas: " + strings.Join(names, ", ")
		}
		return &cli.UsageError{Message: fmt.Sprintf("there is no schema %q", args[0]), Hint: hint}
	}
	return cmd
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// writeSchemas writes every schema into a folder, and creates the folder.
func (a *command) writeSchemas(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, k := range schemaKinds() {
		text, err := a.schemaText(k)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, schemaFile(k))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "wrote %s\n", path)
	}
	return nil
}
