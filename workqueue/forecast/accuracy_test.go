package forecast

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// outcomes is a store that has these outcomes.
type outcomes struct {
	now  time.Time
	list []workqueue.ForecastOutcome
	read int
}

func (o *outcomes) Now(context.Context) (time.Time, error) { return o.now, nil }

func (o *outcomes) ForecastOutcomes(_ context.Context, f workqueue.ForecastFilter) (page []workqueue.ForecastOutcome, _ error) {
	slices.SortFunc(o.list, func(a, b workqueue.ForecastOutcome) int {
		return cmp.Or(b.MadeAt.Compare(a.MadeAt), cmp.Compare(b.ID, a.ID))
	})
	for _, one := range o.list {
		at := one.MadeAt
		if !at.Before(f.Since) && (at.Before(f.Until) || at.Equal(f.Until) && one.ID < f.BeforeID) && len(page) < f.Limit &&
			(f.Queue == "" || f.Queue == one.Queue) && (f.Pipeline == "" || f.Pipeline == one.Pipeline) {
			page = append(page, one)
		}
	}
	o.read += len(page)
	return page, nil
}

// forecastAt adds a forecast of noon, with p50 and p95 so many seconds later; it returns it to say what happened.
func (o *outcomes) add(p50, p95 int) *workqueue.ForecastOutcome {
	at := func(seconds int) *time.Time { return new(noon.Add(time.Duration(seconds) * time.Second)) }
	o.list = append(o.list, workqueue.ForecastOutcome{
		ID: int64(len(o.list) + 1), MadeAt: noon, Queue: "default", ItemForecast: workqueue.ItemForecast{ItemID: int64(len(o.list) + 1), Pipeline: "p", EndP50: at(p50), EndP95: at(p95)},
	})
	return &o.list[len(o.list)-1]
}

func (o *outcomes) ended(p50, p95, end int) *workqueue.ForecastOutcome {
	f := o.add(p50, p95)
	f.State, f.FinishedAt = workqueue.Processed, new(noon.Add(time.Duration(end)*time.Second))
	return f
}

func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func seconds(s float64) *workqueue.Duration {
	return new(workqueue.Duration(s * float64(time.Second)))
}

// Of five forecasts with p50 = 100 s and p95 = 200 s, the ends are at 100, 90, 115, 200 and 240 s: four of five by p95,
// three of five within 15 s of p50. The errors are 0, 10, 15, 100 and 140 s: 53 s in the mean, and the third is 15 s. The
// ends are 0 - 10 + 15 + 100 + 140 s = 245 s later than p50 in all, 49 s in the mean.
func TestAccuracyByHand(t *testing.T) {
	o := &outcomes{now: noon.Add(time.Hour)}
	for _, end := range []int{100, 90, 115, 200, 240} {
		o.ended(100, 200, end)
	}
	o.list[4].State, o.list[4].ErrorKind = workqueue.Cancelled, workqueue.KindError // all attempts failed: it ended
	a, err := Compare(t.Context(), o, AccuracyParams{})
	if err != nil {
		t.Fatal(err)
	}
	want := Agreement{Name: "all", Forecasts: 5, Compared: 5, Coverage: new(0.8), Near: new(0.6), MeanError: seconds(53), MedianError: seconds(15), Bias: seconds(49)}
	wantEqual(t, "all", a.All, want)
	want.Name = "default"
	wantEqual(t, "queues", a.Queues, []Agreement{want})
	want.Name = "p"
	wantEqual(t, "pipelines", a.Pipelines, []Agreement{want})
	if !a.Complete || !a.Since.Equal(o.now.Add(-CompareSince)) || !a.At.Equal(o.now) {
		t.Errorf("got %+v", a)
	}
}

// What is not compared, and why.
func TestAccuracyLeavesOut(t *testing.T) {
	o := &outcomes{now: noon.Add(205 * time.Second)}
	o.ended(100, 200, 100)
	o.add(100, 200)        // overdue: its p95 has passed
	o.ended(100, 206, 100) // open: one that has not ended would not be counted, either
	o.ended(180, 200, 180) // open: until 15 % after its p50
	o.add(100, 300)        // open
	late := o.add(100, 200)
	late.EndP95 = nil
	o.ended(100, 200, 100).Changed = true
	o.add(100, 200).Gone = true
	cancelled := o.ended(100, 200, 50)
	cancelled.State, cancelled.ErrorKind = workqueue.Cancelled, workqueue.KindCancelled
	expired := o.ended(100, 200, 50)
	expired.State, expired.ErrorKind = workqueue.Cancelled, workqueue.KindExpired
	o.add(100, 200).Deleted = true
	o.ended(100, 200, 105).Deleted = true // it ended before it was hidden
	a, err := Compare(t.Context(), o, AccuracyParams{})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "all", a.All, Agreement{
		Name: "all", Forecasts: 12, Compared: 3, Coverage: new(2. / 3), Near: new(2. / 3), MeanError: seconds(2.5), MedianError: seconds(2.5), Bias: seconds(2.5),
		Overdue: 1, Open: 3, Later: 1, Cancelled: 3, Changed: 1, Removed: 1,
	})
	if a, err = Compare(t.Context(), o, AccuracyParams{Queue: "other"}); err != nil || a.All.Forecasts != 0 || a.All.Coverage != nil || a.Queues == nil || len(a.Queues) != 0 {
		t.Errorf("of a queue without forecasts: %+v, %v", a, err)
	}
}

// It reads all pages, up to a bound.
func TestAccuracyReadsPages(t *testing.T) {
	o := &outcomes{now: noon.Add(time.Hour)}
	for range workqueue.MaxForecasts + 10 {
		o.ended(100, 200, 100)
	}
	for i := range o.list {
		o.list[i].MadeAt = noon.Add(-time.Duration(i/3) * time.Second)
	}
	a, err := Compare(t.Context(), o, AccuracyParams{})
	if err != nil || a.All.Forecasts != workqueue.MaxForecasts+10 || o.read != a.All.Forecasts {
		t.Errorf("compared %d forecasts, read %d, %v; want %d", a.All.Forecasts, o.read, err, workqueue.MaxForecasts+10)
	}
}

// A record is a fair sample of the items that are due and have not started.
func TestRecordedSample(t *testing.T) {
	r := emptyPresent(2)
	r.constant("p", 10*time.Second)
	for id := range int64(100) {
		r.add(id+1, 500, "p", nil)
	}
	r.situation.Items[0].Running, r.situation.Items[0].Holder = true, 1
	r.situation.Items[1].Due = noon.Add(time.Hour)
	counts := map[int64]int{}
	const draws = 400
	f := r.mustMake(t, Params{Histories: LeastHistories})
	for seed := range uint64(draws) {
		waiting := 0
		list := f.sample(20, seed, &waiting)
		if waiting != 98 || len(list) != 20 {
			t.Fatalf("%d of %d, want 20 of 98", len(list), waiting)
		}
		for _, one := range list {
			counts[one.ItemID]++
			if one.StartP50 == nil || one.EndP95 == nil || !one.EndP50.After(*one.StartP50) {
				t.Fatalf("item %d: %+v, want times", one.ItemID, one)
			}
		}
	}
	if counts[1]+counts[2] > 0 {
		t.Errorf("an item that runs or is not due was recorded %d times", counts[1]+counts[2])
	}
	for id := int64(3); id <= 100; id++ { // 82 are expected; the standard deviation is 8
		if n := counts[id]; n < 45 || n > 120 {
			t.Errorf("item %d was drawn %d times of %d, want about %d", id, n, draws, draws*20/98)
		}
	}
}
