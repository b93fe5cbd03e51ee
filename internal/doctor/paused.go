package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// paused reports system pipelines that are paused, since a pause may have been forgotten.
func (d *Doctor) paused(ctx context.Context) []Result {
	var results []Result
	err := d.query(ctx, "paused", func(rows *sql.Rows) error {
		var name, by, reason string
		var ms int64
		if err := rows.Scan(&name, &by, &reason, &ms); err != nil {
			return err
		}
		results = append(results, evaluatePause(name, by, reason, time.Duration(ms)*time.Millisecond))
		return nil
	})
	switch {
	case err != nil:
		return d.queryFailed(ctx, err)
	case len(results) == 0:
		return ok("no pipeline is paused")
	}
	return results
}

func evaluatePause(name, by, reason string, since time.Duration) Result {
	found := fmt.Sprintf("paused by %s %s ago", by, since.Round(time.Second))
	if reason != "" {
		found += ": " + reason
	}
	return Result{State: Warning, About: name, Found: found, Advice: "no run of it starts; when the pause is over: botwork pipelines resume " + name}
}
