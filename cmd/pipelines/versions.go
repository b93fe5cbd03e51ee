package pipelines

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

// textView is a version of a pipeline as JSON and YAML show it; its field names are part of
// the command line's contract.
type textView struct {
	Hash     string    `json:"hash"`
	Pipeline string    `json:"pipeline"`
	LoadedAt time.Time `json:"loadedAt"`
	UsedAt   time.Time `json:"usedAt"`

	// Present is true if the file has this text now.
	Present bool `json:"present"`
}

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
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			file, err := a.pipelineFile(args[0])
			if err != nil {
				return err
			}
			texts, err := store.Texts(cmd.Context(), workqueue.TextFilter{Pipeline: args[0], Limit: limit})
			if err != nil {
				return err
			}
			if len(texts) == 0 && file == nil {
				return &cli.UsageError{Message: fmt.Sprintf("there is no pipeline %q, and no worker has ever loaded one", args[0]), Hint: "botwork pipelines list shows the pipelines of the folder"}
			}
			views := make([]textView, len(texts))
			for i, t := range texts {
				views[i] = textView{t.Hash, t.Pipeline, t.LoadedAt, t.UsedAt, file != nil && file.hash == t.Hash}
			}
			return a.Print(*output, views, func() { a.versionTable(args[0], views) })
		})
	}
	return cmd
}

func (a *command) versionTable(name string, views []textView) {
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

// oneText returns the version of a pipeline whose hash has this prefix.
func oneText(ctx context.Context, store cli.Store, pipeline, hash string) (workqueue.PipelineText, error) {
	texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: pipeline, Hash: hash, Limit: 2})
	switch {
	case err != nil:
		return workqueue.PipelineText{}, err
	case len(texts) == 0:
		return workqueue.PipelineText{}, &cli.UsageError{Message: fmt.Sprintf("no version of %q with the hash prefix %s is kept", pipeline, hash),
			Hint: "botwork pipelines versions " + pipeline + " lists the versions"}
	case len(texts) > 1:
		return workqueue.PipelineText{}, cli.Usagef("several versions of %q have the hash prefix %s, want a longer one", pipeline, hash)
	}
	return texts[0], nil
}
