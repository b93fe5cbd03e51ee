package strictyaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Marshal writes v as YAML with the names, the order and the values that
// encoding/json gives it, so that a program's two forms of output cannot
// differ. Texts that would read as something else stand in quotes.
func Marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	node, err := nodeOf(dec)
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(node); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return out.Bytes(), enc.Close()
}

// nodeOf turns the next JSON value into a node. It goes by tokens, since a map
// would lose the order of keys.
func nodeOf(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		kind := yaml.SequenceNode
		if t == '{' {
			kind = yaml.MappingNode // its keys and values follow in turn, as in Content
		}
		return collectionOf(dec, kind)
	case json.Number:
		// Its digits stay as they are.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: t.String()}, nil
	case string:
		return textNode(t)
	default:
		node := new(yaml.Node)
		return node, node.Encode(t)
	}
}

// textNode lets the library choose between plain, quotes and a block, but in
// the cases where what it writes does not read as the same text.
func textNode(text string) (*yaml.Node, error) {
	node := new(yaml.Node)
	block := strings.Contains(text, "\n")
	if text == "<<" || block && (strings.TrimSpace(text) == "" || strings.ContainsAny(text[:1], " \t\n")) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}, nil
	}
	return node, node.Encode(text)
}

func collectionOf(dec *json.Decoder, kind yaml.Kind) (*yaml.Node, error) {
	node := &yaml.Node{Kind: kind}
	for dec.More() {
		child, err := nodeOf(dec)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if len(node.Content) == 0 {
		node.Style = yaml.FlowStyle // {} and []
	}
	_, err := dec.Token() // the closing bracket
	return node, err
}
