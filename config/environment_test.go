package config

import (
	"reflect"
	"slices"
	"testing"

	"github.com/caarlos0/env/v11"
)

// TestVariablesFollowPaths checks that each env tag is the path of keys in capitals.
func TestVariablesFollowPaths(t *testing.T) {
	c := Default()
	params, err := env.GetFieldParamsWithOptions(&c, env.Options{Prefix: variablePrefix})
	if err != nil {
		t.Fatal(err)
	}
	paths := settings(reflect.TypeFor[Config](), "")
	var tags []string
	for _, p := range params {
		tags = append(tags, p.Key)
		if _, ok := paths[p.Key]; !ok {
			t.Errorf("the tag of %s is not its path in capitals", p.Key)
		}
	}
	if len(tags) != len(paths) {
		t.Errorf("%d tags for %d settings", len(tags), len(paths))
	}
	if !slices.Contains(tags, "BOTWORK_WORKER_SHUTDOWNGRACE") || paths["BOTWORK_DATABASE_POOL_MAXOPEN"] != "database.pool.maxOpen" {
		t.Errorf("tags = %v, paths = %v", tags, paths)
	}
}
