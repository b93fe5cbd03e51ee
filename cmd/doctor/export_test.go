package doctor

import "botwork/internal/doctor"

type Report = doctor.Report
