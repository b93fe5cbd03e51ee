package dashboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// answer is a canned answer. Its file is named for the operation, for the parameters that it is for, and
// for its status if that is not 200: stats-get,group=band.json, runs-list,endsAfter.json with any value of
// the parameter, pipelines-get.409.json.
type answer struct {
	file   string
	query  url.Values
	status int
	body   []byte
}

// answers are the canned answers of a state by their operation. What all states have in common is in the
// folder common.
type answers struct {
	byOperation map[string][]answer

	mu   sync.Mutex
	used map[string]bool
}

func loadAnswers(t *testing.T, state storyState) *answers {
	t.Helper()
	a := &answers{byOperation: map[string][]answer{}, used: map[string]bool{}}
	folder := state.folder
	if folder == "" {
		folder = state.name
	}
	for _, folder := range []string{folder, "common"} {
		files, err := filepath.Glob(filepath.Join("testdata", "storybook", folder, "*.json"))
		if err != nil || files == nil {
			t.Fatalf("no answers in %s: %v", folder, err)
		}
		for _, file := range files {
			a.load(t, file, state)
		}
	}
	return a
}

func (a *answers) load(t *testing.T, file string, state storyState) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	one := answer{file: file, query: url.Values{}, status: http.StatusOK}
	if rest, status, ok := strings.Cut(name, "."); ok {
		name = rest
		if one.status, err = strconv.Atoi(status); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	parts := strings.Split(name, ",")
	for _, pair := range parts[1:] {
		name, value, _ := strings.Cut(pair, "=")
		one.query.Add(name, value)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if v = expand(v); state.hostile {
		v = attack("", v)
	}
	if one.body, err = json.Marshal(v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	// An answer of a state replaces the common one.
	same := func(other answer) bool { return other.query.Encode() == one.query.Encode() }
	if !slices.ContainsFunc(a.byOperation[parts[0]], same) {
		a.byOperation[parts[0]] = append(a.byOperation[parts[0]], one)
	}
}

// find returns the answer for most of the parameters.
func (a *answers) find(operation string, query url.Values) (best answer, ok bool) {
	for _, one := range a.byOperation[operation] {
		fits := true
		for name, all := range one.query {
			for _, value := range all {
				fits = fits && (slices.Contains(query[name], value) || value == "" && query.Has(name))
			}
		}
		if fits && (!ok || len(one.query) > len(best.query)) {
			best, ok = one, true
		}
	}
	if ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.used[best.file] = true
	}
	return best, ok
}

// unused lists the files whose answers were not given.
func (a *answers) unused() (files []string) {
	for _, all := range a.byOperation {
		for _, one := range all {
			if !a.used[one.file] {
				files = append(files, one.file)
			}
		}
	}
	slices.Sort(files)
	return files
}

// expand writes out what the files abbreviate: an element {"$times": 200, "$of": …} of a list is so many
// elements, in which $n is the number of each, and $nn the same with two digits; $long is the end of a name of 200 characters.
func expand(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = expand(value)
		}
	case []any:
		var all []any
		for _, one := range v {
			pattern, ok := one.(map[string]any)
			times, repeated := pattern["$times"].(json.Number)
			if !ok || !repeated {
				all = append(all, expand(one))
				continue
			}
			n, _ := times.Int64()
			for i := range n {
				all = append(all, expand(numbered(pattern["$of"], i+1)))
			}
		}
		if all == nil {
			return []any{}
		}
		return all
	case string:
		if before, after, ok := strings.Cut(v, "$long"); ok {
			return before + longName[:len(longName)-len(before)-len(after)] + after
		}
	}
	return v
}

// numbered copies a value with its number. A text that is $n becomes the number itself.
func numbered(v any, n int64) any {
	switch v := v.(type) {
	case map[string]any:
		copied := map[string]any{}
		for name, value := range v {
			copied[name] = numbered(value, n)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = numbered(v[i], n)
		}
		return copied
	case string:
		if v == "$n" {
			return n
		}
		return strings.NewReplacer("$nn", fmt.Sprintf("%02d", n), "$n", fmt.Sprint(n)).Replace(v)
	}
	return v
}
