package pipelines

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
	"botwork/pipelines"
)

// diffSince selects the version with which the file is compared.
type diffSince struct {
	item    int64
	attempt int
	hash    string
}

func (a *command) pipelinesDiffCommand() *cobra.Command {
	var since diffSince
	cmd := &cobra.Command{
		Use:   "diff [NAME]",
		Short: "Show what has changed in a pipeline",
		Long: `Compares the current file of a pipeline with a version that workers ran: the
previous one, that of an item's last run (--item), that of one of its unsuccessful
attempts (--attempt), or the one with this hash prefix (--hash).

The exit code is 0 with or without a difference.`,
		Example: `  botwork pipelines diff hello
  botwork pipelines diff --item 4711
  botwork pipelines diff --item 4711 --attempt 1
  botwork pipelines diff hello --hash 1f3a9c`,
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	flags := cmd.Flags()
	flags.Int64Var(&since.item, "item", 0, "compare with the version that the item `ID` ran")
	flags.IntVar(&since.attempt, "attempt", 0, "with --item: compare with the version of the attempt with this number")
	flags.StringVar(&since.hash, "hash", "", "compare with the version whose hash has this prefix")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := since.check(cmd, args); err != nil {
			return err
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(b cli.Backend) error {
			name, hash, err := since.resolve(cmd.Context(), b, args)
			if err != nil {
				return err
			}
			view, err := a.diff(cmd.Context(), b, name, hash)
			if err != nil {
				return err
			}
			return a.Print(*output, view, func() { a.diffSheet(view) })
		})
	}
	return cmd
}

var hexadecimal = regexp.MustCompile(`^[0-9a-f]{1,64}$`)

// check rejects combinations of flags that are not allowed.
func (s *diffSince) check(cmd *cobra.Command, args []string) error {
	s.hash = strings.ToLower(s.hash)
	item := cmd.Flags().Changed("item")
	switch {
	case len(args) > 1:
		return cli.Usagef("got %d names, want one", len(args))
	case len(args) == 0 && !item:
		return &cli.UsageError{Message: "got no pipeline, want its name, or --item", Hint: "botwork pipelines list shows the names"}
	case item && s.hash != "":
		return cli.Usagef("got --item and --hash, want one of them")
	case s.attempt != 0 && !item:
		return cli.Usagef("got --attempt without --item")
	case s.attempt < 0:
		return cli.Usagef("--attempt: got %d, want 1 or more", s.attempt)
	case s.hash != "" && !hexadecimal.MatchString(s.hash):
		return cli.Usagef("--hash: got %q, want the prefix of a hash: 0 to 9 and a to f", s.hash)
	}
	return nil
}

// resolve returns the pipeline, and the hash of the version to compare with; "" means the
// previous version.
func (s *diffSince) resolve(ctx context.Context, store operations.ItemVersionStore, args []string) (name, hash string, err error) {
	if s.item == 0 {
		return args[0], s.hash, nil
	}
	want := ""
	if len(args) == 1 {
		want = args[0]
	}
	name, hash, err = operations.VersionOfItem(ctx, store, s.item, s.attempt, want)
	return name, hash, asUsage(err)
}

// diff compares the file with a version; hash "" means the previous one. Over a server, the file is that
// of the server's project.
func (a *command) diff(ctx context.Context, b cli.Backend, name, hash string) (operations.Diff, error) {
	store, ok := cli.StoreOf(b)
	if !ok {
		view, err := b.(*remote.Server).Diff(ctx, name, hash)
		return view, cli.UnknownAsUsage(err)
	}
	file, err := a.pipelineFile(name)
	if err != nil {
		return operations.Diff{}, err
	}
	view, err := operations.DiffFile(ctx, store, name, file, hash, a.Instant)
	return view, asUsage(err)
}

// asUsage returns what is wrong with a request as an error of the command line.
func asUsage(err error) error {
	if refused, ok := errors.AsType[*operations.RefusedError](err); ok {
		return &cli.UsageError{Message: refused.Message, Hint: refused.Hint}
	}
	return err
}

func (a *command) diffSheet(v operations.Diff) {
	switch {
	case v.Since == nil:
		fmt.Fprintf(a.Stdout, "no other version of %s is kept: workers have loaded only this version, or none\n", v.Pipeline)
	case v.Diff == "":
		fmt.Fprintf(a.Stdout, "nothing has changed in %s since version %s\n", v.Pipeline, cli.ShortHash(&v.Since.Hash))
	default:
		fmt.Fprint(a.Stdout, v.Diff)
	}
}

// pipelineFile finds the file of a pipeline; nil if there is none.
func (a *command) pipelineFile(name string) (*operations.PipelineFile, error) {
	catalogue, _, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, err
	}
	files, err := pipelines.ReadDir(cli.ShortPath(a.Config.Pipelines.Dir), nil)
	if err != nil {
		return nil, &cli.UsageError{Message: err.Error()}
	}
	return operations.FileOf(catalogue, files, name), nil
}
