package matching

import (
	"errors"
)

// UnmarshalJSON reads an object of labels.
func (l *Labels) UnmarshalJSON(text []byte) (err error) {
	if string(text) == "null" {
		return nil
	}
	*l, err = ParseLabels(string(text))
	return err
}

// UnmarshalJSON reads a selector in each of its forms.
func (s *Selector) UnmarshalJSON(text []byte) error {
	list, err := ParseSelectors("[" + string(text) + "]")
	if err == nil && len(list) != 1 {
		err = errors.New("want one selector")
	}
	if err == nil {
		*s = list[0]
	}
	return err
}

// UnmarshalJSON reads a distribution.
func (d *Distribution) UnmarshalJSON(text []byte) (err error) {
	*d, err = ParseDistribution(string(text))
	return err
}
