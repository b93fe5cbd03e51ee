package bench

import (
	"context"
	"sync/atomic"

	"botwork/handlers"
)

// stepKinds are handlers whose own work is next to nothing, so that what is
// measured is the engine's. Those of the measured steps count.
func stepKinds(ran *atomic.Int64) *handlers.Registry {
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"id": i, "name": "a name", "price": 1.5}
	}
	r := handlers.NewRegistry()
	r.MustRegister(
		handlers.Kind{Name: "Rows", New: func() handlers.Handler { return gives{value: rows} }},
		handlers.Kind{Name: "Last", New: func() handlers.Handler { return gives{} }},
		handlers.Kind{Name: "Nothing", New: func() handlers.Handler { return gives{counts: ran} }},
		handlers.Kind{Name: "Take", New: func() handlers.Handler { return &take{counts: ran} }},
	)
	return r
}

// gives puts out a value.
type gives struct {
	value  any
	counts *atomic.Int64
}

// Handle implements handlers.Handler.
func (g gives) Handle(context.Context, *handlers.Call) (any, error) {
	if g.counts != nil {
		g.counts.Add(1)
	}
	return g.value, nil
}

// take takes a value.
type take struct {
	Value any `json:"value" required:"true" doc:"any value"`

	counts *atomic.Int64
}

// Handle implements handlers.Handler.
func (t *take) Handle(context.Context, *handlers.Call) (any, error) {
	t.counts.Add(1)
	return nil, nil
}
