package items

import (
	"bytes"
	"context"
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

type ItemChanger = itemChanger

var CountChanges = countChanges

// Done returns the word for what an action has done.
func Done(a workqueue.Action) string { return changeTexts[a].done }

// ChangeMany changes all items of the store.
func ChangeMany(ctx context.Context, store itemChanger, action workqueue.Action) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	a := &command{&cli.App{Streams: cli.Streams{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}, Started: true}}
	_, failed := a.changeMany(ctx, store, workqueue.ItemFilter{}, workqueue.Change{Action: action})
	code = a.Finish(a.itemsCommand(), failed)
	return code, out.String(), err.String()
}
