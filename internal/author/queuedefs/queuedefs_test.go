package queuedefs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/config"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// decode decodes the key `queues` of a settings file. files are the schema files by
// their paths.
func decode(t *testing.T, text string, files map[string]string) ([]workqueue.Queue, strictyaml.Findings) {
	t.Helper()
	node, findings := strictyaml.Parse("etc/botwork.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return queuedefs.Decode(node.Get("queues"), func(path string) ([]byte, error) {
		if content, ok := files[filepath.ToSlash(path)]; ok {
			return []byte(content), nil
		}
		return nil, &fs.PathError{Op: "open", Path: filepath.ToSlash(path), Err: errors.New("no such file")}
	})
}

func seconds(n int) workqueue.Duration { return workqueue.Duration(time.Duration(n) * time.Second) }

func TestDecodeEveryKey(t *testing.T) {
	got, findings := decode(t, `queues:
  plain:
  invoices:
    description: Invoices of our suppliers
    consumer: robots
    priorityOffset: -200
    ttl: 7d
    onExpiry: remove
    payloads: hidden
    retain: 0s
    archive: {maxAge: 90d, limit: 0}
    deletion: logical
    keys: {unique: global, countDeleted: true}
    retry: {as: copy, limit: 3, delay: 30s, factor: 2, maxDelay: 1h, jitter: 0, retryOn: [error, business], timeout: 10m, within: 1d, maxRetryAfter: 10m}
    schemas:
      payload: {file: schemas/invoice.json}
      output: {type: object, properties: {total: {type: number, description: "< 5 & > 3"}}}
      analytics: true
    distribution: {mode: best-worker, bypassSelectors: false, scoring: {rule: map, label: skill, scores: {expert: 10}}}
    escalation:
      - {name: late, after: 10m, raise: {by: 100, to: 1500, every: 10m}}
      - {name: full, when: length > 500, moveTo: overflow, keep: 500}
    encrypted: true
    robots: {public: false, deletesOnlyOwn: true, rights: {robot.1: read-write, robot-2: read, robot-3: write}}
    checkout: 5m
    limits: {concurrency: 4, rate: 10/1m, perKey: {concurrency: 1, rate: 2 / 1d}}
  stubborn: {retry: {retryOn: []}}
  listed: {robots: {rights: {robot-1: read}}}
  closed: {robots: {public: false}}
`, map[string]string{"etc/schemas/invoice.json": `{"type": "object", "required": ["number"]}`})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	words := workqueue.Queue{Consumer: workqueue.ConsumerWorkers, RetryAs: workqueue.RetrySame}
	words.KeyScope, words.Deletion, words.OnExpiry, words.Payloads = workqueue.KeyScopeNone, workqueue.DeletionPhysical, workqueue.ExpiryArchive, workqueue.PayloadsVisible
	named := func(name string, change func(*workqueue.Queue)) workqueue.Queue {
		q := words
		q.Name = name
		if change != nil {
			change(&q)
		}
		return q
	}
	want := []workqueue.Queue{
		{Name: "plain"},
		{
			Name: "invoices", Description: new("Invoices of our suppliers"), Consumer: workqueue.ConsumerRobots, PriorityOffset: -200,
			Resilience: `{"limit":3,"delay":"30s","factor":2,"maxDelay":"1h0m0s","jitter":0,"retryOn":["error","business"],"timeout":"10m0s","within":"24h0m0s","maxRetryAfter":"10m0s"}`,
			RetryAs:    workqueue.RetryCopy, Encrypted: true,
			Distribution: `{"mode":"best-worker","bypassSelectors":false,"scoring":{"rule":"map","label":"skill","scores":{"expert":10}}}`,
			Escalation:   `[{"name":"late","after":"10m","raise":{"by":100,"to":1500,"every":"10m"}},{"name":"full","when":"length > 500","moveTo":"overflow","keep":500}]`,
			QueueKeys:    workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal, DeletedKeysCount: true},
			QueueLife: workqueue.QueueLife{
				TTL: seconds(7 * 86400), OnExpiry: workqueue.ExpiryRemove, Retain: new(seconds(0)), ArchiveAge: new(seconds(90 * 86400)), ArchiveLimit: new(0), Deletion: workqueue.DeletionLogical,
			},
			QueueSchemas: workqueue.QueueSchemas{
				PayloadSchema:   `{"required":["number"],"type":"object"}`,
				OutputSchema:    `{"properties":{"total":{"description":"< 5 & > 3","type":"number"}},"type":"object"}`,
				AnalyticsSchema: `true`,
			},
			QueueAccess: workqueue.QueueAccess{
				Private: true, Payloads: workqueue.PayloadsHidden, RobotDeletesOnlyOwn: true, Checkout: seconds(300),
				Robots: []workqueue.QueueRobot{{Robot: "robot.1", Read: true, Write: true}, {Robot: "robot-2", Read: true}, {Robot: "robot-3", Write: true}},
			},
			QueueLimits: workqueue.QueueLimits{
				Concurrency: 4, Rate: workqueue.Rate{Limit: 10, Per: seconds(60)},
				KeyConcurrency: 1, KeyRate: workqueue.Rate{Limit: 2, Per: seconds(86400)},
			},
		},
		named("stubborn", func(q *workqueue.Queue) { q.Resilience = `{"retryOn":[]}` }),
		named("listed", func(q *workqueue.Queue) {
			q.Private, q.Robots = true, []workqueue.QueueRobot{{Robot: "robot-1", Read: true}}
		}),
		named("closed", func(q *workqueue.Queue) { q.Private = true }),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
}

func TestDecodeReportsAllFaults(t *testing.T) {
	_, findings := decode(t, `queues:
  two words: {encrypted: maybe}
  Mail: {consumer: robot, priorityOffset: 99999999999}
  mail:
    retian: 2h
    ttl: 0s
    retain: -7d
    archive: {maxAge: soon, limit: -1, age: 1d}
    deletion: soft
    keys: {unique: local, countDeleted: 1}
    retry: {as: clone, limit: 0, delay: 0s, factor: 0.5, jitter: 2, retryOn: [errors, ~], retries: 3}
    schemas:
      payload: {file: schemas/none.json}
      output: {type: objekt, properties: {a: {minLength: -1}}}
      analytics: {$ref: "https://example.com/s.json"}
    robots: {public: true, rights: {robot-1: readwrite, robot-2: , "": read}}
    checkout: 5
    limits: {concurrency: 0, rate: 10, perKey: {rate: 2/0s, concurency: 1}}
  list: [1]
  files:
    schemas: {payload: {file: schemas/bad.json}, output: {file: schemas/broken.json}, analytics: {file: a, type: object}}
    ttl: 99999d
`, map[string]string{
		"etc/schemas/bad.json":    "{\n  \"type\": 5,\n  \"properties\": {\"a\": {\"type\": \"strnig\"}}\n}",
		"etc/schemas/broken.json": "{\n",
	})
	want := strings.TrimSpace(`
etc/botwork.yaml:2:3: queues.two words: got "two words", want 1 to 200 Latin letters, digits and the characters _ - . [invalid-name]
etc/botwork.yaml:2:26: queues.two words.encrypted: got text, want true or false [wrong-type]
etc/botwork.yaml:3:20: queues.Mail.consumer: got "robot", want workers or robots [invalid-value]; did you mean "robots"?
etc/botwork.yaml:3:43: queues.Mail.priorityOffset: got 99999999999, want -2147483648 to 2147483647 [invalid-value]
etc/botwork.yaml:4:3: queues.mail: duplicate queue: Mail is already defined; names are not case-sensitive [invalid-name]
etc/botwork.yaml:5:5: unknown key "retian" in queues.mail [unknown-key]; did you mean "retain"?
etc/botwork.yaml:6:10: queues.mail.ttl: got 0s, want more than 0 [invalid-value]
etc/botwork.yaml:7:13: queues.mail.retain: got -7d, want 0 or more [invalid-value]
etc/botwork.yaml:8:23: queues.mail.archive.maxAge: duration "soon": want a number with a unit, such as 90s, 15m, 2h or 7d [invalid-value]
etc/botwork.yaml:8:36: queues.mail.archive.limit: got -1, want 0 or more [invalid-value]
etc/botwork.yaml:8:40: unknown key "age" in queues.mail.archive [unknown-key]; valid keys: maxAge, limit
etc/botwork.yaml:9:15: queues.mail.deletion: got "soft", want physical or logical [invalid-value]
etc/botwork.yaml:10:20: queues.mail.keys.unique: got "local", want none, queue or global [invalid-value]; did you mean "global"?
etc/botwork.yaml:10:41: queues.mail.keys.countDeleted: got a whole number, want true or false [wrong-type]
etc/botwork.yaml:11:17: queues.mail.retry.as: got "clone", want same or copy [invalid-value]
etc/botwork.yaml:11:31: queues.mail.retry.limit: got 0, want 1 or more: it counts all attempts, including the first [invalid-value]
etc/botwork.yaml:11:41: queues.mail.retry.delay: got 0s, want more than 0 [invalid-value]
etc/botwork.yaml:11:53: queues.mail.retry.factor: got 0.5, want 1 or more [invalid-value]
etc/botwork.yaml:11:66: queues.mail.retry.jitter: got 2, want a number from 0 to 1 [invalid-value]
etc/botwork.yaml:11:79: queues.mail.retry.retryOn[0]: got "errors", want error, timeout or business [invalid-value]; did you mean "error"?
etc/botwork.yaml:11:87: queues.mail.retry.retryOn[1]: got nothing, want error, timeout or business [wrong-type]
etc/botwork.yaml:11:91: unknown key "retries" in queues.mail.retry [unknown-key]; valid keys: as, limit, delay, factor, maxDelay, jitter, retryOn, timeout, within, maxRetryAfter
etc/botwork.yaml:13:23: queues.mail.schemas.payload.file: open etc/schemas/none.json: no such file [no-file]; relative paths are resolved against the folder of botwork.yaml
etc/botwork.yaml:14:22: queues.mail.schemas.output.type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string' [invalid-schema]
etc/botwork.yaml:14:22: queues.mail.schemas.output.type: got string, want array [invalid-schema]
etc/botwork.yaml:14:58: queues.mail.schemas.output.properties.a.minLength: minimum: got -1, want 0 [invalid-schema]
etc/botwork.yaml:15:18: queues.mail.schemas.analytics: $ref to https://example.com/s.json: a schema can only refer to itself [invalid-schema]
etc/botwork.yaml:16:22: queues.mail.robots.public: got true together with a list of rights, want false: the rights only apply to a queue that is not public [invalid-value]; remove the key public, or the rights
etc/botwork.yaml:16:36: queues.mail.robots.rights: got "", want a robot's name [invalid-value]
etc/botwork.yaml:16:46: queues.mail.robots.rights.robot-1: got "readwrite", want read, write or read-write [invalid-value]; did you mean "read-write"?
etc/botwork.yaml:16:66: queues.mail.robots.rights.robot-2: got nothing, want read, write or read-write [wrong-type]
etc/botwork.yaml:17:15: queues.mail.checkout: duration "5": want a number with a unit, such as 90s, 15m, 2h or 7d [invalid-value]
etc/botwork.yaml:18:27: queues.mail.limits.concurrency: got 0, want 1 or more [invalid-value]
etc/botwork.yaml:18:36: queues.mail.limits.rate: got a value without a period, want a number and a period, both above 0, such as 10/1m [wrong-type]
etc/botwork.yaml:18:55: queues.mail.limits.perKey.rate: got "2/0s", want a number and a period, both above 0, such as 10/1m [invalid-value]
etc/botwork.yaml:18:61: unknown key "concurency" in queues.mail.limits.perKey [unknown-key]; did you mean "concurrency"?
etc/botwork.yaml:19:9: queues.list: got a list, want a mapping [wrong-type]
etc/botwork.yaml:21:98: queues.files.schemas.analytics: got other keys together with file, want only file [invalid-schema]; move them to the file, or remove the key file
etc/botwork.yaml:22:10: queues.files.ttl: got 99999d, want 0s to 68 years [invalid-value]
etc/schemas/bad.json:2:11: type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string' [invalid-schema]
etc/schemas/bad.json:2:11: type: got number, want array [invalid-schema]
etc/schemas/bad.json:3:32: properties.a.type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string' [invalid-schema]
etc/schemas/bad.json:3:32: properties.a.type: got string, want array [invalid-schema]
etc/schemas/broken.json:1:1: the opening { has no closing } [yaml-syntax]`)
	if diff := cmp.Diff(want, findings.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeNothing(t *testing.T) {
	for _, text := range []string{"a: 1", "queues:", "queues: {}"} {
		if queues, findings := decode(t, text, nil); len(queues) > 0 || len(findings) > 0 {
			t.Errorf("Decode of %q = %v, %v, want nothing", text, queues, findings)
		}
	}
	_, findings := decode(t, "queues: [mail]", nil)
	want := "etc/botwork.yaml:1:9: queues: got a list, want a mapping of queue names to policies [wrong-type]"
	if findings.Error() != want {
		t.Errorf("findings are %v, want %s", findings, want)
	}
}

// Paths of schema files are relative to the folder of the settings, not to the working
// folder.
func TestDecodeReadsFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("type: object\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("# long\n", queuedefs.MaxSchemaFile/7+1)
	if err := os.WriteFile(filepath.Join(dir, "big.yaml"), []byte(big), 0o600); err != nil {
		t.Fatal(err)
	}
	node, findings := strictyaml.Parse(filepath.Join(dir, "botwork.yaml"), []byte("queues: {a: {schemas: {payload: {file: s.yaml}, output: {file: big.yaml}}}}"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	queues, findings := queuedefs.Decode(node.Get("queues"), nil)
	if len(queues) != 1 || queues[0].PayloadSchema != `{"type":"object"}` {
		t.Errorf("queues are %+v, want the schema of s.yaml", queues)
	}
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "big.yaml is larger than 1024 KiB") {
		t.Errorf("findings are %v, want one about the big file", findings)
	}
}

// The queues of the sample, which are commented out, are valid.
func TestSample(t *testing.T) {
	text := regexp.MustCompile(`(?m)^( *)# ( *[a-z]\w*:( .*)?)$`).ReplaceAll(config.Sample(), []byte("$1$2"))
	settings, findings := config.Parse("sample.yaml", text)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	queues, findings := queuedefs.Decode(settings.Queues, nil)
	if len(findings) > 0 || len(queues) == 0 {
		t.Errorf("the sample defines %v, %v", queues, findings)
	}
}
