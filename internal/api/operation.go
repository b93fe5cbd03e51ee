package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

// Prefix begins the paths of all operations of this version.
const Prefix = "/api/v1"

// operation describes one operation of the API. Who may call it is also in testdata/rights.txt, which
// TestRights compares with the answers.
type operation struct {
	id      string // such as items-list: unique, and part of the contract
	method  string
	path    string // after Prefix
	summary string
	doc     string

	// open operations need no token and no session, such as to sign in. Their handlers have no
	// caller.
	open bool

	// needs is the least role of people that may call it; "" means that only robots may.
	needs access.Role

	// robots may call it, too.
	robots bool

	// bound callers may call it: it checks the queue by itself. Other operations are about more
	// than one queue, and refuse a caller that is bound to queues.
	bound bool

	// once lets callers send an Idempotency-Key: see API.once. secret says that the request or the
	// answer has a secret, which must not be kept as it is.
	once, secret bool

	// keepsLease operations keep the lease of an item alive, so their requests have a lane of their own.
	keepsLease bool

	tag     string // of the document; "": the id up to its last hyphen
	status  int    // of a success; 0: 200
	also    int    // another status of a success with the same body; 0: none
	body    int64
	refuses []int                 // statuses of its own problems, besides those that every operation has
	edit    func(*huma.Operation) // adapts the document; nil: nothing

	contents   []string      // media types of a success; none: JSON
	parameters []*huma.Param // of a plain operation; those of others are read off their input
}

// Operation is what the documentation and tests need of an operation.
type Operation struct {
	ID, Method, Path, Summary string
	Roles                     []access.Role // that may call it
	Bound                     bool          // callers that are bound to queues may call it
	Open                      bool          // it needs no caller
	Once                      bool          // it takes an Idempotency-Key
	Secret                    bool          // what is kept for the Idempotency-Key is encrypted
	Tag                       string        // its group in the document
}

// Operations lists the operations in the order of their registration.
func (a *API) Operations() []Operation { return slices.Clone(a.operations) }

// roles lists the roles that may call the operation.
func (op *operation) roles() []access.Role {
	var roles []access.Role
	for _, r := range access.Roles() {
		if op.open || r == access.Robot && op.robots || r != access.Robot && op.needs != "" && r.Includes(op.needs) {
			roles = append(roles, r)
		}
	}
	return roles
}

// everyRefusal are the statuses of problems that every operation may have.
var everyRefusal = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// formTime is how long the client of a short form may take to send it.
const formTime = 10 * time.Second

// permission is the key of an operation's permission in huma's metadata.
const permission = "permission"

// register adds an operation. Its handler gets a context with the caller and the actor.
func register[I, O any](a *API, op operation, handle func(ctx context.Context, in *I) (*O, error)) {
	huma.Register(a.huma, a.admit(&op), func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, a.refuse(ctx, op.id, err)
		}
		return out, nil
	})
	a.documentStatus(&op)
}

// admit adds the operation to those that the API knows, and returns its description. It is not generic,
// because register is compiled once for each operation.
func (a *API) admit(op *operation) huma.Operation {
	known := op.known()
	a.operations = append(a.operations, known)
	described := op.describe(known)
	described.MaxBodyBytes, described.BodyReadTimeout = op.maxBody(a), time.Minute
	if op.lane() != httpserver.General {
		described.BodyReadTimeout = formTime
	}
	a.lanes[op.method+" "+described.Path] = op.lane()
	described.Errors = append(slices.Clone(everyRefusal), op.refuses...)
	described.Responses = op.responses()
	if op.once {
		described.Middlewares = huma.Middlewares{a.once}
		described.Parameters = append(described.Parameters, onceParameter)
	}
	if op.edit != nil {
		op.edit(&described)
	}
	return described
}

// onceParameter describes the header of operations that are processed once.
var onceParameter = &huma.Param{
	Name: idempotencyKey, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(access.MaxIdempotencyKey)},
	Description: "a key of the caller's choice, such as a UUID: for 24 hours, the same request with the same key gets the same answer and has no further effect",
}

// documentStatus adds another status with the same answer to the document, if the operation has one.
func (a *API) documentStatus(op *operation) {
	if op.also == 0 {
		return
	}
	path := a.huma.OpenAPI().Paths[Prefix+op.path]
	for _, described := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
		if described != nil && described.OperationID == op.id {
			described.Responses[strconv.Itoa(op.also)] = described.Responses[strconv.Itoa(op.status)]
		}
	}
}

func (op *operation) tagged() string {
	if op.tag != "" {
		return op.tag
	}
	tag, _, _ := cutLast(op.id)
	return tag
}

func (op *operation) known() Operation {
	return Operation{ID: op.id, Method: op.method, Path: Prefix + op.path, Summary: op.summary, Roles: op.roles(), Bound: op.bound || op.open, Open: op.open, Once: op.once, Secret: op.secret, Tag: op.tagged()}
}

// describe returns the operation as the document has it.
func (op *operation) describe(known Operation) huma.Operation {
	security := []map[string][]string{{"token": {}}, {"session": {}}}
	if op.open {
		security = []map[string][]string{}
	}
	return huma.Operation{
		OperationID: op.id, Method: op.method, Path: known.Path, Summary: op.summary, Description: op.description(known.Roles),
		Tags: []string{op.tagged()}, DefaultStatus: op.status, Security: security,
		Metadata: map[string]any{permission: known},
	}
}

func (op *operation) description(roles []access.Role) string {
	text := op.doc
	if text != "" {
		text += "\n\n"
	}
	if op.open {
		return text + "It needs no token and no session."
	}
	return text + fmt.Sprintf("Roles: %s.", joinRoles(roles))
}

// responses describes a success that is not JSON; nil for JSON, which huma describes by itself.
func (op *operation) responses() map[string]*huma.Response {
	if len(op.contents) == 0 {
		return nil
	}
	r := &huma.Response{Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{}}
	for _, mediaType := range op.contents {
		r.Content[mediaType] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		if mediaType == "application/json" {
			r.Content[mediaType].Schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
		}
	}
	return map[string]*huma.Response{"200": r}
}

func (op *operation) maxBody(a *API) int64 {
	if op.body != 0 {
		return op.body
	}
	return a.limits.Body
}

// cutLast splits a text at its last hyphen.
func cutLast(id string) (before, after string, found bool) {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '-' {
			return id[:i], id[i+1:], true
		}
	}
	return id, "", false
}

func joinRoles(roles []access.Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// permit checks whether the caller may call the operation at all.
func permit(p *access.Principal, op Operation) *Problem {
	if !slices.Contains(op.Roles, p.Role) {
		return problem(http.StatusForbidden, "role-not-allowed", "the role %s may not call %s", p.Role, op.ID).withHint("it needs one of: " + joinRoles(op.Roles))
	}
	if len(p.Queues) > 0 && !op.Bound {
		return problem(http.StatusForbidden, "bound-to-queues", "%s is about more than the queues that the caller is bound to", op.ID)
	}
	return nil
}

// mayQueue refuses a queue that the caller is not bound to, as if it did not exist.
func mayQueue(ctx context.Context, queue string) error {
	if p := auth.From(ctx); p == nil || !p.MayQueue(queue) {
		return problem(http.StatusForbidden, "queue-not-allowed", "the caller may not use the queue %q", queue)
	}
	return nil
}
