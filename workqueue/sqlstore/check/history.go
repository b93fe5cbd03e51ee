package check

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
)

// epochIsNews is how long a new epoch is reported.
const epochIsNews = 7 * 24 * time.Hour

// history adds a note about a recent epoch: the existing rows are correct, but some rows may be
// missing.
func (r *reading) history(ctx context.Context) error {
	i, err := r.db.Installation(ctx)
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckHistory, "epochs", i.Epoch+1)
	if i.RaisedAt != nil && r.now.Sub(*i.RaisedAt) < epochIsNews {
		result := r.results[workqueue.CheckHistory]
		result.Notes = append(result.Notes, fmt.Sprintf(
			"the database may have lost transactions before %s: epoch %d started because %s", i.RaisedAt.UTC().Format(time.RFC3339), i.Epoch, i.Reason))
	}
	return nil
}
