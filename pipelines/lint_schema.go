package pipelines

import (
	"slices"

	"botwork/internal/author/strictyaml"
)

// schemaKeywords are the keywords of JSON Schema, and those of earlier drafts and of OpenAPI that
// people write in it.
var schemaKeywords = []string{
	"$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "$defs",
	"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern",
	"maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired",
	"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "prefixItems", "items", "contains", "properties",
	"patternProperties", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
	"title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "format", "contentEncoding", "contentMediaType", "contentSchema",
	"definitions", "dependencies", "additionalItems", "id", "$recursiveRef", "$recursiveAnchor", "example", "nullable", "discriminator", "xml", "externalDocs",
}

// The keywords whose value is a schema, a list of schemas, or a mapping of schemas by other names.
var (
	schemaKeys = []string{
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "prefixItems", "items", "contains", "additionalProperties", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems",
	}
	namedSchemaKeys = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)

// SchemaWarnings warns about the misspelt keywords of a JSON Schema, which has no effect: a schema
// with `requierd` requires nothing. Keywords that are not similar to a known one are allowed, as the
// standard has it.
func SchemaWarnings(schema *strictyaml.Node) strictyaml.Findings {
	var found strictyaml.Findings
	if schema == nil {
		return nil
	}
	for _, item := range schema.Items { // of allOf and others
		found = append(found, SchemaWarnings(item)...)
	}
	for _, e := range schema.Entries {
		switch {
		case slices.Contains(schemaKeys, e.Key):
			found = append(found, SchemaWarnings(e.Value)...)
		case slices.Contains(namedSchemaKeys, e.Key):
			for _, named := range e.Value.Entries {
				found = append(found, SchemaWarnings(named.Value)...)
			}
		case !slices.Contains(schemaKeywords, e.Key):
			if hint := strictyaml.Suggest(e.Key, schemaKeywords); hint != "" {
				f := e.Finding(CodeUnknownKeyword, e.Value.Path+": JSON Schema has no such keyword and ignores it", hint)
				f.Severity, f.Edit = strictyaml.Warning, schema.Rename(e, schemaKeywords)
				if f.Edit != nil {
					f.Edit.Safe = false // the schema would begin to refuse payloads
				}
				found = append(found, f)
			}
		}
	}
	return found
}
