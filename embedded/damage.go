package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Pebble takes the first chunk that it can't read in its list of files (MANIFEST) for the file's end, and in its log
// one within the last 32 KiB: that is how a crash leaves them. It then goes on without what follows, and deletes the
// files that it so forgot. A damaged byte looks the same, so what was acknowledged would be lost without a word. The
// two are distinguished here before Pebble runs: behind the end that a crash left there is nothing that was written
// later. Only a log's very last record can't be judged so.
//
// A chunk is (pebble/record, whose format does not change for existing files):
//
//	┌─────────┬──────────┬────────┬────────────┬────────────────┬─────────
//	│ crc, 4  │ length,2 │ type,1 │ log number │ synced up to,8 │ payload
//	└─────────┴──────────┴────────┴────────────┴────────────────┴─────────
//	                                in the log only
//
// and does not cross a border of 32 KiB.
const (
	chunkBlock      = 32 << 10
	listHeader      = 7
	logHeader       = 19
	trailerHeader   = 11 // closes a log: no crc, no length, type 5, the number of the next log
	firstListType   = 1  // a whole record; 2 a record's first chunk, 3 one in its middle, 4 its last
	comparerTag     = 1  // of a field of a version edit: the comparer's name
	logNumberTag    = 2  // the number below which logs are not needed
	firstLogType    = 9
	typesOfEach     = 4
	trailerType     = 5
	logNumberAt     = 7
	syncedAt        = 11
	checksummedFrom = 6
)

var errDamagedFile = errors.New("is damaged: records are missing in its middle")

// checkFiles returns an error where the list of files or a log is damaged.
func checkFiles(dir, manifest string, f vfs.FS) error {
	list, err := checkFile(f, manifest, chunks{})
	if err != nil {
		return err
	}
	names, err := f.List(dir)
	if err != nil {
		return err
	}
	logs, firstLog := map[uint32]string{}, list.firstLog()
	for _, name := range names {
		number, isLog := strings.CutSuffix(name, ".log")
		if n, err := strconv.ParseUint(number, 10, 64); isLog && err == nil && n >= firstLog {
			logs[uint32(n)] = name
		}
	}
	numbers := slices.Sorted(maps.Keys(logs))
	for i, n := range numbers {
		if _, err := checkFile(f, f.PathJoin(dir, logs[n]), chunks{log: true, synced: i < len(numbers)-1, number: n}); err != nil {
			return err
		}
	}
	return nil
}

// noData returns an error where a directory that names no current list of files has files of data: Pebble would begin
// anew and delete them.
func noData(dir string, f vfs.FS) error {
	names, err := f.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := f.Stat(f.PathJoin(dir, name))
		if err != nil {
			return err
		}
		if info.Size() > 0 && (strings.HasSuffix(name, tableFile) || strings.HasSuffix(name, ".blob") || strings.HasSuffix(name, ".log")) {
			return fmt.Errorf("%s has data, and nothing says which is current: its marker.manifest file is missing", name)
		}
	}
	return nil
}

func checkFile(f vfs.FS, name string, c chunks) (_ chunks, err error) {
	if c.data, err = readFile(f, name); err != nil {
		return c, err
	}
	if c.damaged() {
		return c, fmt.Errorf("%s %w", name, errDamagedFile)
	}
	return c, nil
}

// chunks is the content of one file.
type chunks struct {
	log    bool
	synced bool   // the log, with its trailer: a later one is there, which is made after that
	number uint32 // of the log; files are used again, so older logs' chunks may follow
	data   []byte
}

// damaged reports whether something proves that the first chunk that can't be read was there once.
func (c chunks) damaged() bool {
	end := 0
	for _, end = range c.all() {
	}
	if end = c.skipPadding(end); c.trailer(end) {
		return false
	}
	for at := end; at < len(c.data); at++ {
		if c.proves(at, end) {
			return true
		}
	}
	return !c.log && c.whole(end)
}

// firstLog returns the number of the first log that is read: all that was in those before is in tables. A power cut
// may leave one of them as an earlier cut did, with a newer one beside it. An edit of the list begins with the
// comparer's name, the first alone, and this number, where it changes (pebble/internal/manifest).
func (c chunks) firstLog() (number uint64) {
	for at, end := range c.all() {
		edit := bytes.NewReader(c.data[at+listHeader : end])
		tag, _ := binary.ReadUvarint(edit)
		if tag == comparerTag {
			length, _ := binary.ReadUvarint(edit)
			_, _ = edit.Seek(int64(length), io.SeekCurrent)
			tag, _ = binary.ReadUvarint(edit)
		}
		if n, err := binary.ReadUvarint(edit); err == nil && tag == logNumberTag && c.data[at+6] < firstListType+2 {
			number = max(number, n)
		}
	}
	return number
}

// whole reports whether the list's last chunk is there to its end, only wrong. A crash leaves a shorter file, or
// zeros; a chunk of the list is mostly smaller than what a disk writes at once. Where its length is wrong its
// checksum, which does not cover that, fits all that is there.
func (c chunks) whole(at int) bool {
	if at+listHeader >= len(c.data) {
		return false
	}
	if binary.LittleEndian.Uint32(c.data[at:]) == checksum(c.data[at+checksummedFrom:]) {
		return true
	}
	length := int(binary.LittleEndian.Uint16(c.data[at+4:]))
	tail := c.data[max(at+listHeader, len(c.data)-16):]
	return at+listHeader+length == len(c.data) && strings.Trim(string(tail), "\x00") != ""
}

// proves reports whether what stands at at was written after end was on disk.
func (c chunks) proves(at, end int) bool {
	if c.trailer(at) {
		return c.synced // or the cut came in between, and the disk kept this block and not one before
	}
	if c.chunk(at) == 0 {
		return false
	}
	return !c.log || binary.LittleEndian.Uint64(c.data[at+syncedAt:]) > uint64(end)
}

// all are the chunks, up to the first that can't be read: where each begins and where it ends.
func (c chunks) all() iter.Seq2[int, int] {
	return func(yield func(at, end int) bool) {
		at := c.skipPadding(0)
		for end := c.chunk(at); end > 0 && yield(at, end); end = c.chunk(at) {
			at = c.skipPadding(end)
		}
	}
}

// skipPadding returns where the next chunk begins: a block ends with zeros where a header does not fit.
func (c chunks) skipPadding(at int) int {
	rest := chunkBlock - at%chunkBlock
	if rest >= c.header() || at+rest > len(c.data) {
		return at
	}
	return at + rest
}

func (c chunks) header() int {
	if c.log {
		return logHeader
	}
	return listHeader
}

// chunk returns the end of the chunk that begins at a place, 0 where there is none.
func (c chunks) chunk(at int) int {
	header, first := c.header(), byte(firstListType)
	if c.log {
		first = firstLogType
	}
	if at+header > len(c.data) {
		return 0
	}
	kind, end := c.data[at+6], at+header+int(binary.LittleEndian.Uint16(c.data[at+4:]))
	switch {
	case kind < first || kind >= first+typesOfEach,
		end > len(c.data) || (end-1)/chunkBlock != at/chunkBlock,
		c.log && binary.LittleEndian.Uint32(c.data[at+logNumberAt:]) != c.number,
		binary.LittleEndian.Uint32(c.data[at:]) != checksum(c.data[at+checksummedFrom:end]):
		return 0
	}
	return end
}

// trailer reports whether a log was closed at a place.
func (c chunks) trailer(at int) bool {
	return c.log && at+trailerHeader <= len(c.data) && c.data[at+6] == trailerType &&
		binary.LittleEndian.Uint32(c.data[at:]) == 0 && binary.LittleEndian.Uint16(c.data[at+4:]) == 0 &&
		binary.LittleEndian.Uint32(c.data[at+logNumberAt:]) == c.number+1
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is LevelDB's: a CRC of data that holds CRCs would be weak.
func checksum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
