package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"botwork/internal/api/auth"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/pipelines/graph"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// Project reads the project that the server belongs to.
type Project interface {
	// Load returns the project as its files are now.
	Load() (*operations.Project, error)

	// WhyParams returns what the reason why an item waits depends on besides the database.
	WhyParams() (assign.WhyParams, error)

	Examiner
}

func (a *API) registerPipelines() {
	missing := []int{http.StatusNotFound}
	unusable := []int{http.StatusNotFound, http.StatusConflict}
	register(a, operation{
		id: "pipelines-list", method: http.MethodGet, path: "/pipelines", summary: "List the pipelines of the server's project, and the errors in its files", needs: access.Viewer, refuses: missing,
		doc: "A file with errors is in the list with `mistakes`; only its name is known. The findings are errors and warnings.",
	}, a.listPipelines)
	register(a, operation{
		id: "pipelines-get", method: http.MethodGet, path: "/pipelines/{pipeline}", summary: "Get a pipeline", needs: access.Viewer, refuses: unusable,
	}, a.getPipeline)
	register(a, operation{
		id: "pipelines-text", method: http.MethodGet, path: "/pipelines/{pipeline}/text", summary: "Get the text of a pipeline, as it is in its file or was in a version", needs: access.Viewer, refuses: missing,
		doc: "With `hash` it is the version whose hash has this prefix. The file may have errors.",
	}, a.getPipelineText)
	register(a, operation{
		id: "pipelines-versions", method: http.MethodGet, path: "/pipelines/{pipeline}/versions", summary: "List the versions of a pipeline that workers have loaded", needs: access.Viewer, refuses: missing,
		doc: "The most recently used version comes first.",
	}, a.listVersions)
	register(a, operation{
		id: "pipelines-diff", method: http.MethodGet, path: "/pipelines/{pipeline}/diff", summary: "Get what has changed in a pipeline between two versions", needs: access.Viewer, refuses: unusable,
		doc: "Without `to` it compares with the file of the server's project. Without `from` it compares the file with the previous version.",
	}, a.diffPipeline)
	register(a, operation{
		id: "pipelines-draw", method: http.MethodGet, path: "/pipelines/{pipeline}/graph", summary: "Draw a pipeline, as SVG, Mermaid or JSON", needs: access.Viewer, refuses: unusable, contents: drawings,
	}, a.drawPipeline)
	register(a, operation{
		id: "project-draw", method: http.MethodGet, path: "/project/graph", summary: "Draw all pipelines, their triggers, and which of them call or create items for which", needs: access.Viewer, refuses: missing, contents: drawings,
	}, a.drawProject)
	register(a, operation{
		id: "project-check", method: http.MethodPost, path: "/project/check", summary: "Check the text of a pipeline", needs: access.Editor, refuses: missing,
		doc: "The text is checked together with the other files of the server's project; nothing is stored. The answer has the errors and warnings in this text.",
	}, a.checkPipeline)
	register(a, operation{
		id: "pipelines-dryrun", method: http.MethodPost, path: "/pipelines/{pipeline}/dry-run", summary: "Get what a run of a pipeline would do", needs: access.Operator, refuses: unusable,
		doc: "No handler is called, and no file or database is opened. Values that depend on the output of a step are unknown; secrets are shown as `<secret>`.",
	}, a.dryRunPipeline)
	register(a, operation{
		id: "pipelines-run", method: http.MethodPost, path: "/pipelines/{pipeline}/run", summary: "Ask the workers to run a system pipeline now", needs: access.Operator, refuses: unusable, status: http.StatusAccepted,
		doc: "A worker that has the pipeline starts it, within seconds if no run of it is active. If none has within a minute, the request expires. " +
			"GET /run-requests/{request} shows what became of it. A pipeline without a trigger runs for items: enqueue one.",
		once: true,
	}, a.runPipeline)
	register(a, operation{
		id: "pipelines-pause", method: http.MethodPost, path: "/pipelines/{pipeline}/pause", summary: "Pause a system pipeline on all workers", needs: access.Operator, once: true, refuses: unusable,
		doc: "No run of it starts until it is resumed; active runs continue. Planned times are recorded as skipped.",
	}, a.pausePipeline)
	register(a, operation{
		id: "pipelines-resume", method: http.MethodPost, path: "/pipelines/{pipeline}/resume", summary: "End the pause of a system pipeline", needs: access.Operator, once: true, refuses: unusable,
	}, a.resumePipeline)
	register(a, operation{
		id: "pipelines-backfill", method: http.MethodPost, path: "/pipelines/{pipeline}/backfill", summary: "Run the planned times of a range that did not run", needs: access.Operator, refuses: unusable,
		doc: "The answer lists the planned times from `from` on and before `to`, at most 1000, and which of them run. " +
			"With `dryRun` nothing is requested. More than 10 runs, or planned times that are older than all records, need `confirm`.",
		once: true,
	}, a.backfill)
}

// PipelinePath is the path of a pipeline.
type PipelinePath struct {
	Pipeline string `path:"pipeline" maxLength:"200" doc:"the pipeline's name"`
}

// load returns the project, or the problem that there is none.
func (a *API) load() (*operations.Project, error) {
	if a.project == nil {
		return nil, problem(http.StatusNotFound, "no-project", "the server has no project with pipelines").
			withHint("ask a server that was started in the folder of the project's settings")
	}
	p, err := a.project.Load()
	if err != nil {
		a.log.Warn().Err(err).Msg("could not read the project")
		return nil, problem(http.StatusServiceUnavailable, "project-unreadable", "the server cannot read the files of its project")
	}
	return p, nil
}

type pipelineList struct {
	Body struct {
		Items    []operations.Pipeline `json:"items" nullable:"false"`
		Findings []strictyaml.Finding  `json:"findings" nullable:"false" doc:"errors and warnings in the files"`
	}
}

func (a *API) listPipelines(ctx context.Context, _ *struct{}) (*pipelineList, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	controls, err := a.store.Controls(ctx)
	if err != nil {
		return nil, err
	}
	out := &pipelineList{}
	out.Body.Items, out.Body.Findings = []operations.Pipeline{}, append([]strictyaml.Finding{}, project.Findings...)
	for _, p := range project.Catalogue.All() {
		v := operations.ViewPipeline(p)
		if pause, ok := controls.Paused[p.Name]; ok {
			v.Paused = &pause
		}
		out.Body.Items = append(out.Body.Items, v)
	}
	out.Body.Items = append(out.Body.Items, operations.BrokenPipelines(project.Catalogue)...)
	return out, nil
}

type pipelineBody struct{ Body operations.Pipeline }

func (a *API) getPipeline(ctx context.Context, in *PipelinePath) (*pipelineBody, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(in.Pipeline)
	if err != nil {
		return nil, err
	}
	controls, err := a.store.Controls(ctx)
	v := operations.ViewPipeline(p)
	if pause, ok := controls.Paused[p.Name]; ok {
		v.Paused = &pause
	}
	return &pipelineBody{v}, err
}

// hashPrefix matches the beginning of a version's hash.
const hashPrefix = `^[0-9a-fA-F]{1,64}$`

var hexadecimal = regexp.MustCompile(hashPrefix)

// prefix reads the beginning of a hash.
func prefix(location, text string) (string, error) {
	if text != "" && !hexadecimal.MatchString(text) {
		return "", fault(location, "want the beginning of a hash: 1 to 64 of 0 to 9 and a to f")
	}
	return strings.ToLower(text), nil
}

type textQuery struct {
	PipelinePath
	Hash string `query:"hash" maxLength:"64" doc:"the beginning of a version's hash"`
}

type textBody struct {
	ETag string `header:"ETag" doc:"the hash of the text in quotes, for If-Match"`
	Body struct {
		Pipeline string  `json:"pipeline"`
		File     *string `json:"file" doc:"null for a version"`
		Hash     string  `json:"hash" doc:"the SHA-256 of the text"`
		Text     string  `json:"text"`
	}
}

func (a *API) getPipelineText(ctx context.Context, in *textQuery) (*textBody, error) {
	out := &textBody{}
	out.Body.Pipeline = in.Pipeline
	hash, err := prefix("query.hash", in.Hash)
	if err != nil {
		return nil, err
	}
	if hash != "" {
		text, err := operations.VersionByHash(ctx, a.store, in.Pipeline, hash)
		out.Body.Hash, out.Body.Text, out.ETag = text.Hash, text.Text, `"`+text.Hash+`"`
		return out, err
	}
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	file := project.File(in.Pipeline)
	if file == nil {
		_, err := project.Find(in.Pipeline)
		return nil, err
	}
	out.Body.File, out.Body.Hash, out.Body.Text = &file.Path, file.Hash, strings.ToValidUTF8(file.Text, "\uFFFD")
	out.ETag = `"` + file.Hash + `"`
	return out, nil
}

type versionsQuery struct {
	PipelinePath
	Limit int `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"at most this many"`
}

type versionList struct {
	Body struct {
		Items []operations.Version `json:"items" nullable:"false"`
	}
}

// fileOf returns the file of a pipeline, nil if there is no project or no file.
func (a *API) fileOf(name string) *operations.PipelineFile {
	if a.project == nil {
		return nil
	}
	project, err := a.project.Load()
	if err != nil {
		return nil
	}
	return project.File(name)
}

func (a *API) listVersions(ctx context.Context, in *versionsQuery) (*versionList, error) {
	list, err := operations.Versions(ctx, a.store, in.Pipeline, a.fileOf(in.Pipeline), in.Limit)
	out := &versionList{}
	out.Body.Items = append([]operations.Version{}, list...)
	return out, err
}

type diffQuery struct {
	PipelinePath
	From string `query:"from" maxLength:"64" doc:"the beginning of the hash of the earlier version"`
	To   string `query:"to" maxLength:"64" doc:"the beginning of the hash of the later version"`

	Item    int64 `query:"item" minimum:"1" doc:"instead of from: the version that this item ran"`
	Attempt int   `query:"attempt" minimum:"1" doc:"with item: the version of its unsuccessful attempt with this number"`
}

type diffBody struct{ Body operations.Diff }

func (a *API) diffPipeline(ctx context.Context, in *diffQuery) (*diffBody, error) {
	from, err := prefix("query.from", in.From)
	if err != nil {
		return nil, err
	}
	to, err := prefix("query.to", in.To)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Item != 0 && from != "":
		return nil, fault("query.item", "got it together with from, want one of them")
	case in.Attempt != 0 && in.Item == 0:
		return nil, fault("query.attempt", "got it without item")
	case in.Item != 0:
		if _, from, err = operations.VersionOfItem(ctx, a.store, in.Item, in.Attempt, in.Pipeline); err != nil {
			return nil, err
		}
	}
	instant := func(at *time.Time) string { return at.UTC().Format(time.RFC3339) }
	if to != "" {
		if from == "" {
			return nil, fault("query.from", "want the version that to is compared with")
		}
		d, err := operations.DiffVersions(ctx, a.store, in.Pipeline, from, to, instant)
		return &diffBody{d}, err
	}
	d, err := operations.DiffFile(ctx, a.store, in.Pipeline, a.fileOf(in.Pipeline), from, instant)
	return &diffBody{d}, err
}

// drawings are the media types of drawings.
var drawings = []string{"image/svg+xml", "text/plain", "application/json"}

type drawQuery struct {
	PipelinePath
	DrawQuery
}

// DrawQuery is the form of a drawing.
type DrawQuery struct {
	Format string `query:"format" enum:"svg,mermaid,json" default:"svg" doc:"svg: a drawing without scripts and references; mermaid: text; json: nodes and edges"`
}

type drawing struct {
	ContentType string `header:"Content-Type"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte `contentType:"image/svg+xml"`
}

func (a *API) drawPipeline(_ context.Context, in *drawQuery) (*drawing, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(in.Pipeline)
	if err != nil {
		return nil, err
	}
	return draw(graph.OfPipeline(p), in.Format)
}

func (a *API) drawProject(_ context.Context, in *DrawQuery) (*drawing, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	return draw(graph.OfProject(project.Catalogue.All(), project.Tasks), in.Format)
}

func draw(chart *graph.Chart, format string) (*drawing, error) {
	var text bytes.Buffer
	out := &drawing{ContentType: "image/svg+xml", Policy: "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
	var err error
	switch format {
	case "mermaid":
		out.ContentType = "text/plain; charset=utf-8"
		err = graph.WriteMermaid(&text, chart)
	case "json":
		out.ContentType = "application/json"
		err = json.NewEncoder(&text).Encode(chart)
	default:
		err = graph.WriteSVG(&text, chart)
	}
	out.Body = text.Bytes()
	return out, err
}

type textToCheck struct {
	Body struct {
		File string `json:"file" minLength:"1" maxLength:"200" pattern:"^[A-Za-z0-9_./ -]+\\.ya?ml$" example:"hello.yaml" doc:"the name of the file in the pipelines folder, such as hello.yaml: an existing one is replaced for the check"`
		Text string `json:"text" doc:"the YAML text of the pipeline"`
	}
}

type findings struct {
	Body struct {
		Items []strictyaml.Finding `json:"items" nullable:"false"`
		Valid bool                 `json:"valid" doc:"there are no errors; there may be warnings"`
	}
}

// maxChecked bounds the text of a pipeline that is checked.
const maxChecked = 1 << 20

func (a *API) checkPipeline(_ context.Context, in *textToCheck) (*findings, error) {
	if err := checkLength(in.Body.Text); err != nil {
		return nil, err
	}
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	found := project.CheckText(in.Body.File, in.Body.Text)
	out := &findings{}
	out.Body.Items = append([]strictyaml.Finding{}, found...)
	out.Body.Valid = len(found.WithSeverity(strictyaml.Error)) == 0
	return out, nil
}

type dryRunRequest struct {
	PipelinePath
	Body *struct {
		Payload json.RawMessage            `json:"payload,omitempty" doc:"the payload of the item"`
		From    string                     `json:"from,omitempty" maxLength:"200" doc:"start at this step: earlier steps count as done"`
		Until   string                     `json:"until,omitempty" maxLength:"200" doc:"end after this step"`
		Outputs map[string]json.RawMessage `json:"outputs,omitempty" doc:"the outputs of steps before from, by name"`
	}
}

type dryRunBody struct{ Body operations.DryRun }

func (a *API) dryRunPipeline(_ context.Context, in *dryRunRequest) (*dryRunBody, error) {
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(in.Pipeline)
	if err != nil {
		return nil, err
	}
	var payload workqueue.JSONText
	var from, until string
	var outputs map[string]json.RawMessage
	if b := in.Body; b != nil {
		payload, from, until, outputs = workqueue.JSONText(b.Payload), b.From, b.Until, b.Outputs
	}
	part, err := operations.PartOf(from, until, outputs)
	if err != nil {
		return nil, fault("body.outputs", "%v", err)
	}
	if err := p.CheckPart(part, false); err != nil {
		return nil, fault("body", "%v", err)
	}
	return &dryRunBody{operations.RunDry(project.Engine(), p, payload, part)}, nil
}

// checkSystem refuses a pipeline that has no trigger or does not exist.
func (a *API) checkSystem(ctx context.Context, name string) error {
	var known *operations.Project
	if a.project != nil {
		if project, err := a.project.Load(); err == nil && project.Folder { // a server without the folder may control the workers of others
			known = project
		}
	}
	err := known.CheckSystem(ctx, a.store, name)
	if refused, ok := errors.AsType[*operations.RefusedError](err); ok && refused.Code == operations.CodeNoTrigger {
		refused.Hint = "pause its queue, or enqueue an item of it"
	}
	return err
}

type pipelineReason struct {
	PipelinePath
	ReasonBody
}

type requestAnswer struct {
	Body struct {
		Request int64 `json:"request" doc:"the id of the request: see GET /run-requests/{request}"`
	}
}

// startWithin is how long a worker may take to start a requested run.
const startWithin = time.Minute

func (a *API) runPipeline(ctx context.Context, in *pipelineReason) (*requestAnswer, error) {
	if err := a.checkSystem(ctx, in.Pipeline); err != nil {
		return nil, err
	}
	var ids []int64
	n := workqueue.NewRunRequests{
		Pipeline: in.Pipeline, By: auth.From(ctx).Name, Within: startWithin, Batch: workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1},
	}
	err := runPart(because(ctx, in.reason()), func(ctx context.Context) (err error) {
		ids, err = a.store.RequestRuns(ctx, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &requestAnswer{}
	out.Body.Request = ids[0]
	return out, nil
}

func (a *API) pausePipeline(ctx context.Context, in *pipelineReason) (*changed, error) {
	return a.changePipeline(ctx, in, func(ctx context.Context) (bool, error) {
		return a.store.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: in.Pipeline, Reason: in.reason(), By: auth.From(ctx).Name})
	})
}

func (a *API) resumePipeline(ctx context.Context, in *pipelineReason) (*changed, error) {
	return a.changePipeline(ctx, in, func(ctx context.Context) (bool, error) {
		return a.store.ResumePipeline(ctx, in.Pipeline, auth.From(ctx).Name)
	})
}

func (a *API) changePipeline(ctx context.Context, in *pipelineReason, change func(context.Context) (bool, error)) (*changed, error) {
	if err := a.checkSystem(ctx, in.Pipeline); err != nil {
		return nil, err
	}
	done, err := change(because(ctx, in.reason()))
	out := &changed{}
	out.Body.Changed = done
	return out, err
}

type backfillRequest struct {
	PipelinePath
	Body struct {
		From    string `json:"from" minLength:"1" maxLength:"100" doc:"the first planned time: RFC 3339, or as on the command line, in UTC"`
		To      string `json:"to" minLength:"1" maxLength:"100" doc:"planned times before this one"`
		DryRun  bool   `json:"dryRun,omitempty" doc:"answer what would run, and request nothing"`
		Confirm bool   `json:"confirm,omitempty" doc:"confirm many runs, or runs of times without records"`
		Reason  string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type backfillBody struct {
	Body struct {
		Items []operations.BackfillTime `json:"items" nullable:"false"`
	}
}

func (a *API) backfill(ctx context.Context, in *backfillRequest) (*backfillBody, error) {
	from, err := moment("body.from", in.Body.From)
	if err != nil {
		return nil, err
	}
	to, err := moment("body.to", in.Body.To)
	if err != nil {
		return nil, err
	}
	project, err := a.load()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(in.Pipeline)
	if err != nil {
		return nil, err
	}
	planned, err := operations.PlannedTimes(p, from, to)
	if err != nil {
		return nil, err
	}
	times, err := operations.PlanBackfill(ctx, a.store, p.Name, planned)
	if err != nil {
		return nil, err
	}
	if !in.Body.DryRun {
		if why := operations.Unconfirmed(times); why != "" && !in.Body.Confirm {
			return nil, problem(http.StatusUnprocessableEntity, "not-confirmed", "the backfill must be confirmed: %s", why).withHint("dryRun shows them; confirm runs them")
		}
		if err := operations.RequestBackfill(because(ctx, in.Body.Reason), a.store, p.Name, auth.From(ctx).Name, times); err != nil {
			return nil, err
		}
	}
	out := &backfillBody{}
	out.Body.Items = append([]operations.BackfillTime{}, times...)
	return out, nil
}
