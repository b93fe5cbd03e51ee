package pipelines_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/pipelines"
)

// mostPerPipeline is the maximum heap size of a loaded pipeline in bytes: a thousand
// pipelines must fit in 50 MB.
const mostPerPipeline = 50_000

// project returns the files of n typical pipelines: five to ten steps with conditions,
// templates, retries and a schema of the payload. All texts are different.
func project(n int) []pipelines.File {
	steps := []string{`
  - name: fetch
    handler: HTTP
    timeout: 30s
    retry: {attempts: 3, delay: 2s}
    with:
      url: https://erp.example.com/api/orders/${{ payload.id }}
      headers: {Accept: application/json, X-Item: "${{ item.id }}", X-Key: "${{ secrets.apiKey }}"}
`, `
  - name: nothing to do
    handler: Break
    if: len(steps.fetch.output.body.lines ?? []) == 0
    with: {reason: "order ${{ payload.id }} has no lines"}
`, `
  - name: large
    handler: Transform
    with:
      items: ${{ steps.fetch.output.body.lines }}
      where: it.amount > 100 and it.currency == "EUR"
      select: "{article: it.article, amount: it.amount}"
`, `
  - name: customer
    handler: SQL
    with:
      connection: erp
      query: select name, discount from customers where id = @id and region = @region
      params: {id: "${{ payload.customer.id }}", region: "${{ payload.customer.region ?? 'north' }}"}
`, `
  - name: log
    handler: Log
    if: payload.customer.region != "south" and len(steps.customer.output.rows) > 0
    with:
      message: "order ${{ payload.id }} of ${{ steps.customer.output.rows[0].name }}"
      fields: {lines: "${{ len(steps.large.output) }}", priority: "${{ item.priority }}"}
`, `
  - name: write
    handler: File
    onError: continue
    with: {op: write, path: "out/${{ payload.id }}.json", content: "${{ toJSON(steps.large.output) }}"}
`, `
  - name: book
    handler: SQL
    if: steps.write.error == nil
    with:
      connection: erp
      exec: update orders set state = 'booked', lines = @lines where id = @id
      params: {id: "${{ payload.id }}", lines: "${{ len(steps.large.output) }}"}
`, `
  - name: file
    handler: HTTP
    timeout: 1m
    with:
      method: POST
      url: https://archive.example.com/${{ payload.customer.region }}/${{ payload.id }}
      body: {order: "${{ payload.id }}", lines: "${{ steps.large.output }}", by: "${{ worker.name }}"}
`, `
  - name: stop
    handler: Fail
    if: steps.file.output.status >= 300
    with: {kind: business, message: "the archive answered ${{ steps.file.output.status }}"}
`, `
  - name: done
    handler: Log
    with: {message: all is done}
`}
	files := make([]pipelines.File, n)
	for i := range files {
		text := fmt.Sprintf(`# Books the orders of kind %d, from the first check to the archive.
name: orders-%d
description: Books the orders of branch %d and files them.
resilience: {limit: 5, delay: 30s}
input:
  type: object
  required: [id]
  properties:
    id: {type: string}
    customer: {type: object, properties: {id: {type: integer}, region: {type: string}}}
steps:%s`, i, i, i, strings.Join(steps[:5+i%6], ""))
		files[i] = pipelines.File{Path: fmt.Sprintf("pipelines/orders-%d.yaml", i), Data: []byte(text)}
	}
	return files
}

// load compiles the files and returns the heap size of the catalogue in bytes.
func load(t testing.TB, files []pipelines.File) (*pipelines.Catalogue, int) {
	t.Helper()
	erp, err := builtin.NewConnections(map[string]builtin.Connection{"erp": {Driver: "sqlite", DSN: ":memory:"}})
	if err != nil {
		t.Fatal(err)
	}
	c := pipelines.NewCompiler(builtin.Registry(builtin.Resources{Connections: erp, Folders: []string{"/data"}}), pipelines.Options{SecretNames: []string{"apiKey"}})
	warm, _ := pipelines.Load(c, files[:min(len(files), 6)]) // what is made once is no pipeline's
	runtime.KeepAlive(warm)
	before := heap()
	k, findings := pipelines.Load(c, files)
	if len(findings) > 0 {
		t.Fatal(findings[:min(len(findings), 5)])
	}
	return k, heap() - before
}

// heap returns the size of the reachable heap.
func heap() int {
	for range 2 { // what a finalizer or a pool holds goes with the second
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestAThousandPipelinesFit(t *testing.T) {
	files := project(120)
	k, size := load(t, files)
	if size /= len(files); size > mostPerPipeline || size < len(files[0].Data) {
		t.Errorf("a loaded pipeline uses %d bytes, want at least its text of %d bytes and at most %d", size, len(files[0].Data), mostPerPipeline)
	}
	runtime.KeepAlive(k)
}

// The time is that of loading a thousand pipelines; heap-MB is their heap size.
func BenchmarkLoad1000(b *testing.B) {
	files := project(1000)
	held, text := 0, 0
	for _, f := range files {
		text += len(f.Data)
	}
	for b.Loop() {
		k, size := load(b, files)
		held = size
		runtime.KeepAlive(k)
	}
	b.ReportMetric(float64(held)/1e6, "heap-MB")
	b.ReportMetric(float64(text)/1e6, "text-MB")
}
