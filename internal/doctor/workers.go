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

// recently is how long ago a worker may have been seen to count as active. An assignment
// pass does not use other workers, nor those that drain or whose lease has ended.
const recently = 15 * time.Minute

// worker is a row of BotWorkers; times by the database's clock.
type worker struct {
	name, host, state string
	pid               int
	process           procid.State  // its state, if it ran on this machine
	seen              time.Duration // ago
	lease             time.Duration // the rest of its lease; below 0 if the lease has ended
}

// workers reports which workers have been seen, and whether another machine has this one's name.
func (d *Doctor) workers(ctx context.Context) []Result {
	var all []worker
	err := d.query(ctx, "workers", func(rows *sql.Rows) error {
		var w worker
		var seen, lease int64
		var instance, key string
		err := rows.Scan(&w.name, &w.host, &w.state, &w.pid, &instance, &key, &seen, &lease)
		w.process = procid.StateOfKey(instance, key)
		w.seen, w.lease = time.Duration(seen)*time.Millisecond, time.Duration(lease)*time.Millisecond
		all = append(all, w)
		return err
	})
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	host, err := os.Hostname()
	if err != nil {
		return warning("cannot read this machine's host name: "+err.Error(), "")
	}
	return evaluateWorkers(all, d.o.Worker, host)
}

// evaluateWorkers reports which workers take items, and whether the name is free for this host.
func evaluateWorkers(all []worker, name, host string) []Result {
	var active, draining, dead []string
	last := -1
	for i, w := range all {
		switch fate := w.fate(host); {
		case fate != "":
			dead = append(dead, fmt.Sprintf("%q %s", w.name, fate))
		case w.state == "draining":
			draining = append(draining, w.name)
		case w.state == "active" && w.seen <= recently:
			active = append(active, w.name)
		}
		if last < 0 || w.seen < all[last].seen {
			last = i
		}
	}
	r := Result{State: OK, Found: fmt.Sprintf("%s take items: %s", counted(len(active), "worker"), shortList(active))}
	if len(active) == 1 {
		r.Found = fmt.Sprintf("1 worker takes items: %s", active[0])
	}
	switch {
	case len(all) == 0:
		r = Result{State: Warning, Found: "no worker has ever registered", Advice: "start one: `botwork run`, or the service"}
	case len(active) == 0 && len(draining) > 0:
		r = Result{State: Warning, Found: fmt.Sprintf("no worker takes items; draining: %s", shortList(draining)),
			Advice: "`botwork workers resume NAME`, or start another worker; until then items wait"}
	case len(active) == 0:
		r = Result{State: Warning, Found: fmt.Sprintf("no worker runs; the last one, %q, was seen %s ago", all[last].name, all[last].seen.Round(time.Second)),
			Advice: "start one: `botwork run`, or the service; until then items wait"}
	case len(draining) > 0:
		r.Found += "; draining: " + shortList(draining)
	}
	if len(dead) > 0 {
		r.Found += "; not running: " + shortList(dead)
	}
	return []Result{r, evaluateName(all, name, host)}
}

// fate returns what shows that the process of a worker has died without a shutdown; "" if it lives,
// stopped normally, or died so long ago that it may have been removed for good.
func (w *worker) fate(host string) string {
	switch {
	case w.state == "stopped" || w.seen > recently:
		return ""
	case w.host == host && w.process == procid.Ended:
		return fmt.Sprintf("(process %d of this machine has ended)", w.pid)
	case w.lease <= 0:
		return "(its lease has ended)"
	default:
		return ""
	}
}

func evaluateName(all []worker, name, host string) Result {
	r := Result{State: OK, About: name, Found: "the name is free"}
	at := slices.IndexFunc(all, func(w worker) bool { return strings.EqualFold(w.name, name) })
	if at < 0 {
		return r
	}
	switch w := all[at]; {
	case w.state == "stopped" || w.lease <= 0:
	case w.host == host && w.process == procid.Ended:
		r.Found = fmt.Sprintf("process %d of this machine had the name and has ended: a worker that starts on this machine gets it at once", w.pid)
	case w.host == host:
		r.Found = fmt.Sprintf("used by process %d on this machine, seen %s ago", w.pid, w.seen.Round(time.Second))
		if w.process == procid.Unknown {
			r.Found += fmt.Sprintf("; cannot determine whether it still runs; its lease ends in %s", w.lease.Round(time.Second))
		}
	default:
		r.State = Fault
		r.Found = fmt.Sprintf("process %d on host %q uses this name, seen %s ago", w.pid, w.host, w.seen.Round(time.Second))
		r.Advice = "give this machine's worker another name (worker.name): two workers with the same name cannot run"
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

// sealedItems reports whether this machine's keys can decrypt the newest items.
func (d *Doctor) sealedItems(ctx context.Context) []Result {
	count := 0
	unknown := map[string]bool{}
	err := d.query(ctx, "sealed", func(rows *sql.Rows) error {
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
		return d.queryFailed(ctx, err)
	case count == 0:
		return ok("none of the newest items is encrypted")
	case !d.o.Keyset.Named:
		return fault("items are encrypted, and the settings name no keyset", "set encryption.keyset to the keyset of the other workers: items that this worker cannot decrypt fail")
	case len(unknown) > 0:
		return fault(fmt.Sprintf("items are encrypted with %s that this machine's keyset does not have, or that it does not enable", counted(len(unknown), "key")),
			"copy the keyset of the other workers to this machine; `botwork keys list` shows the keys of a keyset")
	}
	return ok("the newest encrypted items have keys of this machine's keyset")
}

// opens reports whether the keyset has the key of an encrypted text, by the beginning of the text.
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
