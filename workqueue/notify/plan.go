package notify

import (
	"slices"
	"time"
)

// Plan has the notification settings.
type Plan struct {
	Rules   []Rule // complete
	Targets []Target
}

// Empty reports whether there is nothing to do: no rule and no target.
func (p *Plan) Empty() bool { return len(p.Rules) == 0 && len(p.Targets) == 0 }

// Target returns a target by its name.
func (p *Plan) Target(name string) (Target, bool) {
	i := slices.IndexFunc(p.Targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return p.Targets[i], true
}

// TargetKind is how a target gets messages.
type TargetKind string

// The kinds of targets.
const (
	Mail    TargetKind = "mail"
	Webhook TargetKind = "webhook"
	Slack   TargetKind = "slack"
	Teams   TargetKind = "teams"
)

// Target is where messages go.
type Target struct {
	Name string
	Kind TargetKind

	// URL and Token are secret.
	URL, Token  string
	Headers     map[string]string
	ContentType string // of a webhook with a template; "": application/json

	Host               string
	Port               int    // 0: 587
	TLS                string // starttls, tls or none; "": starttls
	Username, Password string
	From               string
	To                 []string

	// Template is the text of a mail, or the body of a webhook; "": the standard one.
	Template string

	Timeout time.Duration // 0: 30s
}
