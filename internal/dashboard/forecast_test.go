package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// waking is a project whose pipeline runs everything as soon as a slot is free.
type waking struct{ api.Project }

func (waking) WhyParams() (assign.WhyParams, error) {
	every := workqueue.EveryPriority
	return assign.WhyParams{Pipelines: []assign.SystemPipeline{{
		Name: "Wakes", Wake: true, Bands: []workqueue.Band{every}, Passes: []assign.AssignParams{{Band: every, FreeSlots: true}},
	}}}, nil
}

func TestForecast(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) { o.Project = waking{} })
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{
		{IntegrationConfig: hostile, Priority: 900, State: workqueue.Pending, Estimate: time.Hour},
		{IntegrationConfig: "hello", Priority: 700, State: workqueue.Pending, Estimate: time.Hour, Deadline: time.Now().Add(10 * time.Minute)},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Viewer)
	present := b.get("/forecast")
	judge(t, "/forecast", present)
	text := present.visible()
	for _, want := range []string{"bot-1", "medium", "hello", `<script>alert("x")</script>`, "from 200 histories", "May miss a deadline 1", "No forecast was recorded"} {
		if !strings.Contains(text, want) {
			t.Errorf("the forecast does not show %q: %s", want, text)
		}
	}
	if strings.Contains(text, "What if: ") || len(present.forms()) != 1 { // to sign out
		t.Errorf("the present has a what-if, or forms %v", present.forms())
	}
	if !slices.Contains(present.links(), fmt.Sprintf("/items/%d", made[1].ID)) {
		t.Errorf("the item that may be late is not linked: %v", present.links())
	}
	if strings.Contains(present.text, `data-live="f`) || !strings.Contains(present.text, `data-live=""`) {
		t.Error("the forecast is made again by itself")
	}

	// What a form sends: the empty fields are not part of the address.
	sent := url.Values{"add": {"2"}, "slots": {"3"}, "labels": {""}, "priorities": {""}, "arrivals": {"-50"}, "hours": {"12"}, "slots.bot-1": {"2"}, "pause": {"default"}, "meet": {"1"}}
	got := b.get("/forecast?" + sent.Encode())
	short := got.header.Get("Location")
	if got.status != http.StatusSeeOther || short != "/forecast?add=2&arrivals=-50&hours=12&meet=1&pause=default&slots=3&slots.bot-1=2" {
		t.Fatalf("got %d %q", got.status, short)
	}
	then := b.get(short)
	judge(t, short, then)
	text = then.visible()
	for _, want := range []string{"What if: 2 new workers with 3 slots each, worker bot-1 with 2 slots, queue default paused, arrivals -50 %", "new-1", "new-2", "if so 2", "What would meet the deadlines"} {
		if !strings.Contains(text, want) {
			t.Errorf("the what-if does not show %q: %s", want, text)
		}
	}
	for _, want := range []string{`name="arrivals" inputmode="decimal" value="-50"`, `name="pause" value="default" checked`, `name="slots.bot-1" type="number" min="0" max="10000" value="2"`} {
		if !strings.Contains(then.text, want) {
			t.Errorf("the form has lost %s", want)
		}
	}
}

// The page shows how good earlier forecasts were.
func TestForecastShowsEarlierOnes(t *testing.T) {
	s := newSite(t)
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: hostile}, {IntegrationConfig: "nap"}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(ago time.Duration) *time.Time { return new(time.Now().Add(-ago)) }
	for id, pipeline := range map[int64]string{made[0].ID: hostile, made[1].ID: "nap"} {
		f := workqueue.ItemForecast{ItemID: id, Pipeline: pipeline, EndP50: at(2 * time.Hour), EndP95: at(time.Hour)}
		if pipeline == "nap" {
			f.EndP95 = at(-time.Hour)
		}
		if _, err := s.Store.RecordForecasts(t.Context(), *at(3 * time.Hour), []workqueue.ItemForecast{f}); err != nil {
			t.Fatal(err)
		}
	}
	got := s.as(t, access.Viewer).get("/forecast")
	judge(t, "/forecast", got)
	text := got.visible()
	for _, want := range []string{"How good earlier forecasts were", "forecasts too early", "pipeline nap", `pipeline <script>alert("x")</script>`, "queue default"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q: %s", want, text)
		}
	}
}

// A what-if that cannot be answered says why, shows the present and keeps what was entered.
func TestForecastRefused(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Viewer)
	for query, want := range map[string]string{
		"add=many":                            `workers to add: got "many", want a whole number`,
		"add=5000":                            "workers to add: got 5000, want 0 to 1000",
		"hours=0":                             "hours: got 0, want 1 to 10000",
		"hours=9999&arrivals=5":               "want at most",
		"priorities=12":                       `got "12", want ITEM=PRIORITY`,
		"priorities=99%3D5":                   "item 99 does not wait",
		"arrivals=NaN":                        `arrivals: got "NaN"`,
		"arrivals=-200":                       "want -100 to 10000",
		"labels=gpu&add=1":                    `labels: got "gpu"`,
		"without=" + url.QueryEscape(hostile): `there is no live worker "<script>`,
		"pause=" + url.QueryEscape("none\x00\x1b"): "there is no queue",
	} {
		got := b.get("/forecast?" + query)
		judge(t, query, got)
		if text := got.visible(); got.status != http.StatusOK || !strings.Contains(text, want) || !strings.Contains(text, "this is the present") || strings.Contains(text, "What if: ") {
			t.Errorf("%s: status %d, want %q: %s", query, got.status, want, text)
		}
	}
	if got := b.get("/forecast?without=" + url.QueryEscape(hostile)); !strings.Contains(got.text, `name="without" value="&lt;script&gt;`) {
		t.Error("the form has lost the worker that does not exist")
	}
}
