package cmd_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"botwork/cmd"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/config"
	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

// unreadableStore fails every read after the first write, like a database whose rows another
// session then holds.
type unreadableStore struct {
	cli.Store
	wrote bool
}

var errUnreadable = errors.New("another session holds the row")

func written[T any](s *unreadableStore, v T, err error) (T, error) {
	s.wrote = s.wrote || err == nil
	return v, err
}

func read[T any](s *unreadableStore, do func() (T, error)) (v T, err error) {
	if s.wrote {
		return v, errUnreadable
	}
	return do()
}

func (s *unreadableStore) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	got, err := s.Store.EnqueueBatch(ctx, part, items)
	return written(s, got, err)
}

func (s *unreadableStore) RobotEnqueue(ctx context.Context, robot string, part workqueue.BatchPart, items []workqueue.NewItem, take *workqueue.CheckoutOnEnqueue) (workqueue.RobotEnqueued, error) {
	got, err := s.Store.RobotEnqueue(ctx, robot, part, items, take)
	return written(s, got, err)
}

func (s *unreadableStore) Checkout(ctx context.Context, p workqueue.CheckoutParams) (workqueue.Checkout, error) {
	got, err := s.Store.Checkout(ctx, p)
	return written(s, got, err)
}

func (s *unreadableStore) ChangeItem(ctx context.Context, id int64, c workqueue.Change) (int64, error) {
	got, err := s.Store.ChangeItem(ctx, id, c)
	return written(s, got, err)
}

func (s *unreadableStore) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error) {
	got, err := s.Store.ChangeItems(ctx, f, c)
	return written(s, got, err)
}

func (s *unreadableStore) OverrideQueue(ctx context.Context, q workqueue.Queue, by string) (bool, error) {
	got, err := s.Store.OverrideQueue(ctx, q, by)
	return written(s, got, err)
}

func (s *unreadableStore) CreateQueue(ctx context.Context, q workqueue.Queue, by string) error {
	_, err := written(s, 0, s.Store.CreateQueue(ctx, q, by))
	return err
}

func (s *unreadableStore) DeleteQueue(ctx context.Context, name string) error {
	_, err := written(s, 0, s.Store.DeleteQueue(ctx, name))
	return err
}

func (s *unreadableStore) DefineQueues(ctx context.Context, defs []workqueue.Queue, by string) ([]string, error) {
	got, err := s.Store.DefineQueues(ctx, defs, by)
	return written(s, got, err)
}

func (s *unreadableStore) PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error) {
	got, err := s.Store.PurgeQueue(ctx, p)
	return written(s, got, err)
}

func (s *unreadableStore) CreateToken(ctx context.Context, p access.NewTokenParams) (access.Token, error) {
	got, err := s.Store.CreateToken(ctx, p)
	return written(s, got, err)
}

func (s *unreadableStore) CreateUser(ctx context.Context, p access.UserParams) (access.User, error) {
	got, err := s.Store.CreateUser(ctx, p)
	return written(s, got, err)
}

func (s *unreadableStore) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	return read(s, func() (workqueue.Item, error) { return s.Store.Item(ctx, id) })
}

func (s *unreadableStore) Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	return read(s, func() ([]workqueue.Item, error) { return s.Store.Items(ctx, f) })
}

func (s *unreadableStore) Queue(ctx context.Context, name string) (workqueue.Queue, error) {
	return read(s, func() (workqueue.Queue, error) { return s.Store.Queue(ctx, name) })
}

func (s *unreadableStore) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	return read(s, func() ([]workqueue.Queue, error) { return s.Store.Queues(ctx) })
}

func (s *unreadableStore) DeletedQueues(ctx context.Context) ([]workqueue.DeletedQueue, error) {
	return read(s, func() ([]workqueue.DeletedQueue, error) { return s.Store.DeletedQueues(ctx) })
}

func (s *unreadableStore) Tasks(ctx context.Context) ([]workqueue.TaskRow, error) {
	return read(s, func() ([]workqueue.TaskRow, error) { return s.Store.Tasks(ctx) })
}

func (s *unreadableStore) Workers(ctx context.Context) ([]workqueue.Worker, error) {
	return read(s, func() ([]workqueue.Worker, error) { return s.Store.Workers(ctx) })
}

// A command whose change is done says so and succeeds, even if nothing can be read afterwards: a
// script would do the work twice.
func TestCommandsPrintWhatWasDone(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: bot-1}\nqueues:\n  forms: {consumer: robots}\n  mail: {ttl: 7d}\n")
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "queues", "set", "mail", "ttl=1d")
	const hello = `{"pipeline": "hello", "payload": {"name": "Ada"}}` + "\n"
	for _, c := range []struct{ line, stdin, stdout string }{
		{"enqueue --pipeline hello --payload {\"name\":\"Ada\"} --key order-1 --unique", "", "item 1: enqueued\n"},
		{"enqueue --pipeline hello --payload {\"name\":\"Ada\"} --key order-1 --unique -o json", "", "{\n  \"id\": 1,\n  \"existing\": true\n}\n"},
		{"enqueue -", hello + hello, "2 items enqueued: ids 2 to 3\n"},
		{"enqueue - -o json", hello + hello, `"id": 5`},
		{"enqueue --pipeline hello --payload {\"name\":\"Ada\"} --count 2 -o yaml", "", "id: 7"},
		{"robots enqueue --queue forms --robot ann --take", "", `"lockKey": "`},
		{"robots enqueue --queue forms --robot ann", "", `"id": 9`},
		{"robots take --queue forms --robot ann", "", `"lockKey": "`},
		{"items clone 1 --new-key order-2", "", "item 1: cloned as item 10\n"},
		{"items cancel --key order-2", "", "1 item cancelled\n"},
		{"queues set mail ttl=2d", "", "queue mail: changed"},
		{"queues define", "", "queue mail: defined\n"},
		{"queues create extra", "", "queue extra: created\n"},
		{"queues delete mail", "", "queue mail: deleted\n"},
		{"queues purge default --yes", "", "queue default: 8 items removed\n"},
		{"tokens create ci --role operator --queue default", "", "bw_"},
		{"users create ada --role viewer --queue default", "", "user ada created as viewer\n"},
	} {
		t.Run(c.line, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			a := projectdir.New(strings.NewReader(c.stdin), &stderr, nil, nil)
			a.Open = func(ctx context.Context, db config.Database, dsn string, cipher workqueue.Cipher) (cli.Store, error) {
				store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Cipher: cipher})
				if err != nil {
					return nil, err
				}
				return &unreadableStore{Store: store}, nil
			}
			code := cmd.Execute(t.Context(), a, strings.Fields(c.line), &stdout)
			if code != cli.ExitDone || !strings.Contains(stdout.String(), c.stdout) {
				t.Errorf("exit code %d, output %q, want it to contain %q; %s", code, stdout.String(), c.stdout, stderr.String())
			}
		})
	}
}
