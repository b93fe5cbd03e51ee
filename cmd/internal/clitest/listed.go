package clitest

import "time"

// Listed holds the fields of an item's JSON that tests check.
type Listed struct {
	ID                  int64
	State               int
	StateName           string
	Priority            int
	QueueName           string
	IntegrationConfig   string
	Payload             any
	EstimatedDurationMs *int64
	AvailableAt         time.Time
	CreatedAt           time.Time
	CreatedBy           *string
}
