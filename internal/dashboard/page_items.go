package dashboard

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue"
)

// item is an item as the pages show it.
type item struct {
	ID              int64           `json:"id"`
	QueueName       string          `json:"queueName"`
	Status          string          `json:"status"`
	StateName       string          `json:"stateName"`
	Priority        int             `json:"priority"`
	Pipeline        string          `json:"integrationConfig"`
	Payload         json.RawMessage `json:"payload"`
	Output          json.RawMessage `json:"output"`
	Metadata        json.RawMessage `json:"metadata"`
	Labels          json.RawMessage `json:"labels"`
	Selectors       json.RawMessage `json:"selectors"`
	Analytics       json.RawMessage `json:"analytics"`
	Progress        *string         `json:"progress"`
	ProgressPercent *float64        `json:"progressPercent"`
	Encrypted       bool            `json:"encrypted"`
	Unreadable      string          `json:"unreadable"` // why the server cannot decrypt it
	Step            *string         `json:"step"`
	LogTail         *string         `json:"logTail"`
	StepTimes       json.RawMessage `json:"stepTimes"`
	PipelineHash    *string         `json:"pipelineHash"`
	EstimateMs      *int64          `json:"assignedEstimateMs"`
	Channel         *string         `json:"channel"`
	WorkerID        *int64          `json:"workerId"`
	Robot           *string         `json:"robot"`
	Fence           int64           `json:"fence"`
	Version         int64           `json:"version"`
	RetryCount      int             `json:"retryCount"`
	ReleaseCount    int             `json:"releaseCount"`
	NaturalKey      *string         `json:"naturalKey"`
	Tags            []string        `json:"tags"`
	RootID          *int64          `json:"rootId"`
	BatchLeaderID   *int64          `json:"batchLeaderId"`
	TaskName        *string         `json:"taskName"`
	Error           *string         `json:"error"`
	ErrorKind       *string         `json:"errorKind"`
	SnoozeReason    *string         `json:"snoozeReason"`
	CreatedAt       time.Time       `json:"createdAt"`
	CreatedBy       *string         `json:"createdBy"`
	AvailableAt     time.Time       `json:"availableAt"`
	DeadlineAt      *time.Time      `json:"deadlineAt"`
	FinishBy        *time.Time      `json:"finishBy"`
	ExpiresAt       *time.Time      `json:"expiresAt"`
	AssignedAt      *time.Time      `json:"assignedAt"`
	StartedAt       *time.Time      `json:"startedAt"`
	FinishedAt      *time.Time      `json:"finishedAt"`
	FirstStartedAt  *time.Time      `json:"firstStartedAt"`
	LeaseExpiresAt  *time.Time      `json:"leaseExpiresAt"`
	DeletedAt       *time.Time      `json:"deletedAt"`
	Resilience      json.RawMessage `json:"resilienceConfig"`
	LimitKey        *string         `json:"limitKey"`
	OwnEstimateMs   *int64          `json:"estimatedDurationMs"`
	RetainMs        *int64          `json:"retainMs"`

	Worker string // its name
}

// Inline reports whether the item has a whole pipeline instead of a name.
func (it *item) Inline() bool {
	return workqueue.InlinePipeline(it.Pipeline)
}

// ExpectedEnd is when a run ends if it takes as long as was estimated; nil if either is not known.
func (it *item) ExpectedEnd() *time.Time {
	if it.StartedAt == nil || it.EstimateMs == nil {
		return nil
	}
	return new(it.StartedAt.Add(time.Duration(*it.EstimateMs) * time.Millisecond))
}

// Took returns how long the last run took, once it has ended.
func (it *item) Took() time.Duration {
	if it.StartedAt == nil || it.FinishedAt == nil {
		return 0
	}
	return max(it.FinishedAt.Sub(*it.StartedAt), 0)
}

// Ended reports whether the item has ended.
func (it *item) Ended() bool {
	return it.FinishedAt != nil && (it.StateName == "Processed" || it.StateName == "Cancelled")
}

// filterNames are the parameters of the items' list that filter, in the order of the form.
var filterNames = []string{
	"status", "queue", "pipeline", "worker", "key", "keyPart", "task", "tag", "allTags", "meta", "metaLike", "label", "band", "minPriority", "maxPriority", "deleted",
	"createdSince", "createdUntil", "dueSince", "dueUntil", "startedSince", "startedUntil", "finishedSince", "finishedUntil", "failedSince", "failedUntil", "deadlineSince", "deadlineUntil",
	"errorKind", "error", "payload", "lifecycle", "state",
}

// filterOf returns the filter in the address of a page.
func filterOf(q url.Values) url.Values {
	f := url.Values{}
	for _, name := range filterNames {
		for _, v := range q[name] {
			if v != "" {
				f.Add(name, v)
			}
		}
	}
	return f
}

// mostFollowed is how many items a page follows one by one; the API allows as many.
const mostFollowed = 20

// mostListed is how many items the list shows at once.
const mostListed = 50

// filterChip is one condition of the filter, and the address without it.
type filterChip struct{ Name, Value, Without string }

// chipsOf returns the conditions of a filter, whose addresses keep the order of the list; "": none.
func chipsOf(filter url.Values, sort string) []filterChip {
	var chips []filterChip
	for _, name := range filterNames {
		for i, value := range filter[name] {
			rest := values("sort", sort)
			for k, all := range filter {
				for j, v := range all {
					if k != name || i != j {
						rest.Add(k, v)
					}
				}
			}
			without := "/items"
			if len(rest) > 0 {
				without += "?" + rest.Encode()
			}
			chips = append(chips, filterChip{name, value, without})
		}
	}
	return chips
}

type itemsPage struct {
	Filter     url.Values
	Chips      []filterChip
	Statuses   []string
	Queues     []string
	Pipelines  []string
	Workers    []string
	Suggested  suggested
	Kinds      []string
	Bands      []string
	Columns    []column
	Sort       string
	Unsorted   string // the address of the list without an order
	Items      []*item
	Searching  bool       // the items are not there yet
	NoItems    *problem   // why they cannot be searched for
	Count      *itemCount // nil: they are not counted yet
	NoCount    *problem   // why they cannot be counted
	First      bool       // the list has the first items of others in an order without pages
	More       string
	Cut        *searchCut // what the list leaves out besides later pages
	Unbounded  bool       // it is that of a search without a bound
	Everything string     // the address of such a list
	Exports    []exportLink
	Many       []manyLink   // changes of all items of the filter
	Some       []manyAction // changes of selected ones
}

// exportLink leads to all items of the filter in a form.
type exportLink struct{ Text, Link, File string }

// errorKinds are the kinds of failures, for the filter.
var errorKinds = []string{"error", "business", "timeout", "permanent", "panic", "poison", "cancelled", "expired"}

// manyLink leads to the preview of a change.
type manyLink struct {
	Text, Link string
	Danger     bool
}

var statuses = []string{"scheduled", "pending", "assigned", "running", "retry", "succeeded", "failed", "business-error", "expired", "cancelled", "deleted"}

func (d *Dashboard) listItems(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Items", "items", "items"
	q := r.URL.Query()
	if id := q.Get("find"); id != "" {
		return d.find(r, p, id)
	}
	v := itemsPage{
		Filter: filterOf(q), Statuses: statuses, Kinds: errorKinds, Bands: []string{"high", "medium", "low"}, Columns: columnsOf(r, p), Sort: orderOf(q), Unsorted: "/items?" + filterOf(q).Encode(),
	}
	asked := inZone(v.Filter, browserZone(r))
	query := maps.Clone(asked)
	query.Set("limit", itoa(mostListed))
	all := searchesAll(q)
	if !all {
		query.Set("lookAt", itoa(lookedAt(v.Filter)))
	}
	for name, value := range map[string]string{"before": q.Get("before"), "sort": v.Sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var got struct {
		list[item]
		Cut *searchCut `json:"incomplete"`
	}
	var workers list[worker]
	var queues list[queue]
	var pipelines list[pipeline]
	ask := d.asking(r)
	ask.running.Go(func() {
		err := ask.patient(p.Caller).now("/items", query, &got)
		if v.NoItems = failureOf(err); err != nil {
			if v.NoItems == nil {
				ask.fail(err)
			}
			return
		}
		switch n := len(got.Items); {
		case got.Items == nil: // it is late
		case n < mostListed && !query.Has("before"):
			v.Count = &itemCount{Count: int64(n), Cut: got.Cut}
		default:
			v.count(ask, p.Caller, asked, all)
		}
	})
	ask.shared(p.Caller).until(events.QueueChanges).get("/queues", nil, &queues)
	ask.shared(p.Caller).optional("/workers", nil, &workers)
	ask.slow(p.Caller).optional("/pipelines", nil, &pipelines)
	if err := ask.wait(); err != nil {
		return "", err
	}
	for _, one := range pipelines.Items {
		if one.Trigger == nil {
			v.Pipelines = append(v.Pipelines, one.Name)
		}
	}
	for _, one := range workers.Items {
		v.Workers = append(v.Workers, one.Name)
	}
	for i := range got.Items {
		if it := &got.Items[i]; !it.Ended() && len(p.Follow) < mostFollowed {
			p.Follow = append(p.Follow, it.ID)
		}
	}
	nameWorkers(got.Items, workers.Items)
	v.Suggested = suggestedBy(got.Items)
	for _, one := range queues.Items {
		v.Queues = append(v.Queues, one.Name)
	}
	for i := range got.Items {
		v.Items = append(v.Items, &got.Items[i])
	}
	p.Again, v.Searching = ask.incomplete(), got.Items == nil && v.NoItems == nil
	v.First = v.Sort != "" && (v.Count == nil || v.Count.Count > int64(len(v.Items)))
	v.More, v.Cut, v.Chips = nextPage(r, got.Next), got.Cut, chipsOf(v.Filter, v.Sort)
	v.bound(p, q, all)
	for _, e := range []exportLink{{"CSV", "/items/export/csv", "items.csv"}, {"JSON", "/items/export/json", "items.json"}, {"NDJSON", apiPrefix + "/items.ndjson", "items.ndjson"}} {
		if len(asked) > 0 {
			e.Link += "?" + asked.Encode()
		}
		v.Exports = append(v.Exports, e)
	}
	if p.Caller.May("operator") {
		v.Some = someOffered(p.Caller, queues.Items)
	}
	if p.Caller.May("operator") && (v.Count == nil || v.Count.Count > 0 || v.Count.Cut != nil) {
		for _, a := range manyOffered(p.Caller, v.Filter, queues.Items) {
			link := manyLink{Text: a.Text, Link: "/items/actions/" + a.Name, Danger: a.Danger}
			if len(v.Filter) > 0 {
				link.Link += "?" + v.Filter.Encode()
			}
			v.Many = append(v.Many, link)
		}
	}
	p.Data = v
	return "items", nil
}

// count asks how many items the filter selects. The statistics have the number of many items in a status, so these are not
// counted for a page; a few are, so that their number is that of the list.
func (v *itemsPage) count(ask *asking, c caller, filter url.Values, all bool) {
	direct := func() {
		query := upTo(filter)
		if !all {
			query.Set("lookAt", itoa(lookedAt(filter)))
		}
		ask.patient(c).unlessFailed("/items/count", query, &v.Count, &v.NoCount)
	}
	lives, ok := countedLives(filter)
	if !ok || filter.Get("queue") == "" && !c.Everywhere() {
		direct()
		return
	}
	var stats *queueCounts
	shared := ask.shared(c)
	shared.patience = patience
	if err := shared.now("/stats/queues", nil, &stats); err != nil {
		ask.fail(err)
		return
	}
	if stats == nil {
		return // they are late
	}
	of := stats.All
	if name := filter.Get("queue"); name != "" {
		of, _ = stats.of(name)
	}
	n := itemCount{}
	for _, life := range lives {
		n.Count += of.Items[life]
	}
	if n.Count <= mostCounted {
		direct()
		return
	}
	v.Count = &n
}

// countedLives returns the names of the statistics that make the count of a filter by one queue and statuses.
func countedLives(filter url.Values) (lives []string, ok bool) {
	for name, values := range filter {
		if name != "status" && (name != "queue" || len(values) > 1) {
			return nil, false
		}
	}
	given := commaWords(filter["status"])
	if len(given) == 0 {
		return []string{"scheduled", "pending", "assigned", "active", "retry", "completed", "archived"}, true
	}
	for _, status := range slices.Compact(slices.Sorted(slices.Values(given))) {
		life := map[string]string{"scheduled": "scheduled", "pending": "pending", "assigned": "assigned", "running": "active", "retry": "retry", "succeeded": "completed"}[status]
		if life == "" {
			return nil, false // the statistics do not divide these by their errors
		}
		lives = append(lives, life)
	}
	return lives, true
}

// find answers the search of the bar: a number is an item, other text a part of a key.
func (d *Dashboard) find(_ *http.Request, _ *page, text string) (string, error) {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "0123456789") == "" {
		return "", &redirect{to: "/items/" + text}
	}
	return "", &redirect{to: address("/items", "keyPart", text)}
}

func nameWorkers(items []item, workers []worker) {
	names := map[int64]string{}
	for _, w := range workers {
		names[w.ID] = w.Name
	}
	for i := range items {
		it := &items[i]
		switch {
		case it.Robot != nil:
			it.Worker = *it.Robot
		case it.WorkerID != nil:
			it.Worker = names[*it.WorkerID]
		}
	}
}

// nextPage turns the address of the API's next page into that of the page.
func nextPage(r *http.Request, next *string) string {
	if next == nil {
		return ""
	}
	u, err := url.Parse(*next)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Del("limit")
	q.Del("lookAt")
	return r.URL.Path + "?" + q.Encode()
}
