package sqlstore

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"gorm.io/gorm"
)

// observeORM reports the statements that gorm makes like those of package sql. Their names are what
// they do and the table, such as select_bot_queues.
func (s *connection) observeORM(db *gorm.DB) error {
	if s.observe == nil {
		return nil
	}
	const began = "botwork:began"
	begin := func(tx *gorm.DB) { tx.InstanceSet(began, time.Now()) }
	end := func(verb string) func(*gorm.DB) {
		return func(tx *gorm.DB) {
			at, ok := tx.InstanceGet(began)
			if !ok || tx.DryRun {
				return
			}
			err := tx.Error
			if errors.Is(err, gorm.ErrRecordNotFound) {
				err = nil
			}
			s.observe(verb+snakeCase(tx.Statement.Table), time.Since(at.(time.Time)), err)
		}
	}
	c := db.Callback()
	return errors.Join(
		c.Query().Before("gorm:query").Register(began, begin), c.Query().After("gorm:query").Register("botwork:ended", end("select")),
		c.Create().Before("gorm:create").Register(began, begin), c.Create().After("gorm:create").Register("botwork:ended", end("insert")),
		c.Update().Before("gorm:update").Register(began, begin), c.Update().After("gorm:update").Register("botwork:ended", end("update")),
		c.Delete().Before("gorm:delete").Register(began, begin), c.Delete().After("gorm:delete").Register("botwork:ended", end("delete")),
		c.Row().Before("gorm:row").Register(began, begin), c.Row().After("gorm:row").Register("botwork:ended", end("select")),
		c.Raw().Before("gorm:raw").Register(began, begin), c.Raw().After("gorm:raw").Register("botwork:ended", end("other")),
	)
}

// snakeCase returns the name of a table such as BotQueues as _bot_queues.
func snakeCase(table string) string {
	var name strings.Builder
	for _, r := range table {
		if unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}
