package robots

type Extended = extended
