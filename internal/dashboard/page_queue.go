package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"botwork/workqueue"
)

type queuePage struct {
	Queue    queue
	Policy   map[string]any
	Counts   counts
	Range    string
	Ranges   []string
	Ring     ring
	Ended    *chart
	Backlog  *chart
	Runs     *chart
	Limits   []limitInUse
	Robots   []workqueue.QueueRobot
	Schemas  []schemaText
	Statuses []statusCount
}

// limitInUse is a limit of a queue and how much of it is used now. Share is 0 if that is not known.
type limitInUse struct {
	Text  string
	Share float64
}

// schemaText is a JSON Schema of a queue.
type schemaText struct{ Of, Text string }

type statusCount struct {
	Status string
	Count  int64
	More   bool // there are more than Count
	Link   string

	Concerned bool // by the change that a page offers
}

func (d *Dashboard) showQueue(r *http.Request, p *page) (string, error) {
	name := r.PathValue("queue")
	p.Title, p.Section, p.Live = "Queue "+name, "queues", "queues,items"
	v := queuePage{Range: rangeOf(r, "24h"), Ranges: ranges}
	var series workqueue.Series
	var rights struct {
		Robots  []workqueue.QueueRobot `json:"robots"`
		Payload json.RawMessage        `json:"payloadSchema"`
		Output  json.RawMessage        `json:"outputSchema"`
	}
	ask := d.asking(r)
	queue := ask.paced(p.Caller)
	queue.get("/queues/"+segment(name), nil, &v.Queue)
	queue.get("/queues/"+segment(name), nil, &v.Policy)
	queue.get("/queues/"+segment(name), nil, &rights)
	var stats queueCounts
	ask.shared(p.Caller).get("/stats/queues", nil, &stats) // of all queues, as other pages ask
	ask.slow(p.Caller).get("/stats", values("since", v.Range, "by", resolutions[v.Range], "queue", name), &series)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v.Counts, _ = stats.of(name)
	v.Ended, v.Backlog, v.Runs = endedChart(&series), backlogChart(&series), runsChart(&series)
	v.Ring = queueRing(name, &v.Counts, &series)
	v.Robots = rights.Robots
	for of, text := range map[string]json.RawMessage{"payload": rights.Payload, "output": rights.Output} {
		if len(text) > 0 && string(text) != "null" {
			v.Schemas = append(v.Schemas, schemaText{of, pretty(text)})
		}
	}
	if most := v.Queue.ConcurrencyLimit; most != nil && *most > 0 {
		running := v.Counts.Items["active"]
		v.Limits = append(v.Limits, limitInUse{fmt.Sprintf("%s of at most %d run at the same time", number(running), *most), min(float64(running)/float64(*most), 1)})
	}
	if rate := v.Queue.RateLimit; rate != nil && *rate != "" {
		v.Limits = append(v.Limits, limitInUse{Text: "at most " + strings.Replace(*rate, "/", " starts in ", 1)})
	}
	for _, one := range []struct{ status, life, query string }{
		{"Scheduled", "scheduled", "scheduled"}, {"Pending", "pending", "pending"}, {"Assigned", "assigned", "assigned"}, {"Running", "active", "running"},
		{"Retry", "retry", "retry"}, {"Succeeded", "completed", "succeeded"},
	} {
		v.Statuses = append(v.Statuses, statusCount{Status: one.status, Count: v.Counts.Items[one.life], Link: address("/items", "queue", name, "status", one.query)})
	}
	v.Statuses = append(v.Statuses, statusCount{Status: "Failed", Count: v.Counts.Items["archived"], Link: address("/items", "queue", name, "lifecycle", "archived")})
	p.Data = v
	return "queue", nil
}

func (d *Dashboard) changeQueue(r *http.Request) (done, back string, err error) {
	name, action := r.PathValue("queue"), r.PathValue("action")
	back = "/queues/" + segment(name)
	texts := map[string]string{"pause": "Queue " + name + " is paused: its items are not assigned", "resume": "Queue " + name + " is open again"}
	if texts[action] == "" {
		return "", back, &problem{Status: http.StatusNotFound, Detail: "there is no such action of a queue"}
	}
	_, err = d.ask(r, http.MethodPost, "/queues/"+segment(name)+"/"+action, nil, reasonOf(r), nil)
	return texts[action], back, err
}
