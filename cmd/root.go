package cmd

import (
	"context"
	"io"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/version"
	"botwork/handlers"
)

const rootDoc = `Botwork runs queued work for bots. Work items wait in a database table; pipelines
written in YAML, a list of handlers each, say how an item is done; workers take
the items that are due, the highest priority first.

Settings come from botwork.yaml in the working folder (or the file that --config
or BOTWORK_CONFIG names), then from environment variables such as
BOTWORK_DATABASE_DSN.

Exit codes: 0 done, 1 failed, 2 wrong usage or a file with mistakes.`

// Run carries out one command line, without the program's name, and returns
// the exit code. environ is in the form of os.Environ. When ctx ends, what goes
// on is ended in good order. The kinds are handlers beside the built-in ones.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string, kinds ...handlers.Kind) int {
	return newApp(stdin, stderr, environ, kinds).execute(ctx, args, stdout)
}

// app is one call of the program, with what watches it when it is a worker.
type app struct {
	*cli.App

	// supervisor is told how a worker gets on; alarms takes the lines of its log that
	// tell of trouble, nil if nobody gathers those.
	supervisor supervisor
	alarms     zerolog.LevelWriter
}

func newApp(stdin io.Reader, stderr io.Writer, environ []string, kinds []handlers.Kind) *app {
	return &app{App: cli.New(stdin, stderr, environ, kinds), supervisor: unsupervised{}}
}

// execute carries out one command line.
func (a *app) execute(ctx context.Context, args []string, stdout io.Writer) int {
	out := &cli.CheckedWriter{To: stdout}
	a.Stdout = out
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(out)
	root.SetErr(a.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = out.Err
	}
	return a.Finish(cmd, err)
}

// commands lists the subcommands in the order of the help.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.initCommand(),
		a.runCommand(),
		a.serviceCommand(),
		a.demoCommand(),
		a.enqueueCommand(),
		a.itemsCommand(),
		a.queuesCommand(),
		a.robotsCommand(),
		a.tasksCommand(),
		a.durationsCommand(),
		a.workersCommand(),
		a.assignCommand(),
		a.pipelinesCommand(),
		a.handlersCommand(),
		a.schemaCommand(),
		a.dbCommand(),
		a.keysCommand(),
		a.doctorCommand(),
		a.checkCommand(),
		a.lspCommand(),
		a.benchCommand(),
		version.Command(a.App),
	}
}

func (a *app) rootCommand() *cobra.Command {
	// The help shows commands as a person meets them, not by the alphabet.
	cobra.EnableCommandSorting = false
	root := cli.Group(&cobra.Command{
		Use:   "botwork",
		Short: "Run queued work for bots",
		Long:  rootDoc,
	}, a.commands()...)
	root.Example = `  botwork init myproject
  botwork run
  botwork enqueue --pipeline hello --payload '{"name": "Ada"}'
  botwork items list`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(cli.FlagError)
	root.PersistentPreRun = func(*cobra.Command, []string) { a.Started = true }
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "", "settings `FILE` (default botwork.yaml in the working folder, if it is there)")
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	return root
}
