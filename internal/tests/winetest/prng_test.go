//go:build linux

package winetest

import (
	"bytes"
	"encoding/binary"
)

// prngStandIn returns a replacement for Windows' bcryptprimitives.dll, which
// Wine 8 lacks and every Go program imports. It is a library without code that
// forwards its only name, ProcessPrng, to a function of Wine with the same signature:
// ADVAPI32.SystemFunction036, known as RtlGenRandom. It is only for tests under Wine;
// it is not shipped.
func prngStandIn() []byte {
	const (
		sectionAt = 0x1000 // in memory
		rawAt     = 0x200  // in the file
		rawSize   = 0x200
	)
	// The section: an export directory, its three tables of one entry, and texts.
	texts := []string{"bcryptprimitives.dll", "ProcessPrng", "ADVAPI32.SystemFunction036"}
	const tables = 40 // after the directory
	const textsAt = tables + 4 + 4 + 2
	var at [3]uint32
	var text bytes.Buffer
	for i, s := range texts {
		at[i] = uint32(sectionAt + textsAt + text.Len())
		text.WriteString(s + "\x00")
	}
	var section bytes.Buffer
	put(&section,
		uint32(0), uint32(0), uint32(0), // flags, time, version
		at[0], uint32(1), // name, first ordinal
		uint32(1), uint32(1), // functions, names
		uint32(sectionAt+tables), uint32(sectionAt+tables+4), uint32(sectionAt+tables+8),
		at[2], at[1], uint16(0), // a function inside the directory is a forwarder
	)
	section.Write(text.Bytes())
	size := uint32(section.Len())

	var file bytes.Buffer
	file.WriteString("MZ")
	file.Write(make([]byte, 58))
	put(&file, uint32(64)) // where the next header is
	file.WriteString("PE\x00\x00")
	put(&file, uint16(0x8664), uint16(1), // x86-64, one section
		uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // a library that may lie high
	put(&file, uint16(0x20b), uint16(0), // 64 bits
		uint32(0), uint32(rawSize), uint32(0), uint32(0), uint32(sectionAt), // no code, no entry point
		uint64(0x1_8000_0000), uint32(0x1000), uint32(0x200), // base, alignments
		uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0), // versions
		uint32(0x2000), uint32(rawAt), uint32(0), // sizes of image and headers
		uint16(3), uint16(0x100), // console; no address randomisation needed
		uint64(0x100000), uint64(0x1000), uint64(0x100000), uint64(0x1000), uint32(0), uint32(16))
	put(&file, uint32(sectionAt), size) // the first directory: exports
	file.Write(make([]byte, 15*8))
	file.WriteString(".edata\x00\x00")
	put(&file, size, uint32(sectionAt), uint32(rawSize), uint32(rawAt),
		uint32(0), uint32(0), uint32(0), uint32(0x4000_0040))
	file.Write(make([]byte, rawAt-file.Len()))
	file.Write(section.Bytes())
	file.Write(make([]byte, rawAt+rawSize-file.Len()))
	return file.Bytes()
}

// put appends numbers, the lowest byte first.
func put(to *bytes.Buffer, numbers ...any) {
	for _, n := range numbers {
		if err := binary.Write(to, binary.LittleEndian, n); err != nil {
			panic(err) // only of a value without a size
		}
	}
}
