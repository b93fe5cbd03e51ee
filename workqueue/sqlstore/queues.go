package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.QueueStore = (*queueStore)(nil)

// queueStore defines, pauses, empties and removes queues.
type queueStore struct {
	*connection
	*notices
	*auditing
}

// queueRow is BotQueues.
type queueRow struct {
	ID                  int64 `gorm:"column:Id;primaryKey"`
	Name                string
	Description         *string
	Paused              bool
	ResilienceConfig    nullText
	CreatedAt           database.Time
	Consumer            string
	PriorityOffset      int
	TTLMs               *int64 `gorm:"column:TtlMs"`
	OnExpiry            string
	Payloads            string
	RetainMs            *int64
	ArchiveAgeMs        *int64
	ArchiveLimit        *int
	RetryAs             string
	Distribution        nullText
	Escalation          nullText
	MaxReleases         *int
	KeyScope            string
	DeletedKeysCount    bool
	PayloadSchema       nullText
	OutputSchema        nullText
	AnalyticsSchema     nullText
	Encrypted           bool
	PublicAccess        bool
	RobotDeletesOnlyOwn bool
	Deletion            string
	CheckoutMs          *int64
	ConcurrencyLimit    *int
	KeyConcurrencyLimit *int
	RateLimit           *int
	RatePeriodMs        *int64
	KeyRateLimit        *int
	KeyRatePeriodMs     *int64
	MaxPayload          *int64
	MaxOutput           *int64
	KeepLog             *int64
	Revision            int64
	DefinedBy           *string
	UpdatedAt           database.Time
	OverriddenBy        *string
	OverriddenAt        database.Time
	Defined             nullText
}

func (queueRow) TableName() string { return "BotQueues" }

// robotRow is BotQueueRobots.
type robotRow struct {
	ID        int64 `gorm:"column:Id;primaryKey"`
	QueueName string
	Robot     string
	CanRead   bool
	CanWrite  bool
}

func (robotRow) TableName() string { return "BotQueueRobots" }

// Queues implements workqueue.QueueStore.
func (s *queueStore) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	var queues []workqueue.Queue
	err := s.retry(ctx, "list queues", func() (err error) {
		queues, err = findQueues(s.listing.WithContext(ctx))
		return err
	})
	return queues, err
}

// Queue implements workqueue.QueueStore.
func (s *queueStore) Queue(ctx context.Context, name string) (workqueue.Queue, error) {
	var queue workqueue.Queue
	err := s.retry(ctx, fmt.Sprintf("read queue %q", name), func() (err error) {
		queue, err = s.queueByName(s.listing.WithContext(ctx), name)
		return err
	})
	return queue, err
}

// findQueues reads the queues with their robots, sorted by name.
func findQueues(db *gorm.DB) ([]workqueue.Queue, error) {
	queues, err := bareQueues(db)
	if err != nil {
		return nil, err
	}
	var robots []robotRow
	if err := db.Order(ascending("Robot")).Find(&robots).Error; err != nil {
		return nil, err
	}
	for _, r := range robots {
		if q := queueOf(queues, r.QueueName); q != nil {
			q.Robots = append(q.Robots, r.robot())
		}
	}
	return queues, nil
}

// bareQueues reads the queues without their robots, sorted by name.
func bareQueues(db *gorm.DB) ([]workqueue.Queue, error) {
	var rows []queueRow
	if err := db.Order(ascending("Name")).Find(&rows).Error; err != nil {
		return nil, err
	}
	queues := make([]workqueue.Queue, len(rows))
	for i := range rows {
		queues[i] = rows[i].queue()
	}
	return queues, nil
}

// queueByName reads one queue with its robots, or returns ErrNotFound. The database decides
// which names are equal.
func (s *queueStore) queueByName(db *gorm.DB, name string) (workqueue.Queue, error) {
	var row queueRow
	var robots []robotRow
	err := db.Where(map[string]any{"Name": name}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return workqueue.Queue{}, workqueue.ErrNotFound
	}
	if err != nil {
		return workqueue.Queue{}, err
	}
	if err := db.Where(map[string]any{"QueueName": row.Name}).Order(ascending("Robot")).Find(&robots).Error; err != nil {
		return workqueue.Queue{}, err
	}
	queue := row.queue()
	for _, r := range robots {
		queue.Robots = append(queue.Robots, r.robot())
	}
	return queue, nil
}

// presentQueue reads a queue as it is now. If it does not exist, the error is a
// *workqueue.UnknownQueueError, for naming to complete.
func (s *queueStore) presentQueue(orm *gorm.DB, name string) (workqueue.Queue, error) {
	q, err := s.queueByName(orm, name)
	if errors.Is(err, workqueue.ErrNotFound) {
		err = &workqueue.UnknownQueueError{Queue: name}
	}
	return q, err
}

func (r *robotRow) robot() workqueue.QueueRobot {
	return workqueue.QueueRobot{Robot: r.Robot, Read: r.CanRead, Write: r.CanWrite}
}

// queueOf returns the queue that a row refers to. On SQL Server a foreign key may have the name
// in another case; on the other engines the names are equal.
func queueOf(queues []workqueue.Queue, name string) (found *workqueue.Queue) {
	for i := range queues {
		switch {
		case queues[i].Name == name:
			return &queues[i]
		case strings.EqualFold(workqueue.FoldQueueName(queues[i].Name), workqueue.FoldQueueName(name)):
			found = &queues[i]
		}
	}
	return found
}

func ascending(column string) clause.OrderByColumn {
	return clause.OrderByColumn{Column: clause.Column{Name: column}}
}

func (r *queueRow) queue() workqueue.Queue {
	return workqueue.Queue{
		ID:             r.ID,
		Name:           r.Name,
		Description:    r.Description,
		Paused:         r.Paused,
		Consumer:       workqueue.Consumer(r.Consumer),
		PriorityOffset: r.PriorityOffset,
		Resilience:     workqueue.JSONText(r.ResilienceConfig),
		RetryAs:        workqueue.RetryAs(r.RetryAs),
		Distribution:   workqueue.JSONText(r.Distribution),
		Escalation:     workqueue.JSONText(r.Escalation),
		MaxReleases:    orZero(r.MaxReleases),
		QueueKeys:      workqueue.QueueKeys{KeyScope: workqueue.KeyScope(r.KeyScope), DeletedKeysCount: r.DeletedKeysCount},
		QueueLife: workqueue.QueueLife{
			TTL:          orZero(span(r.TTLMs)),
			OnExpiry:     workqueue.OnExpiry(r.OnExpiry),
			Retain:       span(r.RetainMs),
			ArchiveAge:   span(r.ArchiveAgeMs),
			ArchiveLimit: r.ArchiveLimit,
			Deletion:     workqueue.Deletion(r.Deletion),
		},
		QueueSchemas: workqueue.QueueSchemas{
			PayloadSchema:   workqueue.JSONText(r.PayloadSchema),
			OutputSchema:    workqueue.JSONText(r.OutputSchema),
			AnalyticsSchema: workqueue.JSONText(r.AnalyticsSchema),
		},
		QueueAccess: workqueue.QueueAccess{
			Private:             !r.PublicAccess,
			Payloads:            workqueue.Payloads(r.Payloads),
			RobotDeletesOnlyOwn: r.RobotDeletesOnlyOwn,
			Checkout:            orZero(span(r.CheckoutMs)),
		},
		QueueLimits: workqueue.QueueLimits{
			Concurrency:    orZero(r.ConcurrencyLimit),
			KeyConcurrency: orZero(r.KeyConcurrencyLimit),
			Rate:           workqueue.Rate{Limit: orZero(r.RateLimit), Per: orZero(span(r.RatePeriodMs))},
			KeyRate:        workqueue.Rate{Limit: orZero(r.KeyRateLimit), Per: orZero(span(r.KeyRatePeriodMs))},
		},
		QueueSizes: workqueue.QueueSizes{MaxPayload: orZero(r.MaxPayload), MaxOutput: orZero(r.MaxOutput), KeepLog: r.KeepLog},
		Encrypted:  r.Encrypted,
		Revision:   r.Revision,
		DefinedBy:  r.DefinedBy,
		CreatedAt:  r.CreatedAt.Time,
		UpdatedAt:  r.UpdatedAt.Pointer(),
		Override:   r.override(),
	}
}

// override returns what a command changed; nil if the settings define the queue.
func (r *queueRow) override() *workqueue.QueueOverride {
	if r.OverriddenBy == nil {
		return nil
	}
	return &workqueue.QueueOverride{By: *r.OverriddenBy, At: r.OverriddenAt.Pointer(), Defined: workqueue.JSONText(r.Defined)}
}

// span converts a column of milliseconds; nil for NULL.
func span(n *int64) *workqueue.Duration {
	if n == nil {
		return nil
	}
	d := workqueue.Duration(milliseconds(*n))
	return &d
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
