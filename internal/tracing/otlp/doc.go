// Package otlp sends spans to a collector by OTLP over HTTP, as protobuf. It never blocks the work
// that it traces: spans wait in a bounded queue, those that do not fit are dropped and counted, and
// while the collector accepts none, none are made.
//
// It does not use the HTTP exporter of OpenTelemetry, which links all of gRPC into the program.
package otlp
