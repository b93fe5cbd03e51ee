package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"botwork/cmd/assign"
	"botwork/cmd/audit"
	"botwork/cmd/bench"
	"botwork/cmd/check"
	configcmd "botwork/cmd/config"
	"botwork/cmd/db"
	"botwork/cmd/demo"
	"botwork/cmd/doctor"
	"botwork/cmd/durations"
	"botwork/cmd/enqueue"
	"botwork/cmd/forecast"
	handlerscmd "botwork/cmd/handlers"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/items"
	"botwork/cmd/keys"
	"botwork/cmd/lsp"
	"botwork/cmd/notifications"
	"botwork/cmd/pipelines"
	"botwork/cmd/queues"
	"botwork/cmd/report"
	"botwork/cmd/robots"
	"botwork/cmd/run"
	"botwork/cmd/runs"
	"botwork/cmd/serve"
	"botwork/cmd/service"
	"botwork/cmd/setup"
	"botwork/cmd/stats"
	"botwork/cmd/tasks"
	"botwork/cmd/tokens"
	"botwork/cmd/users"
	"botwork/cmd/version"
	"botwork/cmd/workers"
	"botwork/handlers"
	"botwork/internal/visible"
)

const rootDoc = `Botwork runs queued work for bots. Work items wait in a database table; pipelines
written in YAML, each a list of handlers, define how an item is processed; workers
run the items that are due, the highest priority first.

Settings come from botwork.yaml in the working folder (or the file that --config
or BOTWORK_CONFIG names), then from the file of the environment that --environment
or BOTWORK_ENVIRONMENT chooses, such as botwork.prod.yaml, then from environment
variables such as BOTWORK_DATABASE_DSN.

With --server, commands such as items, enqueue, queues and workers use the HTTP API of
a server in place of the database.

Exit codes: 0 done, 1 failed, 2 wrong usage or a file with errors.`

// Run runs one command line, without the program's name, and returns the exit code. environ
// has the form of os.Environ. When ctx ends, the command stops gracefully. kinds are handlers
// in addition to the built-in ones.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string, kinds ...handlers.Kind) int {
	return Execute(ctx, projectdir.New(stdin, stderr, environ, kinds), args, stdout)
}

// Execute runs one command line with app and returns the exit code.
func Execute(ctx context.Context, a *projectdir.App, args []string, stdout io.Writer) int {
	out := &cli.CheckedWriter{To: stdout}
	a.Stdout, a.Stderr = visible.NewWriter(out), visible.NewWriter(a.Stderr)
	if a.Open == nil { // tests set another
		a.Open = storeOpener(a)
	}
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = out.Err
	}
	return a.Finish(cmd, err)
}

// commands lists the subcommands in the order of the help.
func commands(a *projectdir.App) []*cobra.Command {
	return []*cobra.Command{
		setup.InitCommand(a),
		run.Command(a),
		serve.Command(a),
		service.Command(a),
		demo.Command(a),
		enqueue.Command(a),
		items.Command(a),
		queues.Command(a.App),
		robots.Command(a.App),
		tasks.Command(a),
		durations.Command(a.App),
		workers.Command(a.App),
		assign.Command(a),
		pipelines.Command(a),
		runs.Command(a.App),
		audit.Command(a.App),
		report.Command(a.App),
		notifications.Command(a),
		stats.Command(a),
		forecast.Command(a),
		tokens.Command(a.App),
		users.Command(a.App),
		handlerscmd.Command(a),
		setup.SchemaCommand(a),
		db.Command(a.App),
		keys.Command(a.App),
		configcmd.Command(a.App),
		doctor.Command(a),
		check.Command(a),
		lsp.Command(a),
		bench.Command(a.App),
		version.Command(a.App),
	}
}

func rootCommand(a *projectdir.App) *cobra.Command {
	// The help shows commands in the order in which a new user needs them, not alphabetically.
	cobra.EnableCommandSorting = false
	root := cli.Group(&cobra.Command{
		Use:   "botwork",
		Short: "Run queued work for bots",
		Long:  rootDoc,
	}, commands(a)...)
	root.Example = `  botwork init myproject
  botwork run
  botwork enqueue --pipeline hello --payload '{"name": "Ada"}'
  botwork items list`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(cli.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.Begin(cmd) }
	root.PersistentFlags().StringVar(&a.ConfigFile, "config", "", "settings `FILE` (default botwork.yaml in the working folder, if it exists)")
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	root.PersistentFlags().StringVar(&a.Environment, "environment", "", "use the settings of the environment `NAME` too: those of prod are in botwork.prod.yaml (default BOTWORK_ENVIRONMENT)")
	a.RegisterServerFlags(root)
	root.PersistentFlags().BoolVar(&a.UTC, "utc", false, "show times in UTC instead of the local time zone")
	return root
}
