package dashboard

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// worker is a worker as the pages show it.
type worker struct {
	ID               int64          `json:"id"`
	Name             string         `json:"name"`
	Host             string         `json:"host"`
	Version          string         `json:"version"`
	Capacity         int            `json:"capacity"`
	ReservedSlots    int            `json:"reservedSlots"`
	StuckSlots       int            `json:"stuckSlots"`
	Labels           map[string]any `json:"labels"`
	Queues           []string       `json:"queues"`
	State            string         `json:"state"`
	Gone             bool           `json:"gone"`
	StartedAt        *time.Time     `json:"startedAt"`
	LastSeenAt       *time.Time     `json:"lastSeenAt"`
	DrainRequestedAt *time.Time     `json:"drainRequestedAt"`

	Channels json.RawMessage `json:"channels"`

	Items []item // that it runs
	Load  *load  // nil: it may get no items
}

// load is the work that a worker holds.
type load struct {
	Worker   string             `json:"worker"`
	Assigned int64              `json:"assigned"`
	Expected workqueue.Duration `json:"expected"`
	FreeIn   workqueue.Duration `json:"freeIn"`
}

// loads are those of the live workers.
type loads struct {
	Workers []load `json:"workers"`
}

// of returns the load of a worker; nil if it may get no items.
func (l *loads) of(name string) *load {
	if i := slices.IndexFunc(l.Workers, func(one load) bool { return one.Worker == name }); i >= 0 {
		return &l.Workers[i]
	}
	return nil
}

// ChannelNames lists the channels whose items the worker runs; "" if it runs all.
func (w worker) ChannelNames() string {
	var channels map[string]json.RawMessage
	if json.Unmarshal(w.Channels, &channels) != nil {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(channels)), ", ")
}

func (w worker) status() string {
	if w.Gone {
		return "gone"
	}
	if w.State == "active" && w.DrainRequestedAt != nil {
		return "draining"
	}
	return w.State
}

// Status returns the word for the look of the worker.
func (w worker) Status() string { return w.status() }

// Running counts the items that run.
func (w worker) Running() int { return len(w.Items) }

// Slots lists the slots: those in use with their items, then the free ones.
func (w worker) Slots() []*item {
	var slots []*item
	for i := range w.Items {
		slots = append(slots, &w.Items[i])
	}
	const most = 64
	for len(slots) < min(w.Capacity, most) {
		slots = append(slots, nil)
	}
	return slots
}

type workersPage struct {
	Workers []worker
	Stopped []worker
	Cut     bool // more items run than the slots show
	Most    int  // how many they show
}

func (d *Dashboard) listWorkers(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Workers", "workers", "workers,items"
	var workers list[worker]
	var running runningItems
	var held loads
	ask := d.asking(r)
	ask.shared(p.Caller).get("/workers", nil, &workers)
	ask.paced(p.Caller).allRunning(&running)
	ask.calm(p.Caller).get("/stats/workers", nil, &held)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v := workersPage{Cut: running.Cut, Most: mostRunningItems}
	p.Again = ask.incomplete()
	for _, w := range workers.Items {
		for _, it := range running.Items {
			if it.WorkerID != nil && *it.WorkerID == w.ID {
				w.Items = append(w.Items, it)
			}
		}
		w.Load = held.of(w.Name)
		if w.status() == "stopped" {
			v.Stopped = append(v.Stopped, w)
		} else {
			v.Workers = append(v.Workers, w)
		}
	}
	p.Data = v
	return "workers", nil
}

func (d *Dashboard) changeWorker(r *http.Request) (done, back string, err error) {
	name, action := r.PathValue("worker"), r.PathValue("action")
	texts := map[string]string{"drain": "Worker " + name + " finishes its running items and starts no more", "resume": "Worker " + name + " takes items again"}
	if texts[action] == "" {
		return "", "/workers", &problem{Status: http.StatusNotFound, Detail: "there is no such action of a worker"}
	}
	_, err = d.ask(r, http.MethodPost, "/workers/"+segment(name)+"/"+action, nil, reasonOf(r), nil)
	return texts[action], "/workers", err
}

// reasonOf is the body of a change with the reason that the person gave.
func reasonOf(r *http.Request) map[string]any {
	return map[string]any{"reason": r.PostForm.Get("reason")}
}
