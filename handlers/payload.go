package handlers

import "botwork/internal/values"

// DecodeJSON decodes an item's payload, or any other single JSON value, to the types of
// Call.Payload: whole numbers are int, others float64, and a number beyond both is a
// json.Number, which keeps its digits.
func DecodeJSON(data []byte) (any, error) { return values.DecodeJSON(data) }
