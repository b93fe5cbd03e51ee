package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/pipelines"
	"botwork/workqueue"
)

// diffView is what `pipelines diff --output json` prints.
type diffView struct {
	Pipeline string    `json:"pipeline"`
	Since    *textView `json:"since"` // nil: no other version is kept
	File     *string   `json:"file"`  // nil: the file no longer exists
	Hash     *string   `json:"hash"`  // of the file
	Diff     string    `json:"diff"`  // unified; "" when nothing has changed
}

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
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			name, hash, err := since.resolve(cmd.Context(), store, args)
			if err != nil {
				return err
			}
			view, err := a.diff(cmd.Context(), store, name, hash)
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
func (s *diffSince) resolve(ctx context.Context, store cli.Store, args []string) (name, hash string, err error) {
	if s.item == 0 {
		return args[0], s.hash, nil
	}
	it, err := store.Item(ctx, s.item)
	if err != nil {
		return "", "", err
	}
	if workqueue.InlinePipeline(strings.TrimSpace(it.IntegrationConfig)) {
		return "", "", cli.Usagef("item %d contains its own pipeline: there is no file to compare it with", s.item)
	}
	name = strings.TrimSpace(it.IntegrationConfig)
	if len(args) == 1 && args[0] != name {
		return "", "", cli.Usagef("item %d runs the pipeline %q, not %q", s.item, name, args[0])
	}
	ran := it.PipelineHash
	if s.attempt != 0 {
		if ran, err = s.ofAttempt(ctx, store); err != nil {
			return "", "", err
		}
	}
	if ran == nil {
		return "", "", cli.Usagef("the version that item %d ran is not recorded: it has not run yet, or its worker died before recording it", s.item)
	}
	return name, *ran, nil
}

// ofAttempt returns the hash of the last attempt with the number. A release does not count, so
// several attempts may have the same number.
func (s *diffSince) ofAttempt(ctx context.Context, store cli.Store) (*string, error) {
	attempts, err := store.Attempts(ctx, s.item)
	if err != nil {
		return nil, err
	}
	var hash *string
	found := false
	for _, at := range attempts {
		if at.Attempt == s.attempt {
			hash, found = at.PipelineHash, true
		}
	}
	if !found {
		return nil, cli.Usagef("item %d has no recorded attempt %d; a successful attempt leaves no record", s.item, s.attempt)
	}
	return hash, nil
}

// diff compares the file with a version; hash "" means the previous one.
func (a *command) diff(ctx context.Context, store cli.Store, name, hash string) (diffView, error) {
	view := diffView{Pipeline: name}
	file, err := a.pipelineFile(name)
	if err != nil {
		return view, err
	}
	var since workqueue.PipelineText
	if hash != "" {
		if since, err = oneText(ctx, store, name, hash); err != nil {
			return view, err
		}
	} else {
		texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: name, Limit: 2})
		if err != nil {
			return view, err
		}
		if len(texts) == 0 && file == nil {
			return view, &cli.UsageError{Message: fmt.Sprintf("there is no pipeline %q, and no worker has ever loaded one", name), Hint: "botwork pipelines list shows the pipelines of the folder"}
		}
		for _, t := range texts {
			if since.Hash == "" && (file == nil || t.Hash != file.hash) {
				since = t
			}
		}
	}
	to, after := "/dev/null", ""
	if file != nil {
		view.File, view.Hash = &file.path, &file.hash
		to, after = filepath.ToSlash(file.path), file.text
	}
	if since.Hash == "" {
		return view, nil
	}
	view.Since = &textView{since.Hash, since.Pipeline, since.LoadedAt, since.UsedAt, file != nil && file.hash == since.Hash}
	from := fmt.Sprintf("%s %s, first loaded %s, last used %s", name, cli.ShortHash(&since.Hash), a.Instant(&since.LoadedAt), a.Instant(&since.UsedAt))
	view.Diff = udiff.Unified(from, to, since.Text, after)
	return view, nil
}

func (a *command) diffSheet(v diffView) {
	switch {
	case v.Since == nil:
		fmt.Fprintf(a.Stdout, "no other version of %s is kept: workers have loaded only this version, or none\n", v.Pipeline)
	case v.Diff == "":
		fmt.Fprintf(a.Stdout, "nothing has changed in %s since version %s\n", v.Pipeline, cli.ShortHash(&v.Since.Hash))
	default:
		fmt.Fprint(a.Stdout, v.Diff)
	}
}

// fileText is the current file of a pipeline, which may have errors.
type fileText struct{ path, text, hash string }

// pipelineFile finds the file of a pipeline; nil if there is none. A file with errors is found
// by its file name.
func (a *command) pipelineFile(name string) (*fileText, error) {
	catalogue, _, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, err
	}
	if p, ok := catalogue.Get(name); ok {
		return &fileText{p.File, p.Text, p.Hash}, nil
	}
	files, err := pipelines.ReadDir(cli.ShortPath(a.Config.Pipelines.Dir), nil)
	if err != nil {
		return nil, &cli.UsageError{Message: err.Error()}
	}
	for _, file := range files {
		base := filepath.Base(file.Path)
		if file.Err == nil && strings.TrimSuffix(base, filepath.Ext(base)) == name {
			sum := sha256.Sum256(file.Data)
			return &fileText{file.Path, string(file.Data), hex.EncodeToString(sum[:])}, nil
		}
	}
	return nil, nil
}
