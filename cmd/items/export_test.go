package items

import (
	"bytes"
	"context"
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

type ItemChanger = itemChanger

// CountChanges counts the items of a dry run, up to a bound.
func CountChanges(ctx context.Context, store workqueue.ItemStore, c workqueue.Change, bound int) (n int, more bool, err error) {
	r, more, err := (&command{&projectdir.App{App: &cli.App{}}}).countChanges(ctx, store, workqueue.ItemFilter{}, c, bound)
	return r.changed, more, err
}

// Done returns the word for what an action has done.
func Done(a workqueue.Action) string { return changeTexts[a].done }

// ChangeMany changes all items of the store.
func ChangeMany(ctx context.Context, store itemChanger, action workqueue.Action) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	a := &command{&projectdir.App{App: &cli.App{Streams: cli.Streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}, Started: true}}}
	_, failed := a.changeMany(ctx, store, workqueue.ItemFilter{}, workqueue.Change{Action: action})
	code = a.Finish(a.itemsCommand(), failed)
	return code, out.String(), err.String()
}
