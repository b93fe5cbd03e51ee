package workqueue

import "time"

// BatchSummary is what a batch has done. JSON field names are part of the contract of the command
// line and the API.
type BatchSummary struct {
	Key     string     `json:"key"`
	Kind    string     `json:"kind"` // "": the batch is unknown
	Parts   int        `json:"parts"`
	Items   int        `json:"items"`
	LowID   *int64     `json:"lowId"` // of new items
	HighID  *int64     `json:"highId"`
	FirstAt *time.Time `json:"firstAt"`
	LastAt  *time.Time `json:"lastAt"`
}

// Add adds the record of one part.
func (s *BatchSummary) Add(r BatchRecord) error {
	s.Kind = r.Kind
	s.Parts++
	s.Items += r.Items
	if s.FirstAt == nil || r.CreatedAt.Before(*s.FirstAt) {
		s.FirstAt = &r.CreatedAt
	}
	if s.LastAt == nil || r.CreatedAt.After(*s.LastAt) {
		s.LastAt = &r.CreatedAt
	}
	made := func(id int64) {
		if s.LowID == nil || id < *s.LowID {
			s.LowID = &id
		}
		if s.HighID == nil || id > *s.HighID {
			s.HighID = &id
		}
	}
	for _, e := range r.Enqueued {
		if !e.Existing {
			made(e.ID)
		}
	}
	for _, id := range r.Clones {
		made(id)
	}
	return nil
}
