-- +goose Up

-- Only SQL Server keeps the name of an item's pipeline in a column: here, reading the row costs little.

-- +goose Down
