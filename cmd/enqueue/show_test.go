package enqueue

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// goneStore is a store from which the item was deleted before it is read.
type goneStore struct{ workqueue.ItemStore }

func (goneStore) Item(context.Context, int64) (workqueue.Item, error) {
	return workqueue.Item{}, fmt.Errorf("read item 7: %w", workqueue.ErrNotFound)
}

// An item that was finished and deleted immediately still counts as enqueued.
func TestEnqueueOfItemDeletedImmediately(t *testing.T) {
	for output, want := range map[cli.Format]string{
		cli.FormatTable: "item 7 was enqueued and has already been deleted\n",
		cli.FormatJSON:  "{\n  \"id\": 7,\n  \"existing\": false\n}\n",
	} {
		var stdout bytes.Buffer
		a := &command{&cli.App{Streams: cli.Streams{Stdout: &stdout}}}
		if err := a.showOne(t.Context(), goneStore{}, nil, &workqueue.NewItem{}, workqueue.Enqueued{ID: 7}, output); err != nil || stdout.String() != want {
			t.Errorf("%s: %q, %v, want %q", output, &stdout, err, want)
		}
	}
}
