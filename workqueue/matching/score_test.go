package matching_test

import (
	"math"
	"slices"
	"testing"

	"botwork/workqueue/matching"
)

// parsed are labels and selectors as an item writes them.
func parsed(t *testing.T, labels, selectors string) (matching.Labels, []matching.Selector) {
	t.Helper()
	l, err := matching.ParseLabels(labels)
	if err != nil {
		t.Fatal(err)
	}
	s, err := matching.ParseSelectors(selectors)
	if err != nil {
		t.Fatal(err)
	}
	return l, s
}

// The examples that the router whose formula this is has published.
func TestScorePublishedExamples(t *testing.T) {
	type worker struct {
		name, labels string
		want         float64
	}
	for _, test := range []struct {
		name, labels, selectors string
		workers                 []worker
	}{
		{"labels", `{"language": "english", "department": "sales"}`, ``, []worker{
			{"A", `{"language": "english", "department": "sales"}`, 1},
			{"B", `{"language": "english"}`, 0.5},
			{"C", `{"language": "english", "department": "support"}`, 0.5},
		}},
		{"equal and not equal", ``, `["department = billing", "segment != vip"]`, []worker{
			{"D", `{"department": "billing", "segment": "vip"}`, 0.5},
			{"E", `{"department": "billing"}`, 1},
			{"F", `{"department": "sales", "segment": "new"}`, 0.5},
		}},
		{"order", `{"language": "french"}`, `["sales >= 10", "cost <= 10"]`, []worker{
			{"G", `{"language": "french", "sales": 10, "cost": 10}`, 0.666666666666667},
			{"H", `{"language": "french", "sales": 15, "cost": 10}`, 0.707486443733952},
			{"I", `{"language": "french", "sales": 10, "cost": 9}`, 0.674993062492980},
		}},
		{"order as selectors alone", ``, `["language = french", "sales >= 10", "cost <= 10"]`, []worker{
			{"H", `{"language": "french", "sales": 15, "cost": 10}`, 0.707486443733952},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			job, selectors := parsed(t, test.labels, test.selectors)
			for _, w := range test.workers {
				labels, _ := parsed(t, w.labels, "")
				if got := matching.Score(job, selectors, labels); math.Abs(got-w.want) > 1e-9 {
					t.Errorf("worker %s: score = %.15f, want %.15f", w.name, got, w.want)
				}
			}
		})
	}
}

// In the second example D and F fail a selector: they have a score, and are not
// eligible.
func TestScoreIsNoFilter(t *testing.T) {
	_, selectors := parsed(t, "", `["department = billing", "segment != vip"]`)
	var eligible []string
	for name, labels := range map[string]string{
		"D": `{"department": "billing", "segment": "vip"}`, "E": `{"department": "billing"}`, "F": `{"department": "sales", "segment": "new"}`,
	} {
		if worker, _ := parsed(t, labels, ""); matching.Satisfied(selectors, worker) {
			eligible = append(eligible, name)
		}
	}
	if !slices.Equal(eligible, []string{"E"}) {
		t.Errorf("eligible = %v, want E alone", eligible)
	}
}

func TestScoreEdges(t *testing.T) {
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, test := range []struct {
		name, labels, selectors, worker string
		want                            float64
	}{
		{"no criteria", ``, ``, `{"a": 1}`, 0},
		{"a worker without labels", `{"a": 1}`, `["b = 1"]`, ``, 0},
		{"in and exists", ``, `["site in [lisbon, porto]", "gpu exists", "tpu exists", "site in [faro]"]`, `{"site": "porto", "gpu": false}`, 0.5},
		{"a label of another type", `{"a": "1"}`, ``, `{"a": 1}`, 0},
		{"a selector of another type", ``, `["a = 1", "b != 1"]`, `{"a": "1", "b": "1"}`, 0.5},
		{"order of a text", ``, `["a >= 1"]`, `{"a": "5"}`, 0},
		{"order of a missing label", ``, `["a >= 1"]`, ``, 0},
		{"the value zero takes the difference", ``, `["a >= 0"]`, `{"a": 2}`, sigma(2)},
		{"the value zero, less", ``, `["a < 0"]`, `{"a": 2}`, sigma(-2)},
		{"zero of zero", ``, `["a > 0"]`, `{"a": 0}`, 0.5},
		{"more is better below zero, too", ``, `["a > -10"]`, `{"a": -5}`, sigma(0.5)},
		{"less is better below zero, too", ``, `["a < -10"]`, `{"a": -15}`, sigma(0.5)},
		{"far above", ``, `["a > 1e-300"]`, `{"a": 1e300}`, 1},
		{"far below", ``, `["a < -1e-300"]`, `{"a": 1e308}`, 0},
		{"the widest difference", ``, `["a > -1.7e308"]`, `{"a": 1.7e308}`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			job, selectors := parsed(t, test.labels, test.selectors)
			worker, _ := parsed(t, test.worker, "")
			if got := matching.Score(job, selectors, worker); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("score = %v, want %v", got, test.want)
			}
		})
	}
}

// Whatever the numbers: a score lies in [0, 1], and more of what is wanted is
// never worse.
func FuzzScore(f *testing.F) {
	for _, seed := range [][3]float64{{0, 0, 0}, {1, 0, 5e-324}, {-1, 1, -0.5}, {math.MaxFloat64, -math.MaxFloat64, 5e-324}, {10, 15, 9}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, wants, less, more float64) {
		for _, n := range []float64{wants, less, more} {
			if matching.Number(n).IsZero() {
				return
			}
		}
		less, more = min(less, more), max(less, more)
		for _, operator := range []matching.Operator{
			matching.Equal, matching.NotEqual, matching.LessThan, matching.LessThanOrEqual, matching.GreaterThan,
			matching.GreaterThanOrEqual, matching.Exists, "nonsense",
		} {
			selectors := []matching.Selector{{Key: "n", Operator: operator, Value: matching.Number(wants)}}
			score := func(n float64) float64 {
				return matching.Score(matching.Labels{"n": matching.Number(wants)}, selectors, matching.Labels{"n": matching.Number(n)})
			}
			low, high := score(less), score(more)
			for _, s := range []float64{low, high} {
				if !(s >= 0 && s <= 1) {
					t.Errorf("%v %s %v: score = %v, want 0 to 1", less, operator, wants, s)
				}
			}
			// The label of the item counts for the one that has the very number.
			if less == wants || more == wants {
				continue
			}
			if operator == matching.GreaterThan && low > high || operator == matching.LessThan && low < high {
				t.Errorf("%s %v: %v scores %v, %v scores %v", operator, wants, less, low, more, high)
			}
		}
	})
}

func BenchmarkScore(b *testing.B) {
	job := matching.Labels{"language": matching.Text("french")}
	selectors, err := matching.ParseSelectors(`["sales >= 10", "cost <= 10"]`)
	if err != nil {
		b.Fatal(err)
	}
	worker := matching.WorkerLabels(7, "ann", matching.Labels{
		"language": matching.Text("french"), "sales": matching.Number(15), "cost": matching.Number(10),
	})
	for b.Loop() {
		matching.Score(job, selectors, worker)
	}
}
