-- reach: the cheapest question.
-- Out: a number.
SELECT 1;
