package checker_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/author/checker"
)

// A value that a pipeline names and that is not set is found in every environment.
func TestValuesOfAllEnvironments(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":        "values: {url: 'http://dev', region: eu}\n",
		"botwork.prod.yaml":   "values: {url: 'https://prod', ledgerUrl: 'https://ledger'}\nlog: {level: lout}\n",
		"botwork.test.yaml":   "values: {region: null}\n",
		"pipelines/one.yaml":  "steps: [{handler: Log, with: {message: '${{ values.url + values.region + values.ledgerUrl }}'}}]\n",
		"pipelines/good.yaml": "steps: [{handler: Log, with: {message: '${{ values.url }}'}}]\n",
	})
	const (
		base       = "pipelines/one.yaml:1:81: values.ledgerUrl is not set (botwork.yaml) [unset-value]"
		test       = "values.ledgerUrl is not set in environment test (botwork.test.yaml) [unset-value]"
		testRegion = "values.region is not set in environment test (botwork.test.yaml) [unset-value]"
		level      = `botwork.prod.yaml:2:14: log.level: got "lout", want trace, debug, info, warn, error [invalid-value]`
	)
	for _, c := range []struct {
		environment string
		everywhere  bool
		want        []string
	}{
		{"", true, []string{level, "pipelines/one.yaml:1:65: " + testRegion, base, "pipelines/one.yaml:1:81: " + test}},
		{"", false, []string{base, "pipelines/one.yaml:1:81: " + test}},
		{"prod", true, []string{level, "pipelines/one.yaml:1:65: " + testRegion, "pipelines/one.yaml:1:81: " + test}},
		{"prod", false, []string{level, "pipelines/one.yaml:1:65: warning: " + testRegion, "pipelines/one.yaml:1:81: warning: " + test}},
		{"test", false, []string{"pipelines/one.yaml:1:65: " + testRegion, "pipelines/one.yaml:1:81: " + test}},
	} {
		p, err := checker.Open(checker.Options{
			Settings: filepath.Join(dir, "botwork.yaml"), Registry: registry, Everywhere: c.everywhere, Environ: []string{"BOTWORK_ENVIRONMENT=" + c.environment},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, strings.Split(render(dir, p.Findings), "\n")); diff != "" {
			t.Errorf("environment %q, everywhere %t (-want +got):\n%s", c.environment, c.everywhere, diff)
		}
		if _, ok := p.Catalogue.Get("good"); !ok {
			t.Errorf("environment %q: the pipeline whose values are set is missing", c.environment)
		}
	}
}

// The values of an environment whose file is not YAML are unknown.
func TestValuesOfABrokenEnvironment(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml": "log: {level: info}\n", "botwork.dev.yaml": "values: {url: x}\n", "botwork.prod.yaml": "values: {\n",
		"pipelines/one.yaml": "steps: [{handler: Log, with: {message: '${{ values.url }}'}}]\n",
	})
	p, err := checker.Open(checker.Options{Settings: filepath.Join(dir, "botwork.yaml"), Registry: registry, Everywhere: true, Environ: []string{"BOTWORK_ENVIRONMENT=dev"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Findings) != 1 || p.Findings[0].Code != "yaml-syntax" || p.Findings[0].File != filepath.Join(dir, "botwork.prod.yaml") {
		t.Errorf("findings = %v, want only the syntax error", p.Findings)
	}
}

func TestSecretValues(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":       "values:\n  apiToken: abc\n  shop: {password: abc, url: 'https://u:pw@shop'}\n  erp: 'server=db;user id=bot;password=secret12'\n  fine: {url: 'https://shop', tokens: 3, password: ''}\n",
		"botwork.prod.yaml":  "values: {hosts: ['postgres://u:secret@db']}\n",
		"pipelines/one.yaml": "steps: [{handler: Log, with: {message: hello}}]\n",
	})
	p := open(t, dir, nil)
	const text = " got a password or a token, but values are not secret [secret-value]; define it under secrets, and write ${{ secrets.NAME }}"
	want := []string{
		"botwork.prod.yaml:1:18: warning: values.hosts[0]:" + text, "botwork.yaml:2:13: warning: values.apiToken:" + text, "botwork.yaml:3:20: warning: values.shop.password:" + text,
		"botwork.yaml:3:30: warning: values.shop.url:" + text, "botwork.yaml:4:8: warning: values.erp:" + text,
	}
	if diff := cmp.Diff(want, strings.Split(render(dir, p.Findings), "\n")); diff != "" {
		t.Error(diff)
	}
}
