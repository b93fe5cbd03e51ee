// Package queuedefs reads the queue definitions under the key `queues` of the
// settings: a mapping from names to the policies that docs/queues.md describes. It
// reports all mistakes at once, with their positions.
package queuedefs

import (
	"errors"
	"strings"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// rawQueue lists the keys of a queue. The values stay nodes, so that each mistake
// can be reported at its position.
type rawQueue struct {
	Description    *strictyaml.Node `yaml:"description"`
	Consumer       *strictyaml.Node `yaml:"consumer"`
	PriorityOffset *strictyaml.Node `yaml:"priorityOffset"`
	TTL            *strictyaml.Node `yaml:"ttl"`
	OnExpiry       *strictyaml.Node `yaml:"onExpiry"`
	Payloads       *strictyaml.Node `yaml:"payloads"`
	Retain         *strictyaml.Node `yaml:"retain"`
	Archive        rawArchive       `yaml:"archive"`
	Deletion       *strictyaml.Node `yaml:"deletion"`
	Keys           rawKeys          `yaml:"keys"`
	Retry          *strictyaml.Node `yaml:"retry"`
	Distribution   *strictyaml.Node `yaml:"distribution"`
	Escalation     *strictyaml.Node `yaml:"escalation"`
	Schemas        rawSchemas       `yaml:"schemas"`
	Encrypted      *strictyaml.Node `yaml:"encrypted"`
	Robots         *strictyaml.Node `yaml:"robots"`
	MaxReleases    *strictyaml.Node `yaml:"maxReleases"`
	Checkout       *strictyaml.Node `yaml:"checkout"`
	Limits         rawLimits        `yaml:"limits"`
	MaxPayload     *strictyaml.Node `yaml:"maxPayload"`
	MaxOutput      *strictyaml.Node `yaml:"maxOutput"`
	KeepLog        *strictyaml.Node `yaml:"keepLog"`
}

type rawArchive struct {
	MaxAge *strictyaml.Node `yaml:"maxAge"`
	Limit  *strictyaml.Node `yaml:"limit"`
}

type rawKeys struct {
	Unique       *strictyaml.Node `yaml:"unique"`
	CountDeleted *strictyaml.Node `yaml:"countDeleted"`
}

type rawSchemas struct {
	Payload   *strictyaml.Node `yaml:"payload"`
	Output    *strictyaml.Node `yaml:"output"`
	Analytics *strictyaml.Node `yaml:"analytics"`
}

// reader decodes the definitions and collects the findings.
type reader struct {
	strictyaml.Reader
	read func(path string) ([]byte, error)
}

// Decode decodes the definitions in the order of the file and returns all
// mistakes. read reads the schemas in separate files; relative paths are relative
// to the folder of the settings file. If read is nil, Decode reads the files from
// the disk, up to MaxSchemaFile. A nil node contains no definitions.
func Decode(n *strictyaml.Node, read func(path string) ([]byte, error)) ([]workqueue.Queue, strictyaml.Findings) {
	r := &reader{read: read}
	if r.read == nil {
		r.read = readFile
	}
	if !n.HasValue() {
		return nil, nil
	}
	if n.Kind != strictyaml.Mapping {
		r.Report(n, "wrong-type", "got "+n.Kind.String()+", want a mapping of queue names to policies", "")
		return nil, r.Findings
	}
	queues := make([]workqueue.Queue, 0, len(n.Entries))
	seen := make(map[string]string, len(n.Entries))
	for _, e := range n.Entries {
		q := r.queue(e)
		if first, ok := seen[strings.ToLower(e.Key)]; ok {
			r.reportKey(e, "invalid-name", "duplicate queue: "+first+" is already defined; names are not case-sensitive")
		}
		seen[strings.ToLower(e.Key)] = e.Key
		queues = append(queues, q)
	}
	r.Findings.Sort()
	return queues, r.Findings
}

// queue decodes one definition. An invalid value is reported and replaced by its
// default.
func (r *reader) queue(e strictyaml.Entry) workqueue.Queue {
	q := workqueue.Queue{Name: e.Key}
	if e.Value.HasValue() {
		var raw rawQueue
		r.Decode(e.Value, &raw)
		r.fill(&q, &raw)
	}
	if invalid, ok := errors.AsType[*workqueue.QueueError](q.Validate()); ok {
		for _, f := range invalid.Faults {
			r.fault(e, f)
		}
	}
	return q
}

func (r *reader) fill(q *workqueue.Queue, raw *rawQueue) {
	if text := strictyaml.Value[string](&r.Reader, raw.Description, nil); text != "" {
		q.Description = &text
	}
	q.Consumer = strictyaml.Choice(&r.Reader, raw.Consumer, consumers...)
	q.PriorityOffset = strictyaml.Value[int](&r.Reader, raw.PriorityOffset, nil)
	q.TTL = policykeys.Span(&r.Reader, raw.TTL, policykeys.Positive)
	q.OnExpiry = strictyaml.Choice(&r.Reader, raw.OnExpiry, expiries...)
	q.Payloads = strictyaml.Choice(&r.Reader, raw.Payloads, payloads...)
	q.Retain = orNil(r, raw.Retain, func(n *strictyaml.Node) workqueue.Duration {
		return policykeys.Span(&r.Reader, n, policykeys.NotNegative)
	})
	q.ArchiveAge = orNil(r, raw.Archive.MaxAge, func(n *strictyaml.Node) workqueue.Duration {
		return policykeys.Span(&r.Reader, n, policykeys.NotNegative)
	})
	q.ArchiveLimit = orNil(r, raw.Archive.Limit, func(n *strictyaml.Node) int { return strictyaml.Value(&r.Reader, n, atLeast(0)) })
	q.Deletion = strictyaml.Choice(&r.Reader, raw.Deletion, deletions...)
	q.KeyScope = strictyaml.Choice(&r.Reader, raw.Keys.Unique, keyScopes...)
	q.DeletedKeysCount = strictyaml.Value[bool](&r.Reader, raw.Keys.CountDeleted, nil)
	q.RetryAs, q.Resilience = r.retry(raw.Retry)
	q.Distribution = r.distribution(raw.Distribution)
	q.Escalation = r.escalation(raw.Escalation)
	q.MaxReleases = strictyaml.Value(&r.Reader, raw.MaxReleases, atLeast(1))
	q.PayloadSchema = r.schema(raw.Schemas.Payload)
	q.OutputSchema = r.schema(raw.Schemas.Output)
	q.AnalyticsSchema = r.schema(raw.Schemas.Analytics)
	q.Encrypted = strictyaml.Value[bool](&r.Reader, raw.Encrypted, nil)
	r.robots(q, raw.Robots)
	q.Checkout = policykeys.Span(&r.Reader, raw.Checkout, policykeys.Positive)
	q.QueueLimits = r.limits(&raw.Limits)
	q.MaxPayload, q.MaxOutput = policykeys.Size(&r.Reader, raw.MaxPayload), policykeys.Size(&r.Reader, raw.MaxOutput)
	q.KeepLog = orNil(r, raw.KeepLog, func(n *strictyaml.Node) int64 {
		return policykeys.SizeWithin(&r.Reader, n, 0, workqueue.MostKeepLog)
	})
}

// fault reports a fault that Validate returned, at its position in the file.
func (r *reader) fault(e strictyaml.Entry, f workqueue.QueueFault) {
	message := "got " + f.Got + ", want " + f.Want
	n := e.Value
	for rest := f.Field; rest != "" && n.HasValue(); {
		next := n.Get(rest) // the name of a robot can contain dots
		if next == nil {
			var key string
			key, rest, _ = strings.Cut(rest, ".")
			next = n.Get(key)
		} else {
			rest = ""
		}
		if next == nil {
			break
		}
		n = next
	}
	if f.Field == "name" {
		r.reportKey(e, "invalid-name", message)
		return
	}
	r.Report(n, "invalid-value", message, "")
}
