package apitest

import (
	"sync"
	"sync/atomic"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/cache"
	"github.com/pb33f/libopenapi-validator/config"

	"botwork/internal/api"
)

var validators sync.Map // functions that return a validator, by the text of the document

// validatorOf returns the validator of an API's document. Tests of one package share it.
func validatorOf(a *api.API) (validator.Validator, error) {
	text, err := a.Document()
	if err != nil {
		return nil, err
	}
	once, _ := validators.LoadOrStore(string(text), sync.OnceValues(func() (validator.Validator, error) { return newValidator(text) }))
	return once.(func() (validator.Validator, error))()
}

func newValidator(document []byte) (validator.Validator, error) {
	doc, err := libopenapi.NewDocument(document)
	if err != nil {
		return nil, err
	}
	schemas := &lazyCache{SchemaCache: cache.NewDefaultCache()}
	v, errs := validator.NewValidator(doc, config.WithoutSecurityValidation(), config.WithSchemaCache(schemas))
	if len(errs) > 0 {
		return nil, errs[0]
	}
	schemas.complete.Store(true)
	return v, nil
}

// lazyCache keeps compiled schemas. A new validator compiles the schemas of all answers of all
// operations that its cache lacks, which takes longer than most tests. Until it is complete, this
// cache lacks none; afterwards, each schema is compiled when the first answer is compared with it.
type lazyCache struct {
	cache.SchemaCache
	complete atomic.Bool
}

// Load implements cache.SchemaCache.
func (c *lazyCache) Load(key uint64) (*cache.SchemaCacheEntry, bool) {
	if !c.complete.Load() {
		return nil, true
	}
	return c.SchemaCache.Load(key)
}
