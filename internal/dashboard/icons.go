package dashboard

import (
	"fmt"
	"html/template"
	"strings"
)

// icons are the paths of the icons, in a box of 16 by 16.
var icons = map[string]string{
	"overview":      "M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z",
	"items":         "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
	"failures":      "M8 2.5 14 13H2zM8 6.5v3M8 11.4v.01",
	"queues":        "M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11z",
	"workers":       "M4 4h8v8H4zM6.5 1.5V4M9.5 1.5V4M6.5 12v2.5M9.5 12v2.5M1.5 6.5H4M1.5 9.5H4M12 6.5h2.5M12 9.5h2.5",
	"pipelines":     "M3 3h4v3H3zM9 10h4v3H9zM5 6v5.5h4",
	"schedules":     "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.3",
	"tasks":         "M3 2.5h10v11H3zM5.5 6h5M5.5 9h3",
	"audit":         "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
	"forecast":      "M2.5 13.5h11M2.5 11 6 7.5l2.500 2 5-6M10.500 3.500h3v3",
	"notifications": "M8 2.500c-2.500 0-3.500 1.500-3.500 4v2.500L3 11.500h10L11.500 9V6.500c0-2.500-1-4-3.500-4zM6.500 13.500h3",
	"doctor":        "M2.500 8h2.500l1.500-4 3 8L11 8h2.500",
	"settings":      "M3 4.500h6M12 4.500h1M9 3v3M3 8h1M7 8h6M5.500 6.500v3M3 11.500h6M12 11.500h1M10.500 10v3",
	"access":        "M5.500 6.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.700 7.300l5.300-5.300M11 4l2 2",
	"search":        "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5l3 3",
	"command":       "M3 4.500l3 3.500-3 3.500M8 12h5",
	"clock":         "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.3",
	"hourglass":     "M4.5 2.5h7M4.5 13.5h7M5 2.5c0 4 6 4 6 11M11 2.5c0 4-6 4-6 11",
	"hand":          "M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10",
	"play":          "M5 3.5v9l7-4.5z",
	"retry":         "M12.5 5.5A5 5 0 1 0 13 9M12.5 2.5v3h-3",
	"check":         "M3 8.5 6.5 12 13 4.5",
	"cross":         "M4 4l8 8M12 4l-8 8",
	"person":        "M8 3a2.3 2.3 0 1 0 0 4.600A2.300 2.300 0 0 0 8 3zM3.500 13.500c.5-3 2-4.500 4.500-4.500s4 1.500 4.500 4.500",
	"stop":          "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM4 12 12 4",
	"pause":         "M5.5 3.5v9M10.500 3.500v9",
	"bin":           "M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.5 9h6l.5-9",
	"dot":           "M8 6.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
}

func icon(name string) (template.HTML, error) {
	path, ok := icons[name]
	if !ok {
		return "", fmt.Errorf("no icon %q", name)
	}
	return template.HTML(`<svg class="ico" viewBox="0 0 16 16" aria-hidden="true"><path d="` + path + `"/></svg>`), nil //nolint:gosec // a constant
}

// look is how a status looks: a colour by its class, an icon and a word, because some
// people cannot tell the colours apart.
type look struct{ Class, Icon, Word string }

var looks = map[string]look{
	"scheduled": {"scheduled", "clock", "Scheduled"},
	"pending":   {"pending", "hourglass", "Pending"},
	"assigned":  {"assigned", "hand", "Assigned"},
	"running":   {"running", "play", "Running"},
	"retry":     {"retry", "retry", "Retry"},
	"succeeded": {"succeeded", "check", "Succeeded"},
	"failed":    {"failed", "failures", "Failed"},

	"business error": {"failed", "person", "Business error"},
	"expired":        {"failed", "hourglass", "Expired"},
	"cancelled":      {"scheduled", "cross", "Cancelled"},
	"deleted":        {"scheduled", "bin", "Deleted"},

	// Outcomes of attempts.
	"timeout":  {"failed", "hourglass", "Timed out"},
	"released": {"retry", "retry", "Released"},
	"rescued":  {"retry", "retry", "Rescued"},
	"snoozed":  {"scheduled", "clock", "Postponed"},

	// Phases and moments in the life of an item.
	"ended":   {"scheduled", "stop", "Ended"},
	"audited": {"scheduled", "audit", "Changed"},

	// Outcomes of runs, and states of workers and queues.
	"missed":      {"retry", "failures", "Missed"},
	"late":        {"retry", "clock", "Late"},
	"planned":     {"planned", "clock", "Planned"},
	"fired":       {"succeeded", "check", "Created"},
	"skipped":     {"scheduled", "cross", "Skipped"},
	"interrupted": {"failed", "cross", "Interrupted"},
	"refused":     {"failed", "stop", "Refused"},
	"active":      {"succeeded", "check", "Active"},
	"draining":    {"pending", "hourglass", "Draining"},
	"stopped":     {"scheduled", "cross", "Stopped"},
	"gone":        {"failed", "failures", "Lost"},
	"firing":      {"failed", "failures", "Firing"},
	"muted":       {"scheduled", "pause", "Muted"},
	"ok":          {"succeeded", "check", "OK"},
	"warning":     {"retry", "failures", "Warning"},
	"fault":       {"failed", "cross", "Fault"},
	"not made":    {"scheduled", "dot", "Not made"},
	"valid":       {"succeeded", "check", "Valid"},
	"revoked":     {"scheduled", "cross", "Revoked"},
	"disabled":    {"failed", "stop", "Disabled"},
	"locked":      {"retry", "hourglass", "Locked"},
	"paused":      {"pending", "pause", "Paused"},
	"open":        {"succeeded", "check", "Open"},
}

func statusLook(status string) look {
	if l, ok := looks[strings.ToLower(status)]; ok {
		return l
	}
	return look{"scheduled", "dot", status}
}
