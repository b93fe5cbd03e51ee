package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/rs/zerolog"

	"botwork/internal/bounded"
	"botwork/workqueue/matching"
)

// maxElements bounds the elements of lists and maps that one evaluation builds.
const maxElements = 100_000

// expressionRule evaluates an expression for each worker, or for a batch of workers.
// If it fails or does not give a finite number, the default score is used, and the
// first such error is logged.
type expressionRule struct {
	matching.Scoring
	program *bounded.Program
	log     zerolog.Logger
	said    sync.Once
}

func newExpression(sc matching.Scoring, s Services) (matching.Rule, error) {
	program, err := compile(sc)
	if err != nil {
		return nil, matching.Faults{{Path: []string{"expression"}, Message: err.Error()}}
	}
	return &expressionRule{Scoring: sc, program: program, log: s.Log}, nil
}

// compile checks names and types: only job, selectors, and worker or workers are
// defined.
func compile(sc matching.Scoring) (*bounded.Program, error) {
	variables := types.Map{"job": types.TypeOf(map[string]any{}), "selectors": types.TypeOf([]any{})}
	if sc.WithoutLabels {
		delete(variables, "job")
	}
	if sc.WithoutSelectors {
		delete(variables, "selectors")
	}
	names := []string{"worker", "job", "selectors"}
	if sc.Batch {
		variables["workers"], names[0] = types.TypeOf([]any{}), "workers"
	} else {
		variables["worker"] = types.TypeOf(map[string]any{})
	}
	program, err := bounded.Compile(sc.Expression, variables, expr.Timezone("UTC"))
	if err == nil {
		return program, mayScore(program.Type(), sc.Batch)
	}
	message := explain(err)
	if strings.HasPrefix(message, "unknown name") {
		names = slices.DeleteFunc(names, func(name string) bool { return variables[name] == nil })
		message += "; valid names: " + strings.Join(names, ", ")
	}
	return nil, errors.New(message)
}

// mayScore rejects an expression that can never give a score. If the type is unknown
// before it runs, the result is checked then.
func mayScore(t reflect.Type, batch bool) error {
	switch kind := t.Kind(); {
	case kind == reflect.Interface, batch && kind == reflect.Slice:
		return nil
	case batch:
		return fmt.Errorf("the expression gives %s, want a list of numbers, one for each of workers", t)
	case kind == reflect.Int || kind == reflect.Float64:
		return nil
	case kind == reflect.Bool:
		return errors.New("the expression gives true or false, want a number, such as worker.gpu ? 1 : 0")
	}
	return fmt.Errorf("the expression gives %s, want a number", t)
}

// explain returns an error of the library in one line, with its position and without
// the excerpt of the expression.
func explain(err error) string {
	if at, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Sprintf("%s (line %d, column %d)", at.Message, at.Line, at.Column+1)
	}
	return err.Error()
}

// Scores implements matching.Rule.
func (r *expressionRule) Scores(ctx context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	scores := make([]float64, 0, len(workers))
	values := jobValues(&r.Scoring, job)
	machine := bounded.Machine{MaxElements: maxElements}
	machine.Start(ctx)
	for chunk := range slices.Chunk(workers, r.Size()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		workerValues(&r.Scoring, values, chunk)
		got, err := r.evaluate(&machine, values, len(chunk))
		if ended := ctx.Err(); err != nil && ended != nil {
			return nil, ended
		}
		if err != nil {
			r.said.Do(func() {
				r.log.Warn().Err(err).Str("expression", r.Expression).Msg("scoring expression failed; using the default score")
			})
			got = defaultScores(r.Shown(job), chunk)
		}
		scores = append(scores, got...)
	}
	return scores, nil
}

func (r *expressionRule) evaluate(machine *bounded.Machine, values map[string]any, workers int) ([]float64, error) {
	result, err := machine.Run(r.program, values)
	if err != nil {
		return nil, errors.New(explain(err))
	}
	return numbers(result, workers, r.Batch)
}

// numbers reads the scores of this many workers: a list for a batch, otherwise one
// number.
func numbers(result any, workers int, batch bool) ([]float64, error) {
	list := []any{result}
	if batch {
		var ok bool
		if list, ok = asList(result); !ok {
			return nil, fmt.Errorf("got %s, want a list of %d numbers", describe(result), workers)
		}
	}
	if len(list) != workers {
		return nil, fmt.Errorf("got %d scores for %d workers", len(list), workers)
	}
	scores := make([]float64, len(list))
	for i, v := range list {
		f, ok := asNumber(v)
		switch {
		case ok:
			scores[i] = f
		case batch:
			return nil, fmt.Errorf("got %s as score %d, want a finite number", describe(v), i+1)
		default:
			return nil, fmt.Errorf("got %s, want a finite number", describe(v))
		}
	}
	return scores, nil
}

// asList converts the list types that expressions return.
func asList(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []int:
		list := make([]any, len(v))
		for i, n := range v {
			list[i] = n
		}
		return list, true
	case []float64:
		list := make([]any, len(v))
		for i, f := range v {
			list[i] = f
		}
		return list, true
	}
	return nil, false
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}

// describe names a result without its texts, which should not be in a log.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case string:
		return "a text"
	case bool, int, float64:
		return fmt.Sprint(v)
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%T", v)
}
