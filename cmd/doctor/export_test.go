package doctor

type Report = doctorReport
