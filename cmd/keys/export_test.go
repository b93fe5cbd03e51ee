package keys

var (
	KeysetText = keysetText
	InYAML     = inYAML
)
