package tasks

import (
	"botwork/internal/author/keydocs"
	"botwork/workqueue"
)

var executes = []Execute{Daily, Weekly, Monthly}

// NamePattern is the regular expression of valid task names, whose length is also limited.
var NamePattern = namePattern.String()

// Keys describes the keys of a task in a settings file.
func Keys() keydocs.Keys {
	return keydocs.For[rawTask](keydocs.Keys{
		{Name: "pipeline", Type: "string or pipeline", Doc: "the pipeline that the items run: a name, or a whole pipeline"},
		{Name: "topic", Doc: "groups tasks in listings"},
		{Name: "description", Doc: "for people"},
		{Name: "active", Type: "true or false", Default: "true", Doc: "whether the task is served"},
		{Name: "queue", Default: workqueue.DefaultQueue, Doc: "the queue of its items"},
		{
			Name: "importance", Type: "text", Pattern: `^([lL][oO][wW]|[nN][oO][rR][mM][aA][lL]|[hH][iI][gG][hH]|[012])$`, Wanted: "low, normal or high", Default: Normal.String(),
			Suggest: importanceNames[:], Doc: "the importance of the task relative to others; it determines the [priority](tasks.md#priority)",
		},
		{
			Name: "schedule", Type: "object", Keys: scheduleKeys(),
			Doc: "when it is due: [windows](tasks.md#windows). Without one the task runs on request only",
		},
		{Name: "scope", Type: "list of text", Example: "[lisbon, porto]", Doc: "a list of values: one item for each, in every window"},
		{Name: "payload", Type: "map of any", Default: "{}", Doc: "an object; each item has it with the key `task` added"},
		{
			Name: "resilience", Type: "object", Keys: keydocs.For[rawResilience](workqueue.ResilienceKeys()),
			Doc: "how its items are retried: [items.md](items.md)",
		},
		{Name: "estimatedDuration", Type: "duration", Min: new(0.0), Example: "20s", Doc: "how long one item is expected to take"},
		{Name: "notify", Type: "object", Keys: notifyKeys(), Doc: "the pipeline that reports a failure: [notification](tasks.md#notification)"},
	})
}

func scheduleKeys() keydocs.Keys {
	return keydocs.For[rawSchedule](keydocs.Keys{
		{Name: "execute", Enum: keydocs.Words(executes...), Doc: "one window in each day, week or month; not together with `cron`"},
		{Name: "cron", Example: `"0 6 * * mon-fri"`, Doc: "a window at each instant of the expression; not together with `execute`"},
		{
			Name: "startAt", Type: "text", Example: "25",
			Doc: "where in its unit the window opens: an hour (0 to 24) or a time such as `15:30`; a weekday (1 is Monday) or its name; a day of the month",
		},
		{
			Name: "startTolerance", Type: "text", Example: "5", Without: "until its day, week or month ends",
			Doc: "how long the window stays open: a number of hours for `daily`, of days for `weekly` and `monthly`, or a duration such as `90m` or `3d`",
		},
		{Name: "timezone", Without: "the setting `pipelines.timezone`", Example: "Europe/Lisbon", Doc: "whose wall clock counts: a name such as `Europe/Lisbon`, `UTC` or `Local`"},
		{Name: "active", Type: "true or false", Default: "true", Doc: "`false` leaves the task to requests"},
	})
}

func notifyKeys() keydocs.Keys {
	return keydocs.For[rawNotify](keydocs.Keys{
		{Name: "pipeline", Type: "string or pipeline", Doc: "the pipeline that reports an item which failed finally: a name, or a whole pipeline"},
		{Name: "payload", Type: "map of any", Default: "{}", Doc: "an object; the item has it with the key `failure` added"},
	})
}
