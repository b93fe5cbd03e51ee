package pipelines

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
)

func (a *command) pipelinesVersionsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "versions NAME",
		Short: "List the versions of a pipeline",
		Long: `Lists the versions of a pipeline that workers have loaded, the most recently used
first: the start of its hash, when a worker first loaded it and when it was last in
use (to within half a day). A star marks the current version of the file.

"botwork items show" shows which version an item ran, "botwork pipelines diff" what
has changed since then. A pipeline that no worker has loaded has no versions.`,
		Example:           "  botwork pipelines versions hello\n  botwork pipelines versions hello --output json",
		Args:              cli.OneArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "list at most this many versions")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if limit < 1 {
			return cli.Usagef("--limit: got %d, want 1 or more", limit)
		}
		views, err := a.versions(cmd.Context(), args[0], limit)
		if err != nil {
			return err
		}
		return a.Print(*output, views, func() { a.versionTable(args[0], views) })
	}
	return cmd
}

// versions returns the versions of a pipeline; over a server, the file is that of the server's project.
func (a *command) versions(ctx context.Context, name string, limit int) (views []operations.Version, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) (err error) {
			views, err = s.Versions(ctx, name, limit)
			return cli.UnknownAsUsage(err)
		})
		return views, err
	}
	err = a.WithReadOnlyStore(ctx, func(store cli.Store) error {
		file, err := a.pipelineFile(name)
		if err != nil {
			return err
		}
		views, err = operations.Versions(ctx, store, name, file, limit)
		return asUsage(err)
	})
	return views, err
}

func (a *command) versionTable(name string, views []operations.Version) {
	if len(views) == 0 {
		fmt.Fprintf(a.Stdout, "no worker has loaded %s yet\n", name)
		return
	}
	g := cli.NewGrid("", "text", "first loaded", "last used")
	for _, v := range views {
		mark := ""
		if v.Present {
			mark = "*"
		}
		g.Add(mark, cli.ShortHash(&v.Hash), a.Instant(&v.LoadedAt), a.Instant(&v.UsedAt))
	}
	g.Print(a.Stdout)
}
