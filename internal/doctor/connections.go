package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"botwork/internal/database"
)

// connections connects to each named connection. A worker starts without them; steps that use
// one fail.
func (d *Doctor) connections(ctx context.Context) []Result {
	if len(d.o.Connections) == 0 {
		return ok("the settings name none")
	}
	results := make([]Result, len(d.o.Connections))
	var wg sync.WaitGroup
	for i, c := range d.o.Connections {
		wg.Go(func() { results[i] = tryConnection(ctx, c) })
	}
	wg.Wait()
	return results
}

func tryConnection(ctx context.Context, c Connection) Result {
	r := Result{State: OK, About: c.Name}
	started := time.Now()
	db, err := database.OpenReadOnly(c.Driver, c.DSN)
	if err == nil {
		defer db.Close()
		err = ping(ctx, db)
	}
	if err != nil {
		r.State = Warning
		r.Found, r.Advice = explain(ctx, c.Driver, c.DSN, err)
		r.Advice += "; until then, steps that use it fail"
		return r
	}
	r.Found = fmt.Sprintf("%s answers, after %s", target(c.Driver, c.DSN), inMillis(time.Since(started)))
	return r
}
