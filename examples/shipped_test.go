// Package examples_test holds what is true of all examples.
package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"botwork/pipelines/shipped"
)

// The examples hold copies of the system pipelines, so that their folders run as
// they stand.
func TestSystemPipelinesAreTheShippedOnes(t *testing.T) {
	for _, file := range shipped.Files() {
		copies, err := filepath.Glob(filepath.Join("*", "project", "pipelines", file.Name))
		if err != nil || len(copies) == 0 {
			t.Errorf("no example has a copy of %s (%v)", file.Name, err)
		}
		for _, path := range copies {
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, file.Data) {
				t.Errorf("%s is not the one of pipelines/shipped (%v)", path, err)
			}
		}
	}
}
