package dashboard

import (
	"net/http"
	"time"
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

	Items []item // that it runs
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
}

func (d *Dashboard) listWorkers(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Workers", "workers", "workers,items"
	var workers list[worker]
	var running runningItems
	ask := d.asking(r)
	ask.shared(p.Caller).get("/workers", nil, &workers)
	ask.paced(p.Caller).allRunning(&running)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v := workersPage{Cut: running.Cut}
	for _, w := range workers.Items {
		for _, it := range running.Items {
			if it.WorkerID != nil && *it.WorkerID == w.ID {
				w.Items = append(w.Items, it)
			}
		}
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
