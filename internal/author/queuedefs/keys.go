package queuedefs

import (
	"botwork/internal/author/keydocs"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// The allowed words of keys, the default first.
var (
	consumers = []workqueue.Consumer{workqueue.ConsumerWorkers, workqueue.ConsumerRobots}
	deletions = []workqueue.Deletion{workqueue.DeletionPhysical, workqueue.DeletionLogical}
	expiries  = []workqueue.OnExpiry{workqueue.ExpiryArchive, workqueue.ExpiryRemove}
	payloads  = []workqueue.Payloads{workqueue.PayloadsVisible, workqueue.PayloadsHidden}
	keyScopes = []workqueue.KeyScope{workqueue.KeyScopeNone, workqueue.KeyScopeQueue, workqueue.KeyScopeGlobal}
	retriesAs = []workqueue.RetryAs{workqueue.RetrySame, workqueue.RetryCopy}
	rights    = []string{rightRead, rightWrite, rightBoth}
)

// NamePattern is a regular expression for the name of a queue.
const NamePattern = `^[A-Za-z0-9_.-]{1,200}$`

// Keys describes the keys of a queue's definition.
func Keys() keydocs.Keys {
	return keydocs.For[rawQueue](keydocs.Keys{
		{Name: "description", Example: "Letters to customers", Doc: "what the queue is for, at most 1000 characters"},
		{
			Name: "consumer", Enum: keydocs.Words(consumers...), Default: string(consumers[0]), Doc: "who processes the items",
			EnumDocs: []string{"items are assigned to workers, which run their pipelines", "robots check items out; the items need no pipeline and are never assigned"},
		},
		{
			Name: "priorityOffset", Type: "whole number", Default: "0", Example: "-300",
			Doc: "is added to the priority of each new item; the sum determines the item's band",
		},
		{
			Name: "ttl", Type: "duration", Min: new(0.0), Example: "7d",
			Doc: "an item that is older and not running is cancelled with the kind `expired`. Without it, items wait without a limit",
		},
		{
			Name: "onExpiry", Enum: keydocs.Words(expiries...), Default: string(expiries[0]),
			Doc:      "what happens to an item that is not started before its deadline, its time to finish by or the end of the `ttl`",
			EnumDocs: []string{"it is cancelled with the kind `expired` and kept for inspection", "it is counted as expired, and its row is deleted, also with `deletion: logical`"},
		},
		{
			Name: "retain", Type: "duration", Min: new(0.0), Example: "2h",
			Doc: "how long a completed item is kept; `0s` deletes it immediately. Without it, the CleanUp pipeline decides",
		},
		{Name: "archive", Type: "object", Keys: archiveKeys(), Example: "{maxAge: 90d, limit: 10000}", Doc: "how long cancelled items are kept for inspection"},
		{
			Name: "deletion", Enum: keydocs.Words(deletions...), Default: string(deletions[0]), Doc: "what deleting an item does",
			EnumDocs: []string{"its row is deleted", "it is marked as deleted with time and reason, listed only on request, and can be repeated"},
		},
		{Name: "keys", Type: "object", Keys: keyKeys(), Example: "{unique: queue}", Doc: "whether natural keys are unique"},
		{
			Name: "retry", Type: "object", Keys: retryKeys(), Example: "{limit: 5}",
			Doc: "how and when failed items are retried. The defaults apply to keys that are not set",
		},
		{
			Name: "distribution", Type: "object", Keys: matching.QueueDistributionKeys(), Example: "{mode: longest-idle}",
			Doc: "how the items are distributed to workers, unless their pipeline sets it",
		},
		{
			Name: "escalation", Type: "list of object", Keys: escalation.Keys(), Example: "[{name: late, after: 10m, raise: {by: 100, to: 1500, every: 10m}}]",
			Doc: "what happens to items that wait too long",
		},
		{
			Name: "maxReleases", Type: "whole number", Min: new(1.0), Default: "5",
			Doc: "how many workers may stop unexpectedly while they run an item, before it is cancelled with the kind `poison`",
		},
		{Name: "schemas", Type: "object", Keys: schemaKeys(), Doc: "the schemas of items: JSON Schemas, or `{file: path}`"},
		{Name: "encrypted", Type: "true or false", Default: "false", Doc: "payload, output and metadata of new items are encrypted at rest"},
		{
			Name: "payloads", Enum: keydocs.Words(payloads...), Default: string(payloads[0]),
			Doc:      "who sees the payloads, outputs, analytics, metadata and logs of the items in the HTTP API; those of encrypted queues are always hidden",
			EnumDocs: []string{"all who may see the queue", "editors, admins, and the robot that has checked the item out"},
		},
		{Name: "robots", Type: "object", Keys: robotKeys(), Doc: "what robots are allowed to do with the queue"},
		{
			Name: "checkout", Type: "duration", Min: new(0.0), Default: "10m",
			Doc: "how long a robot has a checked-out item before another robot can check it out",
		},
		{Name: "limits", Type: "object", Keys: limitsKeys(), Example: "{concurrency: 4, rate: 10/1m}", Doc: "how many items run at the same time or start in a period, on all machines together"},
		{Name: "maxPayload", Type: "size", Default: "1MB", Example: "5MB", Doc: "the largest payload; an item with a larger one cannot be enqueued"},
		{Name: "maxOutput", Type: "size", Default: "1MB", Example: "5MB", Doc: "the largest output; a run with a larger one fails permanently"},
		{
			Name: "keepLog", Type: "size", Default: "4KB", Example: "64KB",
			Doc: "how much of the end of a run's log stays with an item that has succeeded; `0` keeps none, which is the default of an encrypted queue",
		},
	})
}

func archiveKeys() keydocs.Keys {
	return keydocs.For[rawArchive](keydocs.Keys{
		{Name: "maxAge", Type: "duration", Min: new(0.0), Example: "90d", Doc: "cancelled items are deleted after this time. Without it, the CleanUp pipeline decides"},
		{
			Name: "limit", Type: "whole number", Min: new(0.0), Example: "10000",
			Doc: "how many cancelled items are kept, the latest ones; `0` keeps none. Without it, the CleanUp pipeline decides",
		},
	})
}

func keyKeys() keydocs.Keys {
	return keydocs.For[rawKeys](keydocs.Keys{
		{
			Name: "unique", Enum: keydocs.Words(keyScopes...), Default: string(keyScopes[0]), Doc: "among which items a natural key is unique",
			EnumDocs: []string{"not unique", "among the items of the queue", "among the items of all queues with `global`"},
		},
		{Name: "countDeleted", Type: "true or false", Default: "false", Doc: "whether the keys of logically deleted items stay in use"},
	})
}

func retryKeys() keydocs.Keys {
	return keydocs.For[rawRetry](append(keydocs.Keys{
		{
			Name: "as", Enum: keydocs.Words(retriesAs...), Default: string(retriesAs[0]), Doc: "what a retry is",
			EnumDocs: []string{"the same item is due again", "a new item with a new id, linked to the first one of the chain; the failed one does not change"},
		},
	}, workqueue.ResilienceKeys()...))
}

func schemaKeys() keydocs.Keys {
	const kind = "JSON Schema"
	return keydocs.For[rawSchemas](keydocs.Keys{
		{Name: "payload", Type: kind, Doc: "the schema of the payload, checked when the item is enqueued: a JSON Schema, or `{file: path}`", Example: "{file: schemas/order.json}"},
		{Name: "output", Type: kind, Doc: "the schema of the output, checked when a run ends"},
		{Name: "analytics", Type: kind, Doc: "the schema of the item's analytics data"},
	})
}

func robotKeys() keydocs.Keys {
	return keydocs.For[rawRobots](keydocs.Keys{
		{Name: "public", Type: "true or false", Without: "`true` without a list of rights, `false` with one", Doc: "whether all robots can use the queue"},
		{
			Name: "rights", Type: "map of string", Enum: rights, Example: "{robot-1: read-write}",
			Doc: "the rights of robots in a queue that is not public. `read`: read items, check them out and report their results. `write`: " +
				"enqueue, change and delete items. Robots that are not listed have no rights",
		},
		{Name: "deletesOnlyOwn", Type: "true or false", Default: "false", Doc: "whether a robot can only delete items that it enqueued"},
	})
}

func limitsKeys() keydocs.Keys {
	return keydocs.For[rawLimits](append(limitKeys("of the queue", "4", "10/1m"), keydocs.Key{
		Name: "perKey", Type: "object", Keys: keydocs.For[rawLimit](limitKeys("with the same limit key, such as a customer,", "1", "2/1s")),
		Example: "{concurrency: 1}", Doc: "limits for the items with the same limit key; they do not apply to items without one",
	}))
}

func limitKeys(which, concurrency, rate string) keydocs.Keys {
	return keydocs.Keys{
		{Name: "concurrency", Type: "whole number", Min: new(1.0), Example: concurrency, Doc: "how many items " + which + " are assigned or run at the same time"},
		{
			Name: "rate", Pattern: `^\s*\+?\d+\s*/.*$`, Wanted: "a number and a period, both above 0, such as 10/1m", Example: rate,
			Doc: "how many items " + which + " start in any period of this length",
		},
	}
}
