package queuedefs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// copyKey copies the value of one key from one queue to another.
var copyKey = map[string]func(to, from *workqueue.Queue){
	"description":               func(to, from *workqueue.Queue) { to.Description = from.Description },
	"consumer":                  func(to, from *workqueue.Queue) { to.Consumer = from.Consumer },
	"priorityOffset":            func(to, from *workqueue.Queue) { to.PriorityOffset = from.PriorityOffset },
	"payloads":                  func(to, from *workqueue.Queue) { to.Payloads = from.Payloads },
	"escalation":                func(to, from *workqueue.Queue) { to.Escalation = from.Escalation },
	"onExpiry":                  func(to, from *workqueue.Queue) { to.OnExpiry = from.OnExpiry },
	"ttl":                       func(to, from *workqueue.Queue) { to.TTL = from.TTL },
	"retain":                    func(to, from *workqueue.Queue) { to.Retain = from.Retain },
	"archive":                   func(to, from *workqueue.Queue) { to.ArchiveAge, to.ArchiveLimit = from.ArchiveAge, from.ArchiveLimit },
	"archive.maxAge":            func(to, from *workqueue.Queue) { to.ArchiveAge = from.ArchiveAge },
	"archive.limit":             func(to, from *workqueue.Queue) { to.ArchiveLimit = from.ArchiveLimit },
	"deletion":                  func(to, from *workqueue.Queue) { to.Deletion = from.Deletion },
	"keys":                      func(to, from *workqueue.Queue) { to.QueueKeys = from.QueueKeys },
	"keys.unique":               func(to, from *workqueue.Queue) { to.KeyScope = from.KeyScope },
	"keys.countDeleted":         func(to, from *workqueue.Queue) { to.DeletedKeysCount = from.DeletedKeysCount },
	"retry":                     func(to, from *workqueue.Queue) { to.RetryAs, to.Resilience = from.RetryAs, from.Resilience },
	"retry.as":                  func(to, from *workqueue.Queue) { to.RetryAs = from.RetryAs },
	"distribution":              func(to, from *workqueue.Queue) { to.Distribution = from.Distribution },
	"maxReleases":               func(to, from *workqueue.Queue) { to.MaxReleases = from.MaxReleases },
	"schemas":                   func(to, from *workqueue.Queue) { to.QueueSchemas = from.QueueSchemas },
	"schemas.payload":           func(to, from *workqueue.Queue) { to.PayloadSchema = from.PayloadSchema },
	"schemas.output":            func(to, from *workqueue.Queue) { to.OutputSchema = from.OutputSchema },
	"schemas.analytics":         func(to, from *workqueue.Queue) { to.AnalyticsSchema = from.AnalyticsSchema },
	"encrypted":                 func(to, from *workqueue.Queue) { to.Encrypted = from.Encrypted },
	"robots":                    copyRobots,
	"robots.public":             func(to, from *workqueue.Queue) { to.Private = from.Private },
	"robots.deletesOnlyOwn":     func(to, from *workqueue.Queue) { to.RobotDeletesOnlyOwn = from.RobotDeletesOnlyOwn },
	"robots.rights":             func(to, from *workqueue.Queue) { to.Private, to.Robots = from.Private, from.Robots },
	"checkout":                  func(to, from *workqueue.Queue) { to.Checkout = from.Checkout },
	"limits":                    func(to, from *workqueue.Queue) { to.QueueLimits = from.QueueLimits },
	"limits.concurrency":        func(to, from *workqueue.Queue) { to.Concurrency = from.Concurrency },
	"limits.rate":               func(to, from *workqueue.Queue) { to.Rate = from.Rate },
	"limits.perKey":             func(to, from *workqueue.Queue) { to.KeyConcurrency, to.KeyRate = from.KeyConcurrency, from.KeyRate },
	"limits.perKey.rate":        func(to, from *workqueue.Queue) { to.KeyRate = from.KeyRate },
	"limits.perKey.concurrency": func(to, from *workqueue.Queue) { to.KeyConcurrency = from.KeyConcurrency },
	"maxPayload":                func(to, from *workqueue.Queue) { to.MaxPayload = from.MaxPayload },
	"maxOutput":                 func(to, from *workqueue.Queue) { to.MaxOutput = from.MaxOutput },
	"keepLog":                   func(to, from *workqueue.Queue) { to.KeepLog = from.KeepLog },
}

func copyRobots(to, from *workqueue.Queue) {
	to.Private, to.Robots, to.RobotDeletesOnlyOwn = from.Private, from.Robots, from.RobotDeletesOnlyOwn
}

// Change returns the queue with settings such as "limits.concurrency=5" or "retry={limit: 3}": a
// key of the definition, with dots between its parts, and a value as in the file. An empty value is
// the default. Keys that are not named keep their values.
//
// The error is a *SettingsError.
func Change(q workqueue.Queue, settings []string) (workqueue.Queue, error) {
	changed, err := changed(q, settings)
	if err != nil {
		return changed, &SettingsError{err}
	}
	return changed, nil
}

// SettingsError are the faults in the settings that Change got.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

func (e *SettingsError) Unwrap() error { return e.Err }

func changed(q workqueue.Queue, settings []string) (workqueue.Queue, error) {
	tree := map[string]any{}
	var keys []string
	for _, setting := range settings {
		key, value, ok := strings.Cut(setting, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return q, fmt.Errorf("got %q, want KEY=VALUE, such as limits.concurrency=5", setting)
		}
		if strings.ContainsAny(value, "\r\n") {
			return q, fmt.Errorf("%s: got a value with line breaks, want one line", key)
		}
		if err := plant(tree, strings.Split(key, "."), value); err != nil {
			return q, fmt.Errorf("%s: %w", key, err)
		}
		keys = append(keys, key)
	}
	return change(q, tree, keys, nil)
}

// Patch is Change with the settings as a JSON object of the keys of the definition, which may be
// nested or have dots: {"ttl": "7d", "limits": {"concurrency": 5}}. Keys that are not named keep
// their values, also in nested objects; null is the default.
//
// The settings are those of a request: they are refused if they name a file, because the caller
// may not read the files of this machine.
func Patch(q workqueue.Queue, settings map[string]json.RawMessage) (workqueue.Queue, error) {
	tree := map[string]any{}
	var keys []string
	var errs []error
	add := func(path string, value json.RawMessage) {
		text := string(value)
		if text == "null" {
			text = ""
		}
		if err := plant(tree, strings.Split(path, "."), text); err != nil {
			errs = append(errs, &KeyError{Key: path, Message: err.Error()})
		}
		keys = append(keys, path)
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return !isKeyRune(r) }) {
			errs = append(errs, &KeyError{Message: fmt.Sprintf("unknown key %.50q", key)})
			continue
		}
		leaves(key, settings[key], add)
	}
	if err := errors.Join(errs...); err != nil {
		return q, err
	}
	return change(q, tree, keys, refuseFile)
}

// errNamesFile is the error of refuseFile.
var errNamesFile = errors.New("got the name of a file, want the schema itself: a request names no files of the server")

// refuseFile is the reader of files for settings of a request.
func refuseFile(string) ([]byte, error) { return nil, errNamesFile }

func isKeyRune(r rune) bool {
	return r == '.' || r == '-' || r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// leaves calls add for each value that replaces another as a whole: an object whose keys can be
// set one by one is taken apart.
func leaves(path string, value json.RawMessage, add func(path string, value json.RawMessage)) {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil && len(object) > 0 && hasParts(path, object) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			leaves(path+"."+key, object[key], add)
		}
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) == nil {
		value = compact.Bytes()
	}
	add(path, value)
}

// hasParts reports whether all keys of the object at path can be set one by one.
func hasParts[V any](path string, object map[string]V) bool {
	for key := range object {
		if (path == "retry" || path == "distribution") && !strings.ContainsFunc(key, func(r rune) bool { return r == '.' || !isKeyRune(r) }) {
			continue
		}
		if copyKey[path+"."+key] == nil {
			return false
		}
	}
	return true
}

// placeholder is used in place of the queue's name in the text that is read: the name may be anything.
const placeholder = "queue"

// change sets the keys to the values of the tree, which are YAML in one line each. read is that of
// Decode.
func change(q workqueue.Queue, tree map[string]any, keys []string, read func(path string) ([]byte, error)) (workqueue.Queue, error) {
	var text strings.Builder
	text.WriteString("queues:\n  " + placeholder + ":\n")
	render(&text, tree, "    ")
	root, findings := strictyaml.Parse("command line", []byte(text.String()))
	if err := plainErrors(findings); err != nil {
		return q, err
	}
	defs, findings := Decode(root.Get("queues"), read)
	if err := plainErrors(findings); err != nil {
		return q, err
	}
	for _, key := range keys {
		if err := apply(&q, &defs[0], key); err != nil {
			return q, err
		}
	}
	if err := q.Validate(); err != nil {
		return q, err
	}
	return q, nil
}

// plant puts a value into the tree of settings.
func plant(tree map[string]any, path []string, value string) error {
	for _, part := range path[:len(path)-1] {
		if tree[part] == nil {
			tree[part] = map[string]any{}
		}
		next, ok := tree[part].(map[string]any)
		if !ok {
			return fmt.Errorf("got it together with the whole of %s, want one of them", part)
		}
		tree = next
	}
	last := path[len(path)-1]
	if tree[last] != nil {
		return errors.New("got it twice, want it once")
	}
	tree[last] = value
	return nil
}

func render(b *strings.Builder, tree map[string]any, indent string) {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		if sub, ok := tree[key].(map[string]any); ok {
			b.WriteString(indent + key + ":\n")
			render(b, sub, indent+"  ")
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, tree[key])
	}
}

// plainErrors returns the findings without positions and without the path of the queue: what was
// read is not a file.
func plainErrors(findings strictyaml.Findings) error {
	var errs []error
	for _, f := range findings {
		text := strings.TrimPrefix(strings.TrimPrefix(f.Message, "queues."+placeholder), ".")
		e := &KeyError{Message: strings.TrimPrefix(text, ": "), Hint: f.Hint}
		if key, message, ok := strings.Cut(e.Message, ": "); ok && !strings.ContainsFunc(key, func(r rune) bool { return !isKeyRune(r) }) {
			e.Key, e.Message = key, message
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// KeyError is one fault in the settings that Change or Patch got.
type KeyError struct {
	Key     string // with dots between its parts; "" if the fault is not about a single known key
	Message string
	Hint    string // "" for none
}

func (e *KeyError) Error() string {
	text := e.Message
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// apply copies the value of a key. Of retry and distribution, which are stored as a whole, it
// replaces one part.
func apply(to, from *workqueue.Queue, key string) error {
	if do := copyKey[key]; do != nil {
		do(to, from)
		return nil
	}
	var err error
	switch root, _, _ := strings.Cut(key, "."); root {
	case "retry":
		to.Resilience, err = replacePart(to.Resilience, from.Resilience, key)
	case "distribution":
		to.Distribution, err = replacePart(to.Distribution, from.Distribution, key)
	default:
		err = fmt.Errorf("%s: want a shorter key, such as %s={…}", key, root)
	}
	return err
}

// replacePart replaces one key of an object by that of another one; a key that this does not have
// is removed.
func replacePart(of, from workqueue.JSONText, key string) (workqueue.JSONText, error) {
	parts := strings.Split(key, ".")
	if len(parts) > 2 {
		return of, fmt.Errorf("%s: want a shorter key, such as %s={…}", key, strings.Join(parts[:2], "."))
	}
	object, other := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, read := range []struct {
		text workqueue.JSONText
		into *map[string]json.RawMessage
	}{{of, &object}, {from, &other}} {
		if read.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(read.text), read.into); err != nil {
			return of, fmt.Errorf("%s: %w", key, err)
		}
	}
	if value, ok := other[parts[1]]; ok {
		object[parts[1]] = value
	} else {
		delete(object, parts[1])
	}
	if len(object) == 0 {
		return "", nil
	}
	text, err := json.Marshal(object)
	return workqueue.JSONText(text), err
}
