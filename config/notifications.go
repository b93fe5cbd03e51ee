package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/redaction"
	"botwork/workqueue/notify"
)

// Notifications are the messages to people: where they go, and about what.
type Notifications struct {
	// QuietHours apply to the rules that set none.
	QuietHours []QuietHours `yaml:"quietHours"`

	Targets map[string]NotificationTarget `yaml:"targets"`
	Rules   map[string]NotificationRule   `yaml:"rules"`
}

// NotificationTarget is where messages go.
type NotificationTarget struct {
	// Kind is one of NotificationKinds.
	Kind string `yaml:"kind,required"`

	// URL, Token, Headers and ContentType are those of a webhook; Slack and Teams have only URL.
	URL         Text            `yaml:"url"`
	Token       Text            `yaml:"token"`
	Headers     map[string]Text `yaml:"headers"`
	ContentType string          `yaml:"contentType"`

	// Host to To are those of a mail.
	Host     string   `yaml:"host"`
	Port     int      `yaml:"port"`
	TLS      string   `yaml:"tls"`
	Username string   `yaml:"username"`
	Password Text     `yaml:"password"`
	From     string   `yaml:"from"`
	To       []string `yaml:"to"`

	Template string        `yaml:"template"`
	Timeout  time.Duration `yaml:"timeout"`
}

// NotificationKinds are the kinds of targets, and NotificationTLS how a mail is encrypted on its way.
var (
	NotificationKinds = []string{"mail", "webhook", "slack", "teams"}
	NotificationTLS   = []string{"starttls", "tls", "none"}
)

// NotificationRule says about what messages are sent. Its fields are those of notify.Rule.
type NotificationRule struct {
	Event   string             `yaml:"event,required"`
	Targets []string           `yaml:"targets"`
	Filter  NotificationFilter `yaml:"filter"`

	Items   int           `yaml:"items"`
	Age     time.Duration `yaml:"age"`
	Percent float64       `yaml:"percent"`
	Within  time.Duration `yaml:"within"`
	Least   int           `yaml:"least"`
	Delay   time.Duration `yaml:"delay"`

	GroupBy      []string       `yaml:"groupBy"`
	Wait         *time.Duration `yaml:"wait"`
	Repeat       time.Duration  `yaml:"repeat"`
	Recover      *bool          `yaml:"recover"`
	RecoverAfter time.Duration  `yaml:"recoverAfter"`
	QuietHours   []QuietHours   `yaml:"quietHours"`
	Urgent       bool           `yaml:"urgent"`
}

// NotificationFilter selects what a rule is about.
type NotificationFilter struct {
	Queues    []string `yaml:"queues"`
	Pipelines []string `yaml:"pipelines"`
	Workers   []string `yaml:"workers"`
	Errors    []string `yaml:"errors"`
}

// QuietHours are a time of the day in which nothing is sent.
type QuietHours struct {
	From string   `yaml:"from,required"` // such as 22:00
	To   string   `yaml:"to,required"`   // such as 07:00; at most 24:00
	Days []string `yaml:"days"`          // on which it begins: mon, tue, …; none: all

	// Timezone is an IANA name, UTC or Local; "": that of the pipelines.
	Timezone string `yaml:"timezone"`
}

// TargetNode returns a target as written in the file; nil if it has none.
func (c *Config) TargetNode(target string) *strictyaml.Node {
	return c.node.Get("notifications").Get("targets").Get(target)
}

// CheckTarget is CheckSecrets for one target of the notifications.
func (c *Config) CheckTarget(name string) error {
	k := checker{Config: c}
	k.targetSecrets(name)
	return k.findings.Err()
}

// secrets returns the secrets of a target by their keys. A header is one if its value is in
// another place than the settings, or if its name says so: others, such as X-Team, often have
// words that the logs need.
func (t NotificationTarget) secrets() map[string]Text {
	all := map[string]Text{"url": t.URL, "token": t.Token, "password": t.Password}
	for name, text := range t.Headers {
		if text.env != "" || text.file != "" || text.credential != "" || redaction.SecretName(name) {
			all["headers."+name] = text
		}
	}
	return all
}

func (k *checker) targetSecrets(name string) {
	t := k.Notifications.Targets[name]
	for key, text := range t.secrets() {
		if text.problem != "" {
			k.add("notifications.targets."+name+"."+key, "no-value", text.problem, "")
		}
	}
}

// weekdays are the names of days in the settings.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Quiet returns the quiet hours; the settings must have been checked.
func (c *Config) Quiet(hours []QuietHours) []notify.Quiet {
	list := make([]notify.Quiet, 0, len(hours))
	for _, h := range hours {
		q, err := c.quiet(h)
		if err == nil {
			list = append(list, q)
		}
	}
	return list
}

func (c *Config) quiet(h QuietHours) (q notify.Quiet, err error) {
	if q.From, err = clockTime(h.From); err != nil {
		return q, err
	}
	if q.To, err = clockTime(h.To); err != nil {
		return q, err
	}
	name := h.Timezone
	if name == "" {
		name = c.Pipelines.Timezone
	}
	if q.Zone, err = time.LoadLocation(name); err != nil {
		return q, fmt.Errorf("unknown time zone %q", name)
	}
	for _, day := range h.Days {
		i := slices.Index(weekdays, day)
		if i < 0 {
			return q, fmt.Errorf("got the day %q, want %s", day, strings.Join(weekdays, ", "))
		}
		q.Days = append(q.Days, time.Weekday(i))
	}
	return q, nil
}

// clockTime reads a time of the day as minutes since midnight.
func clockTime(text string) (int, error) {
	if text == "24:00" {
		return 24 * 60, nil
	}
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("got %.20q, want a time such as 22:00", text)
	}
	return at.Hour()*60 + at.Minute(), nil
}

func (k *checker) notifications() {
	n := &k.Notifications
	k.quietHours("notifications.quietHours", n.QuietHours)
	for _, name := range slices.Sorted(maps.Keys(n.Targets)) {
		k.name("notifications.targets", name)
		k.notificationTarget("notifications.targets."+name, n.Targets[name])
	}
	for _, name := range slices.Sorted(maps.Keys(n.Rules)) {
		k.name("notifications.rules", name)
		k.notificationRule("notifications.rules."+name, n.Rules[name])
	}
}

func (k *checker) notificationTarget(path string, t NotificationTarget) {
	if !k.present(path, "kind", t.Kind != "") || !k.choice(path+".kind", t.Kind, NotificationKinds) {
		return
	}
	given := map[string]bool{
		"url": !t.URL.absent(), "token": !t.Token.absent(), "headers": len(t.Headers) > 0, "contentType": t.ContentType != "",
		"host": t.Host != "", "port": t.Port != 0, "tls": t.TLS != "", "username": t.Username != "", "password": !t.Password.absent(), "from": t.From != "", "to": len(t.To) > 0,
		"template": t.Template != "",
	}
	allowed := map[string][]string{
		"mail": {"host", "port", "tls", "username", "password", "from", "to", "template"}, "webhook": {"url", "token", "headers", "contentType", "template"},
		"slack": {"url"}, "teams": {"url"},
	}[t.Kind]
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if given[key] && !slices.Contains(allowed, key) {
			k.add(path+"."+key, "invalid-pair", fmt.Sprintf("a target of the kind %s has no %s, only %s", t.Kind, key, strings.Join(allowed, ", ")), "")
		}
	}
	required := []string{"url"}
	if t.Kind == "mail" {
		required = []string{"host", "from", "to"}
	}
	for _, key := range required {
		k.present(path, key, given[key])
	}
	if t.TLS != "" {
		k.choice(path+".tls", t.TLS, NotificationTLS)
	}
	k.between(path+".port", t.Port, 0, 65535)
	if k.atLeast(path+".timeout", t.Timeout, 0) && t.Timeout > maxNotificationTimeout {
		k.add(path+".timeout", "out-of-range", fmt.Sprintf("got %s, want at most %s", brief(t.Timeout), brief(maxNotificationTimeout)), "")
	}
}

// maxNotificationTimeout bounds how long a message is being sent.
const maxNotificationTimeout = 5 * time.Minute

func (k *checker) notificationRule(path string, r NotificationRule) {
	events := make([]string, 0, len(notify.Events()))
	for _, e := range notify.Events() {
		events = append(events, string(e))
	}
	if k.present(path, "targets", len(r.Targets) > 0) {
		for i, target := range r.Targets {
			if _, known := k.Notifications.Targets[target]; !known {
				k.add(fmt.Sprintf("%s.targets[%d]", path, i), "unknown-target", fmt.Sprintf("there is no target %q", target),
					strictyaml.Suggest(target, slices.Sorted(maps.Keys(k.Notifications.Targets))))
			}
		}
	}
	k.quietHours(path+".quietHours", r.QuietHours)
	k.atLeast(path+".recoverAfter", r.RecoverAfter, 0)
	if r.Wait != nil {
		k.atLeast(path+".wait", *r.Wait, 0)
	}
	if r.Repeat != 0 {
		k.atLeast(path+".repeat", r.Repeat, time.Minute)
	}
	if r.Urgent && len(r.QuietHours) > 0 {
		k.add(path+".urgent", "invalid-pair", "an urgent rule ignores quiet hours, and this one sets them", "")
	}
	if !k.present(path, "event", r.Event != "") || !k.choice(path+".event", r.Event, events) {
		return
	}
	k.notificationBounds(path, r)
	k.notificationLabels(path, r)
}

// notificationBounds reports bounds that the event does not have.
func (k *checker) notificationBounds(path string, r NotificationRule) {
	bounds := notify.Event(r.Event).Bounds()
	for _, b := range []struct {
		key          string
		given, valid bool
		want         string
	}{
		{"items", r.Items != 0, r.Items > 0, "a number above 0"},
		{"age", r.Age != 0, r.Age > 0, "a time above 0s"},
		{"percent", r.Percent != 0, r.Percent > 0 && r.Percent < 100, "above 0 and below 100"},
		{"within", r.Within != 0, r.Within >= time.Minute && r.Within <= 24*time.Hour, "1m to 24h"},
		{"least", r.Least != 0, r.Least > 0, "a number above 0"},
		{"delay", r.Delay != 0, r.Delay >= time.Minute, "1m or more"},
	} {
		switch {
		case !b.given:
		case !slices.Contains(bounds, b.key):
			hint := "it has no bounds"
			if len(bounds) > 0 {
				hint = "it has " + strings.Join(bounds, ", ")
			}
			k.add(path+"."+b.key, "invalid-pair", fmt.Sprintf("the event %s has no bound %s", r.Event, b.key), hint)
		case !b.valid:
			k.add(path+"."+b.key, "out-of-range", "want "+b.want, "")
		}
	}
}

// notificationLabels reports labels that the event does not have.
func (k *checker) notificationLabels(path string, r NotificationRule) {
	event := notify.Event(r.Event)
	for i, label := range r.GroupBy {
		k.choice(fmt.Sprintf("%s.groupBy[%d]", path, i), label, event.Labels())
	}
	if event.OneLabel() && len(r.GroupBy) > 1 {
		k.add(path+".groupBy", "invalid-value", fmt.Sprintf("the event %s can be grouped by one label, queue or pipeline", r.Event), "")
	}
	for _, f := range []struct {
		key, label string
		names      []string
	}{
		{"queues", notify.LabelQueue, r.Filter.Queues}, {"pipelines", notify.LabelPipeline, r.Filter.Pipelines},
		{"workers", notify.LabelWorker, r.Filter.Workers}, {"errors", notify.LabelError, r.Filter.Errors},
	} {
		labels := event.Labels()
		if event.OneLabel() {
			labels = []string{notify.LabelQueue}
			if len(r.GroupBy) > 0 {
				labels = r.GroupBy[:1]
			}
		}
		if len(f.names) > 0 && !slices.Contains(labels, f.label) {
			k.add(path+".filter."+f.key, "invalid-pair", fmt.Sprintf("the event %s cannot be filtered by %s here", r.Event, f.key), "it can by "+strings.Join(labels, ", "))
		}
		for i, name := range f.names {
			if name == "" || event == notify.NoWorker && strings.Contains(name, "*") {
				k.add(fmt.Sprintf("%s.filter.%s[%d]", path, f.key, i), "invalid-value", fmt.Sprintf("got %q, want a name", name), "")
			}
		}
	}
}

func (k *checker) quietHours(path string, hours []QuietHours) {
	for i, h := range hours {
		if k.broken[fmt.Sprintf("%s[%d]", path, i)] || h.From == "" || h.To == "" {
			continue // a missing key was reported
		}
		if _, err := k.quiet(h); err != nil {
			k.add(fmt.Sprintf("%s[%d]", path, i), "invalid-value", err.Error(), "")
		}
	}
}
