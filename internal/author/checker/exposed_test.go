package checker_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/author/strictyaml"
)

func TestExposed(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		prepare        func(t *testing.T, dir string)
		want           []string // parts of each warning, in order
	}{
		{"a separate folder", "handlers: {folders: [data]}", nil, nil},
		{"none", "", nil, nil},
		{
			"the project", "handlers: {folders: [data, .]}\nsecrets: {token: {file: secrets/token}}\nencryption: {keyset: {file: secrets/keys.json}}\nqueues: {orders: {schemas: {payload: {file: schemas/order.json}}}}", nil,
			[]string{"handlers.folders[1]: steps can write the pipelines (pipelines.dir), the settings (botwork.yaml), the file of encryption.keyset, the file of secrets.token, the schemas of queues and the database (database.dsn) in this folder"},
		},
		{"above the project", "handlers: {folders: [..]}", nil, []string{"the pipelines (pipelines.dir), the settings (botwork.yaml) and the database"}},
		{"the pipelines themselves", "handlers: {folders: [pipelines]}", nil, []string{"steps can write the pipelines (pipelines.dir) in this"}},
		{"inside the pipelines", "handlers: {folders: [pipelines/data]}", nil, []string{"steps can write the pipelines (pipelines.dir) in this"}},
		{"a name with the same prefix", "handlers: {folders: [pipelines-data]}", nil, nil},
		{"secrets", "handlers: {folders: [data, secrets]}\nsecrets: {token: {file: secrets/token}}", nil, []string{"handlers.folders[1]: steps can write the file of secrets.token in this"}},
		{"a link to the project", "handlers: {folders: [link]}", func(t *testing.T, dir string) { link(t, dir, filepath.Join(dir, "link")) }, []string{"the pipelines (pipelines.dir), the settings"}},
		{
			"the pipelines are a link into the folder", "handlers: {folders: [data]}\npipelines: {dir: flows}",
			func(t *testing.T, dir string) {
				mkdir(t, filepath.Join(dir, "data", "flows"))
				link(t, filepath.Join(dir, "data", "flows"), filepath.Join(dir, "flows"))
			},
			[]string{"steps can write the pipelines (pipelines.dir) in this"},
		},
		{
			"a link in the folder leads to the pipelines elsewhere", "handlers: {folders: [data]}\npipelines: {dir: data/flows}",
			func(t *testing.T, dir string) {
				link(t, filepath.Join(dir, "pipelines"), filepath.Join(dir, "data", "flows"))
			},
			[]string{"steps can write the pipelines (pipelines.dir) in this"},
		},
		{
			"one pipeline is a link into the folder", "handlers: {folders: [data]}",
			func(t *testing.T, dir string) {
				file := filepath.Join(dir, "data", "a.yaml")
				if err := os.WriteFile(file, []byte("steps: [{handler: Log, with: {message: x}}]\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				link(t, file, filepath.Join(dir, "pipelines", "a.yaml"))
			},
			[]string{"steps can write the pipelines (pipelines.dir) in this"},
		},
		{"a database in the folder", "handlers: {folders: [data]}\ndatabase: {dsn: 'file:data/queue.db?mode=rwc'}", nil, []string{"steps can write the database (database.dsn) in this"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"data", "pipelines", "pipelines-data", "secrets"} {
				mkdir(t, filepath.Join(dir, name))
			}
			if err := os.WriteFile(filepath.Join(dir, "botwork.yaml"), []byte(c.settings+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			var got strictyaml.Findings
			for _, f := range open(t, dir, nil).Findings {
				if f.Code == "exposed-files" {
					got = append(got, f)
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("findings = %v, want %q", got, c.want)
			}
			for i, f := range got {
				if f.Severity != strictyaml.Warning || f.Line == 0 || !strings.Contains(f.String(), c.want[i]) {
					t.Errorf("finding = %v, want the warning %q with a position", f, c.want[i])
				}
			}
		})
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("cannot create links on this system: ", err)
	}
}
