package config

import (
	"botwork/internal/author/keydocs"
	"botwork/workqueue/notify"
)

func notificationKeys() keydocs.Keys {
	return keydocs.For[Notifications](keydocs.Keys{
		{Name: "quietHours", Type: "list of object", Keys: quietKeys(), Doc: "when rules that set no other hours send nothing; what was held comes as one summary when they end"},
		{Name: "targets", Type: "map of object", Keys: targetKeys(), Names: namePattern.String(), Doc: "where messages go, by name"},
		{Name: "rules", Type: "map of object", Keys: ruleKeys(), Names: namePattern.String(), Doc: "what messages are about, by name"},
	})
}

func quietKeys() keydocs.Keys {
	return keydocs.For[QuietHours](keydocs.Keys{
		{Name: "from", Example: `"22:00"`, Doc: "their start by the clock on the wall"},
		{Name: "to", Example: `"07:00"`, Doc: "their end, on the next day if it is not after `from`; at most `24:00`"},
		{Name: "days", Type: "list of string", Enum: weekdays, Example: "[sat, sun]", Doc: "the days on which they begin; none: every day"},
		{Name: "timezone", Without: "that of `pipelines`", Example: "Europe/Lisbon", Doc: "the zone of the times"},
	})
}

func targetKeys() keydocs.Keys {
	return keydocs.For[NotificationTarget](keydocs.Keys{
		{Name: "kind", Enum: NotificationKinds, Doc: "how the target gets messages", EnumDocs: []string{
			"a mail to each of `to`", "a POST with the message as JSON, or with `template`", "an incoming webhook of Slack", "a workflow of Teams that posts a card",
		}},
		{Name: "url", Type: "source", Secret: true, Example: "{file: secrets/slack-url}", Doc: "the address of a webhook, of Slack or of Teams"},
		{Name: "token", Type: "source", Secret: true, Example: "{env: PAGER_TOKEN}", Doc: "the bearer token of a webhook"},
		{Name: "headers", Type: "map of source", Secret: true, Example: "{X-Team: night}", Doc: "the headers of a webhook"},
		{Name: "contentType", Without: "`application/json`", Example: "text/plain", Doc: "the type of a webhook's body that `template` makes"},
		{Name: "host", Example: "mail.example.com", Doc: "the SMTP server of a mail"},
		{Name: "port", Type: "whole number", Min: new(0.0), Max: new(65535.0), Without: "587", Doc: "the port of the SMTP server"},
		{Name: "tls", Enum: NotificationTLS, Without: "`starttls`", Doc: "the encryption of a mail on its way"},
		{Name: "username", Doc: "the name to sign in with at the SMTP server"},
		{Name: "password", Type: "source", Secret: true, Example: "{file: secrets/mail-password}", Doc: "the password to sign in with"},
		{Name: "from", Example: "Botwork <botwork@example.com>", Doc: "the sender of a mail"},
		{Name: "to", Type: "list of string", Example: "[night@example.com]", Doc: "the recipients of a mail"},
		{Name: "template", Example: `'{"text": {{ json .title }}}'`, Doc: "the text of a mail, or the body of a webhook, as a template over the fields of the message"},
		{Name: "timeout", Type: "duration", Min: new(0.0), Without: "30s", Doc: "the longest time for one message, at most `5m`"},
	})
}

func ruleKeys() keydocs.Keys {
	return keydocs.For[NotificationRule](keydocs.Keys{
		{Name: "event", Enum: keydocs.Words(notify.Events()...), Doc: "what the rule is about", EnumDocs: []string{
			"an item ended without success; not what a person cancelled, unless `filter` lists the error `cancelled`", "an item was cancelled because workers died with it",
			"a run of a system pipeline failed", "a run was missed, or started more than `delay` late", "more than `items` due items wait", "the oldest due item has waited for longer than `age`",
			"more than `percent` of the attempts `within` a time failed", "a worker is gone without having stopped", "a handler does not stop on a worker",
			"no worker is alive, or none that serves one of the queues of `filter`", "an item has not started, and its deadline is `within` a time",
			"a disk of a machine has less than `percent` free", "a rule of escalation asked for a message",
		}},
		{Name: "targets", Type: "list of string", Example: "[night]", Doc: "where its messages go"},
		{Name: "filter", Type: "object", Keys: filterKeys(), Doc: "what it is about; in each list, `*` matches any characters"},
		{Name: "items", Type: "whole number", Min: new(0.0), Without: "1000", Doc: "of `backlog`"},
		{Name: "age", Type: "duration", Min: new(0.0), Without: "1h", Doc: "of `oldest`"},
		{Name: "percent", Type: "number", Min: new(0.0), Max: new(100.0), Without: "20 of `failure-rate`, 10 of `disk-low`", Doc: "of `failure-rate` and `disk-low`"},
		{Name: "within", Type: "duration", Min: new(0.0), Without: "15m", Doc: "of `failure-rate` and `deadline-at-risk`"},
		{Name: "least", Type: "whole number", Min: new(0.0), Without: "10", Doc: "of `failure-rate`: with fewer attempts there is no rate"},
		{Name: "delay", Type: "duration", Min: new(0.0), Without: "5m", Doc: "of `run-missed`"},
		{Name: "groupBy", Type: "list of string", Enum: []string{"queue", "pipeline", "worker", "error"}, Without: "`[queue]` of `backlog`, `oldest` and `failure-rate`; none of the others", Doc: "each group has its own messages; without groups the rule has one"},
		{Name: "wait", Type: "duration", Min: new(0.0), Without: "5m of `no-worker`, 1m of other conditions, 0s of events", Doc: "how long after its start the first message is sent; a condition that ends before sends none"},
		{Name: "repeat", Type: "duration", Min: new(0.0), Without: "4h", Doc: "the least time between two messages of a group"},
		{Name: "recover", Type: "true or false", Without: "true", Doc: "whether a message says that it is over"},
		{Name: "recoverAfter", Type: "duration", Min: new(0.0), Without: "15m", Doc: "an event is over after this time without another one; a failed run, after the pipeline has succeeded"},
		{Name: "quietHours", Type: "list of object", Keys: quietKeys(), Without: "those of `notifications`", Doc: "when it sends nothing"},
		{Name: "urgent", Type: "true or false", Without: "false", Doc: "quiet hours do not apply"},
	})
}

func filterKeys() keydocs.Keys {
	return keydocs.For[NotificationFilter](keydocs.Keys{
		{Name: "queues", Type: "list of string", Example: "[invoices, erp-*]", Doc: "queues; none: all"},
		{Name: "pipelines", Type: "list of string", Example: "[ship]", Doc: "pipelines; none: all"},
		{Name: "workers", Type: "list of string", Doc: "workers; none: all"},
		{Name: "errors", Type: "list of string", Example: "[timeout, error]", Doc: "kinds of errors of items; none: all but `cancelled`"},
	})
}
