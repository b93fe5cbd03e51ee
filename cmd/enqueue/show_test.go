package enqueue

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// goneStore has lost the item by the time that it is asked.
type goneStore struct{ workqueue.ItemStore }

func (goneStore) Item(context.Context, int64) (workqueue.Item, error) {
	return workqueue.Item{}, fmt.Errorf("read item 7: %w", workqueue.ErrNotFound)
}

// An item that a worker has finished and its queue has deleted at once was
// enqueued all the same.
func TestEnqueueShowsWhatIsGoneAlready(t *testing.T) {
	for output, want := range map[cli.Format]string{
		cli.FormatTable: "item 7: it was in the queue and is deleted already\n",
		cli.FormatJSON:  "{\n  \"id\": 7,\n  \"existing\": false\n}\n",
	} {
		var stdout bytes.Buffer
		a := &command{&cli.App{Streams: cli.Streams{Stdout: &stdout}}}
		if err := a.showOne(t.Context(), goneStore{}, nil, &workqueue.NewItem{}, workqueue.Enqueued{ID: 7}, output); err != nil || stdout.String() != want {
			t.Errorf("%s: %q, %v, want %q", output, &stdout, err, want)
		}
	}
}
