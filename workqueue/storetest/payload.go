package storetest

import (
	"errors"
	"fmt"
	"slices"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

func payloadTests() []test {
	return []test{
		{"every operation agrees with the filter", payloadAgrees},
		{"pages of a list", payloadPages},
		{"the bound of a search", payloadBound},
		{"items are tested again before they change", payloadChangedMeanwhile},
		{"items are tested again before they are cloned", payloadClonedMeanwhile},
		{"an order other than the newest first is refused", payloadOrder},
		{"the audit log has the expression", payloadAudit},
	}
}

// filterByPayload parses an expression that must be valid.
func (x *fixture) filterByPayload(expression string) *workqueue.PayloadFilter {
	x.Helper()
	filter, err := workqueue.ParsePayloadFilter(expression)
	if err != nil {
		x.Fatalf("%s: %v", expression, err)
	}
	return filter
}

// payloads are the payloads of the items that the expressions are tried on; "" is none.
var payloads = []workqueue.JSONText{
	"", `{}`, `null`, `[1,"b",{"c":true}]`, `"Ada"`, `17`,
	`{"customer":"Ada","amount":1000}`, `{"customer":"Ada","amount":1000.0001}`, `{"customer":"ada","amount":"2000"}`, `{"customer":null,"amount":-3e3}`,
	`{"amount":9007199254740993}`, `{"amount":9007199254740992}`, `{"amount":1e400}`, `{"amount":true}`, `{"amount":{"value":5}}`,
	`{"address":{"city":"Faro","zip-code":"8000-001"},"lines":[{"article":"bolt","price":0.1},{"article":"nut"}]}`,
	`{"address":"Faro","lines":{"0":"bolt"},"paid":false}`, `{"customer":"Zoë 'quoted' \"twice\" 100% _ [x] \\","paid":true}`, `{"customer":"\u00e4","a b":1,"$":2}`,
}

var payloadExpressions = []string{
	`customer == "Ada"`, `customer != "Ada"`, `customer == null`, `customer != null`, `amount > 1000 and customer == "Ada"`, `amount == 1000`, `amount >= 1000`,
	`amount < 0`, `amount > "1"`, `amount == 9007199254740993`, `amount > 9007199254740992`, `amount > 1e308`, `amount == true`, `amount.value == 5`,
	`address.city == "Faro"`, `address["zip-code"] startsWith "8000"`, `lines[0].article == "bolt"`, `lines[0].price == 0.1`, `lines["0"] == "bolt"`, `lines[1].price == null`,
	`paid == false`, `paid != true`, `not (paid == true)`, `customer contains "'quoted' \"twice\" 100% _ [x] \\"`, `customer contains "ë"`, `customer > "Z"`, `customer == "ä"`,
	`customer in ["Ada", "ada", null]`, `customer not in ["Ada"]`, `amount in [17, 1000.0, "2000"]`, `$ == "Ada"`, `$ == 17`, `$ == null`, `$[1] == "b"`, `$[2].c == true`,
	`$["a b"] == 1 or $["$"] == 3`, `nothing == "here"`,
}

func payloadAgrees(x *fixture) {
	ids := make([]int64, len(payloads))
	for i, payload := range payloads {
		ids[i] = x.wantNew("test", workqueue.NewItem{IntegrationConfig: "x", Payload: payload})
	}
	broken := x.wantNew("test", workqueue.NewItem{IntegrationConfig: "x", Payload: "{}"})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Payload" = '{"customer": ' WHERE "Id" = %d`, broken)
	matched := 0
	for _, expression := range payloadExpressions {
		f := workqueue.ItemFilter{Payload: x.filterByPayload(expression)}
		var want []int64
		for i, payload := range payloads {
			if matches, err := f.Payload.Matches(payload); err != nil {
				x.Fatal(err)
			} else if matches {
				want = append(want, ids[i])
			}
		}
		want = newest(want...)
		matched += len(want)
		items, err := x.Store.Items(x.ctx, f)
		x.wantIncomplete(expression, err, workqueue.IncompleteError{Looked: len(ids) + 1, Unreadable: 1})
		x.wantIDs(expression, idsOf(items), want)
		n, err := x.Store.CountItems(x.ctx, f)
		x.wantIncomplete(expression, err, workqueue.IncompleteError{Looked: len(ids) + 1, Unreadable: 1})
		if int(n) != len(want) {
			x.Errorf("%s: counted %d items, want %d", expression, n, len(want))
		}
		if f.CountAtMost = 1; len(want) > 0 {
			if n, err := x.Store.CountItems(x.ctx, f); err != nil || n != 1 {
				x.Errorf("%s: counted %d of at most 1, %v", expression, n, err)
			}
		}
		f.CountAtMost = 0
		x.wantUpdated(expression, f, want, append(ids, broken))
	}
	if matched == 0 {
		x.Error("no expression matches anything")
	}
}

// wantUpdated checks that an update of the items that the filter selects changes these ids and no
// others of all, and so does a dry run.
func (x *fixture) wantUpdated(expression string, f workqueue.ItemFilter, want, all []int64) {
	x.Helper()
	before := x.versions(all)
	for _, dry := range []bool{true, false} {
		change := workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Priority: new(700)}, DryRun: dry}
		result, err := x.Store.ChangeItems(x.ctx, f, change)
		if err != nil || result.Changed != len(want) || result.Unreadable != 1 || result.Next != 0 {
			x.Errorf("%s: change %s, error %v, want %d changed, 1 unreadable and no other page", expression, asJSON(result), err, len(want))
		}
		after := x.versions(all)
		for _, id := range all {
			changed := after[id] != before[id]
			if wanted := !dry && slices.Contains(want, id); changed != wanted {
				x.Errorf("%s: item %d was changed: %t, want %t (dry run: %t)", expression, id, changed, wanted, dry)
			}
		}
	}
}

// versions returns the versions of items by id.
func (x *fixture) versions(ids []int64) map[int64]int64 {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{IDs: ids, Limit: len(ids)})
	if err != nil || len(items) != len(ids) {
		x.Fatalf("listed %d items, error %v, want %d", len(items), err, len(ids))
	}
	versions := map[int64]int64{}
	for _, it := range items {
		versions[it.ID] = it.Version
	}
	return versions
}

// wantIncomplete checks the error of a search that left items out.
func (x *fixture) wantIncomplete(what string, err error, want workqueue.IncompleteError) {
	x.Helper()
	var got *workqueue.IncompleteError
	if !errors.As(err, &got) || *got != want {
		x.Errorf("%s: error %v, want %+v", what, err, want)
	}
}

// payloadPages lists and cancels more items than one statement reads, with others between them.
func payloadPages(x *fixture) {
	items := make([]workqueue.NewItem, 1203)
	for i := range items {
		items[i] = workqueue.NewItem{IntegrationConfig: "x", Payload: workqueue.JSONText(fmt.Sprintf(`{"n":%d,"third":%t}`, i, i%3 == 0))}
	}
	if _, err := x.Store.Enqueue(x.ctx, items); err != nil {
		x.Fatal(err)
	}
	all := x.list(workqueue.ItemFilter{Limit: 2000})
	filter := workqueue.ItemFilter{Payload: x.filterByPayload("third == true")}
	want := x.list(workqueue.ItemFilter{Limit: 2000, Payload: filter.Payload})
	if len(want) != 401 || len(all) != len(items) {
		x.Fatalf("listed %d of %d items, want 401 of %d", len(want), len(all), len(items))
	}
	if got := x.list(filter); !slices.Equal(got, want[:100]) {
		x.Errorf("without a limit: listed %d items, want the newest 100", len(got))
	}
	var paged []int64
	for filter.Limit = 7; ; filter.BeforeID = paged[len(paged)-1] {
		page := x.list(filter)
		if paged = append(paged, page...); len(page) < filter.Limit {
			break
		}
	}
	x.wantIDs("the pages", paged, want)
	if n, err := x.Store.CountItems(x.ctx, workqueue.ItemFilter{Payload: filter.Payload, Limit: 3}); err != nil || n != 401 {
		x.Errorf("counted %d items, error %v, want 401", n, err)
	}
	changed := 0
	for f := (workqueue.ItemFilter{Payload: filter.Payload, Limit: 150}); ; {
		result, err := x.Store.ChangeItems(x.ctx, f, workqueue.Change{Action: workqueue.Cancel})
		if err != nil {
			x.Fatal(err)
		}
		if changed += result.Changed; result.Next == 0 {
			break
		}
		f.BeforeID = result.Next
	}
	x.wantIDs("the cancelled items", x.list(workqueue.ItemFilter{States: []workqueue.State{workqueue.Cancelled}, Limit: 2000}), want)
	if changed != 401 {
		x.Errorf("changed %d items, want 401", changed)
	}
}

// payloadBound searches for the oldest item among more than a search looks at. Nightly runs have
// as many items as the bound of the product needs.
func payloadBound(x *fixture) {
	side, most := 11, 1000
	if testgroup.Asked(testgroup.Nightly) {
		side, most = 47, workqueue.MaxPayloadSearch
	} else {
		x.Store = x.Bounded(x.T, most)
	}
	oldest := x.wantNew("oldest", workqueue.NewItem{IntegrationConfig: "x", Payload: `{"n":1}`})
	if _, err := x.Store.Enqueue(x.ctx, slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "y"}}, side)); err != nil {
		x.Fatal(err)
	}
	x.exec(int64(side*side*side), `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig") SELECT 'y' FROM "BotWorkQueueItems" a, "BotWorkQueueItems" b, "BotWorkQueueItems" c
		WHERE a."IntegrationConfig" = 'y' AND b."IntegrationConfig" = 'y' AND c."IntegrationConfig" = 'y'`)
	if side*side*side+side < most {
		x.Fatal("the test needs more items")
	}
	newestID := x.list(workqueue.ItemFilter{Limit: 1})[0]
	f := workqueue.ItemFilter{Payload: x.filterByPayload("n == 1")}
	items, err := x.Store.Items(x.ctx, f)
	below := newestID - int64(most) + 1
	want := workqueue.IncompleteError{Looked: most, Below: below}
	x.wantIncomplete("items", err, want)
	x.wantIDs("the items within the bound", idsOf(items), []int64{})
	n, err := x.Store.CountItems(x.ctx, f)
	x.wantIncomplete("count", err, want)
	if n != 0 {
		x.Errorf("counted %d items, want 0", n)
	}
	change := workqueue.Change{Action: workqueue.Cancel, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey(), Part: 1}}
	result, err := x.Store.ChangeItems(x.ctx, f, change)
	if err != nil || result.Changed != 0 || result.Next != below {
		x.Errorf("changed %s, error %v, want none and the next page below %d", asJSON(result), err, below)
	}
	f.BeforeID = below
	x.wantIDs("the items below", x.list(f), []int64{oldest})
	change.Batch.Part++
	if result, err = x.Store.ChangeItems(x.ctx, f, change); err != nil || result.Changed != 1 || result.Next != 0 {
		x.Errorf("changed %s, error %v, want one item and no other page", asJSON(result), err)
	}
}

func payloadOrder(x *fixture) {
	for order, refused := range map[string]bool{"-id": false, "id": true, "priority": true, "-created": true} {
		by, err := workqueue.ParseItemSort(order)
		if err != nil {
			x.Fatal(err)
		}
		_, err = x.Store.Items(x.ctx, workqueue.ItemFilter{Payload: x.filterByPayload("a == 1"), Sort: by})
		if (err != nil) != refused {
			x.Errorf("sorted by %s: error %v, want one: %t", order, err, refused)
		}
	}
}

func payloadAudit(x *fixture) {
	x.wantNew("test", workqueue.NewItem{IntegrationConfig: "x", Payload: `{"amount":5}`})
	const expression = `amount > 1 and customer != "A<b>da"`
	if _, err := x.Store.ChangeItems(x.asAuditor(), workqueue.ItemFilter{Payload: x.filterByPayload(expression)}, workqueue.Change{Action: workqueue.Cancel}); err != nil {
		x.Fatal(err)
	}
	entries, err := x.Store.AuditEntries(x.ctx, workqueue.AuditFilter{Limit: 1})
	if err != nil || len(entries) != 1 {
		x.Fatalf("%d entries, error %v, want one", len(entries), err)
	}
	if want := workqueue.JSONText(`{"payload":"amount > 1 and customer != \"A<b>da\""}`); entries[0].Filter != want {
		x.Errorf("the filter is %s, want %s", entries[0].Filter, want)
	}
}
