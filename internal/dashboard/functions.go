package dashboard

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"botwork/workqueue"
)

// functions are what templates can call.
func functions(files *assets) template.FuncMap {
	return template.FuncMap{
		"asset":    files.path,
		"num":      number,
		"short":    shortNumber,
		"percent":  percentOf,
		"mean":     meanNumber,
		"span":     span,
		"dur":      durationText,
		"ms":       func(ms int64) string { return span(time.Duration(ms) * time.Millisecond) },
		"stamp":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"icon":     icon,
		"status":   statusLook,
		"dict":     dict,
		"query":    func(path string, pairs ...string) string { return address(path, pairs...) },
		"segment":  segment,
		"spark":    sparkline,
		"join":     strings.Join,
		"isnil":    func(v any) bool { return v == nil },
		"plural":   plural,
		"counted":  counted,
		"roles":    func() []string { return []string{"viewer", "operator", "editor", "admin"} },
		"lower":    strings.ToLower,
		"prettify": pretty,
		"next":     func(n int) int64 { return int64(n) + 1 },
		"i64":      func(n int) int64 { return int64(n) },
		"len64":    func(list []worker) int64 { return int64(len(list)) },
		"round":    func(v float64) int64 { return int64(math.Round(v)) },
		"scale":    func(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) },
		"waiting":  func(c counts) int64 { return c.waiting() },
		"plain":    plainValue,
		"ids":      idList,
		"ptr":      func(text string) *string { return &text },
		"brief":    func(text *string) string { return briefText(*text, 120) },
		"steps":    stepsText,
	}
}

func address(path string, pairs ...string) string {
	if q := values(pairs...); len(q) > 0 {
		return path + "?" + q.Encode()
	}
	return path
}

// idList writes ids with commas between them.
func idList(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = itoa(id)
	}
	return strings.Join(texts, ",")
}

// dict makes a map for a template that needs several values.
func dict(pairs ...any) (map[string]any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: got the name %v, want a text", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}

// number writes a whole number with commas: 12,431.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, text = "-", text[1:]
	}
	var parts []string
	for len(text) > 3 {
		parts = append([]string{text[len(text)-3:]}, parts...)
		text = text[:len(text)-3]
	}
	return sign + strings.Join(append([]string{text}, parts...), ",")
}

// shortNumber writes a number for narrow places: 999, 12.4k, 1.2M.
func shortNumber(n int64) string {
	switch v := float64(n); {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case v < 999_950:
		return trimZero(v/1000) + "k"
	default:
		return trimZero(v/1e6) + "M"
	}
}

func trimZero(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

// percent writes a share: 0.4 %.
func percent(share float64) string {
	switch p := share * 100; {
	case p == 0 || p >= 10:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	case p < 0.1:
		return "under 0.1 %"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
}

// percentOf is percent for templates, also of a pointer.
func percentOf(v any) (string, error) {
	switch share := v.(type) {
	case float64:
		return percent(share), nil
	case *float64:
		return percent(*share), nil
	}
	return "", fmt.Errorf("percent: got %T, want a number", v)
}

// meanNumber writes a mean: with a decimal if it is small.
func meanNumber(v float64) string {
	if v < 10 {
		return trimZero(v)
	}
	return number(int64(math.Round(v)))
}

// durationText writes a duration of the API, or a pointer to one.
func durationText(v any) (string, error) {
	switch d := v.(type) {
	case workqueue.Duration:
		return span(time.Duration(d)), nil
	case *workqueue.Duration:
		return span(time.Duration(*d)), nil
	}
	return "", fmt.Errorf("dur: got %T, want a duration", v)
}

// span writes a duration with its two largest units: 3 min 12 s.
func span(d time.Duration) string {
	if d < 0 {
		d = -d
	}
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return trimZero(math.Round(d.Seconds()*10)/10) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return two(d, time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return two(d, time.Hour, "h", time.Minute, "min")
	default:
		return two(d, 24*time.Hour, "d", time.Hour, "h")
	}
}

func two(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d %s", d/large, largeName)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return text
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// mostCounted is how far pages count items: a number beyond it says that there are more.
const mostCounted = 100_000

// upTo adds the bound of a count to its filter.
func upTo(filter url.Values) url.Values {
	bounded := maps.Clone(filter)
	if bounded == nil {
		bounded = url.Values{}
	}
	bounded.Set("upTo", strconv.Itoa(mostCounted))
	return bounded
}

// counted is plural for a number that may be the bound of a count.
func counted(n int64, more bool, one, many string) string {
	if more {
		return number(n) + "+ " + many
	}
	return plural(n, one, many)
}

// plainValue writes a value of JSON without quotes around texts.
func plainValue(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func briefText(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// sparkline draws numbers as a small area.
func sparkline(values []float64, look string) template.HTML {
	const w, h = 120.0, 26.0
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark %s" viewBox="0 0 %g %g" preserveAspectRatio="none" aria-hidden="true">`, template.HTMLEscapeString(look), w, h)
	if len(values) > 1 && most > 0 {
		var line strings.Builder
		for i, v := range values {
			fmt.Fprintf(&line, " %.1f,%.1f", float64(i)*w/float64(len(values)-1), h-1-(h-3)*v/most)
		}
		fmt.Fprintf(&b, `<polygon points="0,%g%s %g,%g"/><polyline points="%s"/>`, h, line.String(), w, h, strings.TrimSpace(line.String()))
	} else {
		fmt.Fprintf(&b, `<polyline points="0,%g %g,%g"/>`, h-1, w, h-1)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, and a class that is escaped
}
