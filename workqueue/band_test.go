package workqueue

import (
	"math"
	"strings"
	"testing"
)

func TestNewBand(t *testing.T) {
	n := func(i int) *int { return &i }
	tests := []struct {
		name                string
		minimum, above, low *int
		in, out             []int
		text                string
	}{
		{name: "no bound", in: []int{math.MinInt32, -1, 0, 499, math.MaxInt32}, text: "any priority"},
		{name: "high", above: n(1000), in: []int{1001, math.MaxInt32}, out: []int{1000, 999, 0}, text: "priority 1001 and above"},
		{name: "medium and high", minimum: n(500), in: []int{500, 501, 1000, 1001}, out: []int{499, 0, -1}, text: "priority 500 and above"},
		{name: "low", low: n(500), in: []int{499, 0, math.MinInt32}, out: []int{500, 501, 1001}, text: "priority below 500"},
		{name: "medium", minimum: n(500), low: n(1001), in: []int{500, 1000}, out: []int{499, 1001}, text: "priority 500 to 1000"},
		{name: "one priority", above: n(499), low: n(501), in: []int{500}, out: []int{499, 501}, text: "priority 500"},
		{name: "the ends of the column", minimum: n(math.MinInt32), low: n(math.MaxInt32),
			in: []int{math.MinInt32, math.MaxInt32 - 1}, out: []int{math.MaxInt32}, text: "priority below 2147483647"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := NewBand(test.minimum, test.above, test.low)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range test.in {
				if !b.Contains(p) {
					t.Errorf("%v does not contain %d", b, p)
				}
			}
			for _, p := range test.out {
				if b.Contains(p) {
					t.Errorf("%v contains %d", b, p)
				}
			}
			if b.Empty() {
				t.Errorf("%v is empty", b)
			}
			if b.String() != test.text {
				t.Errorf("String() = %q, want %q", b, test.text)
			}
		})
	}
}

func TestNewBandRefusesContradictions(t *testing.T) {
	n := func(i int) *int { return &i }
	tests := []struct {
		name                  string
		minimum, above, below *int
		want                  string
	}{
		{"two lower ends", n(500), n(500), nil, "want one of the two"},
		{"nothing between", n(500), nil, n(500), "no priority is at least 500 and at most 499"},
		{"nothing between the neighbours", nil, n(500), n(501), "no priority is at least 501 and at most 500"},
		{"upside down", n(1000), nil, n(500), "no priority is at least 1000"},
		{"above the last", nil, n(math.MaxInt32), nil, "no priority"},
		{"below the first", nil, nil, n(math.MinInt32), "no priority"},
		{"too large for the column", n(math.MaxInt32 + 1), nil, nil, "want -2147483648 to 2147483647"},
		{"too small for the column", nil, nil, n(math.MinInt32 - 1), "want -2147483648 to 2147483647"},
		{"priority 0 alone, which is the zero Band", n(0), nil, n(1), "priority 0 alone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := NewBand(test.minimum, test.above, test.below)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("NewBand = %v, %v, want an error with %q", b, err, test.want)
			}
		})
	}
}

func TestBandOverlaps(t *testing.T) {
	high, medium, low := Band{1001, math.MaxInt32}, Band{500, 1000}, Band{math.MinInt32, 499}
	tests := []struct {
		a, b Band
		want bool
	}{
		{high, medium, false}, {medium, low, false}, {high, high, true}, {EveryPriority, low, true},
		{Band{500, math.MaxInt32}, high, true}, {Band{1000, 1001}, medium, true},
	}
	for _, test := range tests {
		if got := test.a.Overlaps(test.b); got != test.want {
			t.Errorf("(%v).Overlaps(%v) = %v, want %v", test.a, test.b, got, test.want)
		}
		if got := test.b.Overlaps(test.a); got != test.want {
			t.Errorf("(%v).Overlaps(%v) = %v, want %v", test.b, test.a, got, test.want)
		}
	}
}

func TestJoinBands(t *testing.T) {
	for _, tt := range []struct {
		name        string
		bands, want []Band
	}{
		{"none", nil, nil},
		{"apart", []Band{{5, 9}, {1, 3}}, []Band{{1, 3}, {5, 9}}},
		{"touching", []Band{{5, 9}, {1, 4}}, []Band{{1, 9}}},
		{"one in the other", []Band{{1, 9}, {2, 3}, EveryPriority}, []Band{EveryPriority}},
		{"empty", []Band{{9, 1}}, nil},
	} {
		got := JoinBands(tt.bands)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}
