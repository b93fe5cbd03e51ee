package bench

import (
	"context"
	"sync/atomic"

	"botwork/handlers"
)

// stepKinds returns handlers that do almost nothing, so that the measurement shows the
// cost of the engine. The handlers of the measured steps count their runs.
func stepKinds(ran *atomic.Int64) *handlers.Registry {
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"id": i, "name": "a name", "price": 1.5}
	}
	r := handlers.NewRegistry()
	r.MustRegister(
		handlers.Kind{Name: "Rows", New: func() handlers.Handler { return produce{value: rows} }},
		handlers.Kind{Name: "Last", New: func() handlers.Handler { return produce{} }},
		handlers.Kind{Name: "Nothing", New: func() handlers.Handler { return produce{counts: ran} }},
		handlers.Kind{Name: "Take", New: func() handlers.Handler { return &consume{counts: ran} }},
	)
	return r
}

// produce is a handler that returns a value.
type produce struct {
	value  any
	counts *atomic.Int64
}

// Handle implements handlers.Handler.
func (g produce) Handle(context.Context, *handlers.Call) (any, error) {
	if g.counts != nil {
		g.counts.Add(1)
	}
	return g.value, nil
}

// consume is a handler that accepts a value.
type consume struct {
	Value any `json:"value" required:"true" doc:"any value"`

	counts *atomic.Int64
}

// Handle implements handlers.Handler.
func (t *consume) Handle(context.Context, *handlers.Call) (any, error) {
	t.counts.Add(1)
	return nil, nil
}
