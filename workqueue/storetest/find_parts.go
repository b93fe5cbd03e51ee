package storetest

import (
	"slices"

	"botwork/workqueue"
)

func findPartsTests() []test {
	return []test{{"by a part of the key and the beginning of metadata", findParts}}
}

// Parts have no wildcards. Metadata is compared byte by byte on every engine, keys without regard to
// case.
func findParts(x *fixture) {
	a := x.wantNew("a", workqueue.NewItem{NaturalKey: "order-4711", Metadata: map[string]string{"customer": "Ada", "note": `customer":"Bo`}})
	b := x.wantNew("b", workqueue.NewItem{NaturalKey: "ORDER_4712", Metadata: map[string]string{"customer": "Adam", "city": ""}})
	c := x.wantNew("c", workqueue.NewItem{Metadata: map[string]string{"customer": `say "hi" 100%`}})
	x.wantNew("d", workqueue.NewItem{})
	for _, test := range []struct {
		name   string
		filter workqueue.ItemFilter
		want   []int64
	}{
		{"ids", workqueue.ItemFilter{IDs: []int64{a, b, b + 1000}}, []int64{b, a}},
		{"ids and a part of a key", workqueue.ItemFilter{IDs: []int64{a}, KeyPart: "order"}, []int64{a}},
		{"a part of a key", workqueue.ItemFilter{KeyPart: "471"}, []int64{b, a}},
		{"another case", workqueue.ItemFilter{KeyPart: "order"}, []int64{b, a}},
		{"an underscore", workqueue.ItemFilter{KeyPart: "_"}, []int64{b}},
		{"a percent sign", workqueue.ItemFilter{KeyPart: "%"}, nil},
		{"a beginning", workqueue.ItemFilter{MetadataBegins: map[string]string{"customer": "Ada"}}, []int64{b, a}},
		{"the middle", workqueue.ItemFilter{MetadataBegins: map[string]string{"customer": "da"}}, nil},
		{"a text inside another value", workqueue.ItemFilter{MetadataBegins: map[string]string{"customer": "Bo"}}, nil},
		{"quotes", workqueue.ItemFilter{MetadataBegins: map[string]string{"customer": `say "hi" 1`}}, []int64{c}},
		{"any value", workqueue.ItemFilter{MetadataBegins: map[string]string{"city": ""}}, []int64{b}},
		{"two keys", workqueue.ItemFilter{MetadataBegins: map[string]string{"city": "", "customer": "Ada"}}, []int64{b}},
		{"a key and metadata", workqueue.ItemFilter{KeyPart: "4711", MetadataBegins: map[string]string{"customer": "Ada"}}, []int64{a}},
	} {
		test.filter.Limit = 100
		if got := x.list(test.filter); !slices.Equal(got, test.want) {
			x.Errorf("%s: found the items %v, want %v", test.name, got, test.want)
		}
	}
}
