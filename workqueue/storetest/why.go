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

// whyCase is a situation in which an item does not run. The reason must be the only
// obstacle: after fix has removed it, and changed nothing else, the next pass assigns the
// item.
type whyCase struct {
	name string
	make func(x *fixture) int64
	kind assign.ReasonKind

	// text matches the sentence. In it, TIME is an instant and SPAN is a duration.
	text string

	// fix is nil if nothing has to be fixed, or can be.
	fix func(x *fixture, id int64)

	// more checks the fields of the reason; nil checks none.
	more func(x *fixture, r assign.Reason)
}

func whyTests() []test {
	var tests []test
	for _, c := range slices.Concat(whyStates(), whyHeld(), whyEligible(), whyPlaces()) {
		tests = append(tests, test{c.name, c.run})
	}
	return append(tests, test{"held items", heldItems}, test{"an item that does not exist", whyNotFound}, test{"an item behind more than are read", whyBeyond}, test{"the next pass agrees with the reasons", whyAgrees})
}

// whyParams has passes for priorities of 500 and above in 30 seconds and in an hour, and
// passes for lower priorities in three hours.
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

// whyPipeline is a pipeline that assigns and runs the items of a band, at one time.
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

// whyProfile sets the channel of the pipeline Film.
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
		x.Errorf("reason = %+v, want kind %s and the current state of item %d", r, c.kind, id)
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

// whyWorker registers a worker; change may be nil.
func (x *fixture) whyWorker(name string, slots int, change func(*workqueue.WorkerSpec)) workqueue.Worker {
	x.Helper()
	spec := x.Spec(WorkerOpts{Name: name, Capacity: slots})
	if change != nil {
		change(&spec)
	}
	w, err := x.Store.RegisterWorker(x.ctx, spec)
	if err != nil {
		x.Fatal(err)
	}
	return w
}

// withSelectors enqueues an item with selectors.
func (x *fixture) withSelectors(texts ...string) int64 {
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

// sqlAgo returns the time d ago as an SQL literal.
func sqlAgo(d time.Duration) string {
	return "'" + time.Now().UTC().Add(-d).Format("2006-01-02 15:04:05.000") + "'"
}

// whyBeyond asks about the last of four items, and reads fewer or just enough.
func whyBeyond(x *fixture) {
	x.whyWorker("w", 1, nil)
	last := x.Items(4, ItemOpts{Priority: 900, Estimate: time.Hour})[3]
	for most, want := range map[int]string{0: "in at least ", 4: "in at least ", 3: "unknown: more than 3 items go first", 1: "unknown: more than 1 item goes first"} {
		p := whyParams()
		p.MostDue = most
		r, err := assign.Why(x.ctx, x.Store, last, p)
		if err != nil {
			x.Fatal(err)
		}
		ahead := 3
		if text, beyond := strings.CutPrefix(want, "unknown: "); beyond {
			ahead = most
			if r.Text != text {
				x.Errorf("at most %d: %s", most, r.Text)
			}
		}
		if r.Kind != assign.WhyBehind || r.Ahead != ahead || !strings.HasPrefix(r.Expected, want) {
			x.Errorf("at most %d: %s, %d ahead, expected %s; want behind, %d, %s", most, r.Kind, r.Ahead, r.Expected, ahead, want)
		}
	}
}

func whyNotFound(x *fixture) {
	if _, err := assign.Why(x.ctx, x.Store, 77, whyParams()); !isNotFound(err) {
		x.Errorf("error %v, want ErrNotFound", err)
	}
}
