package config_test

import (
	"testing"

	"botwork/config"
)

// TestEverySettingIsDescribed finds a setting that editors and schemas do not
// know: describe it in keys.go.
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
