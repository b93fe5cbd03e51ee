-- if_ahead: a deadline or another bound that has not passed, else NULL: one that has would cancel
-- the item at once.
-- Parameters: column
-- In:  now (NULL: the database clock)
CASE WHEN {{column}} >= {{now}} THEN {{column}} END
