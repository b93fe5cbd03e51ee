package handlers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind is one kind of handler: its name in pipelines, its documentation, and its constructor.
type Kind struct {
	// Name is the value of a step's `handler`, such as "HTTP". Names must differ by more than
	// upper and lower case.
	Name string

	// Summary is one line without a full stop.
	Summary string

	// Doc is plain text in paragraphs: what it does, how it stays safe when
	// it runs again, and which failures it reports as which kind.
	Doc string

	// Output describes the output of the step.
	Output string

	// OutputShape returns the shape of the output for these parameters; those that an expression
	// supplies are nil. If OutputShape is nil, the shape is unknown.
	OutputShape func(with map[string]any) Shape

	// Lint returns what is wrong or suspicious about parameters as a file has them, in addition to
	// what their types and Validate show; nil finds nothing. A text with ${{ is an expression, whose
	// value is unknown.
	Lint func(with map[string]any) []ParamError

	// Example is a YAML list of steps. A test runs it.
	Example string

	// New returns a pointer to a new parameter struct that holds the defaults. Its exported
	// fields are the parameters: the tag `json` names one, `doc` describes it (with its unit),
	// `required:"true"` and `enum:"a,b"` constrain it; `literal:"true"` lets no expression give
	// it, `nonNull:"true"` does not take null for "not given", and `needs:"other"` is an error
	// unless the parameter other is given, as something else than "none". A field of the type
	// ExpressionChecker lets no expression give some texts.
	New func() Handler
}

// Registry has kinds by name. It is filled at start-up and only read afterwards; concurrent
// reads are safe.
type Registry struct {
	kinds map[string]Kind
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{kinds: map[string]Kind{}} }

// Register adds a kind. It returns an error for a kind without a name or New, or with a name
// that is already registered (ignoring case).
func (r *Registry) Register(k Kind) error {
	if k.Name == "" || k.New == nil {
		return fmt.Errorf("register handler %q: a kind needs a Name and a New", k.Name)
	}
	key := strings.ToLower(k.Name)
	if old, taken := r.kinds[key]; taken {
		return fmt.Errorf("register handler %q: the name is taken by %q", k.Name, old.Name)
	}
	r.kinds[key] = k
	return nil
}

// MustRegister adds kinds and panics if Register returns an error. It is for lists in code.
func (r *Registry) MustRegister(kinds ...Kind) {
	for _, k := range kinds {
		if err := r.Register(k); err != nil {
			panic(err)
		}
	}
}

// Lookup finds a kind by its exact name.
func (r *Registry) Lookup(name string) (Kind, bool) {
	k, ok := r.kinds[strings.ToLower(name)]
	if !ok || k.Name != name {
		return Kind{}, false
	}
	return k, true
}

// Kinds returns all kinds, sorted by name without regard to case.
func (r *Registry) Kinds() []Kind {
	keys := slices.Sorted(maps.Keys(r.kinds))
	kinds := make([]Kind, len(keys))
	for i, key := range keys {
		kinds[i] = r.kinds[key]
	}
	return kinds
}

// Names returns the names of all kinds in the order of Kinds.
func (r *Registry) Names() []string {
	kinds := r.Kinds()
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}
