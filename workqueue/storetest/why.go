package storetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

// whyCase is a situation in which an item does not run. The reason names the
// only obstacle: after fix has removed it, and nothing else, the next pass assigns the
// item.
type whyCase struct {
	name string
	make func(x *fixture) int64
	kind assign.ReasonKind

	// text matches the sentence. In it, TIME is an instant, SPAN a length of time.
	text string

	// fix is nil where nothing has to be done, or can be.
	fix func(x *fixture, id int64)

	// more looks at the reason's fields; nil has none to look at.
	more func(x *fixture, r assign.Reason)
}

func whyTests() []test {
	var tests []test
	for _, c := range slices.Concat(whyStates(), whyHeld(), whyEligible(), whyPlaces()) {
		tests = append(tests, test{c.name, c.run})
	}
	return append(tests, test{"held items", heldItems}, test{"an item that is not there", whyNotFound}, test{"the next pass does what is said", whyAgrees})
}

// whyParams know passes of 500 and above that are half a minute off, later ones of the
// same priorities, and some below that are three hours off.
func whyParams() assign.WhyParams {
	band := workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}
	now := time.Now()
	return assign.WhyParams{
		Profiles: whyProfile,
		Pipelines: []assign.SystemPipeline{
			whyPipeline("Never", band, time.Time{}),
			whyPipeline("Soon", band, now.Add(30*time.Second)),
			whyPipeline("Late", band, now.Add(time.Hour)),
			whyPipeline("Lesser", workqueue.Band{Min: 100, Max: 499}, now.Add(3*time.Hour)),
		},
		Resilience: func(string) workqueue.Resilience { return workqueue.Resilience{Limit: 4} },
	}
}

// whyPipeline assigns and runs the items of a band, at one time.
func whyPipeline(name string, band workqueue.Band, at time.Time) assign.SystemPipeline {
	return assign.SystemPipeline{
		Name: name, Passes: []assign.AssignParams{{Band: band, Workers: assign.IdleWorkers}}, Bands: []workqueue.Band{band},
		Next: func(after time.Time) time.Time {
			if at.After(after) {
				return at
			}
			return time.Time{}
		},
	}
}

// whyProfile gives the pipeline Film a channel.
func whyProfile(pipeline string) workqueue.Profile {
	if pipeline == "Film" {
		return workqueue.Profile{Channel: "film"}
	}
	return workqueue.Profile{}
}

func (c whyCase) run(x *fixture) {
	id := c.make(x)
	before := x.show(id)
	r := x.why(id)
	x.wantSame(before)
	if r.Kind != c.kind || r.ItemID != id || r.State != before.State.String() || r.Lifecycle != before.Lifecycle {
		x.Errorf("reason = %+v, want kind %s of the item %d as it is", r, c.kind, id)
	}
	pattern := strings.NewReplacer(
		"TIME", `\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`, "SPAN", `(less than 1s|[0-9hms]+)`, "ID", fmt.Sprint(id),
	).Replace(c.text)
	if !regexp.MustCompile("^" + pattern + "$").MatchString(r.Text) {
		x.Errorf("text = %s\n     want %s", r.Text, pattern)
	}
	if c.more != nil {
		c.more(x, r)
	}
	if c.fix == nil {
		return
	}
	c.fix(x, id)
	for _, p := range whyParams().Pipelines {
		if pass := p.Passes[0]; (p.Name == "Soon" || p.Name == "Lesser") && pass.Band.Contains(before.Priority) {
			pass.Profiles = whyProfile
			if _, err := assign.AssignPass(x.ctx, x.Store, pass); err != nil {
				x.Fatal(err)
			}
		}
	}
	x.wantState(workqueue.Assigned, id)
}

func (x *fixture) why(id int64) assign.Reason {
	x.Helper()
	r, err := assign.Why(x.ctx, x.Store, id, whyParams())
	if err != nil {
		x.Fatal(err)
	}
	return r
}

// whyWorker registers a worker that says something of itself.
func (x *fixture) whyWorker(name string, slots int, say func(*workqueue.WorkerSpec)) workqueue.Worker {
	x.Helper()
	spec := x.Spec(WorkerOpts{Name: name, Capacity: slots})
	if say != nil {
		say(&spec)
	}
	w, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	return w
}

// asks makes an item with selectors.
func (x *fixture) asks(texts ...string) int64 {
	x.Helper()
	selectors, err := matching.ParseSelectors("[" + strings.Join(texts, ",") + "]")
	if err != nil {
		x.Fatal(err)
	}
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{{IntegrationConfig: Pipeline, Priority: 900, Selectors: selectors}})
	if err != nil {
		x.Fatal(err)
	}
	return made[0].ID
}

// sqlAgo is a time as hand-written SQL.
func sqlAgo(d time.Duration) string {
	return "'" + time.Now().UTC().Add(-d).Format("2006-01-02 15:04:05.000") + "'"
}

func whyNotFound(x *fixture) {
	if _, err := assign.Why(x.ctx, x.Store, 77, whyParams()); !isNotFound(err) {
		x.Errorf("error %v, want ErrNotFound", err)
	}
}
