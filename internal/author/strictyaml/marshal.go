package strictyaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Marshal writes v as YAML with the names, the order and the values of
// encoding/json, so that the JSON and the YAML output of a program cannot differ.
// It puts a text in quotes if YAML would otherwise read another value.
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

// nodeOf converts the next JSON value to a node. It reads tokens, because a map
// would lose the order of the keys.
func nodeOf(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		kind := yaml.SequenceNode
		if t == '{' {
			kind = yaml.MappingNode // keys and values alternate, as in Content
		}
		return collectionOf(dec, kind)
	case json.Number:
		// Keeps the digits unchanged.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: t.String()}, nil
	case string:
		return textNode(t)
	default:
		node := new(yaml.Node)
		return node, node.Encode(t)
	}
}

// textNode lets the library choose between plain style, quotes and a block. It
// uses quotes for the texts that the library would write incorrectly.
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
