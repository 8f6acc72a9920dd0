package cqlnode

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// tokenOf is a partition key's place in the ring: the first half of MurmurHash3 x64 128, with
// the signed bytes of Cassandra's variant in the tail.
func tokenOf(key []byte) int64 {
	h := murmur{}
	for i := 0; i+16 <= len(key); i += 16 {
		h.block(binary.LittleEndian.Uint64(key[i:]), binary.LittleEndian.Uint64(key[i+8:]))
	}
	h.tail(key[len(key)&^15:])
	if t := h.sum(uint64(len(key))); t != math.MinInt64 {
		return t
	}
	return math.MaxInt64
}

const (
	murmur1 = 0x87c37b91114253d5
	murmur2 = 0x4cf5ad432745937f
)

type murmur struct{ h1, h2 uint64 }

func mix1(k uint64) uint64 { return bits.RotateLeft64(k*murmur1, 31) * murmur2 }
func mix2(k uint64) uint64 { return bits.RotateLeft64(k*murmur2, 33) * murmur1 }

func (h *murmur) block(k1, k2 uint64) {
	h.h1 = (bits.RotateLeft64(h.h1^mix1(k1), 27)+h.h2)*5 + 0x52dce729
	h.h2 = (bits.RotateLeft64(h.h2^mix2(k2), 31)+h.h1)*5 + 0x38495ab5
}

func (h *murmur) tail(rest []byte) {
	var k1, k2 uint64
	for i, b := range rest {
		signed := uint64(int64(int8(b)))
		if i < 8 {
			k1 ^= signed << (8 * i)
		} else {
			k2 ^= signed << (8 * (i - 8))
		}
	}
	h.h2 ^= mix2(k2)
	h.h1 ^= mix1(k1)
}

func (h *murmur) sum(length uint64) int64 {
	h.h1 ^= length
	h.h2 ^= length
	h.h1 += h.h2
	h.h2 += h.h1
	return int64(final(h.h1) + final(h.h2))
}

func final(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
