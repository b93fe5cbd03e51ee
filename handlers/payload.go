package handlers

// DecodeJSON reads an item's payload, or any other single JSON value, in the
// types that Call.Payload promises: whole numbers are int, others float64, and
// a number beyond both stays text.
func DecodeJSON(data []byte) (any, error) { return decodeJSON(data) }
