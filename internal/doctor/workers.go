package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"botwork/internal/procid"
)

// lately is how long ago a worker may have been seen to count as there: an
// assignment pass gives work to no other.
const lately = 15 * time.Minute

// worker is a row of BotWorkers; times by the database's clock.
type worker struct {
	name, host, state string
	pid               int
	process           procid.State  // what is known of it on this machine
	seen              time.Duration // ago
	lease             time.Duration // still to run; below 0 when it has ended
}

// workers reports which workers have been seen, and whether another machine has this one's name.
func (d *Doctor) workers(ctx context.Context) []Result {
	var all []worker
	err := d.ask(ctx, "workers", func(rows *sql.Rows) error {
		var w worker
		var seen, lease int64
		var instance, key string
		err := rows.Scan(&w.name, &w.host, &w.state, &w.pid, &instance, &key, &seen, &lease)
		w.process = procid.LookUp(instance, key)
		w.seen, w.lease = time.Duration(seen)*time.Millisecond, time.Duration(lease)*time.Millisecond
		all = append(all, w)
		return err
	})
	if err != nil {
		return d.unanswered(ctx, err)
	}
	host, err := os.Hostname()
	if err != nil {
		return warning("this machine's name is not known: "+err.Error(), "")
	}
	return judgeWorkers(all, d.o.Worker, host)
}

// judgeWorkers says who works, and whether the name is free for this host.
func judgeWorkers(all []worker, name, host string) []Result {
	var there []string
	newest := time.Duration(-1)
	for _, w := range all {
		if w.state != "stopped" && w.seen <= lately {
			there = append(there, w.name)
		}
		if newest < 0 || w.seen < newest {
			newest = w.seen
		}
	}
	r := Result{State: OK, Found: fmt.Sprintf("%s seen within 15 minutes: %s", counted(len(there), "worker"), shortList(there))}
	switch {
	case len(all) == 0:
		r = Result{State: Warning, Found: "no worker has ever registered", Advice: "start one: `botwork run`, or the service"}
	case len(there) == 0:
		r = Result{State: Warning, Found: fmt.Sprintf("no worker runs; one was seen last %s ago", newest.Round(time.Second)),
			Advice: "start one: `botwork run`, or the service; until then items wait"}
	}
	return []Result{r, judgeName(all, name, host)}
}

func judgeName(all []worker, name, host string) Result {
	r := Result{State: OK, About: name, Found: "the name is free"}
	at := slices.IndexFunc(all, func(w worker) bool { return strings.EqualFold(w.name, name) })
	if at < 0 {
		return r
	}
	switch w := all[at]; {
	case w.state == "stopped" || w.lease <= 0:
	case w.host == host && w.process == procid.Ended:
		r.Found = fmt.Sprintf("process %d of this machine had the name and has ended: a worker that starts here has it at once", w.pid)
	case w.host == host:
		r.Found = fmt.Sprintf("works on this machine as process %d, seen %s ago", w.pid, w.seen.Round(time.Second))
		if w.process == procid.Unknown {
			r.Found += fmt.Sprintf("; whether it still runs cannot be seen from here, and its lease ends in %s", w.lease.Round(time.Second))
		}
	default:
		r.State = Fault
		r.Found = fmt.Sprintf("process %d on host %q works under this name, seen %s ago", w.pid, w.host, w.seen.Round(time.Second))
		r.Advice = "give this machine's worker another name (worker.name): two of one name cannot run"
	}
	return r
}

func shortList(names []string) string {
	slices.Sort(names)
	if more := len(names) - manyLines; more > 0 {
		names = append(names[:manyLines], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// sealedItems reports whether this machine's keys open what the newest items hold.
func (d *Doctor) sealedItems(ctx context.Context) []Result {
	count := 0
	unknown := map[string]bool{}
	err := d.ask(ctx, "sealed", func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		count++
		if !d.opens(text) {
			unknown[text] = true
		}
		return nil
	})
	switch {
	case err != nil:
		return d.unanswered(ctx, err)
	case count == 0:
		return ok("none of the newest items is sealed")
	case !d.o.Keyset.Named:
		return fault("items are sealed, and the settings name no keyset", "name the keyset that the other workers have in encryption.keyset: items that this worker cannot open fail")
	case len(unknown) > 0:
		return fault(fmt.Sprintf("items are sealed with %s that this machine's keyset has not, or has not enabled", counted(len(unknown), "key")),
			"give this machine the keyset that the other workers have; `botwork keys list` tells what is in one")
	}
	return ok("the newest sealed items have keys of this machine's keyset")
}

// opens reports whether the keyset has the key of a text, by how it begins.
func (d *Doctor) opens(text string) bool {
	if d.o.Keyset.Keys == nil {
		return false
	}
	for _, key := range d.o.Keyset.Keys.Keys() {
		if key.Status == "enabled" && strings.HasPrefix(text, key.TextsBegin) {
			return true
		}
	}
	return false
}
