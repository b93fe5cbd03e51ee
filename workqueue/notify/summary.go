package notify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// heldAlert is an alert whose messages quiet hours have held.
type heldAlert struct {
	rule  *Rule
	alert *tracked
}

// summaries makes one message for each target from what quiet hours have held.
func (v *evaluation) summaries() error {
	for _, target := range slices.Sorted(maps.Keys(v.held)) {
		held := v.held[target]
		slices.SortStableFunc(held, func(a, b heldAlert) int {
			return cmp.Or(a.alert.StartedAt.Compare(b.alert.StartedAt), cmp.Compare(a.alert.Rule, b.alert.Rule), cmp.Compare(a.alert.Group, b.alert.Group))
		})
		m := Message{Status: StatusSummary, At: v.state.Now}
		for _, h := range held {
			m.Alerts = append(m.Alerts, h.alert.Earlier...)
			if h.alert.Phase != workqueue.AlertPending {
				m.Alerts = append(m.Alerts, h.alert.shown(h.rule))
			}
		}
		m.Title = summaryTitle(m.Alerts)
		// No two evaluations have the same version, so the key is that of this summary alone.
		key := func(target string) string {
			return fmt.Sprintf("summary/%d/%s/%s", v.state.Version, v.state.Now.UTC().Format(time.RFC3339), target)
		}
		made, err := items(m, []string{target}, key, v.By)
		if err != nil {
			return err
		}
		v.out.Items = append(v.out.Items, made...)
	}
	for _, held := range v.held {
		for _, h := range held {
			if h.alert.Phase == workqueue.AlertPending {
				h.alert.Held, h.alert.Earlier, h.alert.changed = false, nil, true // its own first message follows
				h.alert.Decided = v.state.Now
			} else if h.alert.Held {
				h.alert.sent(v.state.Now)
			}
		}
	}
	return nil
}

func summaryTitle(alerts []Alert) string {
	if len(alerts) == 0 {
		return "During quiet hours"
	}
	title := "During quiet hours: " + alerts[0].Title
	switch more := len(alerts) - 1; more {
	case 0:
		return title
	case 1:
		return title + "; and 1 more alert"
	default:
		return fmt.Sprintf("%s; and %d more alerts", title, more)
	}
}
