package handlers

// The outputs of the built-in kinds that depend on their parameters. A parameter that is an
// expression is present and nil.

// orText is text, unless a parameter names an output file.
func orText(written Shape) func(map[string]any) Shape {
	return func(with map[string]any) Shape {
		to, named := with["to"]
		switch {
		case !named || to == "":
			return TextShape
		case to == nil:
			return AnyShape
		default:
			return written
		}
	}
}

func csvGives(with map[string]any) Shape {
	switch with["op"] {
	case "parse":
		bad := ObjectShape(map[string]Shape{"row": WholeShape, "column": TextShape, "message": TextShape})
		return ObjectShape(map[string]Shape{"rows": ListShape(MapShape(AnyShape)), "errors": ListShape(bad), "count": WholeShape})
	case "format":
		return orText(ObjectShape(map[string]Shape{"path": TextShape, "count": WholeShape}))(with)
	default:
		return AnyShape
	}
}

func execGives(with map[string]any) Shape {
	output := TextShape
	switch how, given := with["stdout"]; {
	case how == "lines":
		output = ListShape(TextShape)
	case given && how != "text":
		output = AnyShape
	}
	return ObjectShape(map[string]Shape{"exitCode": WholeShape, "output": output, "stderr": TextShape})
}

func fileGives(with map[string]any) Shape {
	path := map[string]Shape{"path": TextShape}
	switch with["op"] {
	case "list":
		file := ObjectShape(map[string]Shape{"path": TextShape, "name": TextShape, "size": WholeShape, "modifiedAt": TimeShape})
		return ObjectShape(map[string]Shape{"files": ListShape(file), "count": WholeShape})
	case "read":
		content := TextShape
		if as, given := with["as"]; given && as != "text" && as != "base64" {
			content = AnyShape
		}
		return ObjectShape(map[string]Shape{"path": TextShape, "size": WholeShape, "modifiedAt": TimeShape, "content": content})
	case "write", "append":
		path["size"] = WholeShape
	case "move", "copy":
	case "delete":
		path["deleted"] = BoolShape
	default:
		return AnyShape
	}
	return ObjectShape(path)
}

var httpShape = ObjectShape(map[string]Shape{
	"status": WholeShape, "headers": MapShape(TextShape), "body": AnyShape, "encoding": TextShape, "url": TextShape,
})

func jsonGives(with map[string]any) Shape {
	if with["op"] == "format" {
		return TextShape
	}
	return AnyShape
}

var mailShape = ObjectShape(map[string]Shape{"messageId": TextShape, "recipients": WholeShape})

func sqlGives(with map[string]any) Shape {
	if _, query := with["query"]; query {
		return ObjectShape(map[string]Shape{"rows": ListShape(MapShape(AnyShape)), "count": WholeShape})
	}
	return CountsShape("rowsAffected")
}

var templateGives = orText(ObjectShape(map[string]Shape{"path": TextShape, "size": WholeShape}))

func transformGives(with map[string]any) Shape {
	if _, given := with["value"]; given {
		return AnyShape
	}
	return Shape{Type: "list"}
}
