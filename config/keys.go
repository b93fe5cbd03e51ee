package config

import (
	"fmt"
	"strings"

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
		{
			Name: "values", Type: "map of any", Names: namePattern.String(), Example: "{ledgerUrl: https://ledger.example.com}",
			Doc: "the values of `${{ values.NAME }}` in pipelines: texts, numbers, true or false, lists and mappings. They are not secret",
		},
		{Name: "encryption", Type: "object", Keys: encryptionKeys(), Doc: "the keys for queues with `encrypted: true`"},
		{Name: "queues", Type: "map of object", Doc: "the definitions of queues, by name"},
		{Name: "tasks", Type: "map of object", Doc: "scheduled tasks, by name"},
		{Name: "notifications", Type: "object", Keys: notificationKeys(), Doc: "messages to people: where they go, and about what"},
		{Name: "handlers", Type: "object", Keys: handlersKeys(), Doc: "what handlers may touch"},
		{Name: "http", Type: "object or off", Keys: httpKeys(), Doc: "the HTTP API; `http: off` switches it off"},
		{Name: "tracing", Type: "object", Keys: tracingKeys(), Doc: "traces of OpenTelemetry; without an endpoint nothing is traced"},
		{Name: "log", Type: "object", Keys: logKeys(), Doc: "what is logged and how"},
	})
}

func databaseKeys() keydocs.Keys {
	d := Default().Database
	return keydocs.For[Database](keydocs.Keys{
		{
			Name: "driver", Enum: keydocs.Words(database.Drivers...), Default: string(d.Driver), Doc: "the engine; without it that of the DSN's form",
			EnumDocs: []string{"a file, for one machine", "Microsoft SQL Server and Azure SQL", "PostgreSQL"},
		},
		{Name: "dsn", Type: "source", Default: d.DSN.Reveal(), Doc: "the address and login of the database. Only SQLite has a default. A password belongs into `{file: …}` or `{credential: …}`"},
		{Name: "pool", Type: "object", Keys: poolKeys(d.Pool), Doc: "connections to a database server; SQLite has its own rule"},
	})
}

func poolKeys(d Pool) keydocs.Keys {
	return keydocs.For[Pool](keydocs.Keys{
		{Name: "maxOpen", Type: "whole number", Min: new(1.0), Max: new(1000.0), Default: fmt.Sprint(d.MaxOpen), Doc: "connections at most, 1 to 1000"},
		{Name: "maxIdle", Type: "whole number", Min: new(0.0), Max: new(1000.0), Default: fmt.Sprint(d.MaxIdle), Doc: "idle connections that are kept for a minute, 0 to `maxOpen`; by default no more than that"},
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
		{Name: "gate", Type: "object", Keys: gateKeys(), Doc: "while this machine is short of a resource, the worker takes no new items"},
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

func tracingKeys() keydocs.Keys {
	return keydocs.For[Tracing](keydocs.Keys{
		{Name: "otlp", Type: "object", Keys: otlpKeys(), Doc: "the collector, which receives OTLP over HTTP as protobuf"},
		{Name: "sample", Type: "string", Without: "all", Example: "10%", Doc: "the share of new traces that are sent"},
	})
}

func otlpKeys() keydocs.Keys {
	return keydocs.For[OTLP](keydocs.Keys{
		{Name: "endpoint", Without: "no traces", Example: "http://127.0.0.1:4318", Doc: "the address of the collector; without a path, `/v1/traces` is added"},
		{Name: "headers", Type: "map of source", Secret: true, Example: "{Authorization: {file: secrets/otlp}}", Doc: "headers of the requests"},
		{Name: "insecure", Type: "true or false", Default: "false", Doc: "allows an `http` address that is not the loopback"},
	})
}

func gateKeys() keydocs.Keys {
	return keydocs.For[Gate](keydocs.Keys{
		{Name: "cpu", Type: "string", Without: "no bound", Example: "90%", Doc: "how busy the processors may be"},
		{Name: "memoryFree", Type: "string", Without: "no bound", Example: "500MB", Doc: "memory that must be available"},
		{Name: "diskFree", Type: "string", Without: "no bound", Example: "1GB", Doc: "space that must be free on each disk that the worker writes to"},
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
		{Name: "driver", Enum: keydocs.Words(database.Drivers...), Doc: "the engine; without it that of the DSN's form; can also be set in the environment"},
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

func httpKeys() keydocs.Keys {
	d := Default().HTTP
	return keydocs.For[HTTP](keydocs.Keys{
		{Name: "off", Type: "true or false", Default: "false", Doc: "`true` serves nothing, like `http: off`"},
		{Name: "listen", Default: d.Listen, Doc: "the host and the port. A host that is not the loopback needs `tls` or `insecure`"},
		{Name: "tls", Type: "object", Keys: tlsKeys(), Doc: "the certificate; changed files are used without a restart"},
		{Name: "insecure", Type: "true or false", Default: "false", Doc: "`true` allows a host that is not the loopback without TLS, because a proxy terminates it"},
		{Name: "publicUrl", Example: "https://botwork.example.com", Without: "the address of `listen`", Doc: "the address by which people and robots reach the server"},
		{
			Name: "trustedProxies", Type: "list of string", Example: "[10.0.0.1]",
			Doc: "addresses and networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
		},
		{
			Name: "edit", Type: "true or false", Default: "false",
			Doc: "`true` lets editors and administrators change the files in `pipelines.dir` of this machine on the pages and by the API. Who writes a pipeline can run programs with the rights of the worker",
		},
		{
			Name: "inline", Type: "true or false", Default: "false",
			Doc: "`true` lets editors and administrators who are not bound to queues create items with a whole pipeline in place of a name over HTTP. Such a pipeline can run programs with the rights of the workers",
		},
		{Name: "readOnly", Type: "true or false", Default: "false", Doc: "`true` lets nothing be changed over HTTP: all people are viewers, and robots and webhooks are refused"},
		{Name: "oidc", Type: "object", Keys: oidcKeys(d.OIDC), Doc: "the sign-in by an OpenID provider"},
		{Name: "limits", Type: "object", Keys: httpLimitsKeys(d.Limits), Doc: "what callers can use up"},
		{Name: "hooks", Type: "map of object", Keys: hookKeys(), Names: namePattern.String(), Doc: "webhooks: each makes an item of a signed `POST /hooks/NAME`"},
	})
}

func hookKeys() keydocs.Keys {
	return keydocs.For[Hook](keydocs.Keys{
		{Name: "signature", Enum: HookSignatures, Doc: "how requests are signed, with HMAC SHA-256 over the body", EnumDocs: []string{"`X-Hub-Signature-256: sha256=…`", "`Stripe-Signature: t=…,v1=…`, with a time"}},
		{Name: "secret", Example: "shop", Doc: "the name of the secret in `secrets` that both sides know"},
		{Name: "tolerance", Type: "duration", Min: new(0.0), Default: brief(HookTolerance), Doc: "how old a signature with a time may be; at most " + brief(MaxHookTolerance)},
		{Name: "queue", Pattern: queuePattern, Default: "default", Doc: "the queue of the items"},
		{Name: "pipeline", Example: "ship", Doc: "the pipeline of the items; a queue for robots needs none"},
		{Name: "priority", Type: "whole number", Default: "1000", Doc: "the priority of the items"},
		{Name: "tags", Type: "list of string", Example: "[web]", Doc: "tags of the items"},
		{Name: "when", Example: "body.action == 'created'", Without: "each request makes an item", Doc: "a condition over `body`, `headers` and `query`"},
		{Name: "payload", Example: "'{\"order\": body.id}'", Without: "the body", Doc: "an expression for the payload over `body`, `headers` (names in lower case) and `query`"},
		{Name: "key", Example: "body.id", Doc: "an expression for the natural key, or the name of a header that has it"},
	})
}

func tlsKeys() keydocs.Keys {
	return keydocs.For[TLS](keydocs.Keys{
		{Name: "cert", Example: "tls/cert.pem", Doc: "the file of the certificate and its chain, in PEM"},
		{Name: "key", Example: "tls/key.pem", Doc: "the file of its private key, in PEM"},
	})
}

func oidcKeys(d OIDC) keydocs.Keys {
	return keydocs.For[OIDC](keydocs.Keys{
		{Name: "issuer", Example: "https://login.example.com/realms/main", Doc: "the URL of the provider. None: users do not sign in by OpenID Connect"},
		{Name: "clientId", Example: "botwork", Doc: "the id that the provider gave to this client"},
		{
			Name: "clientSecret", Type: "source", Secret: true, Example: "{file: secrets/oidc}",
			Doc: "the secret that the provider gave to this client; none for a public client",
		},
		{Name: "scopes", Type: "list of string", Default: "[" + strings.Join(d.Scopes, ", ") + "]", Doc: "the scopes that are asked for, with `openid`"},
		{Name: "claim", Default: d.Claim, Doc: "the claim of the ID token whose values `roles` maps: a text or a list of texts"},
		{Name: "roles", Type: "object", Keys: oidcRolesKeys(), Doc: "the values of the claim that give a role; the highest role counts, and without one the user may not sign in"},
	})
}

func oidcRolesKeys() keydocs.Keys {
	return keydocs.For[OIDCRoles](keydocs.Keys{
		{Name: "admin", Type: "list of string", Example: "[botwork-admins]", Doc: "the values that give the role admin"},
		{Name: "editor", Type: "list of string", Example: "[botwork-editors]", Doc: "the values that give the role editor"},
		{Name: "operator", Type: "list of string", Example: "[botwork-operators]", Doc: "the values that give the role operator"},
		{Name: "viewer", Type: "list of string", Example: "[staff]", Doc: "the values that give the role viewer"},
	})
}

func httpLimitsKeys(d HTTPLimits) keydocs.Keys {
	return keydocs.For[HTTPLimits](keydocs.Keys{
		{Name: "bodyMB", Type: "whole number", Min: new(1.0), Max: new(1000.0), Default: fmt.Sprint(d.BodyMB), Doc: "the largest body of a request in megabytes, 1 to 1000"},
		{Name: "requests", Type: "whole number", Min: new(1.0), Max: new(100_000.0), Default: fmt.Sprint(d.Requests), Doc: "how many requests of each kind are processed at the same time; more are answered with 429: [api.md](api.md#limits)"},
		{Name: "waiting", Type: "whole number", Min: new(1.0), Max: new(100_000.0), Default: fmt.Sprint(d.Waiting), Doc: "how many robots may wait for an item, and how many streams of events there may be, at the same time"},
		{Name: "perSecond", Type: "whole number", Min: new(1.0), Max: new(1_000_000.0), Default: fmt.Sprint(d.PerSecond), Doc: "how many requests a second a token, a session or an address may make on average"},
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
