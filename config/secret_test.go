package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"botwork/config"
)

func TestSecretsNeverShow(t *testing.T) {
	c, findings := config.Parse("botwork.yaml", []byte(`
database: {driver: sqlserver, dsn: "sqlserver://bot:hunter2@db?database=work"}
connections:
  erp: {driver: postgres, dsn: "host=db user=bot password='hunter2'"}
secrets:
  a: hunter2
  b: {value: hunter2}
notifications: {targets: {pager: {kind: webhook, url: "https://pager.test", headers: {X-Route: hunter2, Authorization: Bearer hunter2, X-Key: {value: hunter2}}}}}
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	type holder struct {
		exported config.Secret
		text     config.Text
		dsn      config.DSN
		Map      map[string]any
	}
	secret := config.NewSecret("hunter2")
	values := map[string]any{
		"secret": secret, "pointer": &secret, "text": c.Secrets["a"], "value": c.Secrets["b"],
		"dsn": c.Database.DSN, "connections": c.Connections, "notifications": c.Notifications, "config": c, "pointer to config": &c,
		"unexported fields": holder{secret, c.Secrets["a"], c.Database.DSN, map[string]any{"k": secret}},
	}
	for name, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p"} {
			if text := fmt.Sprintf(verb, value); leaks(text) {
				t.Errorf("%s with %s shows the secret: %s", name, verb, text)
			}
		}
		data, err := json.Marshal(value)
		if err != nil || leaks(string(data)) {
			t.Errorf("%s as JSON: %s, %v", name, data, err)
		}
		var log bytes.Buffer
		logger := zerolog.New(&log)
		logger.Info().Interface("value", value).Any("again", value).Send()
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "value", value)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "value", value)
		if leaks(log.String()) {
			t.Errorf("%s in a log: %s", name, log.String())
		}
	}
	if got := fmt.Sprint(secret, c.Secrets["a"], c.Database.DSN); got != "<secret> <secret> sqlserver://bot:<secret>@db?database=work" {
		t.Errorf("printed %s", got)
	}
	if secret.Reveal() != "hunter2" || (config.Secret{}).Reveal() != "" {
		t.Error("Reveal does not return the text")
	}
}

func leaks(text string) bool {
	return strings.Contains(text, "hunter2") || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", "hunter2"))
}
