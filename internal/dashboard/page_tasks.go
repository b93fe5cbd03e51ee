package dashboard

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"botwork/tasks"
)

// task is a scheduled task as the pages show it.
type task struct {
	Name        string           `json:"name"`
	Topic       *string          `json:"topic"`
	Description *string          `json:"description"`
	Active      bool             `json:"active"`
	Queue       string           `json:"queue"`
	Pipeline    string           `json:"pipeline"`
	Importance  tasks.Importance `json:"importance"`
	Starts      string           `json:"starts"` // when its windows open, in words
	Scope       []string         `json:"scope"`
	Payload     json.RawMessage  `json:"payload"`
	Resilience  json.RawMessage  `json:"resilience"`
	Estimated   *string          `json:"estimatedDuration"`
	Problems    []string         `json:"problems"`
	Open        *taskWindow      `json:"open"`
	Next        *taskWindow      `json:"next"`
	DefinedBy   *string          `json:"definedBy"`
	UpdatedAt   time.Time        `json:"updatedAt"`

	Notify *struct {
		Pipeline string `json:"pipeline"`
	} `json:"notify"`

	Last *struct {
		Scope      string    `json:"worker"` // the column holds the scope value in the record of a task
		RecordedAt time.Time `json:"recordedAt"`
	} `json:"last"`
	LastWindow *lastWindow `json:"lastWindow"`

	now time.Time
}

// taskWindow is the time in which a task has to start once.
type taskWindow struct {
	At         time.Time  `json:"at"`
	Until      time.Time  `json:"until"`
	DeadlineAt *time.Time `json:"deadlineAt"`
}

// lastWindow is what became of the scope values of the latest window that has records.
type lastWindow struct {
	PlannedAt time.Time `json:"plannedAt"`
	Fired     int64     `json:"fired"`
	Missed    int64     `json:"missed"`
	Skipped   int64     `json:"skipped"`

	Trouble *struct {
		Scope  string `json:"worker"`
		Reason string `json:"reason"`
	} `json:"trouble"`
}

// Several reports whether there are records of several scope values.
func (w *lastWindow) Several() bool { return w.Fired+w.Missed+w.Skipped > 1 }

// Counts lists how many scope values have each outcome.
func (w *lastWindow) Counts() (all []outcomeCount) {
	for _, one := range []outcomeCount{
		{Look: statusLook("missed"), Count: w.Missed}, {Look: statusLook("skipped"), Count: w.Skipped}, {Look: statusLook("fired"), Count: w.Fired},
	} {
		if one.Count > 0 {
			all = append(all, one)
		}
	}
	return all
}

// Inline reports whether the task has the text of a pipeline rather than the name of one.
func (t *task) Inline() bool { return strings.ContainsAny(t.Pipeline, "\n{") }

// Items says how many items a window has.
func (t *task) Items() string {
	if len(t.Scope) == 0 {
		return "1 item"
	}
	return plural(int64(len(t.Scope)), "item", "items") + ", one for each of"
}

// mostScopes is how many scope values a row of the table shows.
const mostScopes = 8

// Scopes are the first scope values.
func (t *task) Scopes() string {
	if n := len(t.Scope) - mostScopes; n > 0 {
		return strings.Join(t.Scope[:mostScopes], ", ") + " and " + number(int64(n)) + " more"
	}
	return strings.Join(t.Scope, ", ")
}

// AllScopes are all scope values, if Scopes leaves out some.
func (t *task) AllScopes() string {
	if len(t.Scope) <= mostScopes {
		return ""
	}
	return strings.Join(t.Scope, ", ")
}

// PriorityNow is the priority of an item of the open window; 0: no window is open.
func (t *task) PriorityNow() int64 {
	if t.Open == nil {
		return 0
	}
	return int64(tasks.Priority(t.Importance, t.Open.At, t.deadline(t.Open), t.now))
}

func (t *task) deadline(w *taskWindow) time.Time {
	if w.DeadlineAt == nil {
		return time.Time{}
	}
	return *w.DeadlineAt
}

// Rise says how the priority of an item rises in the open window, or else in the next one.
func (t *task) Rise() string {
	w := t.Open
	if w == nil {
		w = t.Next
	}
	if w == nil {
		return ""
	}
	until := t.deadline(w)
	first := tasks.Priority(t.Importance, w.At, until, w.At)
	last := tasks.Priority(t.Importance, w.At, until, w.At.Add(1000*24*time.Hour))
	switch {
	case first == last:
		return "always " + number(int64(last))
	case until.IsZero():
		return "from " + number(int64(first)) + " to " + number(int64(last)) + " in " + span(tasks.AgeHorizon)
	}
	return "from " + number(int64(first)) + " to " + number(int64(last)) + ", " + span(tasks.Lead) + " before its window closes"
}

// Failed reports whether a scope value had no item in the last window.
func (t *task) Failed() bool { return t.LastWindow != nil && t.LastWindow.Trouble != nil }

// Settings are the rest of what a task has.
func (t *task) Settings() string {
	if text := string(t.Payload); text != "" && text != "null" && text != `""` {
		return text
	}
	return ""
}

// Retries is the policy of retries of its items as it is stored; "" if it is that of the queue.
func (t *task) Retries() string {
	if text := string(t.Resilience); text != "" && text != "null" && text != `""` {
		return text
	}
	return ""
}

// taskTimes are the next windows of a task, and the records of the last ones.
type taskTimes struct {
	Name    string       `json:"name"`
	Notes   []string     `json:"notes"`
	Windows []taskWindow `json:"windows"`
	Records []struct {
		PlannedAt time.Time `json:"plannedAt"`
		Scope     string    `json:"worker"`
		Outcome   string    `json:"outcome"`
		Reason    string    `json:"reason"`
	} `json:"records"`
}

type tasksPage struct {
	Times                                  *taskTimes // of the task that the person has chosen
	Tasks                                  []task
	More                                   string
	Open, Broken, Failed, Inactive, ByHand int64
}

func (d *Dashboard) listTasks(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Tasks", "tasks"
	var found list[task]
	var version struct {
		Now time.Time `json:"now"`
	}
	ask := d.asking(r)
	ask.get("/tasks", values("after", r.URL.Query().Get("after"), "limit", "200"), &found)
	ask.get("/version", nil, &version)
	var times *taskTimes
	if name := r.URL.Query().Get("task"); name != "" {
		times = &taskTimes{}
		ask.get("/tasks/"+segment(name), values("count", "10"), times)
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	v := tasksPage{Times: times, Tasks: found.Items, More: nextPage(r, found.Next)}
	for i := range v.Tasks {
		t := &v.Tasks[i]
		t.now = version.Now
		switch {
		case len(t.Problems) > 0:
			v.Broken++
		case !t.Active:
			v.Inactive++
			t.Open, t.Next = nil, nil // its windows open without items
		case t.Open == nil && t.Next == nil:
			v.ByHand++
		case t.Open != nil:
			v.Open++
		}
		if t.Active && t.Failed() {
			v.Failed++
		}
	}
	p.Data = &v
	return "tasks", nil
}
