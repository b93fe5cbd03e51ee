package pipelines

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/redaction"
)

// rendering is the state of rendering one step's parameters.
type rendering struct {
	*dryRun
	unknown map[string][]string // by path; see pathKey
	step    *DryStep
}

func pathKey(path []string) string { return strings.Join(path, "\x00") }

// parameters renders the step's parameters as far as they are known, and checks those. Its
// error is the one of the run.
func (d *dryRun) parameters(s *Step, step *DryStep) error {
	r := &rendering{dryRun: d, unknown: map[string][]string{}, step: step}
	t := s.with
	if t == nil {
		t = &template{key: "with", literal: s.literal}
	}
	value, shown, err := r.render(t, nil)
	if err != nil {
		return handlers.Permanent(err)
	}
	with := value.(map[string]any)
	hidden := hide(PlainValue(shown), s.kind.Fields())
	step.Parameters, _ = hidden.(map[string]any)
	if err := s.checkRendered(with); err != nil {
		return handlers.Permanent(fmt.Errorf("with: %w", err))
	}
	wrong := s.kind.CheckLiteral(with, func(path []string) bool { return len(r.unknown[pathKey(path)]) > 0 })
	if len(wrong) > 0 {
		return handlers.Permanent(fmt.Errorf("with: %w", &handlers.ParamErrors{List: wrong}))
	}
	return nil
}

// render returns a value, nil if it is unknown, and the form in which it is shown.
func (r *rendering) render(t *template, path []string) (value, shown any, err error) {
	switch {
	case t.value != nil:
		return r.whole(t, path)
	case t.text != nil:
		return r.text(t, path)
	case t.fields != nil:
		values, shows := make(map[string]any, len(t.fields)), make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			if values[f.key], shows[f.key], err = r.render(f.value, append(slices.Clip(path), f.key)); err != nil {
				return nil, nil, err
			}
		}
		return values, shows, nil
	case t.items != nil:
		values, shows := make([]any, len(t.items)), make([]any, len(t.items))
		for i, item := range t.items {
			if values[i], shows[i], err = r.render(item, append(slices.Clip(path), strconv.Itoa(i))); err != nil {
				return nil, nil, err
			}
		}
		return values, shows, nil
	default:
		return t.literal, r.engine.redactor.Value(t.literal), nil
	}
}

func (r *rendering) whole(t *template, path []string) (value, shown any, err error) {
	v, unknown, err := r.eval(t.value)
	switch {
	case err != nil:
		return nil, nil, t.named(err)
	case len(unknown) > 0:
		r.addUnknown(t, path, unknown)
		return nil, unknownText(unknown), nil
	}
	return v, r.show(t.value, v), nil
}

func (r *rendering) text(t *template, path []string) (value, shown any, err error) {
	var text, show strings.Builder
	var missing []string
	for _, s := range t.text {
		if s.value == nil {
			text.WriteString(s.text)
			show.WriteString(s.text)
			continue
		}
		v, unknown, err := r.eval(s.value)
		if err != nil {
			return nil, nil, t.named(err)
		}
		if len(unknown) > 0 {
			missing = union(missing, unknown)
			show.WriteString(unknownText(unknown))
			continue
		}
		piece, err := segmentText(s.value, v)
		if err != nil {
			return nil, nil, t.named(err)
		}
		if err := r.machine.Memory(len(piece)); err != nil {
			return nil, nil, t.named(s.value.failed(err))
		}
		text.WriteString(piece)
		if shown, ok := r.show(s.value, piece).(string); ok {
			show.WriteString(shown)
		}
	}
	if len(missing) > 0 {
		r.addUnknown(t, path, missing)
		return nil, r.engine.redactor.Redact(show.String()), nil
	}
	return text.String(), r.engine.redactor.Redact(show.String()), nil
}

// addUnknown records that the value at a path depends on the results of steps.
func (r *rendering) addUnknown(t *template, path, steps []string) {
	r.unknown[pathKey(path)] = steps
	r.step.Unknown = append(r.step.Unknown, DryUnknown{Path: t.key, Steps: steps})
}

func unknownText(steps []string) string { return "<unknown: " + strings.Join(steps, ", ") + ">" }

// show returns the value of an expression as it is shown. A value that is made of a secret,
// or a secret too short to be found again, is hidden.
func (r *rendering) show(x *expression, v any) any {
	shown := r.engine.redactor.Value(v)
	if v == nil || !read(x.tree()).secrets || holdsMark(shown) {
		return shown
	}
	if _, isBool := v.(bool); isBool {
		return shown
	}
	return redaction.Hidden
}

func holdsMark(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, redaction.Hidden)
	case []any:
		return slices.ContainsFunc(v, holdsMark)
	case map[string]any:
		for _, one := range v {
			if holdsMark(one) {
				return true
			}
		}
	}
	return false
}

// PlainValue returns a value with its times and durations, at any depth, as texts.
func PlainValue(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case time.Duration:
		return handlers.Duration(v).String()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = PlainValue(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, one := range v {
			m[key] = PlainValue(one)
		}
		return m
	}
	return v
}

// hide removes parameters that are never shown.
func hide(v any, fields []handlers.Field) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, f := range fields {
		value, exists := m[f.Name]
		switch list, isList := value.([]any); {
		case !exists || value == nil:
		case f.Secret:
			m[f.Name] = redaction.Hidden
		case isList:
			for i := range list {
				list[i] = hide(list[i], f.Fields)
			}
		default:
			m[f.Name] = hide(value, f.Fields)
		}
	}
	return m
}
