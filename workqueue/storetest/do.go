package storetest

import (
	"context"

	"botwork/workqueue"
)

// Do applies an action to one item, as a user does.
func Do(ctx context.Context, store workqueue.ItemStore, a workqueue.Action, id int64, reason string) error {
	_, err := store.ChangeItem(ctx, id, workqueue.Change{Action: a, Reason: reason})
	return err
}
