package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/httpserver"
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The bounds of an import of lines.
const (
	importBody    = 1 << 30
	importLines   = 100_000
	importRefused = 10_000           // lines that may be refused
	importBatch   = 1000             // items of a transaction
	importBytes   = 4 << 20          // of the payloads of a transaction
	importRest    = 1 << 20          // of a line without its payload
	importSlow    = 50               // lines that the client must send in importPatient
	importPatient = 60 * time.Second // likewise, for the next part of the answer
)

func (a *API) registerItemImport() {
	register(a, operation{
		id: "items-import", method: http.MethodPost, path: "/items/batch", summary: "Enqueue many items", needs: access.Operator, bound: true, refuses: []int{http.StatusConflict},
		doc: fmt.Sprintf("The body is application/x-ndjson: one item a line, with the keys of a line of `botwork enqueue -`, at most %d lines. Good lines are enqueued in transactions of up to %d; bad ones are refused and do not stop the others. "+
			"The answer comes when all lines are read, as application/x-ndjson: for each line that is not blank, in their order, an object with line and either id and existing, or problem; the last line has summary. "+
			"If its complete is false, the lines after the last one of the answer were not processed. "+
			"To repeat an import that broke off, send the same lines with the same batch: no item is enqueued twice within seven days.", importLines, importBatch),
		edit: func(op *huma.Operation) {
			op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{ndjson: {Schema: &huma.Schema{Type: huma.TypeString}}}}
			answersLines(op)
		},
	}, a.importItems)
}

// answersLines documents that a success is a stream of lines.
func answersLines(op *huma.Operation) {
	op.Responses = map[string]*huma.Response{"200": {
		Description: "lines of JSON", Content: map[string]*huma.MediaType{ndjson: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
}

// ImportRequest is a request to enqueue many items.
type ImportRequest struct {
	Batch       string `query:"batch" pattern:"^[a-zA-Z0-9_.-]{8,64}$" doc:"the key of an earlier import of the same lines that broke off, or a new key of 8 to 64 letters, digits, dots, hyphens and underscores; the default is random"`
	Part        int64  `query:"part" minimum:"1" maximum:"1000000" default:"1" doc:"the number of the first transaction, for a client that sends the lines of one batch in several requests of one transaction each"`
	DryRun      bool   `query:"dryRun" doc:"enqueue nothing, and answer which lines would be refused"`
	NoCheck     bool   `query:"noCheck" doc:"do not compare the items with the pipelines of the project"`
	ContentType string `header:"Content-Type" doc:"application/x-ndjson"`
	body        io.Reader
}

// Resolve implements huma.Resolver: the body is read line by line.
func (r *ImportRequest) Resolve(ctx huma.Context) []error {
	r.body = ctx.BodyReader()
	return nil
}

// importedLine is the answer to one line.
type importedLine struct {
	Line     int          `json:"line"`
	ID       *int64       `json:"id,omitempty"`
	Existing *bool        `json:"existing,omitempty"`
	Problem  *lineProblem `json:"problem,omitempty"`

	item *workqueue.NewItem // that is still to be enqueued
	fail bool               // the line is refused if its key is in use
}

// lineProblem is the problem of a line, without what only a whole answer has.
type lineProblem struct {
	Code   string  `json:"code"`
	Detail string  `json:"detail"`
	Hint   string  `json:"hint,omitempty"`
	Errors []Fault `json:"errors,omitempty"`
	ItemID *int64  `json:"itemId,omitempty"`
}

// importSummary is the last line of the answer.
type importSummary struct {
	Batch    string       `json:"batch"`
	Lines    int          `json:"lines"` // of the answer
	Created  int          `json:"created"`
	Existing int          `json:"existing"`
	Refused  int          `json:"refused"`
	Complete bool         `json:"complete"` // all lines were processed
	Problem  *lineProblem `json:"problem,omitempty"`
}

// lineImport is an import in progress.
type lineImport struct {
	api     *API
	reader  *itemReader
	summary importSummary
	part    int64
	dry     bool // enqueues nothing

	window []importedLine // of the next transaction, and the refused lines between
	items  int            // in the window
	bytes  int            // of their texts
	answer bytes.Buffer
	failed error // of the database
}

func (a *API) importItems(ctx context.Context, in *ImportRequest) (*huma.StreamResponse, error) {
	if kind, _, _ := bytes.Cut([]byte(in.ContentType), []byte(";")); string(bytes.TrimSpace(kind)) != ndjson {
		return nil, problem(http.StatusUnsupportedMediaType, "unsupported-media-type", "got the Content-Type %.80q, want %s", in.ContentType, ndjson)
	}
	reader, err := a.newItemReader(ctx, in.NoCheck)
	if err != nil {
		return nil, err
	}
	httpserver.LongBody(ctx, importBody)
	imp := &lineImport{api: a, reader: reader, summary: importSummary{Batch: in.Batch}, part: in.Part - 1, dry: in.DryRun}
	if imp.summary.Batch == "" {
		imp.summary.Batch = workqueue.NewBatchKey()
	}
	err = imp.run(ctx, in.body)
	httpserver.WritesFor(ctx, importPatient) // reading may have taken longer than other requests
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(out huma.Context) {
		out.SetHeader("Content-Type", ndjson)
		out.SetStatus(http.StatusOK)
		for imp.answer.Len() > 0 {
			httpserver.WritesFor(ctx, importPatient)
			if _, err := out.BodyWriter().Write(imp.answer.Next(1 << 16)); err != nil {
				return
			}
		}
	}}, nil
}

// run processes the lines and builds the answer. The error is that of a request that has changed
// nothing.
func (r *lineImport) run(ctx context.Context, body io.Reader) error {
	limit := r.reader.queues.LargestPayload() + importRest
	httpserver.ReadsFor(ctx, importPatient)
	var stopped *Problem
	err := newitems.ReadLines(body, limit, func(line newitems.InputLine) bool {
		switch {
		case r.summary.Lines+len(r.window) == importLines:
			stopped = problem(http.StatusRequestEntityTooLarge, "too-many-lines", "got more than %d lines, want at most that many in a request", importLines)
		case r.summary.Refused == importRefused:
			stopped = problem(http.StatusUnprocessableEntity, "too-many-refused", "%d lines were refused", importRefused)
		default:
			r.add(ctx, line, limit)
		}
		if len(r.window)%importSlow == 0 {
			httpserver.ReadsFor(ctx, importPatient)
		}
		return stopped == nil && r.failed == nil && ctx.Err() == nil
	})
	if r.failed == nil && ctx.Err() == nil {
		r.flush(ctx)
	}
	if stopped != nil && r.failed == nil {
		// A client that still sends would not receive the answer.
		httpserver.ReadsFor(ctx, importPatient)
		_, _ = io.Copy(io.Discard, body)
	}
	switch {
	case r.failed != nil && r.summary.Created+r.summary.Existing == 0:
		return r.failed
	case r.failed != nil:
		stopped = problemOf(r.api.refuse(ctx, "items-import", r.failed))
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		stopped = unreadBody(err)
	}
	if r.summary.Complete = stopped == nil; stopped != nil {
		r.summary.Problem = shortProblem(stopped)
	}
	return r.write(map[string]importSummary{"summary": r.summary})
}

// unreadBody returns the problem of a body that could not be read to its end.
func unreadBody(err error) *Problem {
	if p := problemOfBody(err); p != nil {
		return p
	}
	return problem(http.StatusRequestTimeout, "request-timeout", "the body could not be read to its end")
}

func shortProblem(p *Problem) *lineProblem {
	return &lineProblem{Code: p.Code, Detail: p.Detail, Hint: p.Hint, Errors: p.Errors, ItemID: p.ItemID}
}

// add checks a line and adds it to the next transaction.
func (r *lineImport) add(ctx context.Context, line newitems.InputLine, limit int64) {
	result := importedLine{Line: line.Number}
	if line.TooLong {
		r.refuse(&result, problem(http.StatusRequestEntityTooLarge, "too-large", "the line is longer than %d bytes", limit))
		r.window = append(r.window, result)
		return
	}
	it, refused := r.reader.read(ctx, line.Text, fmt.Sprintf("line %d, ", line.Number))
	if refused != nil {
		r.refuse(&result, refused)
		r.window = append(r.window, result)
		return
	}
	// A key that is in use must refuse its line only, not the whole transaction.
	result.fail, it.Conflict = it.Conflict == workqueue.ConflictFail, workqueue.ConflictExisting
	size := len(it.Payload) + len(it.IntegrationConfig)
	if r.items > 0 && r.bytes+size > importBytes {
		r.flush(ctx)
	}
	result.item = &it
	r.window = append(r.window, result)
	r.items, r.bytes = r.items+1, r.bytes+size
	if r.items == importBatch {
		r.flush(ctx)
	}
}

func (r *lineImport) refuse(line *importedLine, p *Problem) {
	line.item, line.Problem = nil, shortProblem(p)
	const most = 20
	if len(line.Problem.Errors) > most {
		line.Problem.Errors = line.Problem.Errors[:most]
	}
	r.summary.Refused++
}

// flush enqueues the items of the window and adds its lines to the answer. If that fails, their
// lines are not in the answer.
func (r *lineImport) flush(ctx context.Context) {
	if r.failed != nil {
		return
	}
	httpserver.ReadsFor(ctx, importPatient)
	if r.items > 0 && !r.dry {
		r.part++
		if r.failed = r.enqueue(ctx); r.failed != nil {
			return
		}
	}
	for i := range r.window {
		if r.failed = r.write(&r.window[i]); r.failed != nil {
			return
		}
	}
	r.summary.Lines += len(r.window)
	clear(r.window)
	r.window, r.items, r.bytes = r.window[:0], 0, 0
}

// enqueue enqueues the items of the window. Those that the store refuses, because their queue has
// changed meanwhile, are left out.
func (r *lineImport) enqueue(ctx context.Context) error {
	for {
		var items []workqueue.NewItem
		var lines []*importedLine
		for i := range r.window {
			if line := &r.window[i]; line.item != nil {
				items, lines = append(items, *line.item), append(lines, line)
			}
		}
		if len(items) == 0 {
			return nil
		}
		made, err := r.api.enqueue(ctx, workqueue.BatchPart{Key: storedBatch(ctx, r.summary.Batch), Part: r.part}, items)
		if err == nil {
			for i, line := range lines {
				r.enqueued(line, made[i])
			}
			return nil
		}
		bad, isItem := errors.AsType[*workqueue.BadItemError](err)
		unknown, isQueue := errors.AsType[*workqueue.UnknownQueueError](err)
		switch {
		case isItem && bad.Index < len(lines):
			p := problem(http.StatusUnprocessableEntity, "invalid-item", "the item cannot be enqueued")
			p.Errors = faultsAt(fmt.Sprintf("line %d", lines[bad.Index].Line), ", ", bad.Err)
			r.refuse(lines[bad.Index], p)
		case isQueue:
			if !slices.ContainsFunc(lines, func(l *importedLine) bool { return l.item.QueueName == unknown.Queue }) {
				return err
			}
			for _, line := range lines {
				if line.item.QueueName == unknown.Queue {
					r.refuse(line, problemOf(err))
				}
			}
		default:
			return err
		}
	}
}

// enqueued records the result of an item.
func (r *lineImport) enqueued(line *importedLine, made workqueue.Enqueued) {
	if made.Existing && line.fail {
		p := problem(http.StatusConflict, "duplicate-key", "item %d has the same unique key", made.ID).about(made.ID)
		r.refuse(line, p)
		return
	}
	line.item, line.ID, line.Existing = nil, &made.ID, &made.Existing
	if made.Existing {
		r.summary.Existing++
	} else {
		r.summary.Created++
	}
}

// write adds a line to the answer.
func (r *lineImport) write(v any) error {
	text, err := workqueue.MarshalPlain(v)
	if err == nil {
		r.answer.Write(append(text, '\n'))
	}
	return err
}
