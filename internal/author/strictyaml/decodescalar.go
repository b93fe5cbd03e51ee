package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"botwork/internal/spans"
)

// scalar decodes a single value into a basic type.
func (d *decoder) scalar(n *Node, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := n.Value.(string); ok {
			v.SetString(s)
			return
		}
		hint := ""
		if n.Kind == Scalar {
			hint = "put it in quotes"
		}
		d.wrongType(n, "text", hint).Edit = n.Quote()
	case reflect.Bool:
		if b, ok := n.Value.(bool); ok {
			v.SetBool(b)
			return
		}
		f := d.wrongType(n, "true or false", boolHint(n))
		if b, ok := wordsForBool[strings.ToLower(n.Text)]; ok {
			f.Edit = n.Replace(strconv.FormatBool(b), true)
		} else if n.Quoted {
			f.Edit = n.Unquote()
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, ok := n.Value.(int)
		if !ok {
			d.wrongType(n, "a whole number", numberHint(n)).Edit = n.Unquote()
		} else if v.OverflowInt(int64(i)) {
			d.wrongType(n, "a smaller number", "")
		} else {
			v.SetInt(int64(i))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		i, ok := n.Value.(int)
		if !ok {
			d.wrongType(n, "a whole number", numberHint(n)).Edit = n.Unquote()
		} else if i < 0 {
			d.wrongType(n, "a number that is not negative", "")
		} else if v.OverflowUint(uint64(i)) {
			d.wrongType(n, "a smaller number", "")
		} else {
			v.SetUint(uint64(i))
		}
	case reflect.Float32, reflect.Float64:
		switch x := n.Value.(type) {
		case int:
			v.SetFloat(float64(x))
		case float64:
			v.SetFloat(x)
		default:
			d.wrongType(n, "a number", numberHint(n)).Edit = n.Unquote()
		}
	default:
		panic(fmt.Sprintf("strictyaml: decode into %s", v.Type()))
	}
}

func (d *decoder) duration(n *Node, into *time.Duration) {
	hint := "write a number and a unit, such as 30s, 5m or 1h30m"
	if n.Kind != Scalar {
		d.wrongType(n, "a duration", hint)
		return
	}
	parsed, err := spans.Parse(n.Text)
	if err != nil {
		guess, ok := spans.Guess(n.Text)
		if ok {
			hint = fmt.Sprintf("did you mean %q?", guess)
		}
		f := d.Report(n, "invalid-value", fmt.Sprintf("got %.40q, want a duration", n.Text), hint)
		if ok {
			f.Edit = n.Replace(guess, true)
		}
		return
	}
	*into = parsed
}

// wordsForBool are the words for true and false of YAML 1.1.
var wordsForBool = map[string]bool{
	"y": true, "yes": true, "on": true,
	"n": false, "no": false, "off": false,
}

// boolHint suggests true or false for a word that was a bool in YAML 1.1.
func boolHint(n *Node) string {
	if b, ok := wordsForBool[strings.ToLower(n.Text)]; ok {
		return fmt.Sprintf("write %t", b)
	}
	if n.Quoted && (n.Text == "true" || n.Text == "false") {
		return "remove the quotes"
	}
	return ""
}

func numberHint(n *Node) string {
	if n.Quoted {
		if value, trap := resolve(n.Text); trap == "" {
			switch value.(type) {
			case int, float64:
				return "remove the quotes"
			}
		}
	}
	return ""
}

// describe describes the type of n's value. It never shows the value, which may
// be a password under the wrong key.
func describe(n *Node) string {
	if n.Kind != Scalar {
		return n.Kind.String()
	}
	return typeName(n.Value)
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case float64:
		return "a number with a fraction"
	default:
		return "text"
	}
}
