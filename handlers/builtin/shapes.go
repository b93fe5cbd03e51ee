package builtin

import "botwork/handlers"

// The outputs of the built-in kinds that depend on their parameters. A parameter that is an
// expression is present and nil.

// orText is text, unless a parameter names an output file.
func orText(written handlers.Shape) func(map[string]any) handlers.Shape {
	return func(with map[string]any) handlers.Shape {
		to, named := with["to"]
		switch {
		case !named || to == "":
			return handlers.TextShape
		case to == nil:
			return handlers.AnyShape
		default:
			return written
		}
	}
}

func csvGives(with map[string]any) handlers.Shape {
	switch with["op"] {
	case "parse":
		bad := handlers.ObjectShape(map[string]handlers.Shape{"row": handlers.WholeShape, "column": handlers.TextShape, "message": handlers.TextShape})
		return handlers.ObjectShape(map[string]handlers.Shape{"rows": handlers.ListShape(handlers.MapShape(handlers.AnyShape)), "errors": handlers.ListShape(bad), "count": handlers.WholeShape})
	case "format":
		return orText(handlers.ObjectShape(map[string]handlers.Shape{"path": handlers.TextShape, "count": handlers.WholeShape}))(with)
	default:
		return handlers.AnyShape
	}
}

func execGives(with map[string]any) handlers.Shape {
	output := handlers.TextShape
	switch how, given := with["stdout"]; {
	case how == "lines":
		output = handlers.ListShape(handlers.TextShape)
	case given && how != "text":
		output = handlers.AnyShape
	}
	return handlers.ObjectShape(map[string]handlers.Shape{"exitCode": handlers.WholeShape, "output": output, "stderr": handlers.TextShape})
}

func fileGives(with map[string]any) handlers.Shape {
	path := map[string]handlers.Shape{"path": handlers.TextShape}
	switch with["op"] {
	case "list":
		file := handlers.ObjectShape(map[string]handlers.Shape{"path": handlers.TextShape, "name": handlers.TextShape, "size": handlers.WholeShape, "modifiedAt": handlers.TimeShape})
		return handlers.ObjectShape(map[string]handlers.Shape{"files": handlers.ListShape(file), "count": handlers.WholeShape})
	case "read":
		content := handlers.TextShape
		if as, given := with["as"]; given && as != "text" && as != "base64" {
			content = handlers.AnyShape
		}
		return handlers.ObjectShape(map[string]handlers.Shape{"path": handlers.TextShape, "size": handlers.WholeShape, "modifiedAt": handlers.TimeShape, "content": content})
	case "write", "append":
		path["size"] = handlers.WholeShape
	case "move", "copy":
	case "delete":
		path["deleted"] = handlers.BoolShape
	default:
		return handlers.AnyShape
	}
	return handlers.ObjectShape(path)
}

var httpShape = handlers.ObjectShape(map[string]handlers.Shape{
	"status": handlers.WholeShape, "headers": handlers.MapShape(handlers.TextShape), "body": handlers.AnyShape, "encoding": handlers.TextShape, "url": handlers.TextShape,
})

func jsonGives(with map[string]any) handlers.Shape {
	if with["op"] == "format" {
		return handlers.TextShape
	}
	return handlers.AnyShape
}

var mailShape = handlers.ObjectShape(map[string]handlers.Shape{"messageId": handlers.TextShape, "recipients": handlers.WholeShape})

func sqlGives(with map[string]any) handlers.Shape {
	if _, query := with["query"]; query {
		return handlers.ObjectShape(map[string]handlers.Shape{"rows": handlers.ListShape(handlers.MapShape(handlers.AnyShape)), "count": handlers.WholeShape})
	}
	return handlers.CountsShape("rowsAffected")
}

var templateGives = orText(handlers.ObjectShape(map[string]handlers.Shape{"path": handlers.TextShape, "size": handlers.WholeShape}))

func transformGives(with map[string]any) handlers.Shape {
	if _, given := with["value"]; given {
		return handlers.AnyShape
	}
	return handlers.Shape{Type: "list"}
}
