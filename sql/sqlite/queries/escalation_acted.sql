-- escalation_acted: record that a rule has acted.
-- In:  rule, items (how many items), now (NULL: the database clock)
UPDATE BotEscalations SET
    ActedAt = {{now}},
    Items = Items + @items
WHERE Id = @rule;
