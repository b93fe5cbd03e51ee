-- batch_leads: whether an item of batch_groups leads a batch that is due: a full one, or one that has
-- waited long enough. A full batch has one leader for each run that it fills.
-- In:  now (NULL: the database clock)
(g.Place <= (g.Waiting - g.Given * (g.Most - 1)) / g.Most
  OR g.Place = 1 AND g.Given = 0 AND (g.Latest <= {{now_minus ms=g.WaitMs}} OR g.First <= {{now_minus ms=g.AtMostMs}}))
