package queuedefs

import (
	"botwork/internal/author/keydocs"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// The words that keys take, the default first.
var (
	consumers = []workqueue.Consumer{workqueue.ConsumerWorkers, workqueue.ConsumerRobots}
	deletions = []workqueue.Deletion{workqueue.DeletionPhysical, workqueue.DeletionLogical}
	keyScopes = []workqueue.KeyScope{workqueue.KeyScopeNone, workqueue.KeyScopeQueue, workqueue.KeyScopeGlobal}
	retriesAs = []workqueue.RetryAs{workqueue.RetrySame, workqueue.RetryCopy}
	rights    = []string{rightRead, rightWrite, rightBoth}
)

// NamePattern is what a queue may be called, as a regular expression.
const NamePattern = `^[A-Za-z0-9_.-]{1,200}$`

// Keys describes the keys of a queue's definition.
func Keys() keydocs.Keys {
	return keydocs.For[rawQueue](keydocs.Keys{
		{Name: "description", Example: "Letters to customers", Doc: "what the queue is for, at most 1000 signs"},
		{
			Name: "consumer", Enum: keydocs.Words(consumers...), Default: string(consumers[0]), Doc: "who takes the items",
			EnumDocs: []string{"they are assigned to workers, which run their pipelines", "they are taken by checkout, need no pipeline, and are never assigned"},
		},
		{
			Name: "priorityOffset", Type: "whole number", Default: "0", Example: "-300",
			Doc: "is added to the priority of each item that comes in; the sum says in which band the item is",
		},
		{
			Name: "ttl", Type: "duration", Min: new(0.0), Example: "7d",
			Doc: "an item that is older than that and does not run is cancelled with the kind `expired`. Without it items wait as long as it takes",
		},
		{
			Name: "retain", Type: "duration", Min: new(0.0), Example: "2h",
			Doc: "how long a completed item is kept; `0s` deletes it at once. Without it the CleanUp pipeline decides",
		},
		{Name: "archive", Type: "object", Keys: archiveKeys(), Example: "{maxAge: 90d, limit: 10000}", Doc: "how long cancelled items are kept for inspection"},
		{
			Name: "deletion", Enum: keydocs.Words(deletions...), Default: string(deletions[0]), Doc: "what deleting an item does",
			EnumDocs: []string{"its row is gone", "it is marked with time and reason, listed only on demand, and can be repeated"},
		},
		{Name: "keys", Type: "object", Keys: keyKeys(), Example: "{unique: queue}", Doc: "whether natural keys are unique"},
		{
			Name: "retry", Type: "object", Keys: retryKeys(), Example: "{limit: 5}",
			Doc: "what a retry is, and when there is one. What the queue leaves open falls through to the defaults",
		},
		{
			Name: "distribution", Type: "object", Keys: matching.DistributionKeys(), Example: "{mode: longest-idle}",
			Doc: "how the items are given to workers where their pipeline does not say it",
		},
		{
			Name: "maxReleases", Type: "whole number", Min: new(1.0), Default: "5",
			Doc: "how many workers may die with an item while it runs before it is cancelled with the kind `poison`",
		},
		{Name: "schemas", Type: "object", Keys: schemaKeys(), Doc: "what items must look like: JSON Schemas, or `{file: path}`"},
		{Name: "encrypted", Type: "true or false", Default: "false", Doc: "payload, output and metadata of new items are encrypted at rest"},
		{Name: "robots", Type: "object", Keys: robotKeys(), Doc: "what robots may do with the queue"},
		{
			Name: "checkout", Type: "duration", Min: new(0.0), Default: "10m",
			Doc: "how long a checked-out item is its robot's alone before somebody else may have it",
		},
		{Name: "limits", Type: "object", Keys: limitsKeys(), Example: "{concurrency: 4, rate: 10/1m}", Doc: "how many items run or start at a time, on all machines together"},
		{Name: "maxPayload", Type: "size", Default: "1MB", Example: "5MB", Doc: "the largest payload; a larger one is refused when the item is enqueued"},
		{Name: "maxOutput", Type: "size", Default: "1MB", Example: "5MB", Doc: "the largest output; a run that puts out more fails for good"},
	})
}

func archiveKeys() keydocs.Keys {
	return keydocs.For[rawArchive](keydocs.Keys{
		{Name: "maxAge", Type: "duration", Min: new(0.0), Example: "90d", Doc: "what was cancelled longer ago is deleted. Without it the CleanUp pipeline decides"},
		{
			Name: "limit", Type: "whole number", Min: new(0.0), Example: "10000",
			Doc: "of the cancelled items exactly so many are kept, the latest ones; `0` keeps none. Without it the CleanUp pipeline decides",
		},
	})
}

func keyKeys() keydocs.Keys {
	return keydocs.For[rawKeys](keydocs.Keys{
		{
			Name: "unique", Enum: keydocs.Words(keyScopes...), Default: string(keyScopes[0]), Doc: "among which items a natural key is unique",
			EnumDocs: []string{"it is not", "among those of the queue", "among the items of all queues that say `global`"},
		},
		{Name: "countDeleted", Type: "true or false", Default: "false", Doc: "logically deleted items keep their keys taken"},
	})
}

func retryKeys() keydocs.Keys {
	return keydocs.For[rawRetry](append(keydocs.Keys{
		{
			Name: "as", Enum: keydocs.Words(retriesAs...), Default: string(retriesAs[0]), Doc: "what a retry is",
			EnumDocs: []string{"the same item, due again", "a new item with a new id, linked to the first one of the chain; the failed one stays as it ended"},
		},
	}, workqueue.ResilienceKeys()...))
}

func schemaKeys() keydocs.Keys {
	const kind = "JSON Schema"
	return keydocs.For[rawSchemas](keydocs.Keys{
		{Name: "payload", Type: kind, Doc: "what the payload must meet when the item is enqueued: a JSON Schema, or `{file: path}`", Example: "{file: schemas/order.json}"},
		{Name: "output", Type: kind, Doc: "the same for what a run puts out, when it ends"},
		{Name: "analytics", Type: kind, Doc: "the same for the item's analytics data"},
	})
}

func robotKeys() keydocs.Keys {
	return keydocs.For[rawRobots](keydocs.Keys{
		{Name: "public", Type: "true or false", Without: "`true` without a list of rights, `false` with one", Doc: "whether every robot may use the queue"},
		{
			Name: "rights", Type: "map of string", Enum: rights, Example: "{robot-1: read-write}",
			Doc: "what the robots of a queue that is not public may do. `read`: look at items, check them out and say how they ended. `write`: " +
				"enqueue, change and delete. Who is not listed may do nothing",
		},
		{Name: "deletesOnlyOwn", Type: "true or false", Default: "false", Doc: "a robot may delete only items that it enqueued"},
	})
}

func limitsKeys() keydocs.Keys {
	return keydocs.For[rawLimits](append(limitKeys("of the queue", "4", "10/1m"), keydocs.Key{
		Name: "perKey", Type: "object", Keys: keydocs.For[rawLimit](limitKeys("of one limit key, such as the customer that they are about,", "1", "2/1s")),
		Example: "{concurrency: 1}", Doc: "the same for the items of one limit key; items without one are not limited by it",
	}))
}

func limitKeys(whose, concurrency, rate string) keydocs.Keys {
	return keydocs.Keys{
		{Name: "concurrency", Type: "whole number", Min: new(1.0), Example: concurrency, Doc: "how many items " + whose + " are assigned or run at a time"},
		{
			Name: "rate", Pattern: `^\s*\+?\d+\s*/.*$`, Wanted: "a number and a period, both above 0, such as 10/1m", Example: rate,
			Doc: "how many items " + whose + " start in any stretch of time of this length",
		},
	}
}
