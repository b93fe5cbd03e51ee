package pipelines

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/pipelines"
)

// partFlags select some of a pipeline's steps.
type partFlags struct {
	from, until string
	outputs     []string
}

func (f *partFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "", "start at this `STEP`: earlier steps count as done")
	cmd.Flags().StringVar(&f.until, "until", "", "end after this `STEP`")
	cmd.Flags().StringArrayVar(&f.outputs, "with-output", nil,
		"`STEP=JSON`: the output of a step before --from; STEP=@FILE reads a file, '{\"STEP\": JSON, ...}' gives several; may be repeated")
}

// part returns the selected part; nil if no flag is given.
func (f *partFlags) part() (*pipelines.Part, error) {
	if f.from == "" && f.until == "" && len(f.outputs) == 0 {
		return nil, nil
	}
	part := &pipelines.Part{From: f.from, Until: f.until, Outputs: map[string]any{}}
	for _, text := range f.outputs {
		given, err := stepOutputs(text)
		if err != nil {
			return nil, err
		}
		for step, value := range given {
			if _, twice := part.Outputs[step]; twice {
				return nil, cli.Usagef("--with-output: step %q is given twice", step)
			}
			part.Outputs[step] = value
		}
	}
	return part, nil
}

// stepOutputs reads one --with-output.
func stepOutputs(text string) (map[string]any, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		value, err := handlers.DecodeJSON([]byte(text))
		outputs, ok := value.(map[string]any)
		if err != nil || !ok {
			return nil, &cli.UsageError{Message: fmt.Sprintf("--with-output: not a JSON object: %v", err),
				Hint: "the shell may have removed the quotes; STEP=@FILE reads a file instead"}
		}
		return outputs, nil
	}
	step, data, ok := strings.Cut(text, "=")
	if !ok || step == "" {
		return nil, cli.Usagef("--with-output: got %q, want STEP=JSON, STEP=@FILE or a JSON object of outputs by step", cli.Shorten(text, 60))
	}
	source, raw := "the value", []byte(data)
	if file, named := strings.CutPrefix(data, "@"); named {
		var err error
		if raw, err = os.ReadFile(file); err != nil {
			return nil, cli.Usagef("--with-output: step %q: %v", step, err)
		}
		source = file
	}
	value, err := handlers.DecodeJSON(bytes.TrimPrefix(raw, []byte("\ufeff")))
	if err != nil {
		return nil, &cli.UsageError{Message: fmt.Sprintf("--with-output: step %q: %s is not JSON: %v", step, source, err),
			Hint: "in JSON, text needs double quotes"}
	}
	return map[string]any{step: value}, nil
}
