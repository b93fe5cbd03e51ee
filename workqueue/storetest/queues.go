package storetest

import (
	"time"

	"botwork/workqueue"
)

func queueTests() []test {
	return []test{
		{"in order of names", listQueues},
		{"a complete policy, inserted by hand", listQueuePolicies},
	}
}

func listQueues(x *fixture) {
	x.exec(2, `INSERT INTO "BotQueues" ("Name", "Description", "Paused", "ResilienceConfig")
		VALUES ('mail', 'Letters', '1', '{"limit":9}'), ('archive', NULL, '0', NULL)`)
	queues := x.queues(3)
	if queues[0].Name != "archive" || queues[1].Name != "default" || queues[2].Name != "mail" {
		x.Errorf("queues are %s, want them in order of names", asJSON(queues))
	}
	if q := queues[2]; !q.Paused || deref(q.Description) != "Letters" || q.Resilience != `{"limit":9}` || queues[1].Paused {
		x.Errorf("queues are %s, want mail paused, with its description and policy", asJSON(queues))
	}
	x.wantClean("CreatedAt", &queues[2].CreatedAt)
	x.wantPolicy(queues[0], workqueue.Queue{Revision: 1})
}

func listQueuePolicies(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name", "Consumer", "PriorityOffset", "TtlMs", "RetainMs", "ArchiveAgeMs", "ArchiveLimit",
			"RetryAs", "KeyScope", "DeletedKeysCount", "PayloadSchema", "OutputSchema", "AnalyticsSchema", "Encrypted", "PublicAccess",
			"RobotDeletesOnlyOwn", "Deletion", "CheckoutMs", "ConcurrencyLimit", "KeyConcurrencyLimit", "RateLimit", "RatePeriodMs",
			"KeyRateLimit", "KeyRatePeriodMs", "Revision", "DefinedBy", "Distribution", "MaxReleases", "MaxPayload", "MaxOutput", "KeepLog", "OnExpiry", "Payloads", "Escalation")
		VALUES ('full', 'robots', -200, 1500, 0, 86400000, 10000, 'copy', 'global', '1', '{"type":"object"}', '{}', 'true', '1', '0',
			'1', 'logical', 90000, 4, 1, 10, 60000, 2, 1000, 7, 'by hand', '{"mode":"round-robin"}', 9, 5000000000, 12, 0, 'remove', 'hidden', '[{"name":"late","after":"10m","cancel":true}]')`)
	x.exec(3, `INSERT INTO "BotQueueRobots" ("QueueName", "Robot", "CanRead", "CanWrite")
		VALUES ('full', 'robot-2', '0', '1'), ('full', 'robot-1', '1', '1'), ('default', 'robot-1', '1', '0')`)
	x.exec(1, `INSERT INTO "BotQueueRobots" ("QueueName", "Robot") VALUES ('full', 'robot-3')`)
	queues := x.queues(2)
	author, limit := "by hand", 10000
	retain, age := workqueue.Duration(0), workqueue.Duration(24*time.Hour)
	x.wantPolicy(queues[1], workqueue.Queue{
		Consumer: workqueue.ConsumerRobots, PriorityOffset: -200, RetryAs: workqueue.RetryCopy, Encrypted: true,
		Distribution: `{"mode":"round-robin"}`, MaxReleases: 9, Escalation: `[{"name":"late","after":"10m","cancel":true}]`,
		Revision: 7, DefinedBy: &author,
		QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal, DeletedKeysCount: true},
		QueueLife: workqueue.QueueLife{
			TTL: workqueue.Duration(1500 * time.Millisecond), Retain: &retain, ArchiveAge: &age, ArchiveLimit: &limit,
			Deletion: workqueue.DeletionLogical, OnExpiry: workqueue.ExpiryRemove,
		},
		QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object"}`, OutputSchema: `{}`, AnalyticsSchema: `true`},
		QueueSizes:   workqueue.QueueSizes{MaxPayload: 5_000_000_000, MaxOutput: 12, KeepLog: new(int64(0))},
		QueueAccess: workqueue.QueueAccess{
			Private: true, Payloads: workqueue.PayloadsHidden, RobotDeletesOnlyOwn: true, Checkout: workqueue.Duration(90 * time.Second),
			Robots: []workqueue.QueueRobot{
				{Robot: "robot-1", Read: true, Write: true}, {Robot: "robot-2", Write: true}, {Robot: "robot-3", Read: true},
			},
		},
		QueueLimits: workqueue.QueueLimits{
			Concurrency: 4, KeyConcurrency: 1,
			Rate:    workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)},
			KeyRate: workqueue.Rate{Limit: 2, Per: workqueue.Duration(time.Second)},
		},
	})
	if got := queues[0].Robots; len(got) != 1 || got[0] != (workqueue.QueueRobot{Robot: "robot-1", Read: true}) {
		x.Errorf("robots of the queue default are %s, want robot-1 with read access", asJSON(got))
	}

	x.exec(1, `DELETE FROM "BotQueues" WHERE "Name" = 'full'`)
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('full')`)
	x.wantPolicy(x.queues(2)[1], workqueue.Queue{Revision: 1})
}

// queues lists the queues and checks that there are n.
func (x *fixture) queues(n int) []workqueue.Queue {
	x.Helper()
	queues, err := x.Store.Queues(x.ctx)
	if err != nil || len(queues) != n {
		x.Fatalf("Queues = %s, %v, want %d", asJSON(queues), err, n)
	}
	return queues
}

// wantPolicy compares all fields except the name, the description, the pause and the
// times. Empty words in want are the defaults.
func (x *fixture) wantPolicy(got, want workqueue.Queue) {
	x.Helper()
	want.ID, want.Name, want.Description, want.CreatedAt, want.UpdatedAt = got.ID, got.Name, got.Description, got.CreatedAt, got.UpdatedAt
	want.Paused = got.Paused
	if want.Consumer == "" {
		want.Consumer = workqueue.ConsumerWorkers
	}
	if want.RetryAs == "" {
		want.RetryAs = workqueue.RetrySame
	}
	if want.KeyScope == "" {
		want.KeyScope = workqueue.KeyScopeNone
	}
	if want.OnExpiry == "" {
		want.OnExpiry = workqueue.ExpiryArchive
	}
	if want.Payloads == "" {
		want.Payloads = workqueue.PayloadsVisible
	}
	if want.Deletion == "" {
		want.Deletion = workqueue.DeletionPhysical
	}
	if asJSON(got) != asJSON(want) {
		x.Errorf("queue %s is\n     %s\nwant %s", got.Name, asJSON(got), asJSON(want))
	}
}
