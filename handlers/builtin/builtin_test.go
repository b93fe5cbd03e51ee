package builtin

import (
	"strings"
	"testing"

	"botwork/handlers"
)

func TestBuiltinKindsAreDocumented(t *testing.T) {
	for _, kind := range Registry(Resources{}).Kinds() {
		if kind.Summary == "" || strings.HasSuffix(kind.Summary, ".") {
			t.Errorf("%s: the summary is %q, want one line without a full stop", kind.Name, kind.Summary)
		}
		if !strings.Contains(kind.Doc, "run twice") {
			t.Errorf("%s: the documentation does not describe how it stays safe when it runs twice", kind.Name)
		}
		if kind.Output == "" || kind.Example == "" {
			t.Errorf("%s: want an output and an example", kind.Name)
		}
		if len(kind.Fields()) == 0 {
			t.Errorf("%s has no parameters", kind.Name)
		}
		checkFields(t, kind.Name, kind.Fields())
	}
}

func checkFields(t *testing.T, where string, fields []handlers.Field) {
	t.Helper()
	for _, f := range fields {
		if f.Doc == "" || strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s.%s: the documentation is %q, want a phrase", where, f.Name, f.Doc)
		}
		if f.Required && f.Default != "" {
			t.Errorf("%s.%s is required and has the default %q", where, f.Name, f.Default)
		}
		checkFields(t, where+"."+f.Name, f.Fields)
	}
}

// Every kind of the program declares its output.
func TestEveryKindHasAShape(t *testing.T) {
	for _, kind := range Registry(Resources{}).Kinds() {
		if kind.OutputShape == nil {
			t.Errorf("%s does not declare its output", kind.Name)
		}
	}
}
