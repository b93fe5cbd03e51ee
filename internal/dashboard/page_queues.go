package dashboard

import (
	"net/http"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue"
)

// queue is a queue as the pages show it. All has what the API says, for the policy.
type queue struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Paused      bool   `json:"paused"`
	Consumer    string `json:"consumer"`
	Encrypted   bool   `json:"encrypted"`
	Payloads    string `json:"payloads"`
	Deletion    string `json:"deletion"`

	PriorityOffset int `json:"priorityOffset"` // is added to the priority of each new item

	ConcurrencyLimit *int    `json:"concurrencyLimit"`
	RateLimit        *string `json:"rateLimit"`
}

// queueRow is a queue in the list, with its figures of the last 24 hours.
type queueRow struct {
	queue
	Counts counts
	Oldest time.Duration // how long the oldest due item has waited; 0: none waits
	Day    window
	Wait   *workqueue.SeriesTimes // of the starts; nil: none
	Done   []float64              // by hour
}

// totalOf returns the figures of a group over the whole time of a series; nil: there are none.
func totalOf(s *workqueue.Series, group string) *workqueue.SeriesPoint {
	for i := range s.Totals {
		if s.Totals[i].Group == group {
			return &s.Totals[i]
		}
	}
	return nil
}

// queuesPage is the list of queues, as a table or as cards.
type queuesPage struct {
	Rows  []queueRow
	Cards bool
}

func (d *Dashboard) listQueues(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Queues", "queues", "queues,items"
	var queues list[queue]
	var stats queueCounts
	var series workqueue.Series
	ask := d.asking(r)
	ask.shared(p.Caller).until(events.QueueChanges).get("/queues", nil, &queues)
	ask.shared(p.Caller).get("/stats/queues", nil, &stats)
	if q, ok := p.Caller.scope(); ok {
		ask.slow(p.Caller).get("/stats", values("since", "24h", "by", "hour", "group", "queue", "queue", q), &series)
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	rows := make([]queueRow, len(queues.Items))
	for i, q := range queues.Items {
		row := &rows[i]
		row.queue = q
		if c, ok := stats.of(q.Name); ok {
			row.Counts, row.Day, row.Oldest = c, c.over("24h0m0s"), c.oldest()
		}
		for k := range series.Points {
			if point := &series.Points[k]; point.Group == q.Name {
				row.Done = append(row.Done, float64(point.Succeeded+point.Failed))
			}
		}
		if total := totalOf(&series, q.Name); total != nil {
			row.Wait = total.Wait
		}
	}
	p.Data = queuesPage{rows, r.URL.Query().Get("view") == "cards"}
	return "queues", nil
}
