package config

import (
	"fmt"

	"botwork/internal/author/keydocs"
	"botwork/internal/database"
)

// Keys describes the keys of the settings' file. The keys below `queues` and `tasks` are
// described where they are read.
func Keys() keydocs.Keys {
	return keydocs.For[Config](keydocs.Keys{
		{Name: "database", Type: "object", Keys: databaseKeys(), Doc: "where the queue is kept"},
		{Name: "worker", Type: "object", Keys: workerKeys(), Doc: "this process, as the others see it"},
		{Name: "pipelines", Type: "object", Keys: pipelinesKeys(), Doc: "pipeline files"},
		{
			Name: "connections", Type: "map of object", Keys: connectionKeys(), Names: namePattern.String(),
			Doc: "databases that steps may use by their name",
		},
		{Name: "secrets", Type: "map of source", Names: namePattern.String(), Secret: true, Doc: "the values of `${{ secrets.NAME }}` in pipelines"},
		{Name: "encryption", Type: "object", Keys: encryptionKeys(), Doc: "the keys for queues with `encrypted: true`"},
		{Name: "queues", Type: "map of object", Doc: "the definitions of queues, by name"},
		{Name: "tasks", Type: "map of object", Doc: "scheduled tasks, by name"},
		{Name: "handlers", Type: "object", Keys: handlersKeys(), Doc: "what handlers may touch"},
		{Name: "log", Type: "object", Keys: logKeys(), Doc: "what is logged and how"},
	})
}

func databaseKeys() keydocs.Keys {
	d := Default().Database
	return keydocs.For[Database](keydocs.Keys{
		{
			Name: "driver", Enum: keydocs.Words(database.Drivers...), Default: string(d.Driver), Doc: "the engine",
			EnumDocs: []string{"a file, for one machine", "Microsoft SQL Server and Azure SQL", "PostgreSQL"},
		},
		{Name: "dsn", Type: "source", Default: d.DSN.Reveal(), Doc: "the address and login of the database. Only SQLite has a default. A password belongs into `{file: …}` or `{credential: …}`"},
		{Name: "pool", Type: "object", Keys: poolKeys(d.Pool), Doc: "connections to a database server; SQLite has its own rule"},
	})
}

func poolKeys(d Pool) keydocs.Keys {
	return keydocs.For[Pool](keydocs.Keys{
		{Name: "maxOpen", Type: "whole number", Min: new(1.0), Max: new(1000.0), Default: fmt.Sprint(d.MaxOpen), Doc: "connections at most, 1 to 1000"},
		{Name: "maxIdle", Type: "whole number", Min: new(0.0), Max: new(1000.0), Default: fmt.Sprint(d.MaxIdle), Doc: "idle connections that are kept, 0 to `maxOpen`"},
		{
			Name: "maxLifetime", Type: "duration", Min: new(0.0), Default: brief(d.MaxLifetime),
			Doc: "connections of this age are closed, so that load is balanced again after a server has returned; `0s` keeps them",
		},
	})
}

func workerKeys() keydocs.Keys {
	d := Default().Worker
	return keydocs.For[Worker](keydocs.Keys{
		{Name: "name", Without: "the host's name", Doc: "lasts over restarts; unique among the running workers of a database, at most 100 characters"},
		{
			Name: "capacity", Type: "whole number", Min: new(1.0), Max: new(10_000.0), Without: "the number of CPUs, at least 4",
			Doc: "how many items run at the same time, 1 to 10000",
		},
		{
			Name: "reservedSlots", Type: "whole number", Min: new(0.0), Max: new(9_999.0), Default: "0",
			Doc: "how many of them are kept free for items above priority 1000, less than all",
		},
		{
			Name: "channels", Type: "map of object", Keys: channelKeys(), Names: queuePattern, Example: "{chat: {cost: 1, max: 2}}",
			Doc: "the sorts of items that the worker takes, and how many slots each takes; none: all sorts, at one slot an item",
		},
		{Name: "queues", Type: "list of string", ItemPattern: queuePattern, Example: "[default]", Doc: "the queues that the worker serves; none: all"},
		{Name: "labels", Type: "map of scalar", Names: namePattern.String(), Example: "{site: lisbon, gpu: false}", Doc: "what the worker has or is: texts, numbers, true or false"},
		{Name: "heartbeat", Type: "duration", Min: new(0.0), Default: brief(d.Heartbeat), Doc: "time between two signs of life, from `1s` on"},
		{
			Name: "lease", Type: "duration", Min: new(0.0), Default: brief(d.Lease),
			Doc: "how long an item stays this worker's after a sign of life; more than two heartbeats",
		},
		{
			Name: "shutdownGrace", Type: "duration", Min: new(0.0), Default: brief(d.ShutdownGrace),
			Doc: "how long running items may continue when the worker stops; `0s` cancels them immediately",
		},
	})
}

func channelKeys() keydocs.Keys {
	return keydocs.For[Channel](keydocs.Keys{
		{Name: "cost", Type: "whole number", Min: new(1.0), Example: "1", Doc: "how many slots an item takes"},
		{Name: "max", Type: "whole number", Min: new(1.0), Without: "as many as fit", Doc: "how many items run at a time"},
	})
}

func pipelinesKeys() keydocs.Keys {
	d := Default().Pipelines
	return keydocs.For[Pipelines](keydocs.Keys{
		{Name: "dir", Default: d.Dir, Doc: "the folder of pipeline files"},
		{Name: "timezone", Default: d.Timezone, Example: "Europe/Lisbon", Doc: "the zone of triggers that name none: `Local`, `UTC`, or such as `Europe/Lisbon`"},
	})
}

func connectionKeys() keydocs.Keys {
	return keydocs.For[Connection](keydocs.Keys{
		{Name: "driver", Enum: keydocs.Words(database.Drivers...), Doc: "the engine; can also be set in the environment"},
		{Name: "dsn", Type: "source", Example: "{env: ERP_DSN}", Doc: "the address and login of the database; can also be set in the environment"},
	})
}

func encryptionKeys() keydocs.Keys {
	return keydocs.For[Encryption](keydocs.Keys{
		{
			Name: "keyset", Type: "source", Secret: true, Example: "{file: secrets/keyset.json}",
			Doc: "the keyset, as `botwork keys new` writes it. Without one this process has no keys",
		},
	})
}

func handlersKeys() keydocs.Keys {
	return keydocs.For[Handlers](keydocs.Keys{
		{
			Name: "folders", Type: "list of string", Example: "[data]",
			Doc: "the folders, with their subfolders, in which File, CSV, Template and Mail may read and write. Without any, no file may be touched",
		},
		{Name: "http", Type: "object", Keys: hostsKeys(), Doc: "the hosts that HTTP may reach"},
	})
}

func hostsKeys() keydocs.Keys {
	return keydocs.For[Hosts](keydocs.Keys{
		{
			Name: "allow", Type: "list of string", Example: "[api.example.com, \"*.example.org\", 10.20.0.0/16]",
			Doc: "the only hosts that HTTP may reach: names, `*.domain`, addresses and networks; none: all that are not denied",
		},
		{
			Name: "deny", Type: "list of string", Example: "[127.0.0.0/8, \"::1\", \"*.internal\"]",
			Doc: "hosts that HTTP may not reach. Link-local addresses and those of cloud metadata are denied unless `allow` lists the address or a network inside theirs",
		},
	})
}

func logKeys() keydocs.Keys {
	d := Default().Log
	return keydocs.For[Log](keydocs.Keys{
		{Name: "level", Enum: Levels, Default: d.Level, Doc: "what is logged: this and what is more urgent"},
		{Name: "format", Enum: Formats, Default: d.Format, Doc: "how it is written: `auto` is `console` on a terminal, else `json`"},
		{Name: "file", Type: "object", Keys: logFileKeys(d.File), Doc: "the file that a worker's log goes to"},
	})
}

func logFileKeys(d LogFile) keydocs.Keys {
	return keydocs.For[LogFile](keydocs.Keys{
		{
			Name: "path", Example: "logs/botwork.log", Without: "standard error",
			Doc: "the file that a worker's log goes to instead of standard error; a terminal gets it as well",
		},
		{
			Name: "maxSizeMB", Type: "whole number", Min: new(1.0), Max: new(10_000.0), Default: fmt.Sprint(d.MaxSizeMB),
			Doc: "at how many megabytes the file is cut, 1 to 10000",
		},
		{
			Name: "maxFiles", Type: "whole number", Min: new(0.0), Default: fmt.Sprint(d.MaxFiles),
			Doc: "how many of the files that were cut off are kept; `0` keeps all",
		},
		{Name: "maxAge", Type: "duration", Min: new(0.0), Default: brief(d.MaxAge), Doc: "how long they are kept, such as `720h`; `0s` keeps them forever"},
	})
}
