package config_test

import (
	"testing"

	"botwork/config"
)

// TestEverySettingIsDescribed fails for a setting without a description for editors and
// schemas: add it to keys.go.
func TestEverySettingIsDescribed(t *testing.T) {
	defer func() {
		if missing := recover(); missing != nil {
			t.Error(missing)
		}
	}()
	if n := len(config.Keys()); n == 0 {
		t.Error("no setting is described")
	}
}
